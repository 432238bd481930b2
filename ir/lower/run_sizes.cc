#include "ir/lower/run_sizes.h"

#include <algorithm>

#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/operators.h"

namespace axle::ir::lowering {

bool isEnclosing(const Context& c, std::uint32_t scope) {
  for (std::uint32_t at = c.scope;; at = c.scopes[at].parent) {
    if (at == scope) return true;
    if (at == 0) return false;
  }
}

bool isRunSizeKnown(const Context& c, DimVar v) {
  auto known = c.runSizes.find(v.index);
  return known != c.runSizes.end() && isEnclosing(c, known->second.scope);
}

bool declareRunSize(Context& c, DimVar v, Dim most) {
  if (isRunSizeKnown(c, v)) return false;
  c.runSizes[v.index] = {c.scope, {}};
  auto same = [&](const RunSize& size) { return size.size == v; };
  if (std::none_of(c.model.runSizes.begin(), c.model.runSizes.end(), same)) c.model.runSizes.push_back({v, most});
  return true;
}

DimVar newRunSize(Context& c, std::string name) {
  DimVar v = c.dims().newVariable(std::move(name));
  while (c.solution.dimVars.size() < c.dims().variableCount()) c.solution.dimVars.push_back({});
  c.solution.dimVars.edit(v.index).kind = DimKind::runtime;
  c.solution.dimVars.edit(v.index).rigid = true;
  return v;
}

void addSizeDependencies(Context& c, Node& node, const std::vector<Tensor>& inputs, const std::vector<Fact>& facts) {
  std::vector<DimVar> mentioned, given;
  auto add = [&](std::vector<DimVar>& to, Dim d) {
    for (DimVar v : c.dims().variables(d))
      if (c.runSizes.count(v.index) && std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (const Fact& fact : facts)
    for (Dim d : fact.shape) add(mentioned, d);
  for (Dim d : integersOf(c.dims(), node.attributes)) add(mentioned, d);
  for (std::uint32_t check : node.checks)
    for (Dim d : {c.model.checks[check].left, c.model.checks[check].right}) add(mentioned, d);
  for (GraphId body : node.bodies)
    for (const Scope& scope : c.scopes)
      if (scope.graph == body) mentioned.insert(mentioned.end(), scope.outerSizes.begin(), scope.outerSizes.end());
  for (const Tensor& input : inputs)
    for (Dim d : fact(c, input).shape) add(given, d);
  for (DimVar v : mentioned) {
    const RunSizeSource& source = c.runSizes[v.index];
    if (!source.outlet || std::find(given.begin(), given.end(), v) != given.end()) continue;
    for (std::uint32_t at = c.scope; at != source.scope && at != 0; at = c.scopes[at].parent)
      c.scopes[at].outerSizes.push_back(v);
    bool known =
        source.scope != c.scope || std::find(node.after.begin(), node.after.end(), source.outlet) != node.after.end();
    if (!known) node.after.push_back(source.outlet);
  }
}

void declareResultSizes(Context& c, const Application& a, const std::vector<Tensor>& inputs) {
  std::vector<TypeId> types{a.type};
  if (c.type(a.type).kind == TypeKind::tuple) types = c.type(a.type).parts;
  for (TypeId type : types)
    for (const ShapePart& part : c.type(type).shape) {
      if (part.isVar || inputs.empty()) continue;
      auto size = c.dims().asVariable(part.dim);
      if (!size || isRunSizeKnown(c, *size)) continue;
      const DimVarInfo& info = c.solution.dimVars[size->index];
      if (info.kind == DimKind::runtime && info.rigid)
        declareRunSize(c, *size, elementCount(c.dims(), fact(c, inputs.front()).shape));
    }
}

void bindRunSize(Context& c, DimVar size, const Tensor& value, Dim most) {
  if (c.failed || !declareRunSize(c, size, most)) return;
  Node node;
  node.op = Op::size;
  node.runSizes = {{0, size}};
  emitNode(c, std::move(node), {value}, {Fact{Elem::i64, {}, {}}});
}

namespace {

std::optional<Value> lowerNonzero(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  declareResultSizes(c, a, *inputs);
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!result) return std::nullopt;
  return toValue(emit(c, core.op, *inputs, {}, std::move(*result)));
}

std::optional<Value> lowerArangeTo(Context& c, const Application& a, const CoreOperator&) {
  auto inputs = arguments(c, a);
  auto most = inputs ? dimAttribute(c, a, "most") : std::nullopt;
  if (!most) return std::nullopt;
  const Shape& shape = c.type(a.type).shape;
  auto size = shape.size() == 1 && !shape[0].isVar ? c.dims().asVariable(shape[0].dim) : std::nullopt;
  if (!size || !fact(c, inputs->front()).shape.empty()) return reportBug(c, "its number gives no size", a.span());
  std::optional<Tensor> count = inputs->front();
  if (fact(c, *count).elem != Elem::i64) count = emit(c, Op::cast, {*count}, {}, Fact{Elem::i64, {}, {}});
  if (!count) return std::nullopt;
  bindRunSize(c, *size, *count, *most);
  if (c.failed) return std::nullopt;
  Dim length = c.dims().variable(*size);
  return toValue(emit(c, Op::iota, {}, AxisAttributes{0}, Fact{Elem::i64, {length}, {}}));
}

}  // namespace

std::span<const CoreOperator> runSizeOperators() {
  static constexpr CoreOperator rows[] = {
      {"nonzero", Op::nonzero, lowerNonzero},
      {"arange_to", Op::none, lowerArangeTo},
  };
  return rows;
}

}  // namespace axle::ir::lowering
