#include "typecheck/report/guesser.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "frontend/keywords.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/guess_titles.h"

namespace axle {

namespace {

Diagnostic withPassed(Diagnostic d) {
  d.secondary.insert(d.secondary.begin(), d.passed.begin(), d.passed.end());
  return d;
}

}  // namespace

Application callOf(const ast::Module& module, const ast::Expr& e, const ast::ExprCall& call) {
  Application application{e.span, {}, &call.named};
  for (ast::ExprId argument : call.arguments) application.arguments.push_back(module[argument].span);
  return application;
}

Guesser::Guesser(Checked& c, const Diagnostic& d)
    : checked(c), module(c.modules.root()), sources(c.sources), diagnostic(withPassed(d)) {
  for (const ast::Expr& e : module.exprs) {
    if (const auto* call = std::get_if<ast::ExprCall>(&e.node)) calls_.push_back(callOf(module, e, *call));
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node)) functions_.push_back({e.span, function});
  }
  std::ranges::sort(calls_, {}, [](const Application& call) { return call.span.begin; });
}

std::vector<TypeId> Guesser::typesAt(Span expression) {
  auto placeOf = [&](TypedId id) {
    const Span span = checked.program[id].span;
    return std::pair(span.begin, span.end);
  };
  if (!ofModule_) {
    ofModule_.emplace();
    for (std::uint32_t i = 0; i < checked.program.exprs.size(); ++i)
      if (checked.program.exprs[i].span.source == module.source) ofModule_->push_back(TypedId{i});
    std::ranges::stable_sort(*ofModule_, {}, placeOf);
  }
  std::vector<TypeId> types;
  for (const TypedId id :
       std::ranges::equal_range(*ofModule_, std::pair(expression.begin, expression.end), {}, placeOf))
    types.push_back(checked.program[id].type);
  return types;
}

const TypeTerm* Guesser::tensorAt(Span expression) {
  if (const auto* group = nodeAt<ast::ExprGroup>(expression)) return tensorAt(module[group->inner].span);
  auto tensor = [&](TypeId id) -> const TypeTerm* {
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(id)];
    return type.kind == TypeKind::tensor ? &type : nullptr;
  };
  // Of a body that is inferred for each call of its function, the last one.
  const std::vector<TypeId> types = typesAt(expression);
  for (auto id = types.rbegin(); id != types.rend(); ++id)
    if (const TypeTerm* type = tensor(*id)) return type;
  if (paramAt(expression))
    for (const TypedBinding& binding : checked.program.bindings)
      if (binding.kind == BindingKind::weight && binding.name == text(expression)) return tensor(binding.type);
  return nullptr;
}

std::optional<std::size_t> Guesser::rankOf(Span expression) {
  const TypeTerm* type = tensorAt(expression);
  if (!type) return std::nullopt;
  const Shape shape = checked.solution.resolve(type->shape);
  bool isKnown = std::none_of(shape.begin(), shape.end(), [](const ShapePart& part) { return part.isVar; });
  return isKnown ? std::optional(shape.size()) : std::nullopt;
}

std::vector<Dim> Guesser::sizesOf(Span expression) {
  std::vector<Dim> sizes;
  if (!rankOf(expression)) return sizes;
  for (const ShapePart& part : checked.solution.resolve(tensorAt(expression)->shape))
    sizes.push_back(checked.solution.resolve(part.dim));
  return sizes;
}

std::optional<Elem> Guesser::elemBoundAt(Span name) {
  for (auto binding = checked.program.bindings.rbegin(); binding != checked.program.bindings.rend(); ++binding) {
    if (!(binding->span == name)) continue;
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(binding->type)];
    const ElemTerm elem = type.kind == TypeKind::tensor ? checked.solution.resolve(type.elem) : ElemTerm::of(ElemVar{});
    return elem.isVar ? std::nullopt : std::optional(elem.elem);
  }
  return std::nullopt;
}

