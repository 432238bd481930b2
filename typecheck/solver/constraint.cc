#include "typecheck/solver/constraint.h"

#include <type_traits>

namespace axle {

std::string_view nameOf(const Constraint& constraint) {
  return std::visit([](const auto& kind) { return constraint::rowOf<std::decay_t<decltype(kind)>>().name; },
                    constraint.is);
}

ConstraintRole roleOf(const Constraint& constraint) {
  return std::visit([](const auto& kind) { return constraint::rowOf<std::decay_t<decltype(kind)>>().role; },
                    constraint.is);
}

namespace {

// Fills operands with shapes and static values in order; clears `fits_` if one is missing.
class OperandFiller {
 public:
  OperandFiller(const std::vector<Shape>& shapes, const std::vector<StaticId>& statics)
      : shapes_(shapes), statics_(statics) {}

  bool isUsedUp() const { return fits_ && shape_ == shapes_.size() && static_ == statics_.size(); }

  void operator()(Shape& operand) {
    if (shape_ < shapes_.size())
      operand = shapes_[shape_++];
    else
      fits_ = false;
  }
  void operator()(std::vector<Shape>& operand) {
    operand.assign(shapes_.begin() + static_cast<std::ptrdiff_t>(shape_), shapes_.end());
    shape_ = shapes_.size();
  }
  void operator()(StaticId& operand) {
    if (static_ < statics_.size())
      operand = statics_[static_++];
    else
      fits_ = false;
  }
  void operator()(std::optional<StaticId>& operand) {
    if (static_ < statics_.size()) operand = statics_[static_++];
  }

 private:
  const std::vector<Shape>& shapes_;
  const std::vector<StaticId>& statics_;
  std::size_t shape_ = 0, static_ = 0;
  bool fits_ = true;
};

template <class Kind, class... Members>
void tryRow(const ConstraintRow<Kind, Members...>& row, const Shape& result, OperandFiller fill,
            std::optional<constraint::Any>& found) {
  Kind kind;
  auto fillRow = [&](auto first, auto... rest) {
    constexpr bool givesShape = std::is_same_v<decltype(kind.*first), Shape&>;
    constexpr bool takesShapes = (std::is_invocable_v<OperandFiller&, decltype(kind.*rest)> && ...);
    if constexpr (givesShape && takesShapes) {
      kind.*first = result;
      (fill(kind.*rest), ...);
      if (fill.isUsedUp()) found = std::move(kind);
    }
  };
  std::apply(fillRow, row.operands);
}

}  // namespace

std::optional<constraint::Any> shapeFunction(std::string_view name, const Shape& result,
                                             const std::vector<Shape>& shapes, const std::vector<StaticId>& statics) {
  std::optional<constraint::Any> found;
  auto tryNamed = [&](const auto& row) {
    if (row.role != ConstraintRole::relation && row.name == name)
      tryRow(row, result, OperandFiller(shapes, statics), found);
  };
  std::apply([&](const auto&... rows) { (tryNamed(rows), ...); }, constraint::rows);
  return found;
}

std::optional<DimComparison> comparisonOf(const Constraint& constraint) {
  if (const auto* fact = constraint.as<constraint::Fact>()) return *fact;
  if (const auto* equal = constraint.as<constraint::DimEqual>())
    return DimComparison{equal->left.dim, FactRelation::eq, equal->right.dim};
  return std::nullopt;
}

}  // namespace axle
