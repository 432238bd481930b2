// The parts of driver/reference.h that its text and its JSON share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace axle::driver {

// A function of the standard library.
struct LibraryFunction {
  std::string name;  // with its module: `nn.dense`
  std::string type, doc;
};

std::vector<LibraryFunction> functionsOf(const std::string& module);

// Whether the last part of a dotted name, or the text, contains the word; large and small letters are the same.
bool mentions(std::string_view name, std::string_view text, std::string_view word);

}  // namespace axle::driver
