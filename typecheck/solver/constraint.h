// Constraints: requirements on shapes, sizes, types and static values, each with its reason. To add one, write its
// struct, its row in `constraint::rows`, and its rule `run` in the file of its topic (rules_*.cc; equations of shapes
// and sizes in unify.cc and dim_equations.cc, facts in dim_facts.cc, ragged lengths in dim_kinds.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "dims/fact.h"
#include "frontend/ast.h"
#include "typecheck/types/provenance.h"
#include "typecheck/types/type.h"

namespace axle {

struct Solver;

// The outcome of a constraint's rule. done: it holds, or simpler ones replace it; failed: it cannot hold, and a
// conflict is recorded; waiting: it waits for one of its variables.
enum class Progress : std::uint8_t { done, failed, waiting };

// One struct for each kind of constraint. `run` is its rule; it may record its progress in the struct.
namespace constraint {

// left = right
struct ShapeEqual {
  Shape left, right;
  Progress run(Solver& solver, ReasonId reason);
};

// left = right, both sizes
struct DimEqual {
  ShapePart left, right;
  Progress run(Solver& solver, ReasonId reason);
};

// `left relation right`, between sizes
struct Fact : DimComparison {
  // If a reshape requires the fact: the given shape, and the requested sizes.
  struct Reshaped {
    Shape operand;
    StaticId sizes;
  };
  std::optional<std::pair<Dim, Dim>> stretch = std::nullopt;  // written `n : 1 or m`
  std::optional<Reshaped> reshaped = std::nullopt;
  Progress run(Solver& solver, ReasonId reason);
};

// result = left # right
struct Broadcast {
  Shape result, left, right;
  Progress run(Solver& solver, ReasonId reason);
};

// result = left # right, for sizes: only a literal 1 stretches
struct BroadcastDim {
  ShapePart result, left, right;
  Progress run(Solver& solver, ReasonId reason);
};

// `axis` is an axis from the end of `before` to the start of `after`.
struct AxisSplit {
  Shape before, after;
  StaticId axis;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand with its axes in `order`
struct Permute {
  Shape result, operand;
  StaticId order;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand reshaped to `sizes`
struct Reshape {
  Shape result, operand;
  StaticId sizes;
  bool hasSizes = false;  // the result is already unified with its sizes; the operand's rank is open
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand padded by `pads`; without a mode, "constant"
struct Pad {
  Shape result, operand;
  StaticId pads;
  std::optional<StaticId> mode = std::nullopt;
  Progress run(Solver& solver, ReasonId reason);
};

// One axis of a window over an image: `padding` is a word, or a list of pairs with this axis's pair at index `axis`.
struct Window {
  Dim result, image, window;
  StaticId stride, padding, dilation;
  std::size_t axis = 0;
};

// result = number of windows in the image
struct ConvOut : Window {
  Progress run(Solver& solver, ReasonId reason);
};

// image = number of windows in the result; `sizes` are the given sizes of the results, or `_`
struct ConvTransposeOut : Window {
  StaticId sizes;
  Progress run(Solver& solver, ReasonId reason);
};

// result = number of elements of the operand
struct SizeOf {
  Dim result;
  Shape operand;
  Progress run(Solver& solver, ReasonId reason);
};

// result = rank of the operand
struct RankOf {
  Dim result;
  Shape operand;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand if the condition is true, otherwise []
struct When {
  Shape result, operand;
  StaticId condition;
  Progress run(Solver& solver, ReasonId reason);
};

// result = `count` elements stacked along a new leading dimension
struct Collect {
  TypeId result, element;
  Dim count;
  Progress run(Solver& solver, ReasonId reason);
};

// result = tuple of `count` copies of the element
struct Repeat {
  TypeId result, element;
  StaticId count;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand without `axes`, or with each of them set to 1 if `keep`
struct Reduce {
  Shape result, operand;
  StaticId axes, keep;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand with each size multiplied by its item of `times`
struct Tile {
  Shape result, operand;
  StaticId times;
  Progress run(Solver& solver, ReasonId reason);
};

// result = sizes = sizes # operand
struct Stretch {
  Shape result, operand;
  StaticId sizes;
  Progress run(Solver& solver, ReasonId reason);
};

// result = sizes
struct Sized {
  Shape result;
  StaticId sizes;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand with two axes exchanged
struct Swap {
  Shape result, operand;
  StaticId first, second;
  Progress run(Solver& solver, ReasonId reason);
};

// result = operand with the axis `from` moved to `to`
struct Move {
  Shape result, operand;
  StaticId from, to;
  Progress run(Solver& solver, ReasonId reason);
};

// result = bytes of an element of the tensor type
struct Width {
  Dim result;
  TypeId tensor;
  Progress run(Solver& solver, ReasonId reason);
};

// `value` has the form that the attribute's sort requires.
struct AttributeForm {
  StaticId value;
  const ast::OpAttribute* attribute = nullptr;
  Progress run(Solver& solver, ReasonId reason);
};

// result = shape of one element of the operand's leading dimension: a ragged length over that dimension becomes one
// length
struct Element {
  Shape result, operand;
  bool isGiven = false;  // nothing more will be learnt about the operand
  Progress run(Solver& solver, ReasonId reason);
};

// result = shape that the equation computes from the operands' shapes
struct Einsum {
  Shape result;
  StaticId equation;
  std::vector<Shape> operands;
  Progress run(Solver& solver, ReasonId reason);
};

}  // namespace constraint

// `relation`: not a function. `function`, `silent`: a function of signatures whose first operand is its result. While
// it is open, a printed type shows `name(other operands)` in place of the result of a `function`, and just the result
// of a `silent` one.
enum class ConstraintRole : std::uint8_t { relation, function, silent };

template <class Kind, class... Members>
struct ConstraintRow {
  using Struct = Kind;
  std::string_view name;  // the name in signatures
  ConstraintRole role;
  std::tuple<Members...> operands;  // in the order of the function's arguments
};

namespace constraint {

template <class Kind, class... Members>
constexpr ConstraintRow<Kind, Members...> row(std::string_view name, ConstraintRole role, Members... operands) {
  return {name, role, {operands...}};
}

inline constexpr ConstraintRole relation = ConstraintRole::relation, function = ConstraintRole::function,
                                silent = ConstraintRole::silent;

// clang-format off
inline constexpr std::tuple rows{
    //  struct           name                 role      operands
    row<ShapeEqual>      ("shape_equal",        relation, &ShapeEqual::left, &ShapeEqual::right),
    row<DimEqual>        ("dim_equal",          relation, &DimEqual::left, &DimEqual::right),
    row<Fact>            ("fact",               relation, &Fact::left, &Fact::right, &Fact::stretch, &Fact::reshaped),
    row<Broadcast>       ("broadcast",          relation, &Broadcast::result, &Broadcast::left, &Broadcast::right),
    row<BroadcastDim>    ("broadcast_dim",      relation, &BroadcastDim::result, &BroadcastDim::left, &BroadcastDim::right),
    row<AxisSplit>       ("axis_split",         relation, &AxisSplit::before, &AxisSplit::after, &AxisSplit::axis),
    row<Permute>         ("permute",            function, &Permute::result, &Permute::operand, &Permute::order),
    row<Reshape>         ("reshape",            function, &Reshape::result, &Reshape::operand, &Reshape::sizes),
    row<Pad>             ("pad",                function, &Pad::result, &Pad::operand, &Pad::pads, &Pad::mode),
    row<ConvOut>         ("conv_out",           function, &ConvOut::result, &ConvOut::image, &ConvOut::window, &ConvOut::stride, &ConvOut::padding, &ConvOut::dilation),
    row<ConvTransposeOut>("conv_transpose_out", function, &ConvTransposeOut::result, &ConvTransposeOut::image, &ConvTransposeOut::window, &ConvTransposeOut::stride, &ConvTransposeOut::padding, &ConvTransposeOut::dilation, &ConvTransposeOut::sizes),
    row<SizeOf>          ("size",               function, &SizeOf::result, &SizeOf::operand),
    row<RankOf>          ("rank",               function, &RankOf::result, &RankOf::operand),
    row<When>            ("when",               silent,   &When::result, &When::operand, &When::condition),
    row<Collect>         ("collect",            relation, &Collect::result, &Collect::element, &Collect::count),
    row<Repeat>          ("repeat",             relation, &Repeat::result, &Repeat::element, &Repeat::count),
    row<Reduce>          ("reduce",             function, &Reduce::result, &Reduce::operand, &Reduce::axes, &Reduce::keep),
    row<Tile>            ("tile",               function, &Tile::result, &Tile::operand, &Tile::times),
    row<Stretch>         ("stretch",            function, &Stretch::result, &Stretch::operand, &Stretch::sizes),
    row<Sized>           ("sized",              silent,   &Sized::result, &Sized::sizes),
    row<Swap>            ("swap",               function, &Swap::result, &Swap::operand, &Swap::first, &Swap::second),
    row<Move>            ("move",               function, &Move::result, &Move::operand, &Move::from, &Move::to),
    row<Width>           ("width",              silent,   &Width::result, &Width::tensor),
    row<AttributeForm>   ("attribute_form",     relation, &AttributeForm::value),
    row<Element>         ("element",            silent,   &Element::result, &Element::operand),
    row<Einsum>          ("einsum",             function, &Einsum::result, &Einsum::equation, &Einsum::operands),
};
// clang-format on

template <class... Rows>
std::variant<typename Rows::Struct...> variantOf(const std::tuple<Rows...>&);
using Any = decltype(variantOf(rows));

template <class Kind, std::size_t I = 0>
constexpr const auto& rowOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Any>, Kind>)
    return std::get<I>(rows);
  else
    return rowOf<Kind, I + 1>();
}

}  // namespace constraint

struct Constraint {
  ReasonId reason;
  constraint::Any is;

