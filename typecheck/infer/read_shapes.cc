// Reads shapes: lists of sizes, names, packs, `@`, `#`, and the shape functions of signatures.
#include <utility>

#include "frontend/syntax_codes.h"
#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/marked_dims.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<> shapeAsValue{codes::syntax, "expected a list, a number or a name", "this is a shape"};
constexpr Message<> valueAsShape{codes::syntax, "expected a shape", "this is a value"};
constexpr Message<arg::Name> notAShapeInSignature{codes::unknownName, "{} is no shape in this signature",
                                                  "not named by a parameter or the result"};
constexpr Message<arg::Number> negativeSize{codes::overflow, "a size cannot be negative", "this is {}"};

Dim readSize(TypeReader& reader, ast::DimId id) {
  const Dim size = readDim(reader, id);
  const auto value = reader.solution.dims.asConstant(size);
  if (!value || *value >= 0 || reader.failed) return size;
  report(reader, negativeSize, reader.module[id].span, arg::Number{*value})
      .addHelp("an open size is a name, as in `f32 [n, 3]`, or `_`");
  return size;
}

Shape readNode(TypeReader& reader, const ast::ShapeDims& list, Span) {
  Shape out;
  for (ast::DimId id : list.dims) {
    out.push_back(ShapePart::of(readSize(reader, id), writtenOrigin(reader, reader.module[id].span)));
    checkPlainName(reader, id, out.back().dim);
    if (out.size() > 1) markRegular(reader, id, out.back().dim);
  }
  placeRaggedLengths(reader, out);
  return out;
}

Shape readNode(TypeReader& reader, const ast::ShapeName& shape, Span span) {
  if (shape.name == "_") return {ShapePart::of(freshShape(reader.solver, "s"))};
  const OriginId origin = writtenOrigin(reader, span);
  if (auto known = findShape(reader, shape.name)) return {ShapePart::of(*known, origin)};
  if (reader.inFact && !reader.use && !reader.failed) report(reader, notAShapeInSignature, span, arg::Name{shape.name});
  const ShapeVar fresh = freshShape(reader.solver, shape.name);
  AnnotationNames& names = reader.scopes.back()->names;
  reader.solution.shapeVars.edit(fresh.index).named = reader.use == nullptr;
  names.shapes[shape.name] = fresh;
  if (!reader.use) names.written.push_back({span, ShapePart::of(fresh)});
  return {ShapePart::of(fresh, origin)};
}

Shape readNode(TypeReader& reader, const ast::ShapeRuntime& shape, Span span) {
  return readRuntimeShape(reader, shape.name, span);
}

Shape readNode(TypeReader& reader, const ast::ShapeAppend& append, Span) {
  Shape out;
  const bool within = std::exchange(reader.inAppend, true);
  for (ast::ShapeId part : append.parts) {
    const Shape next = readShape(reader, part);
    out.insert(out.end(), next.begin(), next.end());
  }
  reader.inAppend = within;
  placeRaggedLengths(reader, out);
  return out;
}

Shape readNode(TypeReader& reader, const ast::ShapeBroadcast& broadcast, Span span) {
  const ReasonId reason = reasonOf(reader, "#", span);
  Shape out = readShape(reader, broadcast.parts[0]);
  for (std::size_t i = 1; i < broadcast.parts.size(); ++i) {
    const Shape operand = readShape(reader, broadcast.parts[i]);
    const Shape result{ShapePart::of(freshShape(reader.solver, "s"))};
    addConstraint(reader.solver, reason, constraint::Broadcast{result, out, operand});
    out = result;
  }
  return out;
}

Shape readNode(TypeReader& reader, const ast::ShapePack& pack, Span) {
  if (!reader.use) {
    reader.failed = true;  // reported by the parser
    return {};
  }
  std::vector<ShapeVar>& variables = reader.use->packShapes[pack.name];
  while (variables.size() < reader.use->packSize) variables.push_back(freshShape(reader.solver, pack.name));
  return {ShapePart::of(variables[reader.packIndex])};
}

StaticId addValue(TypeReader& reader, StaticTerm term) { return reader.solution.types.add(std::move(term)); }

StaticId sizeValue(TypeReader& reader, ast::DimId id) {
  StaticTerm term;
  if (std::holds_alternative<ast::DimHole>(reader.module[id].node)) return addValue(reader, std::move(term));
  term.kind = StaticKind::dim;
  term.dim = readDim(reader, id);
  return addValue(reader, std::move(term));
}

