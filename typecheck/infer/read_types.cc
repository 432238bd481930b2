// Reads types: tensors, tuples, functions, and the type functions of signatures.
#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {

ElemTerm readElem(TypeReader& reader, const ast::TypeTensor& tensor) {
  const std::string& name = tensor.elem;
  if (auto builtin = elemNamed(name)) return ElemTerm::of(*builtin);
  if (tensor.elemIsPack && !reader.use) reader.failed = true;  // reported by the parser
  if (tensor.elemIsPack && reader.use) {
    std::vector<ElemVar>& pack = reader.use->packElems[name];
    while (pack.size() < reader.use->packSize) pack.push_back(freshElem(reader.solver, name));
    return ElemTerm::of(pack[reader.packIndex]);
  }
  for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it)
    if (auto found = (*it)->names.elems.find(name); found != (*it)->names.elems.end())
      return ElemTerm::of(found->second);
  rejectMistakenElem(reader, name, tensor.elemSpan);
  const ElemVar fresh = freshElem(reader.solver, name);
  reader.scopes.back()->names.elems[name] = fresh;
  return ElemTerm::of(fresh);
}

namespace {

TypeId readNode(TypeReader& reader, const ast::TypeTensor& tensor, Span, OriginId origin) {
  TypeTerm term;
  term.kind = TypeKind::tensor;
  term.origin = origin;
  term.elem = readElem(reader, tensor);
  if (tensor.shape) term.shape = readShape(reader, tensor.shape);
  return reader.solution.types.add(std::move(term));
}

TypeId readNode(TypeReader& reader, const ast::TypeName& type, Span span, OriginId) {
  for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it)
    if (auto found = (*it)->names.types.find(type.name); found != (*it)->names.types.end()) return found->second;
  rejectMistakenElem(reader, type.name, span);
  const TypeId fresh = freshType(reader.solver);
  reader.scopes.back()->names.types[type.name] = fresh;
  return fresh;
}

TypeId readNode(TypeReader& reader, const ast::TypeHole&, Span, OriginId) { return freshType(reader.solver); }

TypeId readNode(TypeReader& reader, const ast::TypeTuple& tuple, Span, OriginId origin) {
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.origin = origin;
  for (ast::TypeId part : tuple.parts) term.parts.push_back(readType(reader, part));
  return reader.solution.types.add(std::move(term));
}

TypeId readNode(TypeReader& reader, const ast::TypeFunction& function, Span, OriginId origin) {
  if (!function.where.empty())
    reportUnsupported(reader, function.where.front().span, Phrase("a fact inside of a function's type"));
  TypeTerm term;
  term.kind = TypeKind::function;
  term.origin = origin;
  for (ast::TypeId parameter : function.parameters) {
    const std::size_t copies = mentionsPack(reader, parameter) ? reader.use->packSize : 1;
    for (std::size_t i = 0; i < copies; ++i) {
      reader.packIndex = i;
      term.parts.push_back(readType(reader, parameter));
    }
  }
  reader.packIndex = 0;
  term.result = readType(reader, function.result);
  return reader.solution.types.add(std::move(term));
}

// Reads collect(u, n), a tensor of n values of type u, stacked along a new leading dimension, and repeat(parts, u), a
// tuple.
TypeId readNode(TypeReader& reader, const ast::TypeCall& call, Span span, OriginId) {
  const TypeId result = freshType(reader.solver);
  const bool isCollect = call.function == "collect", isRepeat = call.function == "repeat";
  if ((!isCollect && !isRepeat) || call.types.size() != 1 || call.dims.size() != 1) {
    reportUnsupported(reader, span, Phrase("{} in a type", arg::Name{call.function}));
    return result;
  }
  StaticTerm count;
  count.kind = StaticKind::dim;
  count.dim = readDim(reader, call.dims[0]);
  const TypeId element = readType(reader, call.types[0]);
  if (isCollect) {
    addConstraint(reader.solver, reader.reason, constraint::Collect{result, element, count.dim});
  } else {
    const StaticId parts = reader.solution.types.add(std::move(count));
    addConstraint(reader.solver, reader.reason, constraint::Repeat{result, element, parts});
  }
  return result;
}

}  // namespace

TypeId readType(TypeReader& reader, ast::TypeId id) {
  const ast::Type& type = reader.module[id];
  const OriginId origin = writtenOrigin(reader, type.span);
  return std::visit([&](const auto& node) { return readNode(reader, node, type.span, origin); }, type.node);
}

}  // namespace axle