  // Returns null if the constraint is of another kind.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&is);
  }
};

std::string_view nameOf(const Constraint& constraint);
ConstraintRole roleOf(const Constraint& constraint);

namespace constraint {

template <class Operand, class Visit>
void visitOperand(Operand& operand, Visit& visit) {
  using Plain = std::remove_const_t<Operand>;
  if constexpr (std::is_same_v<Plain, std::vector<Shape>>) {
    for (auto& shape : operand) visit(shape);
  } else if constexpr (std::is_same_v<Plain, std::optional<StaticId>>) {
    if (operand) visit(*operand);
  } else if constexpr (std::is_same_v<Plain, std::optional<std::pair<Dim, Dim>>>) {
    if (operand) visit(operand->first), visit(operand->second);
  } else if constexpr (std::is_same_v<Plain, std::optional<Fact::Reshaped>>) {
    if (operand) visit(operand->operand), visit(operand->sizes);
  } else {
    visit(operand);
  }
}

}  // namespace constraint

// Calls `visit` with each operand, in the order of the row: a Shape, ShapePart, Dim, TypeId or StaticId; const if the
// constraint is.
template <class AnyConstraint, class Visit>
void forEachOperand(AnyConstraint& constraint, Visit&& visit) {
  std::visit(
      [&](auto& kind) {
        std::apply([&](auto... operand) { (constraint::visitOperand(kind.*operand, visit), ...); },
                   constraint::rowOf<std::remove_cvref_t<decltype(kind)>>().operands);
      },
      constraint.is);
}

// Returns the first operand of a constraint if it is an `Operand`: the result of a shape function. Null otherwise.
template <class Operand>
const Operand* resultOf(const Constraint& constraint) {
  const Operand* result = nullptr;
  bool isFirst = true;
  forEachOperand(constraint, [&](const auto& operand) {
    if constexpr (std::is_same_v<std::decay_t<decltype(operand)>, Operand>)
      if (isFirst) result = &operand;
    isFirst = false;
  });
  return result;
}

// Returns the shape function with this name, result and operands; none if no function takes that many shapes and static
// values.
std::optional<constraint::Any> shapeFunction(std::string_view name, const Shape& result,
                                             const std::vector<Shape>& shapes, const std::vector<StaticId>& statics);

// Returns the relation that a fact or an equation between sizes states; none for another constraint.
std::optional<DimComparison> comparisonOf(const Constraint& constraint);

}  // namespace axle
