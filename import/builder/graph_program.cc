// Builds a program from a typed graph: names of values, loops, branches, and the function of the entry.
#include <algorithm>
#include <set>
#include <utility>

#include "import/builder/graph_typer.h"
#include "import/builder/sink_into_branches.h"
#include "typecheck/infer/expressions.h"

namespace axle {
namespace {

void addRuntime(Solution& solution, Dim dim, std::vector<DimVar>& to) {
  for (DimVar v : solution.dims.variables(solution.resolve(dim)))
    if (solution.dimVars[v.index].kind == DimKind::runtime) to.push_back(v);
}

std::vector<DimVar> runtimeSizes(Solution& solution, TypeId type) {
  std::vector<DimVar> sizes;
  const TypeTerm term = solution.types[solution.resolve(type)];
  if (term.kind != TypeKind::tensor) return sizes;
  for (const ShapePart& part : term.shape)
    if (!part.isVar) addRuntime(solution, part.dim, sizes);
  return sizes;
}

}  // namespace

std::vector<BindingId> GraphTyper::findersOf(const TypedExpr& expr) {
  if (finders_.empty()) return {};
  std::vector<DimVar> sizes = runtimeSizes(solution(), expr.type);
  std::vector<StaticId> open;
  if (const auto* apply = std::get_if<TypedApply>(&expr.node)) open = apply->attributes;
  while (!open.empty()) {
    const StaticTerm term = solution().types[solution().resolve(open.back())];
    open.pop_back();
    if (term.kind == StaticKind::dim) addRuntime(solution(), term.dim, sizes);
    open.insert(open.end(), term.items.begin(), term.items.end());
  }
  std::vector<BindingId> finders;
  for (DimVar size : sizes)
    if (auto known = finders_.find(size.index); known != finders_.end()) finders.push_back(known->second);
  return finders;
}

std::vector<TypedId> GraphTyper::bind(const std::string& name, TypedId value, Span at) {
  const TypeTerm& type = solution().types[typeOf(value)];
  TypedPattern pattern;
  pattern.isTuple = type.kind == TypeKind::tuple;
  std::vector<TypedId> references;
  for (TypeId part : pattern.isTuple ? type.parts : std::vector<TypeId>{checked_.program[value].type}) {
    BindingId id = declare(checked_.program, name, at, BindingKind::value, part);
    if (pattern.isTuple)
      pattern.parts.push_back({id, false, {}});
    else
      pattern.binding = id;
    references.push_back(inferReference(inference_, id, at));
    for (DimVar size : runtimeSizes(solution(), part)) finders_.try_emplace(size.index, id);
  }
  addLet(std::move(pattern), value, at);
  return references;
}

TypedId GraphTyper::make(TypeId type, Span at, decltype(TypedExpr::node) node) {
  checked_.program.exprs.push_back({type, at, std::move(node)});
  return TypedId{static_cast<std::uint32_t>(checked_.program.exprs.size() - 1)};
}

std::uint32_t GraphTyper::addLet(TypedPattern pattern, TypedId value, Span at) {
  const auto index = static_cast<std::uint32_t>(checked_.program.lets.size());
  if (pattern.binding) lets_[pattern.binding.index] = index;
  for (const TypedPattern& part : pattern.parts) lets_[part.binding.index] = index;
  checked_.program.lets.push_back({std::move(pattern), value, at});
  return index;
}

void GraphTyper::redefine(TypedId reference, TypedId value) {
  const auto* ref = std::get_if<TypedRef>(&checked_.program[reference].node);
  const auto* other = std::get_if<TypedRef>(&checked_.program[value].node);
  if (ref && other && ref->binding != other->binding) redefined_[ref->binding.index] = value;
}

std::optional<TypedId> GraphTyper::valueOf(BindingId binding) const {
  if (auto better = redefined_.find(binding.index); better != redefined_.end()) return better->second;
  auto let = lets_.find(binding.index);
  if (let == lets_.end()) return std::nullopt;
  return checked_.program.lets[let->second].value;
}

std::optional<BindingId> GraphTyper::opaqueBehind(TypedId reference) const {
  std::optional<BindingId> last;
  // Bounds the walk by the number of names, in case the names form a cycle.
  for (std::size_t steps = 0; steps <= checked_.program.bindings.size(); ++steps) {
    const auto* ref = std::get_if<TypedRef>(&checked_.program[reference].node);
    if (!ref || checked_.program[ref->binding].kind != BindingKind::value) return std::nullopt;
    last = ref->binding;
    auto value = valueOf(ref->binding);
    if (!value) return last;
    reference = *value;
  }
  return last;
}

TypedId GraphTyper::together(std::vector<TypedId> values, Span at) {
  if (values.size() == 1) return values[0];
  std::vector<TypeId> types;
  for (TypedId value : values) types.push_back(checked_.program[value].type);
  return make(tuple(std::move(types)), at, TypedTuple{std::move(values)});
}

TypedId GraphTyper::function(const std::vector<TypedId>& states, std::vector<TypedId> results, Span at) {
  TypedProgram& program = checked_.program;
  Region region;
  TypedPattern pattern;
  pattern.isTuple = states.size() > 1;
  std::vector<TypeId> types;
  for (TypedId state : states) {
    region.states.push_back(std::get<TypedRef>(program[state].node).binding);
    types.push_back(program[state].type);
    if (pattern.isTuple)
      pattern.parts.push_back({region.states.back(), false, {}});
    else
      pattern.binding = region.states.back();
  }
  TypeTerm type;
  type.kind = TypeKind::function;
  type.parts = {types.size() == 1 ? types[0] : tuple(types)};
  BindingId parameter = declare(checked_.program, "state", at, BindingKind::parameter, type.parts[0]);
  region.unpack = static_cast<std::uint32_t>(program.lets.size());
  program.lets.push_back({std::move(pattern), inferReference(inference_, parameter, at), at});
  region.result = together(std::move(results), at);
  type.result = program[region.result].type;
  TypedLambda lambda;
  lambda.parameters = {parameter};
  lambda.body = region.result;
  TypedId made = make(solution().types.add(std::move(type)), at, std::move(lambda));
  regions_.emplace(made.index, std::move(region));
  return made;
}

std::vector<TypedId> GraphTyper::loop(const std::string& name, const std::vector<TypedId>& states, TypedId condition,
                                      std::vector<TypedId> next, std::vector<TypedId> starts, Span at) {
  auto op = checked_.operators.find("while", 3);
  if (!op || states.empty()) return {};
  TypedApply apply;
  apply.op = *op;
  apply.arguments = {function(states, {condition}, at), function(states, std::move(next), at)};
  apply.arguments.push_back(together(std::move(starts), at));
  TypeId type = checked_.program[apply.arguments.back()].type;
  return bind(name, make(type, at, std::move(apply)), at);
}

TypedId GraphTyper::branch(const std::string& name, TypedId condition, TypedId yes, TypedId no, Span at) {
  TypeId type = checked_.program[yes].type;
  return bind(name, make(type, at, TypedIf{condition, yes, no}), at).front();
}

// Places each value in the region that computes it. A region is a function; regions are nested as `visit` finds them.
class Placement {
 public:
  explicit Placement(GraphTyper& typer) : t_(typer), regions_(1) {}

