// What operators refuse that the nodes they become would take: those broadcast, leave out what does not divide, or make
// nothing of a range that ends before it starts. Sizes that only a run knows are the guards' to check.
#include <algorithm>

#include "ir/lower/lowerer.h"

namespace axle::ir {

namespace {

using Size = std::optional<std::int64_t>;

// The shapes of an application's arguments and its numbers, as far as they are constants.
struct Known {
  std::vector<std::vector<Size>> shapes;
  std::optional<std::size_t> axis;
  Size first, second;  // the numbers that the row names

  Size along(std::size_t argument) const {
    return axis && *axis < shapes[argument].size() ? shapes[argument][*axis] : Size{};
  }
};

bool differ(const Size& a, const Size& b) { return a && b && *a != *b; }
bool above(const Size& a, const Size& b) { return a && b && *a > *b; }
bool divides(const Size& part, const Size& whole) { return !part || !whole || (*part >= 1 && *whole % *part == 0); }

// The leading dimensions of two arguments but for so many trailing ones.
bool agree(const Known& of, std::size_t trailing, std::size_t other) {
  const auto &a = of.shapes[0], &b = of.shapes[1];
  return a.size() - trailing == b.size() - other &&
         std::equal(a.begin(), a.end() - static_cast<std::ptrdiff_t>(trailing), b.begin(),
                    [](const Size& x, const Size& y) { return !differ(x, y); });
}

struct Precondition {
  std::string_view op, first, second;  // the attributes that it reads
  bool (*holds)(const Known&);
};

bool oneShape(const Known& of) { return agree(of, 0, 0); }
bool oneBatch(const Known& of) { return agree(of, 2, 2); }

// The second argument lies within the first along the axis, and is as large elsewhere.
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

bool Lowerer::preconditionsHold(const Application& a, std::string_view op) {
  for (const Precondition& row : preconditions) {
    if (row.op != op) continue;
    Known known;
    for (std::size_t i = 0; i < a.apply->arguments.size(); ++i) {
      std::vector<Size>& shape = known.shapes.emplace_back();
      for (const ShapePart& part : TypeTerm(solution_.types[argumentType(a, i)]).shape)
        shape.push_back(model_.dims->asConstant(part.dim));
    }
    auto number = [&](std::string_view name) -> Size {
      auto dim = name.empty() ? std::nullopt : dimAttribute(a, name);
      return dim ? model_.dims->asConstant(*dim) : Size{};
    };
    known.first = number(row.first);
    known.second = number(row.second);
    if (!known.shapes.empty() && operators_.attribute(a.apply->op, "axis"))
      known.axis = axisAttribute(a, known.shapes[0].size());
    if (!failed_ && !row.holds(known)) unexpected("`" + std::string(op) + "` does not take it", a.expr->span);
  }
  return !failed_;
}

}  // namespace axle::ir
