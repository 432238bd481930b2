#include "typecheck/infer/indexing.h"

#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/expressions.h"
#include "typecheck/infer/operators.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Size, arg::Size, Phrase> indexOutOfRange{
    codes::factRefuted, "the index {} is out of range for an axis of size {}", "{2}"};
constexpr Message<> twoEllipses{codes::badAttribute, "an index has more than one `...`", "the second one"};
constexpr Message<> tupleIndexed{codes::typeMismatch, "the index needs a tensor, but gets a tuple", "here"};

// An index whose items are being applied one by one.
struct Indexed {
  Span span;
  const ast::ExprIndex& index;
  std::uint32_t slice, squeeze;  // operators
  TypedId value;
  bool failed = false;  // a conflict was reported
};

void applyStep(Inference& in, Indexed& indexed, std::uint32_t op, std::map<std::string, StaticId> statics,
               std::string subject = {}) {
  const bool isSlice = subject.empty();  // of a single index, the text has no bounds
  indexed.value =
      applyOperator(in, {op, indexed.span, {}, {indexed.value}, {}, std::move(statics), std::move(subject), isSlice});
}

// Returns the size of an axis of the value, for bounds that count from its end.
Dim axisSize(Inference& in, Indexed& indexed, StaticId axis, Span span) {
  const ShapeVar before = freshShape(in.solver, "p"), after = freshShape(in.solver, "s");
  const Dim size = freshDimTerm(in.solver, "n");
  const ReasonId why = addReason(in.provenance, ReasonKind::index, span, "the index");
  addConstraint(in.solver, why, constraint::AxisSplit{{ShapePart::of(before)}, {ShapePart::of(after)}, axis});
  const TypeId base = tensorType(in.solution, ElemTerm::of(freshElem(in.solver, "t")),
                                 {ShapePart::of(before), ShapePart::of(size), ShapePart::of(after)}, {});
  in.provenance.edit(why).given = {givenArgument(in.checked, indexed.value)};
  if (!isErrorExpr(in.checked, indexed.value)) unify(in.solver, base, in.program[indexed.value].type, why);
  indexed.failed |= reportConflicts(in);
  return size;
}

// Reads a bound; a negative one counts from the end.
std::optional<Dim> readBound(Inference& in, ast::ExprId id, Dim size) {
  DimStore& dims = in.solution.dims;
  const auto bound = readStaticDim(in, id);
  if (!bound) return std::nullopt;
  const auto constant = dims.asConstant(*bound);
  return constant && *constant < 0 ? dims.add(size, *bound) : *bound;
}

// Adds help to the last error, which is about an index computed during the run: how to use positions or a mask instead.
void suggestGather(Inference& in, const Indexed& indexed, ast::ExprId item, std::int64_t axis) {
  const std::size_t before = in.diagnostics.size();
  const TypeTerm& type = termOf(in.solution, in.program[inferExpr(in, item)].type);
  const bool isMask = type.kind == TypeKind::tensor && in.solution.resolve(type.elem) == ElemTerm::of(Elem::boolean);
  in.diagnostics.resize(before);  // drops the errors of the item itself
  Diagnostic& d = in.diagnostics.back();
  if (!isMask) {
    d.addHelp("{} takes slices at positions that are computed in the run",
              arg::Code{fmt::format("gather(x, i, axis={})", axis)});
    return;
  }
  d.setLabel("a mask, which is computed in the run");
  if (indexed.index.items.size() != 1) return;
  const std::string_view base = in.checked.sources.text(in.module()[indexed.index.base].span);
  const std::string_view mask = in.checked.sources.text(in.module()[item].span);
  const std::string text = in.solution.resolve(type.shape).size() == 1
                               ? fmt::format("gather({}, squeeze(nonzero({}), axis=1))", base, mask)
                               : fmt::format("gather_nd({}, nonzero({}))", base, mask);
  d.fixes.push_back({fmt::format("slices at the positions where it holds: `{}`", text), {{indexed.span, text}}});
}

// Marks where the size of an axis of the value comes from.
void labelSize(Inference& in, TypedId value, std::int64_t axis, std::int64_t size, Diagnostic& d) {
  const Shape shape = in.solution.resolve(termOf(in.solution, in.program[value].type).shape);
  const std::int64_t place = axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
  if (place < 0 || place >= static_cast<std::int64_t>(shape.size())) return;
  if (std::ranges::any_of(shape, &ShapePart::isVar)) return;
  const auto source = sourceOf(in.checked, shape[static_cast<std::size_t>(place)]);
  if (!source) return;
  const Phrase owner = source->owner.empty() ? Phrase("here") : Phrase("{}", arg::Name{source->owner});
  d.addLabel(source->span, "{} comes from {}", arg::Size{std::to_string(size)}, owner);
}

// Reports an index past the end of an axis whose size is a number.
bool checkInRange(Inference& in, Dim start, TypedId value, std::int64_t axis, Dim size, ast::ExprId item) {
  const auto at = in.solution.dims.asConstant(in.solution.resolve(start));
  const auto count = in.solution.dims.asConstant(in.solution.resolve(size));
  if (!at || !count || (0 <= *at && *at < *count)) return true;
  const Span span = in.module()[item].span;
  const arg::Size first{"-" + std::to_string(*count)}, last{std::to_string(*count - 1)};
  Diagnostic& d =
      report(in, indexOutOfRange, span, arg::Size{in.checked.sources.text(span)}, arg::Size{std::to_string(*count)},
             *count == 0 ? Phrase("there is nothing to take") : Phrase("the valid indices are {} to {}", first, last));
  labelSize(in, value, axis, *count, d);
  return false;
}