  // Returns the lets of the outermost region, in order.
  std::vector<std::uint32_t> place(const std::vector<TypedId>& results) {
    for (TypedId result : results) visit(result);
    return std::move(regions_[0].lets);
  }
  std::vector<BindingId> missing;
  std::map<std::uint32_t, TypedId> bodies;  // by function: its block, which first names the states

 private:
  struct Place {
    std::size_t depth = 0;
    std::size_t outer = 0;  // the innermost other region that its values depend on
    std::vector<std::uint32_t> lets;
    std::vector<std::uint32_t> names;  // of values that are placed here
  };

  std::size_t inner(std::size_t a, std::size_t b) const { return regions_[a].depth >= regions_[b].depth ? a : b; }

  // Returns the innermost region that an expression depends on. Records the innermost other one in its `outer`.
  std::size_t visit(TypedId id) {
    std::set<std::size_t> needs{0};
    std::vector<TypedId> open{id};
    while (!open.empty()) {
      TypedId next = open.back();
      open.pop_back();
      const TypedExpr expr = t_.checked_.program[next];  // a copy: the loop adds expressions
      for (BindingId finder : t_.findersOf(expr)) needs.insert(name(finder));
      if (const auto* ref = std::get_if<TypedRef>(&expr.node)) needs.insert(name(ref->binding));
      if (const auto* apply = std::get_if<TypedApply>(&expr.node))
        open.insert(open.end(), apply->arguments.begin(), apply->arguments.end());
      if (const auto* tuple = std::get_if<TypedTuple>(&expr.node))
        open.insert(open.end(), tuple->parts.begin(), tuple->parts.end());
      if (const auto* branch = std::get_if<TypedIf>(&expr.node))
        open.insert(open.end(), {branch->condition, branch->thenValue, branch->elseValue});
      if (std::holds_alternative<TypedLambda>(expr.node)) needs.insert(region(next));
    }
    std::size_t home = 0;
    for (std::size_t need : needs) home = inner(home, need);
    for (std::size_t need : needs)
      if (need != home) regions_[home].outer = inner(regions_[home].outer, need);
    return home;
  }

