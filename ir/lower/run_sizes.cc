// Sizes that the run finds: who finds them, what must wait for that, what is checked then.
#include <algorithm>
#include <set>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

bool Lowerer::isInside(std::uint32_t scope) const {
  for (std::uint32_t at = scope_;; at = scopes_[at].parent) {
    if (at == scope) return true;
    if (at == 0) return false;
  }
}

bool Lowerer::isFound(DimVar v) const {
  auto known = found_.find(v.index);
  return known != found_.end() && isInside(known->second.scope);
}

bool Lowerer::willFind(DimVar v, Dim most) {
  if (isFound(v)) return false;
  found_[v.index] = {scope_, {}};
  auto same = [&](const FoundSize& size) { return size.size == v; };
  if (std::none_of(model_.foundSizes.begin(), model_.foundSizes.end(), same)) model_.foundSizes.push_back({v, most});
  return true;
}

DimVar Lowerer::newSize(std::string name) {
  DimVar v = model_.dims->newVariable(std::move(name));
  solution_.dimVars.resize(model_.dims->variableCount());
  solution_.dimVars[v.index].kind = DimKind::runtime;
  solution_.dimVars[v.index].rigid = true;
  return v;
}

void Lowerer::orderAfter(Node& node, const std::vector<Tensor>& inputs, const std::vector<Fact>& facts) {
  std::vector<DimVar> mentioned, given;
  auto add = [&](std::vector<DimVar>& to, Dim d) {
    for (DimVar v : model_.dims->variables(d))
      if (found_.count(v.index) && std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (const Fact& fact : facts)
    for (Dim d : fact.shape) add(mentioned, d);
  for (Dim d : node.ints) add(mentioned, d);
  for (std::uint32_t check : node.checks)
    for (Dim d : {model_.checks[check].left, model_.checks[check].right}) add(mentioned, d);
  for (GraphId body : node.bodies)
    for (const Scope& scope : scopes_)
      if (scope.graph == body) mentioned.insert(mentioned.end(), scope.outerSizes.begin(), scope.outerSizes.end());
  for (const Tensor& input : inputs)
    for (Dim d : fact(input).shape) add(given, d);
  for (DimVar v : mentioned) {
    const Found& found = found_[v.index];
    if (!found.outlet || std::find(given.begin(), given.end(), v) != given.end()) continue;
    for (std::uint32_t at = scope_; at != found.scope && at != 0; at = scopes_[at].parent)
      scopes_[at].outerSizes.push_back(v);
    bool known =
        found.scope != scope_ || std::find(node.after.begin(), node.after.end(), found.outlet) != node.after.end();
    if (!known) node.after.push_back(found.outlet);
  }
}

// Sizes that the result's type says and that its operator finds, at most as many as its operand has elements.
void Lowerer::willFindSizes(const Application& a, const std::vector<Tensor>& inputs) {
  std::vector<TypeId> types{a.type};
  if (solution_.types[a.type].kind == TypeKind::tuple) types = solution_.types[a.type].parts;
  for (TypeId type : types)
    for (const ShapePart& part : solution_.types[type].shape) {
      if (part.isVar || inputs.empty()) continue;
      auto size = model_.dims->asVariable(part.dim);
      if (!size || isFound(*size)) continue;
      const DimVarInfo& info = solution_.dimVars[size->index];
      if (info.kind == DimKind::runtime && info.rigid)
        willFind(*size, elementCount(*model_.dims, fact(inputs.front()).shape));
    }
}

std::optional<Value> Lowerer::lowerNonzero(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  willFindSizes(a, *inputs);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!result) return std::nullopt;
  return tensor(emit(core.op, *inputs, {}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerArangeTo(const Application& a, const CoreOperator&) {
  auto inputs = arguments(a, true);
  auto most = inputs ? dimAttribute(a, "most") : std::nullopt;
  if (!most) return std::nullopt;
  const Shape& shape = solution_.types[a.type].shape;
  auto size = shape.size() == 1 && !shape[0].isVar ? model_.dims->asVariable(shape[0].dim) : std::nullopt;
  if (!size || !fact(inputs->front()).shape.empty()) return unexpected("its number gives no size", a.expr->span);
  std::optional<Tensor> count = inputs->front();
  if (fact(*count).elem != Elem::i64) count = emit(Op::cast, {*count}, {}, Fact{Elem::i64, {}, {}});
  if (!count) return std::nullopt;
  findSize(*size, *count, *most);
  Tensor numbers = failed_ ? Tensor{} : countUp(model_.dims->variable(*size));
  return failed_ ? std::nullopt : std::optional(Value{numbers});
}

// A `match` on a tensor `?s`, whose rank is known here: the sizes that it names are those that the tensor has.
bool Lowerer::matchSizes(TypeId is, TypeId wanted, Span span) {
  const TypeTerm found = solution_.types[is], stated = solution_.types[wanted];
  auto isOpen = [](const ShapePart& part) { return part.isVar; };
  if (found.kind != TypeKind::tensor || stated.kind != TypeKind::tensor || std::ranges::any_of(found.shape, isOpen) ||
      std::ranges::any_of(stated.shape, isOpen))
    return true;
  if (stated.shape.size() != found.shape.size()) {
    fail(codes::rankOfMatch,
         "this `match` wants rank " + std::to_string(stated.shape.size()) + ", and the tensor has rank " +
             std::to_string(found.shape.size()) + " here",
         span, "is matched");
    return false;
  }
  for (std::size_t i = 0; i < found.shape.size(); ++i) {
    auto named = model_.dims->asVariable(stated.shape[i].dim);
    if (!named || isFound(*named) || symbols_.count(named->index) || stated.shape[i].dim == found.shape[i].dim)
      continue;
    DimVarInfo& info = solution_.dimVars[named->index];
    if (info.kind == DimKind::runtime && info.rigid && info.maker == "`match`") {
      info.binding = found.shape[i].dim;
      namedSizes_ = true;
    }
  }
  return true;
}

namespace {

// Nothing is taken away in it.
bool isSum(const DimStore& dims, Dim size) {
  for (const Term& term : dims.terms(size)) {
    if (term.coefficient < 0) return false;
    for (const Factor& f : term.factors)
      if (f.isAtom && !(isSum(dims, dims.atom(f.index).left) && isSum(dims, dims.atom(f.index).right))) return false;
  }
  return true;
}

}  // namespace

// That `size`, computed of what the run finds, is one.
void Lowerer::checkIsSize(Dim size, Span span, Node& node) {
  auto variables = model_.dims->variables(size);
  bool ofTheRun = std::any_of(variables.begin(), variables.end(), [&](DimVar v) { return !symbols_.count(v.index); });
  if (!ofTheRun || isSum(*model_.dims, size)) return;
  node.checks.push_back(static_cast<std::uint32_t>(model_.checks.size()));
  model_.checks.push_back(
      {size, FactRelation::ge, model_.dims->constant(0), "`match` needs it", {span}, false, std::nullopt});
}

// The tensor with the sizes that a `match` states, which the run compares; none where there is nothing to compare.
std::optional<Tensor> Lowerer::checkedShape(const Tensor& tensor, const TypedMatch& match, const Substitution* with) {
  const TypeId is = solution_.resolve(program_[match.scrutinee].type, with),
               wanted = solution_.resolve(match.type, with);
  const Span span = program_[match.scrutinee].span;
  const TypeTerm &found = solution_.types[is], &stated = solution_.types[wanted];
  if (found.kind != TypeKind::tensor || stated.kind != TypeKind::tensor || found.shape.size() != stated.shape.size())
    return std::nullopt;
  Node node;
  node.op = Op::guard;
  for (std::size_t i = 0; i < found.shape.size(); ++i) {
    Dim left = found.shape[i].dim, right = stated.shape[i].dim;
    if (found.shape[i].isVar || stated.shape[i].isVar || left == right) continue;
    node.checks.push_back(static_cast<std::uint32_t>(model_.checks.size()));
    model_.checks.push_back({left, FactRelation::eq, right, "`match` states it", {span}, true, std::nullopt});
  }
  std::set<DimVar> named;
  for (const ShapePart& part : solution_.flatten(solution_.types[match.type].shape))
    if (!part.isVar)
      for (DimVar v : model_.dims->variables(part.dim)) named.insert(v);
  for (DimVar v : named) checkIsSize(solution_.resolve(model_.dims->variable(v), with), span, node);
  if (node.checks.empty()) return std::nullopt;
  std::optional<Tensor> all = whole(tensor);
  std::optional<Fact> result = all ? factOf(wanted, span) : std::nullopt;
  if (!result) return std::nullopt;
  auto outputs = emitNode(std::move(node), {*all}, {std::move(*result)});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

std::vector<std::pair<DimVar, Lowerer::Found>> Lowerer::foundBy(const Tensor& checked) {
  std::vector<std::pair<DimVar, Found>> before;
  std::set<DimVar> sizes;
  for (std::uint32_t check : graph().producer(checked.outlet).checks)
    for (Dim side : {model_.checks[check].left, model_.checks[check].right})
      for (DimVar v : model_.dims->variables(side))
        if (isFound(v)) sizes.insert(v);
  for (DimVar v : sizes) {
    before.emplace_back(v, found_[v.index]);
    found_[v.index] = {scope_, checked.outlet};
  }
  return before;
}

// The value, none of which is there before `gate` is.
std::optional<Value> Lowerer::gated(const Value& value, const Tensor& gate) {
  if (const Tensor* t = std::get_if<Tensor>(&value.node)) {
    std::optional<Tensor> all = whole(*t);
    if (!all) return std::nullopt;
    return tensor(emit(Op::guard, {*all, gate}, {}, Fact{fact(*all).elem, fact(*all).shape, {}}));
  }
  if (std::holds_alternative<Closure>(value.node)) return value;
  std::vector<Value> parts;
  for (const Value& part : *std::get<Tuple>(value.node)) {
    std::optional<Value> one = gated(part, gate);
    if (!one) return std::nullopt;
    parts.push_back(std::move(*one));
  }
  return Value{std::make_shared<const std::vector<Value>>(std::move(parts))};
}

}  // namespace axle::ir
