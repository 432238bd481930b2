// Guesses of what a call lacks: static arguments that its operator needs or that the function around hands on, orders
// of axes, arguments of operators.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle {

namespace {

// The static arguments of an operator, or parameters of a function, in their order.
std::vector<std::string> staticsOf(const Guesser& g, const std::string& callee) {
  std::vector<std::string> names;
  const Modules& modules = g.checked.modules;
  if (const auto found = functionNamed(modules, modules.modules.size() - 1, callee))
    for (const ast::StaticParameter& parameter : found->function->statics) names.push_back(parameter.name.text);
  else if (const auto op = g.checked.operators.find(callee))
    for (const ast::OpAttribute& attribute : g.checked.operators[*op].decl->attributes)
      names.push_back(attribute.name.text);
  return names;
}

}  // namespace

Edit giveStatic(Guesser& g, const Application& call, const std::string& name, const std::string& value) {
  const std::vector<std::string> order = staticsOf(g, calleeOf(g, call));
  const auto own = std::ranges::find(order, name);
  for (const ast::NamedArgument& named : *call.named)
    if (own != order.end() && std::find(own, order.end(), named.name.text) != order.end())
      return {{named.span.source, named.span.begin, named.span.begin}, fmt::format("{}={}, ", name, value)};
  return {endOf(call), fmt::format(", {}={}", name, value)};
}

}  // namespace axle

namespace axle::guess {

namespace {

constexpr std::size_t mostGiven = 4;  // of one kind

// The values that other calls of the function or operator give a static argument, those in the same function first.
std::vector<std::string> givenElsewhere(const Guesser& g, const Application& at, const std::string& name) {
  std::vector<std::string> values;
  for (const bool isHere : {true, false})
    for (const Application& call : g.calls()) {
      const ast::NamedArgument* named = calleeOf(g, call) == calleeOf(g, at) ? namedOf(call, name) : nullptr;
      if (!named || (g.functionAround(call.span) == g.functionAround(at.span)) != isHere) continue;
      std::string value = g.text(g.module[named->value].span);
      const bool isFixed = g.nodeAt<ast::ExprNumber>(g.module[named->value].span) ||
                           g.nodeAt<ast::ExprList>(g.module[named->value].span);  // no name of another function
      if ((isHere || isFixed) && std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
  values.resize(std::min(values.size(), mostGiven));
  return values;
}

// The axes that an operator may work along: of `squeeze` those of size 1.
std::vector<std::string> axesOf(Guesser& g, const Application& at) {
  std::vector<std::string> axes;
  const std::vector<Dim> sizes = at.arguments.empty() ? std::vector<Dim>() : g.sizesOf(at.arguments[0]);
  const Dim one = g.checked.solution.dims.constant(1);
  if (calleeOf(g, at) == "squeeze")
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (sizes[axis] == one) axes.push_back(std::to_string(axis));
  if (calleeOf(g, at) == "expand") axes = {"1", "0"};  // of a vector, 1 and -1 are the same
  for (const char* axis : {"1", "-1", "0", "2"}) axes.emplace_back(axis);
  return axes;
}

// An axis of what an operator gives, counted from the front: 1 for the -1 of `expand(x, axis=-1)` of a vector.
std::string countedFromFront(Guesser& g, const Application& at, const std::string& axis) {
  const auto rank = at.arguments.empty() ? std::nullopt : g.rankOf(at.arguments[0]);
  if (!rank || axis != "-1") return axis;
  const bool addsOne = calleeOf(g, at) == "expand" || calleeOf(g, at) == "stack";
  return std::to_string(*rank + addsOne - 1);
}

// The number of names that a statement gives the results of a call; 0 where it has one name, or none.
std::size_t namesFor(const Guesser& g, Span call) {
  for (const ast::Binding& binding : g.module.bindings)
    if (g.module[binding.value].span == call)
      if (const auto* tuple = std::get_if<ast::PatternTuple>(&g.module[binding.pattern].node))
        return tuple->parts.size();
  return 0;
}

// Whether one statement binds both names in a function.
bool areBoundTogether(const Guesser& g, const std::string& one, const std::string& other, const ast::ExprFn* around) {
  return std::ranges::any_of(g.module.patterns, [&](const ast::Pattern& pattern) {
    const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node);
    if (!tuple || g.functionAround(pattern.span) != around) return false;
    auto has = [&](const std::string& name) {
      return std::ranges::any_of(tuple->parts,
                                 [&](ast::PatternId part) { return g.text(g.module[part].span) == name; });
    };
    return has(one) && has(other);
  });
}

bool isUsedIn(const Guesser& g, Span body, const std::string& name) {
  const bool isValue = std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* used = std::get_if<ast::ExprName>(&e.node);
    return used && used->name == name && isWithin(e.span, body);
  });
  return isValue || std::ranges::any_of(g.module.dims, [&](const ast::Dim& dim) {
           const auto* used = std::get_if<ast::DimName>(&dim.node);
           return used && used->name == name && isWithin(dim.span, body);
         });
}

}  // namespace

