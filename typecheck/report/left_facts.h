// The facts that a changed program leaves to callers.
#pragma once

#include <string_view>

namespace axle {

// What a type may say of quotients and remainders.
enum class Dividing {
  nothing,
  ofOneSize,  // that a small number divides one size, as windows in a row ask: `w % 2 == 0`, `w / 2 == 2*(w / 4)`
  ofSizes,    // the same of several sizes, or that one divides another: `(k / 3) % heads == 0`
};

struct MayLeave {
  Dividing dividing = Dividing::nothing;
  bool equations = false;      // as where the program states some
  bool ofHiddenSizes = false;  // what is asked of sizes that the type does not show: those of weights without types
};

// Whether a type leaves a fact to callers that they meet only by luck: `where (9*n) % 187 == 0`, or an equation.
bool leavesMore(std::string_view type, const MayLeave& may);

}  // namespace axle
