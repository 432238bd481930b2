// Names: references, `let`s, blocks and weights.
#include <algorithm>

#include "ir/lower/expressions.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

namespace {

// The first binding of a pattern; none if it has only `_`.
BindingId firstBinding(const TypedPattern& pattern) {
  if (pattern.binding) return pattern.binding;
  for (const TypedPattern& part : pattern.parts)
    if (BindingId binding = firstBinding(part)) return binding;
  return {};
}

// The substitution of a polymorphic definition for one use of it.
const Substitution* instantiate(Context& c, const Substitution& defined, const Substitution& use,
                                const Instantiation& with) {
  Substitution inner = defined;
  for (const auto& [var, type] : with.types) inner.types[var.index] = c.solution.resolve(type, &use);
  for (const auto& [var, elem] : with.elems) inner.elems[var.index] = c.solution.resolve(elem, &use);
  for (const auto& [var, shape] : with.shapes) inner.shapes[var.index] = c.solution.resolve(shape, &use);
  for (const auto& [var, dim] : with.dims) inner.dims[var.index] = c.solution.resolve(dim, &use);
  for (const auto& [var, value] : with.statics) inner.statics[var.index] = c.solution.resolve(value, &use);
  c.substitutions.push_back(std::move(inner));
  return &c.substitutions.back();
}

std::optional<Value> evalWeight(Context& c, const TypedBinding& binding) {
  auto known = c.weights.find(binding.weight);
  if (known == c.weights.end()) {
    const Weight& weight = c.model.weights[binding.weight];
    TypeTerm type = c.type(c.solution.resolve(binding.type, c.topSubstitution));
    Constant constant{weight.parameter, type.elem.elem, {}, binding.weight, nullptr};
    bool closed = type.kind == TypeKind::tensor && !type.elem.isVar;
    for (const ShapePart& part : type.shape) {
      std::optional<std::int64_t> size = part.isVar ? std::nullopt : c.dims().asConstant(part.dim);
      closed = closed && size;
      constant.shape.push_back(size.value_or(0));
    }
    if (!closed) return reportBug(c, "the type of the parameter `" + weight.parameter + "` is open", weight.span);
    c.model.constants.push_back(std::move(constant));
    ConstantId id{static_cast<std::uint32_t>(c.model.constants.size() - 1)};
    std::uint32_t scope = std::exchange(c.scope, 0);
    known = c.weights.emplace(binding.weight, Value{constantTensor(c, id)}).first;
    c.scope = scope;
  }
  return known->second;
}

// Joins the names around the binding and its own name. The last name of the path is the first name of its pattern.
std::string tracedName(const Context& c, BindingId binding, bool isTopLevel) {
  constexpr std::size_t tracedNames = 6;
  const std::vector<std::string>& path = c.namePath;
  std::string name;
  for (std::size_t i = path.size() - std::min(tracedNames, path.size()); !isTopLevel && i + 1 < path.size(); ++i)
    if (i == 0 || path[i] != path[i - 1]) name += path[i] + ".";
  return name + c.program[binding].name;
}

void addTraced(Context& c, BindingId binding, const Value& value, TypeId type, const std::string& name) {
  if (const Tuple* parts = std::get_if<Tuple>(&value.node)) {
    const std::vector<TypeId> types = c.type(type).parts;
    for (std::size_t i = 0; i < std::min(types.size(), (*parts)->size()); ++i)
      addTraced(c, binding, (**parts)[i], c.solution.resolve(types[i]), name + "." + std::to_string(i));
    return;
  }
  const Tensor* tensor = std::get_if<Tensor>(&value.node);
  if (!tensor || tensor->scope != 0 || tensor->splat || c.graph().producer(tensor->outlet).op == Op::constant) return;
  if (c.anyRagged && !raggedLengthsOf(c, type).empty()) return;
  c.traced.push_back({binding, name, tensor->outlet});
}

// Binds the names of a pattern. `environment` has no frame for top-level names.
bool bindPattern(Context& c, const TypedPattern& pattern, const TypedLet& let, Value value,
                 const Environment& environment) {
  if (pattern.isTuple) {
    const Tuple* parts = std::get_if<Tuple>(&value.node);
    if (!parts || (*parts)->size() != pattern.parts.size()) {
      reportBug(c, "the pattern does not fit its value", let.span);
      return false;
    }
    for (std::size_t i = 0; i < pattern.parts.size(); ++i)
      if (!bindPattern(c, pattern.parts[i], let, (**parts)[i], environment)) return false;
    return true;
  }
  if (!pattern.binding) return true;
  if (c.tracing && c.scope == 0)
    addTraced(c, pattern.binding, value, c.solution.resolve(c.program[pattern.binding].type, environment.substitution),
              tracedName(c, pattern.binding, environment.frame == nullptr));
  Frame& frame = environment.frame ? *environment.frame : c.topFrame;
  frame.names.emplace_back(pattern.binding, std::move(value));
  return true;
}

bool evalLet(Context& c, const TypedLet& let, const Environment& environment) {
  if (!let.pattern.isTuple && let.pattern.binding && c.program[let.pattern.binding].polymorphic) {
    if (environment.frame)
      environment.frame->names.emplace_back(let.pattern.binding, Polymorphic{let.value, environment.substitution});
    return true;
  }
  std::optional<ScopedPush<std::string>> name;
  if (BindingId first = firstBinding(let.pattern)) name.emplace(c.namePath, c.program[first].name);
  std::optional<Value> value = eval(c, let.value, environment);
  return value && bindPattern(c, let.pattern, let, std::move(*value), environment);
}

// A top-level value is computed once, in the main graph.
std::optional<Value> topLevelValue(Context& c, BindingId binding, Span use) {
  auto find = [&]() -> std::optional<Value> {
    for (auto& [name, bound] : c.topFrame.names)
      if (name == binding) return std::get<Value>(bound);
    return std::nullopt;
  };
  if (auto known = find()) return known;
  auto let = c.topLets.find(binding.index);
  if (let == c.topLets.end() || !c.startedLets.insert(let->second).second)
    return reportBug(c, "`" + c.program[binding].name + "` has no value", use);
  std::uint32_t scope = std::exchange(c.scope, 0);
  bool done = evalLet(c, c.program.lets[let->second], {nullptr, c.topSubstitution});
  c.scope = scope;
  if (!done) return std::nullopt;
  if (auto value = find()) return value;
  return reportBug(c, "`" + c.program[binding].name + "` has no value", use);
}

}  // namespace

