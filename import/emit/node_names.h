// Splits names of nodes, which are paths: `block1/conv2d/BiasAdd`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace axle::emit {

using Words = std::vector<std::string>;

// Returns the parts of `block1/conv2d/Conv2D`.
Words partsOf(std::string_view path);
// Returns the parts from the first informative one on.
Words informativeParts(std::string_view path);
std::string pathOf(const Words& parts);
// Whether a part of a name is uninformative: graphs put such parts between a scope and its variable, or around a loop.
bool isUninformative(const std::string& part);
// Whether a path is only a name that TensorFlow and Keras give operators, perhaps with a number: `add_3`, `Add`.
bool isOperatorName(std::string_view path);
// Whether a path is only a name that TensorFlow gives constants: `Const_2`.
bool isConstantName(std::string_view path);
// Whether a name ends in a number alone, `conv/42`: that of a constant without a name of its own.
bool isAnonymous(const Words& parts);
// Returns the `_1` at the end of `conv_1`; empty if there is none.
std::string_view callNumber(std::string_view part);
// Returns `block1/conv` for `block1/conv/BiasAdd`.
std::string_view scopeOf(std::string_view path);
std::string_view commonScope(std::string_view a, std::string_view b);

}  // namespace axle::emit