std::vector<Dim> Guesser::sizesBoundAt(Span name) {
  std::vector<Dim> sizes;
  for (auto binding = checked.program.bindings.rbegin(); binding != checked.program.bindings.rend(); ++binding) {
    if (!(binding->span == name)) continue;
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(binding->type)];
    if (type.kind != TypeKind::tensor) return sizes;
    const Shape shape = checked.solution.resolve(type.shape);
    if (std::ranges::any_of(shape, &ShapePart::isVar)) return sizes;
    for (const ShapePart& part : shape) sizes.push_back(checked.solution.resolve(part.dim));
    return sizes;
  }
  return sizes;
}

bool Guesser::hasStatic(const std::string& callee, const std::string& name) {
  const Modules& modules = checked.modules;
  if (const auto found = functionNamed(modules, modules.modules.size() - 1, callee))
    return std::ranges::any_of(found->function->statics, [&](const auto& given) { return given.name.text == name; });
  for (const ast::Binding& binding : module.bindings) {  // inside of others
    const auto* function = std::get_if<ast::ExprFn>(&module[binding.value].node);
    if (function && text(module[binding.pattern].span) == callee)
      return std::ranges::any_of(function->statics, [&](const auto& given) { return given.name.text == name; });
  }
  const auto op = checked.operators.find(callee);
  return !op || checked.operators.attribute(*op, name);
}

std::string Guesser::sizeText(Dim size) const {
  const DimStore& dims = checked.solution.dims;
  if (!dims.asConstant(size) && !dims.asVariable(size)) return {};
  return checked.solution.printSize(size);
}

std::optional<Elem> Guesser::elemOf(Span expression) {
  const TypeTerm* type = tensorAt(expression);
  const ElemTerm elem = type ? checked.solution.resolve(type->elem) : ElemTerm::of(ElemVar{});
  return elem.isVar ? std::nullopt : std::optional(elem.elem);
}

std::size_t Guesser::partsOf(Span expression) {
  for (const TypeId id : typesAt(expression)) {
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(id)];
    if (type.kind == TypeKind::tuple) return type.parts.size();
  }
  return 0;
}

const ast::ExprFn* Guesser::functionAround(Span place) const {
  const ast::ExprFn* innermost = nullptr;
  std::uint32_t size = UINT32_MAX;
  for (const Function& function : functions_)
    if (isWithin(place, function.span) && function.span.end - function.span.begin < size) {
      innermost = function.literal;
      size = function.span.end - function.span.begin;
    }
  return innermost;
}

const ast::Param* Guesser::paramAt(Span expression) const {
  const std::string_view name = sources.text(expression);
  for (const ast::Item& item : module.items)
    if (const auto* param = std::get_if<ast::Param>(&item); param && param->name.text == name) return param;
  return nullptr;
}

const std::vector<const ast::Param*>& Guesser::unusedParams() {
  if (unusedParams_) return *unusedParams_;
  std::set<std::string_view> used;
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node)) used.insert(name->name);
  unusedParams_.emplace();
  for (const ast::Item& item : module.items)
    if (const auto* param = std::get_if<ast::Param>(&item); param && !used.count(param->name.text))
      unusedParams_->push_back(param);
  return *unusedParams_;
}

std::vector<Span> Guesser::marks() const {
  std::vector<Span> places;
  auto add = [&](const Label& label) {
    if (const Span* span = std::get_if<Span>(&label.place); span && span->source == module.source)
      places.push_back(*span);
  };
  add(diagnostic.primary);
  for (const Label& label : diagnostic.secondary) add(label);
  return places;
}

std::vector<Application> Guesser::markedCalls() const {
  std::vector<Application> marked;
  const std::vector<Application>& all = calls();
  for (const Span place : marks())
    if (const auto call = std::ranges::find(all, place, &Application::span); call != all.end()) marked.push_back(*call);
  return marked;
}