std::optional<Value> evalRef(Context& c, const TypedExpr& expr, const TypedRef& ref, const Environment& environment) {
  const TypedBinding& binding = c.program[ref.binding];
  if (binding.kind == BindingKind::weight) return evalWeight(c, binding);
  auto instance = [&](const Substitution* defined) {
    return ref.instantiation ? instantiate(c, *defined, *environment.substitution, *ref.instantiation) : defined;
  };
  for (Frame* frame = environment.frame; frame; frame = frame->parent)
    for (auto& [name, bound] : frame->names) {
      if (name != ref.binding) continue;
      if (auto* value = std::get_if<Value>(&bound)) return *value;
      const Polymorphic definition = std::get<Polymorphic>(bound);
      return eval(c, definition.value, {frame, instance(definition.substitution)});
    }
  if (binding.polymorphic && binding.value) {
    ScopedPush<std::string> name(c.namePath, binding.name);
    return eval(c, binding.value, {nullptr, instance(c.topSubstitution)});
  }
  return topLevelValue(c, ref.binding, expr.span);
}

std::optional<Value> evalBlock(Context& c, const TypedBlock& block, const Environment& environment) {
  c.frames.push_back({environment.frame, {}});
  const Environment inner{&c.frames.back(), environment.substitution};
  for (std::uint32_t let : block.lets)
    if (!evalLet(c, c.program.lets[let], inner)) return std::nullopt;
  return eval(c, block.result, inner);
}

}  // namespace axle::ir::lowering
