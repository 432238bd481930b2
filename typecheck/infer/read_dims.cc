// Reads sizes: numbers, names, arithmetic, marked dimensions, packs, and the functions of sizes in signatures.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/marked_dims.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/size_operators.h"

namespace axle {
namespace {

constexpr Message<> undefinedSize{codes::overflow, "a size does not fit into 64 bits, or divides by 0", "here"};
constexpr Message<> zeroDivisor{codes::overflow, "a size cannot be divided by 0", "this divisor is 0"};

const StaticTerm& resolvedTerm(TypeReader& reader, StaticId value) {
  return reader.solution.types[reader.solution.resolve(value)];
}

// The size that an attribute gives. In a fact it is a variable of the attribute's name, bound to the size, so that a
// fact that fails is printed as it is written.
Dim attributeSize(TypeReader& reader, const std::string& name, Dim size) {
  if (!reader.inFact) return size;
  const Dim named = freshInteger(reader.solver, name);
  reader.solution.dimVars.edit(reader.solution.dims.asVariable(named)->index).binding = size;
  return named;
}

}  // namespace

Dim readDimName(TypeReader& reader, const std::string& name, Span span) {
  DimStore& dims = reader.solution.dims;
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

// size(s), rank(s)
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
    reader.failed = true;  // the parser has reported it
    return reader.solution.dims.constant(0);
  }
  std::vector<Dim>& variables = reader.use->packDims[pack.name];
  while (variables.size() < reader.use->packSize) variables.push_back(freshDimTerm(reader.solver, pack.name));
  return variables[reader.packIndex];
}

// stride[0]
Dim readNode(TypeReader& reader, const ast::DimAttribute& at, Span span) {
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

// sum(pack): the sum of its sizes. A sum of ragged lengths is a length, of the same elements, but another function.
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

// width(t): the bytes of an element.
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

// conv_out(h, r, stride, padding[axis], dilation) and conv_transpose_out(..., sizes[axis]): how many windows there are
// along an axis.
Dim readWindowCall(TypeReader& reader, const ast::DimCall& call, Span span) {
  DimStore& dims = reader.solution.dims;
  auto attributeAt = [&](std::size_t i) {
    return std::get_if<ast::DimAttribute>(&reader.module[call.arguments[i]].node);
  };
  const bool isTransposed = call.function == "conv_transpose_out";
  const bool isKnown =
      (call.function == "conv_out" && call.arguments.size() == 5) || (isTransposed && call.arguments.size() == 6);
  const auto* padding = isKnown ? attributeAt(3) : nullptr;
  const auto* sizes = isKnown && isTransposed ? attributeAt(5) : nullptr;
  const auto paddingValue = padding ? findAttribute(reader, padding->name) : std::nullopt;
  const auto sizesValue = sizes ? findAttribute(reader, sizes->name) : std::nullopt;
  auto axisOf = [&](const ast::DimAttribute& at) { return dims.asConstant(readDim(reader, at.index)); };
  const bool oneAxis = padding && sizes && axisOf(*sizes) == axisOf(*padding);
  if (!paddingValue || (isTransposed && !(sizesValue && oneAxis))) {
    reportUnsupported(reader, span, Phrase("the function {} in a dimension", arg::Name{call.function}));
    return dims.constant(0);
  }
  auto readStaticDim = [&](std::size_t i) {
    StaticTerm term;
    term.kind = StaticKind::dim;
    term.dim = readDim(reader, call.arguments[i]);
    return reader.solution.types.add(std::move(term));
  };
  const Dim h = readDim(reader, call.arguments[0]), r = readDim(reader, call.arguments[1]);
  const DimVar name = dims.variables(h).empty() ? freshDim(reader.solver, "h") : dims.variables(h)[0];
  const Dim result = freshDimTerm(reader.solver, dims.name(name));
  const StaticId stride = readStaticDim(2), dilation = readStaticDim(4);
  const auto axis = static_cast<std::size_t>(axisOf(*padding).value_or(0));
  const constraint::Window window{result, h, r, stride, *paddingValue, dilation, axis};
  if (isTransposed)
    addConstraint(reader.solver, reader.reason, constraint::ConvTransposeOut{window, *sizesValue});
  else
    addConstraint(reader.solver, reader.reason, constraint::ConvOut{window});
  return result;
}

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
