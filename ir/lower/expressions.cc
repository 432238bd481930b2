// Expressions, read for one instance: `frame` says what names are, `with` what quantified variables stand for.
#include <algorithm>
#include <cmath>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"
#include "typecheck/codes.h"
#include "typecheck/types/literal_bytes.h"

namespace axle::ir {

namespace {

void collectBindings(const TypedPattern& pattern, std::vector<BindingId>& into) {
  if (pattern.binding) into.push_back(pattern.binding);
  for (const TypedPattern& part : pattern.parts) collectBindings(part, into);
}

// Pushes for as long as it lives.
template <class T>
class Pushed {
 public:
  Pushed(std::vector<T>& stack, T value) : stack_(stack) { stack_.push_back(std::move(value)); }
  ~Pushed() { stack_.pop_back(); }
  Pushed(const Pushed&) = delete;
  Pushed& operator=(const Pushed&) = delete;

 private:
  std::vector<T>& stack_;
};

}  // namespace

Lowerer::Lowerer(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits, bool traces)
    : checked_(checked),
      entry_(entry),
      diagnostics_(diagnostics),
      limits_(limits),
      program_(program(checked)),
      solution_(solution(checked)),
      operators_(axle::operators(checked)),
      traces_(traces) {
  // What the entry's variables stand for was decided after they were put for the binding's.
  substitutions_.push_back(entry.substitution);
  Substitution& top = substitutions_.back();
  for (auto& [var, type] : top.types) type = solution_.resolve(type);
  for (auto& [var, elem] : top.elems) elem = solution_.resolve(elem);
  for (auto& [var, shape] : top.shapes) shape = solution_.resolve(shape);
  for (auto& [var, dim] : top.dims) dim = solution_.resolve(dim);
  for (auto& [var, value] : top.statics) value = solution_.resolve(value);
  top_ = &top;
  model_.dims = &solution_.dims;
  model_.entry = entry.name;
  for (const TypedWeight& weight : program_.weights)
    model_.weights.push_back({weight.parameter, weight.tensorName, weight.span});
  for (std::uint32_t let : program_.topLevel) {
    std::vector<BindingId> bindings;
    collectBindings(program_.lets[let].pattern, bindings);
    for (BindingId binding : bindings) topLets_[binding.index] = let;
  }
  for (DimVar symbol : entry.symbols) symbols_.insert(symbol.index);
  for (const DimFact& guard : entry.guards)
    if (auto v = guard.stretch ? solution_.dims.asVariable(solution_.resolve(guard.stretch->first)) : std::nullopt)
      stretches_[v->index] = solution_.resolve(guard.stretch->second);
  anyRagged_ = std::any_of(solution_.dimVars.begin(), solution_.dimVars.end(),
                           [](const DimVarInfo& info) { return info.kind == DimKind::ragged; });
  model_.graphs.emplace_back();
  scopes_.emplace_back().graph = GraphId{0};
}

Lowered Lowerer::run() {
  std::optional<Model> model = lowerEntry();
  return {std::move(model), std::move(bug_), std::move(traced_)};
}

std::optional<Model> Lowerer::lowerEntry() {
  Span span = program_[entry_.function].span;
  std::vector<Value> arguments = inputValues();
  std::optional<Value> value = eval(entry_.function, nullptr, top_);
  if (value && std::holds_alternative<Closure>(value->node))
    value = apply(std::get<Closure>(value->node), std::move(arguments), span);
  std::vector<Tensor> outputs;
  if (!value || !flatten(*value, outputs, span, "an entry's result")) return std::nullopt;
  if (outputs.size() != entry_.outputs.size()) return unexpected("its results differ from its type", span);
  if (!addOutputs(outputs)) return std::nullopt;
  addGraphComposites();
  return std::move(model_);
}

std::optional<Value> Lowerer::eval(TypedId id, Frame* frame, const Substitution* with) {
  const TypedExpr& expr = program_[id];
  if (nesting_ >= limits_.nesting)
    return fail(codes::inliningTooDeep, "calls and expressions nest too deeply here", expr.span);
  ++nesting_;
  Pushed<Span> span(spans_, expr.span);
  std::optional<Value> value = evalNode(expr, id, frame, with);
  --nesting_;
  return value;
}

std::optional<Value> Lowerer::evalNode(const TypedExpr& expr, TypedId id, Frame* frame, const Substitution* with) {
  if (auto* ref = std::get_if<TypedRef>(&expr.node)) return evalRef(expr, *ref, frame, with);
  if (auto* literal = std::get_if<TypedLiteral>(&expr.node)) return evalLiteral(expr, *literal, with);
  if (auto* dim = std::get_if<TypedDim>(&expr.node)) return evalDim(expr, *dim, with);
  if (auto* given = std::get_if<TypedStatic>(&expr.node)) return evalStatic(expr, *given, with);
  if (auto* application = std::get_if<TypedApply>(&expr.node)) return evalApply(expr, *application, frame, with);
  if (auto* call = std::get_if<TypedCall>(&expr.node)) return evalCall(expr, *call, frame, with);
  if (std::holds_alternative<TypedLambda>(expr.node)) return Value{Closure{id, frame, with}};
  if (auto* block = std::get_if<TypedBlock>(&expr.node)) return evalBlock(*block, frame, with);
  if (auto* tuple = std::get_if<TypedTuple>(&expr.node)) return evalTuple(*tuple, frame, with);
  if (auto* branch = std::get_if<TypedIf>(&expr.node)) return evalIf(expr, *branch, frame, with);
  return evalMatch(std::get<TypedMatch>(expr.node), frame, with);
}

// Sizes that the type states of what the run finds are checked here, before the result is there.
std::optional<Value> Lowerer::evalMatch(const TypedMatch& match, Frame* frame, const Substitution* with) {
  std::optional<Value> value = eval(match.scrutinee, frame, with);
  if (!value) return std::nullopt;
  const Tensor* scrutinee = std::get_if<Tensor>(&value->node);
  std::optional<Tensor> checked;
  if (scrutinee) {
    Span span = program_[match.scrutinee].span;
    TypeId is = solution_.resolve(program_[match.scrutinee].type, with);
    if (!matchSizes(is, solution_.resolve(match.type, with), span)) return std::nullopt;
    checked = checkedShape(*scrutinee, match, with);
    if (failed_) return std::nullopt;
  }
  frames_.push_back({frame, {}});
  Frame* inner = &frames_.back();
  if (match.named) inner->names.emplace_back(match.named, checked ? Value{*checked} : std::move(*value));
  std::vector<std::pair<DimVar, Found>> finders;
  if (checked) finders = foundBy(*checked);
  std::optional<Value> result = eval(match.body, inner, with);
  for (const auto& [size, finder] : finders) found_[size.index] = finder;
  return checked && result ? gated(*result, *checked) : result;
}

const Substitution* Lowerer::instantiate(const Substitution& defined, const Substitution& use,
                                         const Instantiation& with) {
  Substitution inner = defined;
  for (const auto& [var, type] : with.types) inner.types[var.index] = solution_.resolve(type, &use);
  for (const auto& [var, elem] : with.elems) inner.elems[var.index] = solution_.resolve(elem, &use);
  for (const auto& [var, shape] : with.shapes) inner.shapes[var.index] = solution_.resolve(shape, &use);
  for (const auto& [var, dim] : with.dims) inner.dims[var.index] = solution_.resolve(dim, &use);
  for (const auto& [var, value] : with.statics) inner.statics[var.index] = solution_.resolve(value, &use);
  substitutions_.push_back(std::move(inner));
  return &substitutions_.back();
}

std::optional<Value> Lowerer::evalRef(const TypedExpr& expr, const TypedRef& ref, Frame* frame,
                                      const Substitution* with) {
  const TypedBinding& binding = program_[ref.binding];
  if (binding.kind == BindingKind::weight) return evalWeight(binding);
  for (Frame* f = frame; f; f = f->parent)
    for (auto& [name, bound] : f->names) {
      if (name != ref.binding) continue;
      if (auto* value = std::get_if<Value>(&bound)) return *value;
      const Polymorphic& definition = std::get<Polymorphic>(bound);
      if (!ref.instantiation) return eval(definition.value, f, definition.with);
      return eval(definition.value, f, instantiate(*definition.with, *with, *ref.instantiation));
    }
  if (binding.polymorphic && binding.value) {
    Pushed<std::string> name(path_, binding.name);
    return eval(binding.value, nullptr, ref.instantiation ? instantiate(*top_, *with, *ref.instantiation) : top_);
  }
  return topLevelValue(ref.binding, expr.span);
}

// A top-level value is computed once, in the main graph.
std::optional<Value> Lowerer::topLevelValue(BindingId binding, Span use) {
  auto find = [&]() -> std::optional<Value> {
    for (auto& [name, bound] : topFrame_.names)
      if (name == binding) return std::get<Value>(bound);
    return std::nullopt;
  };
  if (auto known = find()) return known;
  auto let = topLets_.find(binding.index);
  if (let == topLets_.end() || !openLets_.insert(let->second).second)
    return unexpected("`" + program_[binding].name + "` has no value", use);
  std::uint32_t scope = std::exchange(scope_, 0);
  bool done = evalLet(program_.lets[let->second], nullptr, top_);
  scope_ = scope;
  if (!done) return std::nullopt;
  if (auto value = find()) return value;
  return unexpected("`" + program_[binding].name + "` has no value", use);
}

std::optional<Value> Lowerer::evalWeight(const TypedBinding& binding) {
  auto known = weights_.find(binding.weight);
  if (known == weights_.end()) {
    const Weight& weight = model_.weights[binding.weight];
    TypeTerm type = solution_.types[solution_.resolve(binding.type, top_)];
    Constant constant{weight.parameter, type.elem.elem, {}, binding.weight, nullptr};
    bool closed = type.kind == TypeKind::tensor && !type.elem.isVar;
    for (const ShapePart& part : type.shape) {
      std::optional<std::int64_t> size = part.isVar ? std::nullopt : model_.dims->asConstant(part.dim);
      closed = closed && size;
      constant.shape.push_back(size.value_or(0));
    }
    if (!closed) return unexpected("the type of the parameter `" + weight.parameter + "` is open", weight.span);
    model_.constants.push_back(std::move(constant));
    ConstantId id{static_cast<std::uint32_t>(model_.constants.size() - 1)};
    std::uint32_t scope = std::exchange(scope_, 0);
    known = weights_.emplace(binding.weight, Value{constantHere(id)}).first;
    scope_ = scope;
  }
  return known->second;
}

std::nullopt_t Lowerer::outOfRange(const std::string& number, Elem elem, Span span) {
  std::string name(info(elem).name);
  return fail(codes::literalOutOfRange, "`" + number + "` is out of the range of " + name, span,
              "is " + name + " here");
}

std::optional<Value> Lowerer::evalLiteral(const TypedExpr& expr, const TypedLiteral& literal,
                                          const Substitution* with) {
  std::optional<Fact> type = factOf(solution_.resolve(expr.type, with), expr.span);
  if (!type) return std::nullopt;
  auto bytes = encodeLiteral(literal.value, type->elem);
  if (!bytes) return outOfRange(bytes.error(), type->elem, expr.span);
  Tensor tensor = constantHere(model_.addConstant(type->elem, {}, std::move(*bytes)));
  if (!type->shape.empty()) tensor.splat = std::move(type->shape);
  return Value{tensor};
}

std::optional<Value> Lowerer::evalDim(const TypedExpr& expr, const TypedDim& dim, const Substitution* with) {
  Dim size = solution_.resolve(dim.dim, with);
  if (!sizeIsKnown(size, expr.span)) return std::nullopt;
  if (auto number = model_.dims->asConstant(size))
    return Value{constantHere(model_.addConstant(Elem::i64, {}, encodeInteger(*number)))};
  return tensor(emit(Op::dims, {}, {size}, Fact{Elem::i64, {}, std::vector<Dim>{size}}));
}

std::optional<Value> Lowerer::evalStatic(const TypedExpr& expr, const TypedStatic& given, const Substitution* with) {
  std::optional<Fact> type = factOf(solution_.resolve(expr.type, with), expr.span);
  if (!type) return std::nullopt;
  const StaticTerm& term = solution_.types[solution_.resolve(given.value, with)];
  std::optional<std::int64_t> whole = term.kind == StaticKind::dim ? model_.dims->asConstant(term.dim) : std::nullopt;
  if (term.kind != StaticKind::real && !whole) return unexpected("a static parameter is no number", expr.span);
  double number = whole ? static_cast<double>(*whole) : term.real;
  LiteralValue literal;
  literal.form = std::isinf(number) ? ast::NumberForm::inf : ast::NumberForm::real;
  literal.negative = number < 0;
  literal.real = std::fabs(number);
  auto bytes = encodeLiteral(literal, type->elem);
  if (!bytes) return outOfRange(bytes.error(), type->elem, expr.span);
  return Value{constantHere(model_.addConstant(type->elem, {}, std::move(*bytes)))};
}

std::optional<Value> Lowerer::evalApply(const TypedExpr& expr, const TypedApply& apply, Frame* frame,
                                        const Substitution* with) {
  auto [rule, isNew] = rules_.try_emplace(apply.op, nullptr);
  const OperatorTable::Entry& entry = operators_[apply.op];
  if (isNew)
    for (const CoreOperator& core : coreOperators())
      if (core.name == entry.name && (core.arity == 0 || core.arity == entry.decl->parameters.size()))
        rule->second = &core;
  if (!rule->second) return unexpected("the operator `" + entry.name + "` is not known", expr.span);
  const CoreOperator& core = *rule->second;
  Application application{&expr, &apply, frame, with, solution_.resolve(expr.type, with)};
  if (anyRagged_ && isRagged(application)) {
    const RaggedRule* ragged = raggedRule(core);
    if (!ragged) return notForRagged(application, core);
    if (ragged->lower) return (this->*ragged->lower)(application, core);
  }
  if (!preconditionsHold(application, entry.name)) return std::nullopt;
  return (this->*core.lower)(application, core);
}

std::optional<Value> Lowerer::evalCall(const TypedExpr& expr, const TypedCall& call, Frame* frame,
                                       const Substitution* with) {
  std::optional<Value> callee = eval(call.callee, frame, with);
  if (!callee) return std::nullopt;
  const Closure* function = std::get_if<Closure>(&callee->node);
  if (!function) return unexpected("what is called is no function", expr.span);
  Closure closure = *function;
  std::vector<Value> arguments;
  for (TypedId id : call.arguments) {
    std::optional<Value> argument = eval(id, frame, with);
    if (!argument) return std::nullopt;
    arguments.push_back(std::move(*argument));
  }
  // Static parameters that the instantiation does not already stand for.
  TypeTerm type = solution_.types[program_[closure.lambda].type];
  std::optional<Substitution> statics;
  for (std::size_t i = 0; i < std::min(type.statics.size(), call.statics.size()); ++i) {
    const StaticTerm& parameter = solution_.types[type.statics[i].value];
    if (parameter.kind != StaticKind::var || solution_.staticVars[parameter.var.index].binding) continue;
    if (closure.with->statics.count(parameter.var.index)) continue;
    std::uint32_t var = parameter.var.index;
    if (!statics) statics = *closure.with;
    statics->statics[var] = solution_.resolve(call.statics[i], with);
  }
  if (statics) {
    substitutions_.push_back(std::move(*statics));
    closure.with = &substitutions_.back();
  }
  auto* ref = std::get_if<TypedRef>(&program_[call.callee].node);
  std::optional<Pushed<std::string>> name;
  if (ref) name.emplace(path_, program_[ref->binding].name);
  if (!ref || program_[ref->binding].implements.empty()) return apply(closure, std::move(arguments), expr.span);
  std::optional<Value> result = apply(closure, arguments, expr.span);
  if (result) addCall(expr, call, program_[ref->binding], arguments, *result, with);
  return result;
}

std::optional<Value> Lowerer::apply(const Closure& closure, std::vector<Value> arguments, Span span) {
  const TypedLambda& lambda = std::get<TypedLambda>(program_[closure.lambda].node);
  if (arguments.size() != lambda.parameters.size()) return unexpected("the number of arguments differs", span);
  if (calls_.size() >= limits_.depth)
    return fail(codes::inliningTooDeep, "calls nest more than " + std::to_string(limits_.depth) + " levels deep here",
                span);
  if (++callCount_ > limits_.calls)
    return fail(codes::modelTooLarge,
                "the entry `" + entry_.name + "` inlines more than " + std::to_string(limits_.calls) + " calls", span,
                {},
                "a function that calls others repeatedly doubles with each level; write repetition as `loop` or `map`");
  frames_.push_back({closure.frame, {}});
  Frame* frame = &frames_.back();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    frame->names.emplace_back(lambda.parameters[i], std::move(arguments[i]));
  Pushed<Span> call(calls_, span);
  return eval(lambda.body, frame, closure.with);
}

bool Lowerer::bind(const TypedPattern& pattern, const TypedLet& let, std::optional<Value> value, Frame* frame,
                   const Substitution* with) {
  if (!value) return false;
  if (pattern.isTuple) {
    const Tuple* parts = std::get_if<Tuple>(&value->node);
    if (!parts || (*parts)->size() != pattern.parts.size()) {
      unexpected("the pattern does not fit its value", let.span);
      return false;
    }
    for (std::size_t i = 0; i < pattern.parts.size(); ++i)
      if (!bind(pattern.parts[i], let, (**parts)[i], frame, with)) return false;
    return true;
  }
  if (!pattern.binding) return true;
  if (traces_ && scope_ == 0)
    trace(pattern.binding, *value, solution_.resolve(program_[pattern.binding].type, with),
          tracedName(pattern.binding, frame == nullptr));
  (frame ? frame : &topFrame_)->names.emplace_back(pattern.binding, std::move(*value));
  return true;
}

void Lowerer::trace(BindingId binding, const Value& value, TypeId type, const std::string& name) {
  if (const Tuple* parts = std::get_if<Tuple>(&value.node)) {
    const std::vector<TypeId> types = solution_.types[type].parts;
    for (std::size_t i = 0; i < std::min(types.size(), (*parts)->size()); ++i)
      trace(binding, (**parts)[i], solution_.resolve(types[i]), name + "." + std::to_string(i));
    return;
  }
  const Tensor* tensor = std::get_if<Tensor>(&value.node);
  if (!tensor || tensor->scope != 0 || tensor->splat || graph().producer(tensor->outlet).op == Op::constant) return;
  if (anyRagged_ && !raggedLengths(type).empty()) return;
  traced_.push_back({binding, name, tensor->outlet});
}

// The innermost of the path is the first name of the pattern that is bound.
std::string Lowerer::tracedName(BindingId binding, bool isTopLevel) const {
  constexpr std::size_t shownNames = 6;
  std::string name;
  for (std::size_t i = path_.size() - std::min(shownNames, path_.size()); !isTopLevel && i + 1 < path_.size(); ++i)
    if (i == 0 || path_[i] != path_[i - 1]) name += path_[i] + ".";
  return name + program_[binding].name;
}

bool Lowerer::evalLet(const TypedLet& let, Frame* frame, const Substitution* with) {
  std::vector<BindingId> names;
  collectBindings(let.pattern, names);
  if (!let.pattern.isTuple && let.pattern.binding && program_[let.pattern.binding].polymorphic) {
    if (frame) frame->names.emplace_back(let.pattern.binding, Polymorphic{let.value, with});
    return true;
  }
  std::optional<Pushed<std::string>> name;
  if (!names.empty()) name.emplace(path_, program_[names.front()].name);
  return bind(let.pattern, let, eval(let.value, frame, with), frame, with);
}

std::optional<Value> Lowerer::evalBlock(const TypedBlock& block, Frame* frame, const Substitution* with) {
  frames_.push_back({frame, {}});
  Frame* inner = &frames_.back();
  for (std::uint32_t let : block.lets)
    if (!evalLet(program_.lets[let], inner, with)) return std::nullopt;
  return eval(block.result, inner, with);
}

std::optional<Value> Lowerer::evalTuple(const TypedTuple& tuple, Frame* frame, const Substitution* with) {
  std::vector<Value> parts;
  for (TypedId id : tuple.parts) {
    std::optional<Value> part = eval(id, frame, with);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return Value{std::make_shared<const std::vector<Value>>(std::move(parts))};
}

std::optional<Value> Lowerer::evalIf(const TypedExpr& expr, const TypedIf& branch, Frame* frame,
                                     const Substitution* with) {
  std::optional<Value> value = eval(branch.condition, frame, with);
  if (!value) return std::nullopt;
  const Tensor* condition = std::get_if<Tensor>(&value->node);
  if (!condition) return unexpected("the condition is no tensor", expr.span);
  const Node& producer = model_.graphs[scopes_[condition->scope].graph.index].producer(condition->outlet);
  if (producer.op == Op::constant) {
    const Constant& known = model_[producer.constant];
    if (known.bytes && known.bytes->size() == 1)
      return eval((*known.bytes)[0] != std::byte{0} ? branch.thenValue : branch.elseValue, frame, with);
  }
  const char* where = "what an `if` gives";
  TypeId type = solution_.resolve(expr.type, with);
  std::vector<Fact> facts;
  if (!factsOf(type, facts, expr.span, where)) return std::nullopt;
  auto thenBody = buildBody({}, expr.span, where, [&](const auto&) { return eval(branch.thenValue, frame, with); });
  if (!thenBody) return std::nullopt;
  auto elseBody = buildBody({}, expr.span, where, [&](const auto&) { return eval(branch.elseValue, frame, with); });
  if (!elseBody) return std::nullopt;
  std::vector<Tensor> inputs{*condition};
  std::vector<Tensor> captures = closeBodies({&*thenBody, &*elseBody});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  Node node;
  node.op = Op::branch;
  node.bodies = {scopes_[thenBody->scope].graph, scopes_[elseBody->scope].graph};
  auto outputs = emitNode(std::move(node), inputs, std::move(facts));
  if (!outputs) return std::nullopt;
  std::size_t next = 0;
  return rebuild(type, *outputs, next);
}

Lowered lower(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits, bool trace) {
  return Lowerer(checked, entry, diagnostics, limits, trace).run();
}

}  // namespace axle::ir