// Gives an operator a static argument that it needs: the static parameter of that name of a function around the call,
// as many parts as the statement has names, the value that other calls give, the axes that there are.
void neededStatic(Guesser& g, const Application& at) {
  const std::string name = g.named(1);
  const auto op = g.checked.operators.find(g.named(0));
  const auto attribute = op && at.named ? g.checked.operators.attribute(*op, name) : std::nullopt;
  if (!isFailing(g, at) || !attribute || namedOf(at, name)) return;
  std::vector<std::string> values;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node); function && isWithin(at.span, e.span))
      for (const ast::StaticParameter& parameter : function->statics)
        if (parameter.name.text == name) values.push_back(name);
  const bool isSure = !values.empty();
  if (const std::size_t parts = namesFor(g, at.span); name == "parts" && parts > 1)
    values.push_back(std::to_string(parts));
  for (std::string& value : givenElsewhere(g, at, name)) values.push_back(std::move(value));
  if (name == "axis")
    for (std::string& axis : axesOf(g, at)) values.push_back(std::move(axis));
  const ast::OpAttribute& declared = g.checked.operators[*op].decl->attributes[*attribute];
  if (declared.sort == ast::Sort::ints && declared.length == 2) values.emplace_back("[2, 2]");
  std::set<std::string> offered;
  for (const std::string& value : values) {
    if (!offered.insert(name == "axis" ? countedFromFront(g, at, value) : value).second) continue;
    g.guess(at, fmt::format("`{}` is left out", name), {giveStatic(g, at, name, value)});
    g.found.back().isSure = isSure && value == name;
  }
}

// Hands on a static parameter of a function to the calls there that take one of that name: `f(x, heads=heads)` for
// `f(x)`. Where nothing else in the function uses it, that is meant; only then also to operators.
void handedOn(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  std::vector<const ast::ExprFn*> functions;  // with static parameters
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node); function && !function->statics.empty())
      functions.push_back(function);
  for (const Application& call : functions.empty() ? std::vector<Application>() : g.callsComputing())
    for (const ast::ExprFn* function : functions) {
      const Span body = g.module[function->body].span;
      if (!isWithin(call.span, body)) continue;
      const std::string callee = calleeOf(g, call);
      const bool isOperator = parametersOf(g, callee).empty();
      if (isOperator && !g.checked.operators.find(callee)) continue;
      for (const ast::StaticParameter& parameter : function->statics) {
        const std::string& name = parameter.name.text;
        const bool isUnused = !isUsedIn(g, body, name);
        if (namedOf(call, name) || !g.hasStatic(callee, name) || (isOperator && !isUnused) || ++found > mostGiven)
          continue;
        g.guess(call, fmt::format("hand on `{}`", name), {giveStatic(g, call, name, name)});
        g.found.back().isSure = isUnused;
      }
    }
}

// Hands on a static parameter of a function to a marked call there by the name that this has for one: `f(x,
// groups=heads)` for `f(x)`.
void handedOnAs(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.markedCalls()) {
    const ast::ExprFn* around = g.functionAround(call.span);
    if (!around || parametersOf(g, calleeOf(g, call)).empty()) continue;
    for (const std::string& name : staticsOf(g, calleeOf(g, call)))
      for (const ast::StaticParameter& parameter : around->statics) {
        const std::string& own = parameter.name.text;
        const bool isNumber =
            parameter.defaultValue && g.nodeAt<ast::ExprNumber>(g.module[parameter.defaultValue].span);
        if (namedOf(call, name) || own == name || !isNumber || ++found > 2 * mostGiven) continue;
        g.guess(call, fmt::format("hand on `{}`", own), {giveStatic(g, call, name, own)});
      }
  }
}

// Gives a `transpose` of three or more axes an order: without one it reverses all.
void permLeftOut(Guesser& g, const Application& at) {
  static const std::vector<const char*> ofThree{"[0, 2, 1]", "[1, 0, 2]"};
  static const std::vector<const char*> ofFour{"[0, 1, 3, 2]", "[0, 2, 1, 3]", "[0, 3, 1, 2]", "[0, 2, 3, 1]"};
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    if (calleeOf(g, call) != "transpose" || namedOf(call, "perm") || call.arguments.size() != 1) continue;
    const std::size_t rank = g.rankOf(call.arguments[0]).value_or(0);
    if ((rank != 3 && rank != 4) || ++found > 2) continue;
    for (const char* order : rank == 3 ? ofThree : ofFour)
      g.guess(call, "an order of the axes is left out", {giveStatic(g, call, "perm", order)});
  }
}

// Gives an operator the argument that it lacks: a name that the function around does not use, also as it applies a
// function to its neighbours: `matmul(weights, heads_of(v))` beside `heads_of(k)`.
void operandLeftOut(Guesser& g, const Application& at) {
  const auto op = g.checked.operators.find(g.named(0));
  if (!isFailing(g, at) || !op || !at.named || at.arguments.empty() || namedOf(at, g.named(1))) return;
  if (g.checked.operators[*op].decl->parameters.size() != at.arguments.size() + 1) return;
  std::vector<std::string> values;
  for (const std::string& name : unusedNames(g, at.span)) {
    std::set<std::string> applied;
    for (const Application& call : g.calls())
      if (call.arguments.size() == 1 && g.functionAround(call.span) == g.functionAround(at.span) &&
          areBoundTogether(g, g.text(call.arguments[0]), name, g.functionAround(at.span)))
        applied.insert(g.text(call.span).replace(call.arguments[0].begin - call.span.begin,
                                                 g.text(call.arguments[0]).size(), name));
    values.insert(values.end(), applied.begin(), applied.end());
    values.push_back(name);
  }
  values.resize(std::min(values.size(), mostGiven));
  const std::uint32_t behind = at.arguments.back().end, before = at.arguments.front().begin;
  for (const std::string& value : values) {
    g.guess(at, "an argument is left out", {{{at.span.source, behind, behind}, ", " + value}});
    g.guess(at, "an argument is left out", {{{at.span.source, before, before}, value + ", "}});
  }
}

}  // namespace axle::guess