// Applies `x[i]`: a slice of size 1, whose axis is squeezed.
bool applyItem(Inference& in, Indexed& indexed, const ast::IndexAt& item, std::int64_t axis, StaticId axisValue,
               Dim size) {
  DimStore& dims = in.solution.dims;
  const std::size_t before = in.diagnostics.size();
  const auto start = readBound(in, item.index, size);
  const bool isReported = in.diagnostics.size() > before;
  if (!start && isReported && in.diagnostics.back().code == &codes::notStatic)
    suggestGather(in, indexed, item.index, axis);
  if (!start || !checkInRange(in, *start, indexed.value, axis, size, item.index)) return false;
  const Dim stop = dims.add(*start, dims.constant(1));
  applyStep(in, indexed, indexed.slice,
            {{"axis", axisValue}, {"start", staticDim(in.solution, *start)}, {"stop", staticDim(in.solution, stop)}},
            fmt::format("the index {}", in.checked.sources.text(in.module()[item.index].span)));
  applyStep(in, indexed, indexed.squeeze, {{"axis", axisValue}});
  return true;
}

// Applies `x[a:b:c]`.
bool applyItem(Inference& in, Indexed& indexed, const ast::IndexRange& range, StaticId axisValue, Dim size) {
  std::map<std::string, StaticId> statics{{"axis", axisValue}};
  auto add = [&](const char* name, std::optional<Dim> value) {
    if (value) statics[name] = staticDim(in.solution, *value);
    return value.has_value();
  };
  if (range.start && !add("start", readBound(in, range.start, size))) return false;
  if (range.stop && !add("stop", readBound(in, range.stop, size))) return false;
  if (range.step && !add("step", readStaticDim(in, range.step))) return false;
  if (range.start || range.stop || range.step) applyStep(in, indexed, indexed.slice, std::move(statics));
  return true;
}

// Applies one item. False after an error.
bool applyItem(Inference& in, Indexed& indexed, const ast::IndexItem& item, std::int64_t axis) {
  const StaticId axisValue = staticDim(in.solution, in.solution.dims.constant(axis));
  const Dim size = axisSize(in, indexed, axisValue, item.span);
  const auto* at = std::get_if<ast::IndexAt>(&item.node);
  const bool isApplied = at ? applyItem(in, indexed, *at, axis, axisValue, size)
                            : applyItem(in, indexed, std::get<ast::IndexRange>(item.node), axisValue, size);
  return isApplied && !indexed.failed;
}

bool isAt(const ast::IndexItem& item) { return std::holds_alternative<ast::IndexAt>(item.node); }
bool isEllipsis(const ast::IndexItem& item) { return std::holds_alternative<ast::IndexEllipsis>(item.node); }

// Applies all items: those before the ellipsis count axes from the leading end, those after it from the trailing end.
bool applyItems(Inference& in, Indexed& indexed) {
  const std::vector<ast::IndexItem>& items = indexed.index.items;
  const auto ellipsis = std::find_if(items.begin(), items.end(), isEllipsis);
  std::int64_t axis = 0;
  for (auto it = items.begin(); it != ellipsis; ++it) {
    if (!applyItem(in, indexed, *it, axis)) return false;
    if (!isAt(*it)) ++axis;
  }
  if (ellipsis == items.end()) return true;
  axis = -1;
  for (auto it = items.end() - 1; it != ellipsis; --it) {
    if (isEllipsis(*it)) {
      report(in, twoEllipses, it->span);
      return false;
    }
    if (!applyItem(in, indexed, *it, axis)) return false;
    if (!isAt(*it)) --axis;
  }
  return true;
}

// Returns the position of a new axis, as in `x[:, None]`.
std::optional<std::size_t> newAxis(const Inference& in, const ast::ExprIndex& index) {
  for (std::size_t i = 0; i < index.items.size(); ++i) {
    const auto* at = std::get_if<ast::IndexAt>(&index.items[i].node);
    if (!at) continue;
    const std::string_view name = in.checked.sources.text(in.module()[at->index].span);
    if ((name == "None" || name.ends_with("newaxis")) && !isValueInScope(in, std::string(name))) return i;
  }
  return std::nullopt;
}

}  // namespace

TypedId inferIndex(Inference& in, Span span, const ast::ExprIndex& index) {
  if (auto place = newAxis(in, index)) {
    const ast::ExprId none = std::get<ast::IndexAt>(index.items[*place].node).index;
    reportNewAxis(in, in.module()[none].span, span, index, *place);
    return errorExpr(in, span);
  }
  const TypedId value = inferExpr(in, index.base);
  if (termOf(in.solution, in.program[value].type).kind == TypeKind::tuple) {
    report(in, tupleIndexed, span).addHelp("a tuple is taken apart by names for its parts, on the left of a `=`");
    return errorExpr(in, span);
  }
  const auto slice = findOperator(in, "slice", 1), squeeze = findOperator(in, "squeeze", 1);
  if (!slice || !squeeze) return errorExpr(in, span);
  Indexed indexed{span, index, *slice, *squeeze, value};
  return applyItems(in, indexed) ? indexed.value : errorExpr(in, span);
}

}  // namespace axle
