// `match`: the sizes in the pattern are checked at run time, before the result is computed.
#include <algorithm>
#include <set>

#include "ir/lower/expressions.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/run_sizes.h"

namespace axle::codes {

const DiagnosticCode rankOfMatch{"E0518", Severity::error, "a `match` that the rank does not fit"};

}  // namespace axle::codes

namespace axle::ir::lowering {

namespace {

constexpr Message<arg::Number, arg::Number> wrongRank{
    codes::rankOfMatch, "this `match` wants rank {}, and the tensor has rank {} here", "is matched"};

// Binds the sizes that the pattern names to the tensor's sizes, for a `match` on a tensor `?s` whose rank is known
// here.
bool bindMatchedSizes(Context& c, const TypedMatch& match, const Environment& environment) {
  const TypeTerm actual = c.type(typeOf(c, match.scrutinee, environment)),
                 stated = c.type(c.solution.resolve(match.type, environment.substitution));
  auto isOpen = [](const ShapePart& part) { return part.isVar; };
  if (actual.kind != TypeKind::tensor || stated.kind != TypeKind::tensor || std::ranges::any_of(actual.shape, isOpen) ||
      std::ranges::any_of(stated.shape, isOpen))
    return true;
  if (stated.shape.size() != actual.shape.size()) {
    fail(c, Diagnostic(wrongRank, c.program[match.scrutinee].span, arg::Number{stated.shape.size()},
                       arg::Number{actual.shape.size()}));
    return false;
  }
  for (std::size_t i = 0; i < actual.shape.size(); ++i) {
    auto named = c.dims().asVariable(stated.shape[i].dim);
    if (!named || isRunSizeKnown(c, *named) || c.symbols.count(named->index) ||
        stated.shape[i].dim == actual.shape[i].dim)
      continue;
    DimVarInfo& info = c.solution.dimVars.edit(named->index);
    if (info.kind == DimKind::runtime && info.rigid && info.maker == "`match`") {
      info.binding = actual.shape[i].dim;
      c.matchBoundSizes = true;
    }
  }
  return true;
}

// Whether the size is a sum of products without negative coefficients, and so cannot be negative.
bool isSum(const DimStore& dims, Dim size) {
  for (const Term& term : dims.terms(size)) {
    if (term.coefficient < 0) return false;
    for (const Factor& f : term.factors)
      if (f.isAtom && !(isSum(dims, dims.atom(f.index).left) && isSum(dims, dims.atom(f.index).right))) return false;
  }
  return true;
}

// Adds the check that a size computed from run-time sizes is not negative.
void checkNonnegative(Context& c, Dim size, Span span, Node& node) {
  auto variables = c.dims().variables(size);
  bool usesRunSizes =
      std::any_of(variables.begin(), variables.end(), [&](DimVar v) { return !c.symbols.count(v.index); });
  if (!usesRunSizes || isSum(c.dims(), size)) return;
  node.checks.push_back(static_cast<std::uint32_t>(c.model.checks.size()));
  c.model.checks.push_back(
      {size, FactRelation::ge, c.dims().constant(0), "`match` needs it", {span}, false, std::nullopt});
}

// Adds a guard that compares the tensor's sizes with the pattern. Returns the guarded tensor, or nothing if there is
// nothing to compare.
std::optional<Tensor> checkMatchedShape(Context& c, const Tensor& tensor, const TypedMatch& match,
                                        const Environment& environment) {
  const TypeId is = typeOf(c, match.scrutinee, environment),
               wanted = c.solution.resolve(match.type, environment.substitution);
  const Span span = c.program[match.scrutinee].span;
  const TypeTerm &actual = c.type(is), &stated = c.type(wanted);
  if (actual.kind != TypeKind::tensor || stated.kind != TypeKind::tensor || actual.shape.size() != stated.shape.size())
    return std::nullopt;
  Node node;
  node.op = Op::guard;
  for (std::size_t i = 0; i < actual.shape.size(); ++i) {
    Dim left = actual.shape[i].dim, right = stated.shape[i].dim;
    if (actual.shape[i].isVar || stated.shape[i].isVar || left == right) continue;
    node.checks.push_back(static_cast<std::uint32_t>(c.model.checks.size()));
    c.model.checks.push_back({left, FactRelation::eq, right, "`match` states it", {span}, true, std::nullopt});
  }
  std::set<DimVar> named;
  for (const ShapePart& part : c.solution.flatten(c.type(match.type).shape))
    if (!part.isVar)
      for (DimVar v : c.dims().variables(part.dim)) named.insert(v);
  for (DimVar v : named)
    checkNonnegative(c, c.solution.resolve(c.dims().variable(v), environment.substitution), span, node);
  if (node.checks.empty()) return std::nullopt;
  std::optional<Tensor> all = materialize(c, tensor);
  std::optional<Fact> result = all ? factOfType(c, wanted, span) : std::nullopt;
  if (!result) return std::nullopt;
  auto outputs = emitNode(c, std::move(node), {*all}, {std::move(*result)});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

// Makes the guard the source of the run-time sizes that it checks, so that nodes which mention them run after it.
// Returns the previous sources.
std::vector<std::pair<DimVar, RunSizeSource>> replaceSizeSources(Context& c, const Tensor& checked) {
  std::vector<std::pair<DimVar, RunSizeSource>> before;
  std::set<DimVar> sizes;
  for (std::uint32_t check : c.graph().producer(checked.outlet).checks)
    for (Dim side : {c.model.checks[check].left, c.model.checks[check].right})
      for (DimVar v : c.dims().variables(side))
        if (isRunSizeKnown(c, v)) sizes.insert(v);
  for (DimVar v : sizes) {
    before.emplace_back(v, c.runSizes[v.index]);
    c.runSizes[v.index] = {c.scope, checked.outlet};
  }
  return before;
}

// Returns the value behind guards that wait for `gate`.
std::optional<Value> waitFor(Context& c, const Value& value, const Tensor& gate) {
  if (const Tensor* t = std::get_if<Tensor>(&value.node)) {
    std::optional<Tensor> all = materialize(c, *t);
    if (!all) return std::nullopt;
    return toValue(emit(c, Op::guard, {*all, gate}, {}, Fact{fact(c, *all).elem, fact(c, *all).shape, {}}));
  }
  if (std::holds_alternative<Closure>(value.node)) return value;
  std::vector<Value> parts;
  for (const Value& part : *std::get<Tuple>(value.node)) {
    std::optional<Value> one = waitFor(c, part, gate);
    if (!one) return std::nullopt;
    parts.push_back(std::move(*one));
  }
  return tupleOf(std::move(parts));
}

}  // namespace

std::optional<Value> evalMatch(Context& c, const TypedMatch& match, const Environment& environment) {
  std::optional<Value> value = eval(c, match.scrutinee, environment);
  if (!value) return std::nullopt;
  std::optional<Tensor> checked;
  if (const Tensor* scrutinee = std::get_if<Tensor>(&value->node)) {
    if (!bindMatchedSizes(c, match, environment)) return std::nullopt;
    checked = checkMatchedShape(c, *scrutinee, match, environment);
    if (c.failed) return std::nullopt;
  }
  c.frames.push_back({environment.frame, {}});
  Frame* frame = &c.frames.back();
  if (match.named) frame->names.emplace_back(match.named, checked ? Value{*checked} : std::move(*value));
  std::vector<std::pair<DimVar, RunSizeSource>> replaced;
  if (checked) replaced = replaceSizeSources(c, *checked);
  std::optional<Value> result = eval(c, match.body, {frame, environment.substitution});
  for (const auto& [size, source] : replaced) c.runSizes[size.index] = source;
  return checked && result ? waitFor(c, *result, *checked) : result;
}

}  // namespace axle::ir::lowering