std::string Guesser::named(std::size_t argument) const {
  if (argument >= diagnostic.arguments.size()) return {};
  std::string name = diagnostic.arguments[argument];
  std::erase(name, '`');
  return name;
}

std::vector<std::string> Guesser::names() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < diagnostic.arguments.size(); ++i) {
    const std::string name = named(i);
    const bool isName = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                        std::ranges::all_of(name, [](unsigned char ch) { return std::isalnum(ch) || ch == '_'; });
    if (isName) all.push_back(name);
  }
  return all;
}

std::vector<std::int64_t> Guesser::numbers() const {
  std::vector<std::int64_t> all;
  for (const std::string& argument : diagnostic.arguments)
    if (const auto number = numberOf(argument)) all.push_back(*number);
  return all;
}

std::optional<std::string> Guesser::multiplesOf() const {
  std::vector<std::string> of;
  for (const std::string& argument : diagnostic.arguments) {
    const std::size_t name = argument.find_first_not_of("0123456789*");
    if (name == argument.npos || argument.find_first_of("`[(") != argument.npos) continue;
    of.push_back(argument.substr(name));
  }
  const bool areAlike = of.size() == 2 && of[0] == of[1] && of[0].find_first_of(" *+-/") == std::string::npos;
  return areAlike ? std::optional(of[0]) : std::nullopt;
}

void Guesser::guess(const Application& at, const std::string& title, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
  found.push_back({titleWith(*this, at, title, edits), std::move(edits)});
}

void Guesser::wrap(const Application& at, Span argument, const std::string& title, const std::string& before,
                   const std::string& behind) {
  const std::string name = text(argument);
  constexpr std::size_t longest = 30;
  const std::string told = name.size() <= longest ? "`" + name + "`" : "this argument";
  const std::size_t place = title.find("{}");
  const std::string whole = place == title.npos ? title + " " + told : std::string(title).replace(place, 2, told);
  guess(at, whole, {{argument, before + name + behind}});
}

std::string calleeOf(const Guesser& g, const Application& call) {
  const std::string text = g.text(call.span);
  return text.substr(0, text.find('('));
}

Span endOf(const Application& call) { return {call.span.source, call.span.end - 1, call.span.end - 1}; }

std::string groupOf(const std::string& weight) { return weight.substr(0, weight.rfind('.') + 1); }

std::string lastNameOf(const std::string& weight) { return weight.substr(weight.rfind('.') + 1); }

std::string withoutNumbers(const std::string& name) {
  std::string form;
  for (const char c : name) {
    const bool isDigit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!isDigit) form += c;
    if (isDigit && !form.ends_with('#')) form += '#';
  }
  return form;
}

std::string layerForm(const std::string& weight) { return withoutNumbers(groupOf(weight)) + lastNameOf(weight); }

std::ptrdiff_t usesOf(const Guesser& g, const std::string& name, Span within) {
  return std::ranges::count_if(g.module.exprs, [&](const ast::Expr& e) {
    const auto* used = std::get_if<ast::ExprName>(&e.node);
    return used && used->name == name && isWithin(e.span, within);
  });
}

bool isUsedOtherwise(const Guesser& g, const std::string& weight) {
  std::set<std::string> callees;
  for (const Application& call : g.calls()) {
    const ast::ExprFn* around = g.functionAround(call.span);
    const bool isParameter = around && std::ranges::any_of(around->parameters, [&](const ast::Parameter& parameter) {
                               return parameter.name.text == weight;
                             });
    if (!isParameter && std::ranges::any_of(call.arguments, [&](Span argument) { return g.text(argument) == weight; }))
      callees.insert(calleeOf(g, call));
  }
  return callees.size() > 1;
}

std::vector<const ast::ExprFn*> markedFunctions(const Guesser& g) {
  std::vector<const ast::ExprFn*> functions;
  for (const Span place : g.marks())
    if (const ast::ExprFn* around = g.functionAround(place))
      if (std::ranges::find(functions, around) == functions.end()) functions.push_back(around);
  return functions;
}

