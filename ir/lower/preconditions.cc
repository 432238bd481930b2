// Checks preconditions of core operators that the operators of the IR do not have: IR operators broadcast, drop a
// remainder, or return an empty range if the end is before the start. This file checks constant sizes; guards of the
// entry check symbolic sizes.
#include <algorithm>

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

namespace {

using Size = std::optional<std::int64_t>;

// The sizes and static numbers of an application that are constants.
struct Known {
  std::vector<std::vector<Size>> shapes;
  std::optional<std::size_t> axis;
  Size first, second;  // the static numbers that the row names

  Size along(std::size_t argument) const {
    return axis && *axis < shapes[argument].size() ? shapes[argument][*axis] : Size{};
  }
};

bool differ(const Size& a, const Size& b) { return a && b && *a != *b; }
bool above(const Size& a, const Size& b) { return a && b && *a > *b; }
bool divides(const Size& part, const Size& whole) { return !part || !whole || (*part >= 1 && *whole % *part == 0); }

// Whether the arguments agree in all dimensions except the last `trailing` and `other`.
bool agree(const Known& of, std::size_t trailing, std::size_t other) {
  const auto &a = of.shapes[0], &b = of.shapes[1];
  return a.size() - trailing == b.size() - other &&
         std::equal(a.begin(), a.end() - offset(trailing), b.begin(),
                    [](const Size& x, const Size& y) { return !differ(x, y); });
}

struct Precondition {
  std::string_view op, first, second;  // `first` and `second`: names of attributes
  bool (*holds)(const Known&);
};

bool oneShape(const Known& of) { return agree(of, 0, 0); }
bool oneBatch(const Known& of) { return agree(of, 2, 2); }

// The second argument is at most as long as the first along the axis, and has the same sizes elsewhere.
bool partFits(const Known& of) {
  if (of.shapes[0].size() != of.shapes[1].size() || above(1, of.along(1)) || above(of.along(1), of.along(0)))
    return false;
  for (std::size_t i = 0; i < of.shapes[0].size(); ++i)
    if (i != of.axis && differ(of.shapes[0][i], of.shapes[1][i])) return false;
  return true;
}

// clang-format off
constexpr Precondition preconditions[] = {
    {"max",            "",       "",     oneShape},
    {"min",            "",       "",     oneShape},
    {"matmul_nt",      "",       "",     oneBatch},
    {"matmul_tn",      "",       "",     oneBatch},
    {"matvec",         "",       "",     [](const Known& of) { return agree(of, 2, 1); }},
    {"conv",           "",       "",     [](const Known& of) { return !above(of.shapes[1][2], of.shapes[0][2]) && !above(of.shapes[1][3], of.shapes[0][3]); }},
    {"split",          "parts",  "",     [](const Known& of) { return divides(of.first, of.along(0)); }},
    {"slice",          "start",  "stop", [](const Known& of) { return !above(of.first, of.second); }},
    {"slice",          "stop",   "",     [](const Known& of) { return !above(of.first, of.along(0)); }},
    {"frame",          "length", "",     [](const Known& of) { return !above(of.first, of.along(0)); }},
    {"trace",          "",       "",     [](const Known& of) { return !differ(of.shapes[0].back(), of.shapes[0].end()[-2]); }},
    {"arange",         "start",  "stop", [](const Known& of) { return !above(of.first, of.second); }},
    {"arange",         "step",   "",     [](const Known& of) { return !above(1, of.first); }},
    {"linspace",       "count",  "",     [](const Known& of) { return !above(1, of.first); }},
    {"space_to_depth", "block",  "",     [](const Known& of) { return divides(of.first, of.shapes[0][1]) && divides(of.first, of.shapes[0][2]); }},
    {"depth_to_space", "block",  "",     [](const Known& of) { return divides(of.first ? Size(*of.first * *of.first) : of.first, of.shapes[0][3]); }},
    {"dynamic_update_slice", "", "",     partFits},
};
// clang-format on

}  // namespace

bool preconditionsHold(Context& c, const Application& a, std::string_view op) {
  for (const Precondition& row : preconditions) {
    if (row.op != op) continue;
    Known known;
    for (std::size_t i = 0; i < a.apply->arguments.size(); ++i) {
      std::vector<Size>& shape = known.shapes.emplace_back();
      for (const ShapePart& part : TypeTerm(c.type(argumentType(c, a, i))).shape)
        shape.push_back(c.dims().asConstant(part.dim));
    }
    auto attribute = [&](std::string_view name) -> Size {
      auto dim = name.empty() ? std::nullopt : dimAttribute(c, a, name);
      return dim ? c.dims().asConstant(*dim) : Size{};
    };
    known.first = attribute(row.first);
    known.second = attribute(row.second);
    if (!known.shapes.empty() && c.operators.attribute(a.apply->op, "axis"))
      known.axis = axisAttribute(c, a, known.shapes[0].size());
    if (!c.failed && !row.holds(known)) reportBug(c, "`" + std::string(op) + "` does not take it", a.span());
  }
  return !c.failed;
}

}  // namespace axle::ir::lowering