  std::size_t name(BindingId binding) {
    if (t_.checked_.program[binding].kind != BindingKind::value) return 0;
    if (auto state = stateOf_.find(binding.index); state != stateOf_.end()) return state->second;
    if (auto known = homes_.find(binding.index); known != homes_.end()) return known->second;
    homes_[binding.index] = 0;
    auto value = t_.valueOf(binding);
    if (!value) {
      missing.push_back(binding);
      return 0;
    }
    std::size_t home = visit(*value);
    homes_[binding.index] = home;
    auto better = t_.redefined_.find(binding.index);
    std::uint32_t let = 0;
    if (better == t_.redefined_.end())
      let = t_.lets_.at(binding.index);
    else
      let = t_.aliasOf(binding, better->second);
    Place& place = regions_[home];
    place.names.push_back(binding.index);
    if (std::find(place.lets.begin(), place.lets.end(), let) == place.lets.end()) place.lets.push_back(let);
    return home;
  }

  std::size_t region(TypedId lambda) {
    GraphTyper::Region region = t_.regions_.at(lambda.index);
    const std::size_t here = regions_.size();
    regions_.push_back({++depth_, 0, {}, {}});
    std::map<std::uint32_t, std::size_t> before = stateOf_;
    for (BindingId state : region.states) stateOf_[state.index] = here;
    std::size_t home = visit(region.result);
    if (home != here) regions_[here].outer = inner(regions_[here].outer, home);
    stateOf_ = std::move(before);
    for (std::uint32_t name : regions_[here].names) homes_.erase(name);
    --depth_;
    TypedBlock block;
    block.lets = {region.unpack};
    block.lets.insert(block.lets.end(), regions_[here].lets.begin(), regions_[here].lets.end());
    block.result = region.result;
    const TypedExpr& result = t_.checked_.program[region.result];
    TypedId body = t_.make(result.type, result.span, std::move(block));
    std::get<TypedLambda>(t_.checked_.program.exprs[lambda.index].node).body = body;
    bodies[lambda.index] = body;
    return regions_[here].outer;
  }

  GraphTyper& t_;
  std::vector<Place> regions_;  // 0 is the entry's function
  std::size_t depth_ = 0;
  std::map<std::uint32_t, std::size_t> stateOf_;  // by binding: the region whose state it is
  std::map<std::uint32_t, std::size_t> homes_;
};

std::uint32_t GraphTyper::aliasOf(BindingId binding, TypedId value) {
  auto [known, isNew] = aliases_.try_emplace({binding.index, value.index}, 0);
  if (isNew) {
    known->second = static_cast<std::uint32_t>(checked_.program.lets.size());
    checked_.program.lets.push_back({{binding, false, {}}, value, checked_.program[binding].span});
  }
  return known->second;
}

std::vector<BindingId> GraphTyper::define(const std::vector<TypedId>& inputs, std::vector<TypedId> results, Span at) {
  TypedProgram& program = checked_.program;
  Placement placement(*this);
  TypedBlock block;
  block.lets = placement.place(results);
  if (!placement.missing.empty()) return std::move(placement.missing);

  TypeTerm function;
  function.kind = TypeKind::function;
  TypedLambda lambda;
  for (TypedId input : inputs) {
    lambda.parameters.push_back(std::get<TypedRef>(program[input].node).binding);
    function.parts.push_back(program[input].type);
  }
  block.result = together(std::move(results), at);
  std::set<std::uint32_t> kept;
  for (const auto& [_, finder] : finders_) kept.insert(finder.index);
  block.lets = sinkIntoBranches(program, block.lets, block.result, kept);
  for (const auto& [_, body] : placement.bodies) {
    auto inner = std::get<TypedBlock>(program[body].node);
    const std::vector<std::uint32_t> all(inner.lets.begin() + 1, inner.lets.end());
    const std::vector<std::uint32_t> rest = sinkIntoBranches(program, all, inner.result, kept);
    inner.lets.erase(inner.lets.begin() + 1, inner.lets.end());
    inner.lets.insert(inner.lets.end(), rest.begin(), rest.end());
    program.exprs[body.index].node = std::move(inner);
  }
  function.result = program[block.result].type;
  lambda.body = make(function.result, at, std::move(block));
  TypeId type = solution().types.add(std::move(function));
  BindingId main = declare(checked_.program, "main", at, BindingKind::value, type);
  program.bindings[main.index].value = make(type, at, std::move(lambda));
  checked_.rootNames.push_back({"main", main});
  return {};
}

}  // namespace axle
