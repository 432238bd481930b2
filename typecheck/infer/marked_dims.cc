#include "typecheck/infer/marked_dims.h"

#include <algorithm>
#include <utility>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr Message<> lengthTwice{codes::raggedMismatch, "one length function cannot stand twice in a shape",
                                "a length for each of the dimensions before it, so another one"};
constexpr Message<> lengthOfNothing{codes::raggedMismatch,
                                    "a ragged length is a function of the dimensions before it, and there is none",
                                    "of what should each have a length of its own?"};
constexpr Message<arg::Size> factOfLength{codes::raggedMismatch,
                                          "`where` states facts of sizes, and {} is a length for each element",
                                          "another one for each element"};
// The name, its earlier and its present kind, and its mark and name at present.
using KindMessage = Message<arg::Name, Phrase, Phrase, arg::Code>;
constexpr KindMessage raggedKind{codes::raggedMismatch, "{} cannot be both {} and {}", "{3} is {2}"};
constexpr KindMessage streamedKind{codes::streamMismatch, "{} cannot be both {} and {}", "{3} is {2}"};
constexpr KindMessage runtimeKind{codes::runtimeEscape, "{} cannot be both {} and {}", "{3} is {2}"};
constexpr Message<> streamWithoutName{codes::streamMismatch,
                                      "a streamed dimension has a name, or is an expression of one",
                                      "nothing here arrives over time"};

}  // namespace

Shape readRuntimeShape(TypeReader& reader, const std::string& name, Span span) {
  const OriginId origin = writtenOrigin(reader, span);
  if (auto known = findShape(reader, name)) return {ShapePart::of(*known, origin)};
  const ShapeVar fresh = freshShape(reader.solver, name);
  ShapeVarInfo& info = reader.solution.shapeVars.edit(fresh.index);
  info.named = true;
  info.runtime = reader.isUniversal;
  reader.scopes.back()->names.shapes[name] = fresh;
  return {ShapePart::of(fresh, origin)};
}

namespace {

void reportMisplacedLength(TypeReader& reader, const ShapePart& length, bool again) {
  if (reader.failed) return;
  const Span span = reader.provenance[length.origin].span;
  if (again)
    report(reader, lengthTwice, span).addHelp("give it a name of its own, as in `[b, *l, *m]`");
  else
    report(reader, lengthOfNothing, span)
        .addHelp("write `[l, 3]` for one length, and `[b, *l, 3]` for a length of each element of a batch");
}

}  // namespace

void placeRaggedLengths(TypeReader& reader, const Shape& shape) {
  Solution& solution = reader.solution;
  for (auto length = shape.begin(); length != shape.end(); ++length) {
    const auto v = length->isVar ? std::nullopt : solution.dims.asVariable(length->dim);
    if (!v || solution.dimVars[v->index].kind != DimKind::ragged) continue;
    const bool isFirst = length == shape.begin() && !reader.inAppend;
    const bool again = std::any_of(shape.begin(), length,
                                   [&](const ShapePart& part) { return !part.isVar && part.dim == length->dim; });
    if ((isFirst || again) && !reader.use) reportMisplacedLength(reader, *length, again);
    const Shape& over = solution.dimVars[v->index].over;
    if (over.size() < static_cast<std::size_t>(length - shape.begin()))
      solution.dimVars.edit(v->index).over.assign(shape.begin(), length);
  }
}

void rejectRaggedFact(TypeReader& reader, const ast::Fact& fact, const std::vector<Dim>& sides) {
  if (reader.use || reader.failed) return;
  Solution& solution = reader.solution;
  auto length = std::find_if(sides.begin(), sides.end(),
                             [&](Dim side) { return solution.kindOf(solution.resolve(side)) == DimKind::ragged; });
  if (length == sides.end()) return;
  report(reader, factOfLength, fact.span, arg::Size{solution.printSize(solution.resolve(*length))})
      .addHelp("state it for one element, as in `map(fn (row : f32 [n]) where n >= 1 { ... }, x)`");
}

namespace {

// Returns the place that gave a name its kind.
Span firstUse(const TypeReader& reader, DimVar known) {
  const DimVarInfo& info = reader.solution.dimVars[known.index];
  Span first = reader.provenance[info.origin].span;
  if (info.origin.index) return first;
  for (const Scope* scope : reader.scopes)
    for (const WrittenName& written : scope->names.written)
      if (!written.is.isVar && reader.solution.dims.asVariable(written.is.dim) == known) first = written.span;
  return first;
}

// Reports a name that was a dimension of another kind before.
void checkDimKind(TypeReader& reader, const std::string& name, DimVar known, DimKind kind, Span span) {
  static const Phrase words[] = {"a size", "a size of the run", "a ragged length", "a streamed dimension"};
  static constexpr const char* marks[] = {"", "?", "*", "~"};
  const DimKind earlier = reader.solution.dimVars[known.index].kind;
  if (reader.use || reader.failed || earlier == kind) return;
  const int before = static_cast<int>(earlier), now = static_cast<int>(kind);
  auto isEither = [&](DimKind k) { return earlier == k || kind == k; };
  const KindMessage& message = isEither(DimKind::ragged)     ? raggedKind
                               : isEither(DimKind::streamed) ? streamedKind
                                                             : runtimeKind;
  const arg::Code first{marks[before] + name};
  report(reader, message, span, arg::Name{name}, words[before], words[now], arg::Code{marks[now] + name})
      .addLabel(firstUse(reader, known), "{} is {}", first, words[before])
      .addHelp("write {} in both places, or give one of them another name", first);
}

}  // namespace

