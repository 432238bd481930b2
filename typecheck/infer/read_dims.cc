// Reads sizes: numbers, names, arithmetic, marked dimensions, packs, and the size functions of signatures.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/marked_dims.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/size_operators.h"

namespace axle {
namespace {

constexpr Message<> undefinedSize{codes::overflow, "a size does not fit into 64 bits, or divides by 0", "here"};
constexpr Message<arg::Name> noItem{codes::unknownName, "{} is no static parameter that is a list with this item",
                                    "not an item of a parameter after the `;`"};
constexpr Message<> twoAxes{codes::unknownName, "the padding and the size of a window are of one axis",
                            "items of different places"};
constexpr Message<> zeroDivisor{codes::overflow, "a size cannot be divided by 0", "this divisor is 0"};

const StaticTerm& resolvedTerm(TypeReader& reader, StaticId value) {
  return reader.solution.types[reader.solution.resolve(value)];
}

// Returns the size that an attribute gives. In a fact, it is a variable with the attribute's name, bound to the size,
// so that a failing fact is printed as written.
Dim attributeSize(TypeReader& reader, const std::string& name, Dim size) {
  if (!reader.inFact) return size;
  const Dim named = freshInteger(reader.solver, name);
  reader.solution.dimVars.edit(reader.solution.dims.asVariable(named)->index).binding = size;
  return named;
}

}  // namespace

Dim readDimName(TypeReader& reader, const std::string& name, Span span) {
  DimStore& dims = reader.solution.dims;
  if (reader.onName) reader.onName(name);
  if (reader.use && !reader.use->count.empty() && name == reader.use->count)
    return dims.constant(static_cast<std::int64_t>(reader.use->packSize));
  if (auto value = findAttribute(reader, name))
    if (const StaticTerm& term = resolvedTerm(reader, *value); term.kind == StaticKind::dim)
      return attributeSize(reader, name, term.dim);
  for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it) {
    if (auto found = (*it)->names.dims.find(name); found != (*it)->names.dims.end())
      return dims.variable(found->second);
    if (auto given = (*it)->statics.find(name); given != (*it)->statics.end())
      if (const StaticTerm& term = resolvedTerm(reader, given->second); term.kind == StaticKind::dim) return term.dim;
  }
  if (reader.inFact && !reader.use) reportUnknownInFact(reader, name, span, /*isElem=*/false);
  rejectMistakenSize(reader, name, span);
  const DimVar fresh = freshDim(reader.solver, name, reader.use == nullptr);
  AnnotationNames& names = reader.scopes.back()->names;
  names.dims[name] = fresh;
  const Dim dim = dims.variable(fresh);
  if (!reader.use) names.written.push_back({span, ShapePart::of(dim)});
  return dim;
}