std::optional<std::int64_t> numberOf(std::string_view text) {
  constexpr std::size_t mostDigits = 9;
  if (text.empty() || text.size() > mostDigits || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  return std::stoll(std::string(text));
}

std::vector<Span> itemsOf(const Guesser& g, const ast::ExprList& list) {
  std::vector<Span> items;
  for (const ast::ExprId item : list.items) items.push_back(g.module[item].span);
  return items;
}

std::vector<std::string> textsOfItems(const Guesser& g, const ast::ExprList& list) {
  std::vector<std::string> texts;
  for (const Span item : itemsOf(g, list)) texts.push_back(g.text(item));
  return texts;
}

std::vector<std::pair<Application, const ast::ExprList*>> writtenReshapes(const Guesser& g) {
  std::vector<std::pair<Application, const ast::ExprList*>> written;
  for (const Application& call : g.calls())
    if (calleeOf(g, call) == "reshape" && call.arguments.size() == 2)
      if (const auto* sizes = g.nodeAt<ast::ExprList>(call.arguments[1])) written.emplace_back(call, sizes);
  return written;
}

bool wouldMixAxes(Guesser& g, const Application& reshape, std::size_t first) {
  if (calleeOf(g, reshape) != "reshape" || reshape.arguments.empty()) return false;
  const std::vector<Dim> given = g.sizesOf(reshape.arguments[0]), made = g.sizesOf(reshape.span);
  if (given.empty() || first + 1 >= made.size()) return false;
  DimStore& dims = g.checked.solution.dims;
  if (made[first] == dims.constant(1) || made[first + 1] == dims.constant(1)) return false;
  auto ends = [&](Dim elements) {  // whether an axis that is given ends behind so many
    Dim behind = dims.constant(1);
    return std::ranges::any_of(given, [&](Dim size) { return (behind = dims.mul(behind, size)) == elements; });
  };
  Dim before = dims.constant(1);
  for (std::size_t i = 0; i < first; ++i) before = dims.mul(before, made[i]);
  return ends(dims.mul(before, made[first])) && !ends(dims.mul(before, made[first + 1]));
}

bool isFailing(const Guesser& g, const Application& at) {
  return at.span == std::get<Span>(g.diagnostic.primary.place);
}

Span valueOf(const Guesser& g, Span expression) {
  const std::string_view name = g.sources.text(expression);
  for (const ast::Binding& binding : g.module.bindings) {
    const Span pattern = g.module[binding.pattern].span;
    if (pattern.end - pattern.begin != name.size() || g.sources.text(pattern) != name) continue;
    if (g.functionAround(pattern) == g.functionAround(expression)) return g.module[binding.value].span;
  }
  return expression;
}

bool isOfEnlarged(const Guesser& g, const Application& call) {
  return !call.arguments.empty() && g.text(valueOf(g, call.arguments[0])).starts_with("upsample(");
}

std::vector<std::string> parametersOf(const Guesser& g, const std::string& function) {
  std::vector<std::string> names;
  const Modules& modules = g.checked.modules;
  if (const auto found = functionNamed(modules, modules.modules.size() - 1, function)) {
    for (const ast::Parameter& parameter : found->function->parameters) names.push_back(parameter.name.text);
    return names;
  }
  const TypedProgram& program = g.checked.program;
  const std::string member = function.substr(function.rfind('.') + 1);
  for (const TypedBinding& binding : program.bindings) {
    const auto* lambda = binding.value && (binding.name == function || binding.name == member)
                             ? std::get_if<TypedLambda>(&program[binding.value].node)
                             : nullptr;
    if (!lambda) continue;
    names.clear();
    for (BindingId parameter : lambda->parameters) names.push_back(program[parameter].name);
    if (binding.name == function) break;
  }
  return names;
}

}  // namespace axle