void checkPlainName(TypeReader& reader, ast::DimId id, Dim dim) {
  const auto* name = std::get_if<ast::DimName>(&reader.module[id].node);
  const auto v = name ? reader.solution.dims.asVariable(dim) : std::nullopt;
  if (!v) return;
  const DimVarInfo& info = reader.solution.dimVars[v->index];
  if (reader.isMatch && info.kind == DimKind::runtime) return;
  if (info.maker.empty()) checkDimKind(reader, name->name, *v, DimKind::plain, reader.module[id].span);
}

Dim readMarkedDim(TypeReader& reader, const std::string& name, DimKind kind, Span span) {
  Solution& solution = reader.solution;
  if (!name.empty())
    for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it)
      if (auto found = (*it)->names.dims.find(name); found != (*it)->names.dims.end()) {
        checkDimKind(reader, name, found->second, kind, span);
        return solution.dims.variable(found->second);
      }
  OriginId origin;
  std::string maker;
  if (reader.use) {
    Origin application;
    application.span = reader.provenance[reader.reason].span;
    application.makes = true;
    origin = reader.provenance.add(std::move(application));
    maker = reader.provenance[reader.reason].subject;
  } else {
    origin = writtenOrigin(reader, span);
  }
  const bool isGiven = reader.use && kind == DimKind::ragged && reader.isUniversal;
  const bool isRigid = reader.use ? !isGiven : reader.isUniversal;
  const DimVar v = isRigid ? freshRigid(reader.solver, name, kind, origin, maker) : freshDim(reader.solver, name);
  DimVarInfo& info = solution.dimVars.edit(v.index);
  info.kind = kind;
  info.origin = origin;
  info.universal = reader.isUniversal && !reader.use;
  info.named = !reader.use;
  if (!name.empty()) reader.scopes.back()->names.dims[name] = v;
  return solution.dims.variable(v);
}

Dim readStreamed(TypeReader& reader, ast::DimId inner, Span span) {
  Solution& solution = reader.solution;
  DimStore& dims = solution.dims;
  const std::size_t known = dims.variableCount();
  const Dim streamed = readDim(reader, inner);
  if (const auto* name = std::get_if<ast::DimName>(&reader.module[inner].node))
    if (auto v = dims.asVariable(streamed); v && v->index < known)
      checkDimKind(reader, name->name, *v, DimKind::streamed, span);
  bool isOpen = false;
  for (DimVar v : std::vector<DimVar>(dims.variables(streamed).begin(), dims.variables(streamed).end())) {
    DimVarInfo& info = solution.dimVars.edit(v.index);
    if (info.binding || info.rigid || info.kind == DimKind::ragged) continue;
    if (info.kind == DimKind::plain) {
      info.kind = DimKind::streamed;
      info.origin = writtenOrigin(reader, span);
    }
    isOpen = true;
  }
  if (isOpen || reader.failed || !reader.solver.conflicts.empty() || solution.kindOf(streamed) == DimKind::streamed)
    return streamed;
  report(reader, streamWithoutName, span).addHelp("write `~T`, or `~(2*T)`");
  return streamed;
}

void markRegular(TypeReader& reader, ast::DimId id, Dim dim) {
  if (reader.use || !std::holds_alternative<ast::DimName>(reader.module[id].node)) return;
  if (auto v = reader.solution.dims.asVariable(dim))
    if (DimVarInfo& info = reader.solution.dimVars.edit(v->index); info.kind == DimKind::plain) info.regular = true;
}

void readWholeFact(TypeReader& reader, const ast::FactClass& fact) {
  if (fact.className == "forward") {
    const auto reverse = findAttribute(reader, "reverse");
    const StaticTerm* value = reverse ? &reader.solution.types[reader.solution.resolve(*reverse)] : nullptr;
    if (value && value->kind == StaticKind::boolean && !value->boolean) return;
  }
  if (auto shape = findShape(reader, fact.variable)) {
    requireWhole(reader.solver, Shape{ShapePart::of(*shape)}, reader.reason);
  } else if (auto pack = reader.use->packDims.find(fact.variable); pack != reader.use->packDims.end()) {
    const std::size_t count = pack->second.size() - (fact.className == "leading" ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) requireWhole(reader.solver, pack->second[i], reader.reason);
  } else {
    requireWhole(reader.solver, readDimName(reader, fact.variable), reader.reason);
  }
}

void readRaggedFact(TypeReader& reader, const ast::FactClass& fact) {
  auto& shapes = reader.use->mayBeRagged.shapes;
  auto& dims = reader.use->mayBeRagged.dims;
  if (auto pack = reader.use->packShapes.find(fact.variable); pack != reader.use->packShapes.end()) {
    shapes.insert(shapes.end(), pack->second.begin(), pack->second.end());
  } else if (auto pack = reader.use->packDims.find(fact.variable); pack != reader.use->packDims.end()) {
    dims.insert(dims.end(), pack->second.begin(), pack->second.end());
  } else if (auto shape = findShape(reader, fact.variable)) {
    shapes.push_back(*shape);
  } else {
    dims.push_back(readDimName(reader, fact.variable));
  }
}

}  // namespace axle
