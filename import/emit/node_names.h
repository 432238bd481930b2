// Names of nodes, which are paths: `block1/conv2d/BiasAdd`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace axle::emit {

using Words = std::vector<std::string>;

// The parts of `block1/conv2d/Conv2D`.
Words partsOf(std::string_view path);
// The parts from the first that says something.
Words informativeParts(std::string_view path);
std::string pathOf(const Words& parts);
// Whether a part of a name says nothing: graphs put such parts between a scope and its variable, or around a loop.
bool isUninformative(const std::string& part);
// The `_1` at the end of `conv_1`; empty where there is none.
std::string_view callNumber(std::string_view part);
// `block1/conv/BiasAdd` gives `block1/conv`.
std::string_view scopeOf(std::string_view path);
std::string_view commonScope(std::string_view a, std::string_view b);

}  // namespace axle::emit
