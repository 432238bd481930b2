// How the sizes that meet differ: that speaks for some kinds of mistakes, and rules others out.
#pragma once

#include <cstdint>

namespace axle {

struct Guesser;

// How the two sizes of a message differ, as far as their texts say.
struct SizeDifference {
  // How many times one is the other: 2 of `2*w` and `4*w`, or of 3000 and 1500; 1 where that is no whole number.
  std::int64_t factor = 1;
  bool isOfNames = false;   // the sizes are no numbers: then no border that is cut off makes a factor
  bool isConstant = false;  // they have the same names, and differ by a number: `8*w - 2` and `8*w - 4`
};
SizeDifference sizeDifference(const Guesser& g);

// Whether images meet whose heights and widths differ by one factor: a stride, a pool or a scale makes that, and
// nothing that changes one axis, or exchanges two.
bool differAsImages(Guesser& g);

}  // namespace axle
