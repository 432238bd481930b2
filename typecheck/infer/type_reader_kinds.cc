// What annotations and signatures say of dimensions that are not plain sizes: `?k`, `?s`, `*l`, `~T`, `n : whole`.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/variables.h"

namespace axle {

Shape TypeReader::runtimeShape(const std::string& name, Span span) {
  OriginId origin = originAt(span);
  if (auto known = shapeNamed(name)) return {ShapePart::of(*known, origin)};
  ShapeVar fresh = freshShape(c_.solver, name);
  ShapeVarInfo& info = c_.solution.shapeVars[fresh.index];
  info.named = true;
  info.runtime = universal_;
  scopes_.back()->names.shapes[name] = fresh;
  return {ShapePart::of(fresh, origin)};
}

// A ragged length is a function of all the dimensions before it.
void TypeReader::placeLengths(const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    auto v = shape[i].isVar ? std::nullopt : c_.solution.dims.asVariable(shape[i].dim);
    if (!v || c_.solution.dimVars[v->index].kind != DimKind::ragged) continue;
    Shape& over = c_.solution.dimVars[v->index].over;
    bool again = std::any_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(i),
                             [&](const ShapePart& part) { return !part.isVar && part.dim == shape[i].dim; });
    if (((i == 0 && !inAppend_) || again) && !use_) noPlaceFor(shape[i], again);
    if (over.size() < i) over.assign(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void TypeReader::noPlaceFor(const ShapePart& length, bool again) {
  if (std::exchange(failed_, true)) return;  // one is enough
  Diagnostic d;
  d.code = &codes::raggedMismatch;
  d.message = again ? "one length function cannot stand twice in a shape"
                    : "a ragged length is a function of the dimensions before it, and there is none";
  d.primary = {c_.provenance[length.origin].span, again
                                                      ? "a length for each of the dimensions before it, so another one"
                                                      : "of what should each have a length of its own?"};
  d.help.push_back(again ? "give it a name of its own, as in `[b, *l, *m]`"
                         : "one length for all is a name: `[l, 3]`; a length for each of a batch is `[b, *l, 3]`");
  diagnostics_.push_back(std::move(d));
}

// A fact is about sizes, and a ragged length is another one for each element.
void TypeReader::refuseLengths(const ast::Fact& fact, const std::vector<Dim>& sides) {
  if (use_ || failed_) return;
  auto length = std::find_if(sides.begin(), sides.end(), [&](Dim side) {
    return c_.solution.kindOf(c_.solution.resolve(side)) == DimKind::ragged;
  });
  if (length == sides.end()) return;
  failed_ = true;
  std::string lengths = c_.solution.printSize(c_.solution.resolve(*length));
  Diagnostic d;
  d.code = &codes::raggedMismatch;
  d.message = fmt::format("`where` states facts of sizes, and {} is a length for each element", lengths);
  d.primary = {fact.span, "another one for each element"};
  d.help.push_back("state it of one element, as in `map(fn (row : f32 [n]) where n >= 1 { ... }, x)`");
  diagnostics_.push_back(std::move(d));
}

void TypeReader::sameKind(const std::string& name, DimVar known, DimKind kind, Span span) {
  static constexpr const char* words[] = {"a size", "a size of the run", "a ragged length", "a streamed dimension"};
  static constexpr const char* marks[] = {"", "?", "*", "~"};
  const DimVarInfo& info = c_.solution.dimVars[known.index];
  if (use_ || failed_ || info.kind == kind) return;
  failed_ = true;
  const int before = static_cast<int>(info.kind), now = static_cast<int>(kind);
  bool any[4] = {};
  any[before] = any[now] = true;
  Diagnostic d;
  d.code = any[static_cast<int>(DimKind::ragged)]     ? &codes::raggedMismatch
           : any[static_cast<int>(DimKind::streamed)] ? &codes::streamMismatch
                                                      : &codes::runtimeEscape;
  d.message = fmt::format("`{}` cannot be both {} and {}", name, words[before], words[now]);
  d.primary = {span, fmt::format("`{}{}` is {}", marks[now], name, words[now])};
  Span first = c_.provenance[info.origin].span;
  for (const Scope* scope : scopes_)
    for (const WrittenName& written : scope->names.written)
      if (!info.origin.index && !written.is.isVar && c_.solution.dims.asVariable(written.is.dim) == known)
        first = written.span;
  d.secondary.push_back({first, fmt::format("`{}{}` is {}", marks[before], name, words[before])});
  d.help.push_back(fmt::format("write `{}{}` in both places, or give one of them another name", marks[before], name));
  diagnostics_.push_back(std::move(d));
}

// A bare name in a list of dimensions is no marked one; what a `match` names has no mark either.
void TypeReader::plainName(ast::DimId id, Dim dim) {
  const auto* name = std::get_if<ast::DimName>(&module_[id].node);
  auto v = name ? c_.solution.dims.asVariable(dim) : std::nullopt;
  if (v && isMatch_ && c_.solution.dimVars[v->index].kind == DimKind::runtime) return;
  if (v && c_.solution.dimVars[v->index].maker.empty()) sameKind(name->name, *v, DimKind::plain, module_[id].span);
}

// A bare `*` is another one each time; a name means what it meant before.
Dim TypeReader::marked(const std::string& name, DimKind kind, Span span) {
  if (!name.empty())
    for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
      if (auto found = (*it)->names.dims.find(name); found != (*it)->names.dims.end()) {
        sameKind(name, found->second, kind, span);
        return c_.solution.dims.variable(found->second);
      }
  OriginId origin;
  std::string maker;
  if (use_) {
    Origin here;
    here.span = c_.provenance[reason_].span;
    here.makes = true;
    origin = c_.provenance.add(std::move(here));
    maker = c_.provenance[reason_].subject;
  } else {
    origin = originAt(span);
  }
  bool given = use_ && kind == DimKind::ragged && universal_;
  bool rigid = use_ ? !given : universal_;
  DimVar v = rigid ? freshRigid(c_.solver, name, kind, origin, maker) : freshDim(c_.solver, name);
  DimVarInfo& info = c_.solution.dimVars[v.index];
  info.kind = kind;
  info.origin = origin;
  info.universal = universal_ && !use_;
  info.named = !use_;
  if (!name.empty()) scopes_.back()->names.dims[name] = v;
  return c_.solution.dims.variable(v);
}

Dim TypeReader::streamed(ast::DimId inner, Span span) {
  DimStore& dims = c_.solution.dims;
  const std::size_t known = dims.variableCount();
  Dim d = dim(inner);
  if (const auto* name = std::get_if<ast::DimName>(&module_[inner].node))
    if (auto v = dims.asVariable(d); v && v->index < known) sameKind(name->name, *v, DimKind::streamed, span);
  bool any = false;
  for (DimVar v : std::vector<DimVar>(dims.variables(d).begin(), dims.variables(d).end())) {
    DimVarInfo& info = c_.solution.dimVars[v.index];
    if (info.binding || info.rigid || info.kind == DimKind::ragged) continue;
    if (info.kind == DimKind::plain) {
      info.kind = DimKind::streamed;
      info.origin = originAt(span);
    }
    any = true;
  }
  if (!any && !failed_ && !c_.solver.conflicts.size() && c_.solution.kindOf(d) != DimKind::streamed) {
    failed_ = true;
    Diagnostic fixed;
    fixed.code = &codes::streamMismatch;
    fixed.message = "a streamed dimension has a name, or is an expression of one";
    fixed.primary = {span, "nothing here arrives over time"};
    fixed.help.push_back("write `~T`, or `~(2*T)`");
    diagnostics_.push_back(std::move(fixed));
  }
  return d;
}

// A name behind other dimensions says that it is one size for all of them.
void TypeReader::regular(ast::DimId id, Dim dim) {
  if (use_ || !std::holds_alternative<ast::DimName>(module_[id].node)) return;
  if (auto v = c_.solution.dims.asVariable(dim))
    if (DimVarInfo& info = c_.solution.dimVars[v->index]; info.kind == DimKind::plain) info.regular = true;
}

// `n : whole` in a signature: the operator needs all of n, or of a shape, at once; `n : leading` says so of a pack's
// variables but the last; `n : forward` says so unless the attribute `reverse` is false.
void TypeReader::wholeFact(const ast::FactClass& fact) {
  if (fact.className == "forward") {
    auto turned = attribute("reverse");
    const StaticTerm* value = turned ? &c_.solution.types[c_.solution.resolve(*turned)] : nullptr;
    if (value && value->kind == StaticKind::boolean && !value->boolean) return;
  }
  if (auto shape = shapeNamed(fact.variable)) {
    requireWhole(c_.solver, Shape{ShapePart::of(*shape)}, reason_);
  } else if (auto pack = use_->packDims.find(fact.variable); pack != use_->packDims.end()) {
    std::size_t count = pack->second.size() - (fact.className == "leading" ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) requireWhole(c_.solver, pack->second[i], reason_);
  } else {
    requireWhole(c_.solver, dimName(fact.variable), reason_);
  }
}

// `s : ragged` in a signature.
void TypeReader::mayBeRagged(const ast::FactClass& fact) {
  auto& shapes = use_->mayBeRagged.shapes;
  auto& dims = use_->mayBeRagged.dims;
  if (auto pack = use_->packShapes.find(fact.variable); pack != use_->packShapes.end()) {
    shapes.insert(shapes.end(), pack->second.begin(), pack->second.end());
  } else if (auto pack = use_->packDims.find(fact.variable); pack != use_->packDims.end()) {
    dims.insert(dims.end(), pack->second.begin(), pack->second.end());
  } else if (auto shape = shapeNamed(fact.variable)) {
    shapes.push_back(*shape);
  } else {
    dims.push_back(dimName(fact.variable));
  }
}

}  // namespace axle