namespace {

Dim readNode(TypeReader& reader, const ast::DimInt& number, Span) {
  DimStore& dims = reader.solution.dims;
  return number.value <= INT64_MAX ? dims.constant(static_cast<std::int64_t>(number.value)) : dims.undefined();
}

Dim readNode(TypeReader& reader, const ast::DimName& dim, Span span) { return readDimName(reader, dim.name, span); }

Dim readNode(TypeReader& reader, const ast::DimHole&, Span) { return freshDimTerm(reader.solver, "n"); }

Dim readNode(TypeReader& reader, const ast::DimNegate& negate, Span) {
  DimStore& dims = reader.solution.dims;
  return dims.mul(dims.constant(-1), readDim(reader, negate.operand));
}

Dim readNode(TypeReader& reader, const ast::DimBinary& binary, Span span) {
  DimStore& dims = reader.solution.dims;
  const Dim left = readDim(reader, binary.left), right = readDim(reader, binary.right);
  const bool divides = binary.op == ast::DimOp::div || binary.op == ast::DimOp::mod;
  if (divides && !reader.use && right == dims.constant(0)) {
    if (!reader.failed) report(reader, zeroDivisor, reader.module[binary.right].span);
    return freshDimTerm(reader.solver, "n");
  }
  const Dim value = dims.apply(dimOperator(binary.op), left, right);
  if (divides && !reader.use) requireDivisor(reader.solver, value, right, span);
  return value;
}

// Reads size(s), rank(s).
Dim readNode(TypeReader& reader, const ast::DimOfShape& of, Span span) {
  Shape operand = readShape(reader, of.shape);
  const Dim result = freshDimTerm(reader.solver, "n");
  const ReasonId reason = reasonOf(reader, of.isRank ? "rank" : "size", span);
  if (of.isRank)
    addConstraint(reader.solver, reason, constraint::RankOf{result, std::move(operand)});
  else
    addConstraint(reader.solver, reason, constraint::SizeOf{result, std::move(operand)});
  return result;
}

Dim readNode(TypeReader& reader, const ast::DimRagged& length, Span span) {
  return readMarkedDim(reader, length.name, DimKind::ragged, span);
}

Dim readNode(TypeReader& reader, const ast::DimRuntime& size, Span span) {
  return readMarkedDim(reader, size.name, DimKind::runtime, span);
}

Dim readNode(TypeReader& reader, const ast::DimStreamed& stream, Span span) {
  return readStreamed(reader, stream.inner, span);
}

Dim readNode(TypeReader& reader, const ast::DimPack& pack, Span) {
  if (!reader.use) {
    reader.failed = true;  // reported by the parser
    return reader.solution.dims.constant(0);
  }
  std::vector<Dim>& variables = reader.use->packDims[pack.name];
  while (variables.size() < reader.use->packSize) variables.push_back(freshDimTerm(reader.solver, pack.name));
  return variables[reader.packIndex];
}

// Makes a static parameter whose default is a list of integers a list of the same length.
void makeListOfSizes(TypeReader& reader, const std::string& name, const StaticParameterValue& parameter) {
  const StaticTerm list = resolvedTerm(reader, parameter.defaultValue);
  auto isSize = [&](StaticId item) { return resolvedTerm(reader, item).kind == StaticKind::dim; };
  if (resolvedTerm(reader, parameter.value).kind != StaticKind::var || list.kind != StaticKind::list ||
      !std::ranges::all_of(list.items, isSize))
    return;
  StaticTerm items;
  items.kind = StaticKind::list;
  for (std::size_t i = 0; i < list.items.size(); ++i)
    items.items.push_back(staticDim(reader.solution, freshInteger(reader.solver, name + std::to_string(i))));
  unifyStatic(reader.solver, parameter.value, reader.solution.types.add(std::move(items)), reader.reason);
}

// Reads `stride[0]` in an annotation: an item of a static parameter.
Dim readStaticItem(TypeReader& reader, const ast::DimAttribute& at, Span span) {
  const auto parameter = findStatic(reader, at.name);
  const auto index = reader.solution.dims.asConstant(readDim(reader, at.index));
  if (parameter && index) {
    makeListOfSizes(reader, at.name, *parameter);
    const StaticTerm& list = resolvedTerm(reader, parameter->value);
    if (list.kind == StaticKind::list && *index >= 0 && *index < static_cast<std::int64_t>(list.items.size()))
      if (const StaticTerm& item = resolvedTerm(reader, list.items[static_cast<std::size_t>(*index)]);
          item.kind == StaticKind::dim)
        return item.dim;
  }
  if (!reader.failed) report(reader, noItem, span, arg::Name{at.name});
  return freshDimTerm(reader.solver, "n");
}

// Reads stride[0].
Dim readNode(TypeReader& reader, const ast::DimAttribute& at, Span span) {
  if (!reader.use) return readStaticItem(reader, at, span);
  const auto value = findAttribute(reader, at.name);
  const auto index = reader.solution.dims.asConstant(readDim(reader, at.index));
  if (value && index) {
    const StaticTerm& list = resolvedTerm(reader, *value);
    if (list.kind == StaticKind::list && *index >= 0 && *index < static_cast<std::int64_t>(list.items.size())) {
      const StaticTerm& item = resolvedTerm(reader, list.items[static_cast<std::size_t>(*index)]);
      if (item.kind == StaticKind::dim) return attributeSize(reader, fmt::format("{}[{}]", at.name, *index), item.dim);
    }
  }
  reportUnsupported(reader, span, Phrase("{} in a dimension", arg::Code{at.name + "[...]"}));
  return reader.solution.dims.constant(0);
}

// Reads sum(pack): the sum of its sizes. A sum of ragged lengths is a ragged length over the same dimensions, but
// another function of them.
Dim readSum(TypeReader& reader, const std::vector<Dim>& parts, Span span) {
  Solution& solution = reader.solution;
  DimStore& dims = solution.dims;
  auto isRagged = [&](Dim d) { return solution.kindOf(d) == DimKind::ragged; };
  if (!parts.empty() && std::all_of(parts.begin(), parts.end(), isRagged)) {
    const Dim length = readMarkedDim(reader, "", DimKind::ragged, span);
    if (auto first = dims.asVariable(solution.resolve(parts[0]))) {
      Shape over = solution.dimVars[first->index].over;
      solution.dimVars.edit(dims.asVariable(length)->index).over = std::move(over);
    }
    return length;
  }
  Dim total = dims.constant(0);
  for (Dim part : parts) total = dims.add(total, part);
  return total;
}

// Reads width(t): the number of bytes of an element.
Dim readElemWidth(TypeReader& reader, const std::string& elemName) {
  ast::TypeTensor named;
  named.elem = elemName;
  TypeTerm scalar;
  scalar.kind = TypeKind::tensor;
  scalar.elem = readElem(reader, named);
  const Dim result = freshDimTerm(reader.solver, "width(" + elemName + ")");
  const TypeId tensor = reader.solution.types.add(std::move(scalar));
  addConstraint(reader.solver, reader.reason, constraint::Width{result, tensor});
  return result;
}

// A static value for one axis of a window: `padding[1]` selects an item of all axes' values; `"same"`, `[1, 1]` and `_`
// are values of this axis.
struct AxisValue {
  StaticId value;
  std::optional<std::size_t> axis;
  bool isItem = false;  // item of a list with one item for each axis
};

std::optional<AxisValue> readAxisValue(TypeReader& reader, ast::DimId id) {
  const ast::Dim& written = reader.module[id];
  auto add = [&](StaticTerm term) { return reader.solution.types.add(std::move(term)); };
  auto item = [&](ast::DimId dim) {
    const bool isHole = std::holds_alternative<ast::DimHole>(reader.module[dim].node);
    return isHole ? add(StaticTerm{}) : staticDim(reader.solution, readDim(reader, dim));
  };
  if (const auto* at = std::get_if<ast::DimAttribute>(&written.node)) {
    std::optional<StaticId> value = findAttribute(reader, at->name);
    if (const auto parameter = reader.use ? std::nullopt : findStatic(reader, at->name)) value = parameter->value;
    const auto axis = reader.solution.dims.asConstant(readDim(reader, at->index));
    if (value && axis && *axis >= 0) return AxisValue{*value, static_cast<std::size_t>(*axis)};
    if (!reader.use && !reader.failed) report(reader, noItem, written.span, arg::Name{at->name});
    return std::nullopt;
  }
  if (reader.use) return std::nullopt;
  StaticTerm term;
  if (const auto* word = std::get_if<ast::DimText>(&written.node)) {
    term.kind = StaticKind::text;
    term.text = word->value;
    return AxisValue{add(std::move(term)), std::nullopt};
  }
  if (const auto* pair = std::get_if<ast::DimList>(&written.node)) {
    term.kind = StaticKind::list;
    for (ast::DimId side : std::get<ast::ShapeDims>(reader.module[pair->list].node).dims)
      term.items.push_back(item(side));
    return AxisValue{add(std::move(term)), std::nullopt, true};
  }
  return AxisValue{item(id), std::nullopt, true};
}

// Returns the value for all axes; only item `axis` is read.
StaticId ofAllAxes(TypeReader& reader, const AxisValue& value, std::size_t axis) {
  if (!value.isItem) return value.value;
  StaticTerm list;
  list.kind = StaticKind::list;
  list.items.assign(axis + 1, value.value);
  return reader.solution.types.add(std::move(list));
}

// Reads conv_out(h, r, stride, padding[axis], dilation) and conv_transpose_out(..., sizes[axis]): the number of windows
// along an axis.
Dim readWindowCall(TypeReader& reader, const ast::DimCall& call, Span span) {
  DimStore& dims = reader.solution.dims;
  const bool isTransposed = call.function == "conv_transpose_out";
  const bool isKnown =
      (call.function == "conv_out" && call.arguments.size() == 5) || (isTransposed && call.arguments.size() == 6);
  const auto padding = isKnown ? readAxisValue(reader, call.arguments[3]) : std::nullopt;
  const auto sizes = padding && isTransposed ? readAxisValue(reader, call.arguments[5]) : std::nullopt;
  if (!padding || (isTransposed && !sizes)) {
    reportUnsupported(reader, span, Phrase("the function {} in a dimension", arg::Name{call.function}));
    return dims.constant(0);
  }
  if (sizes && sizes->axis && padding->axis && *sizes->axis != *padding->axis) {
    if (!reader.failed) report(reader, twoAxes, span);
    return freshDimTerm(reader.solver, "n");
  }
  const std::size_t axis = padding->axis ? *padding->axis : sizes ? sizes->axis.value_or(0) : 0;
  auto readStatic = [&](std::size_t i) { return staticDim(reader.solution, readDim(reader, call.arguments[i])); };
  const Dim h = readDim(reader, call.arguments[0]), r = readDim(reader, call.arguments[1]);
  const DimVar name = dims.variables(h).empty() ? freshDim(reader.solver, "h") : dims.variables(h)[0];
  const Dim result = freshDimTerm(reader.solver, dims.name(name));
  const StaticId stride = readStatic(2), dilation = readStatic(4);
  const constraint::Window window{result, h, r, stride, ofAllAxes(reader, *padding, axis), dilation, axis};
  const ReasonId reason = reasonOf(reader, call.function, span);
  if (isTransposed)
    addConstraint(reader.solver, reason, constraint::ConvTransposeOut{window, ofAllAxes(reader, *sizes, axis)});
  else
    addConstraint(reader.solver, reason, constraint::ConvOut{window});
  return result;
}

// These occur only in calls of window functions, which read them.
Dim readNode(TypeReader& reader, const ast::DimText&, Span) { return freshDimTerm(reader.solver, "n"); }
Dim readNode(TypeReader& reader, const ast::DimList&, Span) { return freshDimTerm(reader.solver, "n"); }

Dim readNode(TypeReader& reader, const ast::DimCall& call, Span span) {
  const auto* name = reader.use && call.arguments.size() == 1
                         ? std::get_if<ast::DimName>(&reader.module[call.arguments[0]].node)
                         : nullptr;
  if (name && call.function == "sum") return readSum(reader, reader.use->packDims[name->name], span);
  if (name && call.function == "width") return readElemWidth(reader, name->name);
  return readWindowCall(reader, call, span);
}

}  // namespace

Dim readDim(TypeReader& reader, ast::DimId id) {
  const ast::Dim& dim = reader.module[id];
  const Dim read = std::visit([&](const auto& node) { return readNode(reader, node, dim.span); }, dim.node);
  if (reader.use || !reader.solution.dims.isUndefined(read)) return read;
  if (!reader.failed) report(reader, undefinedSize, dim.span);
  return freshDimTerm(reader.solver, "n");
}

}  // namespace axle
