// Reads shapes: lists of sizes, names, packs, `@`, `#`, and the shape functions of signatures.
#include <utility>

#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/marked_dims.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

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
    reader.failed = true;  // the parser has reported it
    return {};
  }
  std::vector<ShapeVar>& variables = reader.use->packShapes[pack.name];
  while (variables.size() < reader.use->packSize) variables.push_back(freshShape(reader.solver, pack.name));
  return {ShapePart::of(variables[reader.packIndex])};
}

// A function of a signature (the rows of typecheck/solver/constraint.h).
Shape readNode(TypeReader& reader, const ast::ShapeCall& call, Span span) {
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
  const bool isOfOperators = function && std::holds_alternative<constraint::Element>(*function);
  if (!function || (isOfOperators && !reader.use))
    reportUnsupported(reader, span, Phrase("the shape function {} in an annotation", arg::Name{call.function}));
  else
    addConstraint(reader.solver, reasonOf(reader, call.function, span), std::move(*function));
  return result;
}

}  // namespace

Shape readShape(TypeReader& reader, ast::ShapeId id) {
  const ast::Shape& shape = reader.module[id];
  return std::visit([&](const auto& node) { return readNode(reader, node, shape.span); }, shape.node);
}

}  // namespace axle