// Reads a name: a static parameter of an enclosing function, a size, or a word.
StaticId namedValue(TypeReader& reader, const std::string& name, Span span) {
  if (const auto parameter = findStatic(reader, name)) return parameter->value;
  StaticTerm term;
  if (name == "all" || name == "reversed") {
    term.kind = name == "all" ? StaticKind::all : StaticKind::reversed;
  } else {
    term.kind = StaticKind::dim;
    term.dim = readDimName(reader, name, span);
  }
  return addValue(reader, std::move(term));
}

// Reads a value among the arguments of a shape function: `[1, 0]`, `[[1, 1], [0, 2]]`, `-1`, `true`, `all`.
StaticId readValue(TypeReader& reader, ast::ShapeId id) {
  const ast::Shape& written = reader.module[id];
  StaticTerm term;
  if (const auto* list = std::get_if<ast::ShapeDims>(&written.node)) {
    term.kind = StaticKind::list;
    for (ast::DimId item : list->dims) term.items.push_back(sizeValue(reader, item));
  } else if (const auto* pairs = std::get_if<ast::ShapePairs>(&written.node)) {
    term.kind = StaticKind::list;
    for (ast::ShapeId pair : pairs->pairs) term.items.push_back(readValue(reader, pair));
  } else if (const auto* name = std::get_if<ast::ShapeName>(&written.node)) {
    return namedValue(reader, name->name, written.span);
  } else if (const auto* value = std::get_if<ast::ShapeValue>(&written.node)) {
    if (const auto* size = std::get_if<ast::DimId>(&value->value)) return sizeValue(reader, *size);
    const auto* text = std::get_if<std::string>(&value->value);
    term.kind = text ? StaticKind::text : StaticKind::boolean;
    if (text) term.text = *text;
    if (!text) term.boolean = std::get<bool>(value->value);
  } else if (!reader.failed) {
    report(reader, shapeAsValue, written.span);
  }
  return addValue(reader, std::move(term));
}

// Reports a value where a shape is needed, as in `permute(3, [0])`.
Shape rejectValue(TypeReader& reader, Span span) {
  if (!reader.failed) report(reader, valueAsShape, span);
  return {};
}
Shape readNode(TypeReader& reader, const ast::ShapeValue&, Span span) { return rejectValue(reader, span); }
Shape readNode(TypeReader& reader, const ast::ShapePairs&, Span span) { return rejectValue(reader, span); }

// Reads a shape function in a type: its first argument is a shape, the others are values; for einsum it is the other
// way round.
Shape readFunction(TypeReader& reader, const ast::ShapeCall& call, Span span) {
  const Shape result{ShapePart::of(freshShape(reader.solver, "s"))};
  const bool isEinsum = call.function == "einsum";
  std::vector<Shape> operands;
  std::vector<StaticId> values;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if ((i == 0) != isEinsum) operands.push_back(readShape(reader, call.arguments[i]));
  // An equation may name the sizes of a shape, but not an axis: nothing would decide it.
  const bool wasInFact = std::exchange(reader.inFact, reader.inFact || reader.inShapeFact);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if ((i == 0) == isEinsum) values.push_back(readValue(reader, call.arguments[i]));
  reader.inFact = wasInFact;
  if (auto function = shapeFunction(call.function, result, operands, values))
    addConstraint(reader.solver, reasonOf(reader, call.function, span), std::move(*function));
  else
    reader.failed = true;  // reported by the parser
  return result;
}

// Reads a function of a signature (the rows of typecheck/solver/constraint.h).
Shape readNode(TypeReader& reader, const ast::ShapeCall& call, Span span) {
  if (!reader.use) return readFunction(reader, call, span);
  const Shape result{ShapePart::of(freshShape(reader.solver, "s"))};
  std::vector<Shape> shapes;
  std::vector<StaticId> statics;
  for (ast::ShapeId argument : call.arguments) {
    const auto* name = std::get_if<ast::ShapeName>(&reader.module[argument].node);
    const auto value = name ? findAttribute(reader, name->name) : std::nullopt;
    if (value)
      statics.push_back(*value);
    else if (name && reader.use && reader.use->packShapes.count(name->name))
      for (ShapeVar each : reader.use->packShapes[name->name]) shapes.push_back({ShapePart::of(each)});
    else
      shapes.push_back(readShape(reader, argument));
  }
  auto function = shapeFunction(call.function, result, shapes, statics);
  if (!function)
    reportUnsupported(reader, span, Phrase("the shape function {}", arg::Name{call.function}));
  else
    addConstraint(reader.solver, reader.reason, std::move(*function));
  return result;
}

}  // namespace

Shape readShape(TypeReader& reader, ast::ShapeId id) {
  const ast::Shape& shape = reader.module[id];
  return std::visit([&](const auto& node) { return readNode(reader, node, shape.span); }, shape.node);
}

}  // namespace axle
