// Guesses of arguments in each other's places: as the called function declares them, or as another call has them.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guess_words.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {
namespace {

// What a parameter takes: anything, a tuple, or a tensor of so many axes or more.
struct Taken {
  enum class Kind { anything, tuple, tensor } kind = Kind::anything;
  std::size_t axes = 0;
  bool mayHaveMore = false;
};

Taken shapeOf(const ast::Module& module, ast::ShapeId shape) {
  if (!shape) return {Taken::Kind::tensor, 0, false};
  const auto& node = module[shape].node;
  if (const auto* sizes = std::get_if<ast::ShapeDims>(&node)) return {Taken::Kind::tensor, sizes->dims.size(), false};
  Taken out{Taken::Kind::tensor, 0, true};
  if (const auto* parts = std::get_if<ast::ShapeAppend>(&node))
    for (const ast::ShapeId part : parts->parts) out.axes += shapeOf(module, part).axes;
  return out;
}

Taken takenOf(const ast::Module& module, ast::TypeId type) {
  if (!type) return {};
  if (std::holds_alternative<ast::TypeTuple>(module[type].node)) return {Taken::Kind::tuple, 0, false};
  const auto* tensor = std::get_if<ast::TypeTensor>(&module[type].node);
  return tensor ? shapeOf(module, tensor->shape) : Taken{};
}

// True where the argument's type is not known.
bool fits(Guesser& g, Span argument, const Taken& taken) {
  const bool isTuple = g.partsOf(argument) > 0;
  const auto rank = isTuple ? std::nullopt : g.rankOf(argument);
  switch (taken.kind) {
    case Taken::Kind::anything:
      return true;
    case Taken::Kind::tuple:
      return isTuple || !rank;
    case Taken::Kind::tensor:
      return !isTuple && (!rank || (taken.mayHaveMore ? *rank >= taken.axes : *rank == taken.axes));
  }
  return true;
}

}  // namespace

// Exchanges the one argument of a call that its parameter cannot take with another one, so that both can be taken:
// `nn.layer_norm(x, g, b)` for `nn.layer_norm(g, x, b)`.
void argumentsAsDeclared(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const Application& call : g.callsNearestFirst()) {
    const auto called = calledFunctionAt(g.checked.modules, call.span);
    if (!called || called->function->parameters.size() != call.arguments.size()) continue;
    std::vector<Taken> takes;
    for (const ast::Parameter& parameter : called->function->parameters)
      takes.push_back(takenOf(*called->module, parameter.type));
    std::vector<std::size_t> others;  // misfits
    for (std::size_t i = 0; i < takes.size(); ++i)
      if (!fits(g, call.arguments[i], takes[i])) others.push_back(i);
    if (others.empty() || others.size() > 2) continue;
    const std::size_t misfit = others.front();
    std::vector<std::size_t> partners;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      if (i == misfit || (others.size() == 2 && i != others.back())) continue;
      const bool isKnown = g.partsOf(call.arguments[i]) > 0 || g.rankOf(call.arguments[i]);
      if (isKnown && fits(g, call.arguments[i], takes[misfit]) && fits(g, call.arguments[misfit], takes[i]))
        partners.push_back(i);
    }
    for (const std::size_t partner : partners) {
      const Span one = call.arguments[misfit], other = call.arguments[partner];
      g.guess(call, "swap the arguments", {{one, g.text(other)}, {other, g.text(one)}});
      g.found.back().isSure = partners.size() == 1;
    }
  }
}

namespace {

// Where each argument of a call stands in another one that has the same names but for numbers; the one argument that
// has no such name is where no other one is. None if more have none.
std::optional<std::vector<std::size_t>> placesIn(const Guesser& g, const Application& call, const Application& other) {
  constexpr std::size_t nowhere = SIZE_MAX;
  std::vector<std::string> forms;
  for (const Span argument : other.arguments) forms.push_back(withoutNumbers(g.text(argument)));
  std::vector<std::size_t> places;
  for (const Span argument : call.arguments) {
    const std::string form = withoutNumbers(g.text(argument));
    const auto found = std::ranges::find(forms, form);
    const bool isAlone = std::ranges::count(forms, form) == 1;
    places.push_back(isAlone ? static_cast<std::size_t>(found - forms.begin()) : nowhere);
  }
  if (std::ranges::count(places, nowhere) > 1) return std::nullopt;
  std::vector<std::size_t> left(places.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::erase_if(left, [&](std::size_t place) { return std::ranges::count(places, place) > 0; });
  const auto open = std::ranges::find(places, nowhere);
  if (left.size() != (open == places.end() ? 0u : 1u)) return std::nullopt;  // two have one place
  if (open != places.end()) *open = left.front();
  return places;
}

}  // namespace

// Gives the arguments in the order in which another call of the function has those of the same names but for numbers:
// `norm(y, g2, b2)` for `norm(g2, y, b2)` beside `norm(x, g1, b1)`.
void argumentsOrderedAsElsewhere(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Application> calls = g.callsNearestFirst();
  for (const Application& call : calls) {
    const std::size_t count = call.arguments.size();
    if (count < 3 || !call.named) continue;
    for (const Application& other : calls) {
      if (other.span == call.span || other.arguments.size() != count || calleeOf(g, other) != calleeOf(g, call))
        continue;
      const auto places = placesIn(g, call, other);
      if (!places || std::ranges::is_sorted(*places)) continue;
      std::vector<Edit> edits;
      for (std::size_t i = 0; i < count; ++i)
        if ((*places)[i] != i) edits.push_back({call.arguments[(*places)[i]], g.text(call.arguments[i])});
      std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
      const char* title = edits.size() == 2 ? "swap the arguments" : "in the order of the other calls";
      g.guess(call, title, std::move(edits));
      g.found.back().isSure = true;
      return;
    }
  }
}

// Exchanges a weight that stands first in a call, and the value behind it: `nn.dense(x, w, b)` for `nn.dense(w, x, b)`.
void weightBeforeInput(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const Application& call : g.callsComputing()) {
    if (call.arguments.size() < 2 || !call.named) continue;
    const Span weight = call.arguments[0], value = call.arguments[1];
    const auto rank = g.rankOf(weight), otherRank = g.rankOf(value);
    if (!g.paramAt(weight) || g.paramAt(value) || !g.nodeAt<ast::ExprName>(value) || rank != otherRank) continue;
    g.guess(call, "swap the arguments", {{weight, g.text(value)}, {value, g.text(weight)}});
  }
}

namespace {

// `c1` and `.out.w` of `c1.out.w`.
std::string groupNameOf(const std::string& name) { return name.substr(0, name.find('.')); }
std::string behindGroup(const std::string& name) { return name.substr(groupNameOf(name).size()); }

// The groups of one call by those of another that has one argument more, `missing`; none where the other arguments do
// not correspond.
std::optional<std::map<std::string, std::string>> groupsOf(const Guesser& g, const Application& call,
                                                           const Application& other, std::size_t missing) {
  std::map<std::string, std::string> groups;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Words own = wordsOf(g.text(call.arguments[i])), its = wordsOf(g.text(other.arguments[i + (i >= missing)]));
    if (own.size() != its.size()) return std::nullopt;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const bool isName = isPartOfName(own[k][0]) && isPartOfName(its[k][0]);
      if (isName ? behindGroup(own[k]) != behindGroup(its[k]) : own[k] != its[k]) return std::nullopt;
      const std::string to = groupNameOf(own[k]);
      if (isName && groups.emplace(groupNameOf(its[k]), to).first->second != to) return std::nullopt;
    }
  }
  return groups;
}

}  // namespace

// Gives a call the argument that it lacks as another call of the function has it, with the weights of its own group:
// `block(y, b.norm, (b.w, b.b))` for `block(y, b.norm)` beside `block(x, a.norm, (a.w, a.b))`.
void argumentAsElsewhere(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || !at.named || at.arguments.empty()) return;
  const std::size_t count = at.arguments.size();
  for (const Application& other : g.callsNearestFirst()) {
    if (other.span == at.span || calleeOf(g, other) != calleeOf(g, at) || other.arguments.size() != count + 1) continue;
    std::vector<std::size_t> places;
    for (std::size_t missing = 0; missing <= count; ++missing)
      if (groupsOf(g, at, other, missing)) places.push_back(missing);
    if (places.size() != 1) continue;
    const std::size_t missing = places.front();
    const std::map<std::string, std::string> groups = *groupsOf(g, at, other, missing);
    const std::string argument = withWords(g.text(other.arguments[missing]), [&](const std::string& name) {
      const auto group = groups.find(groupNameOf(name));
      return group == groups.end() ? name : group->second + behindGroup(name);
    });
    const bool isSame = g.paramAt(other.arguments[missing]) && argument == g.text(other.arguments[missing]);
    if (isSame && !unusedOfGroup(g, argument).empty()) return;  // one of these is meant
    const bool isLast = missing == count;
    const std::uint32_t place = isLast ? at.arguments.back().end : at.arguments[missing].begin;
    const std::vector<std::string> parameters = parametersOf(g, calleeOf(g, at));
    const bool isNamed = missing < parameters.size();
    const std::string title = isNamed ? fmt::format("`{}` is left out; as in the other call", parameters[missing])
                                      : std::string("as in the other call");
    g.guess(at, title, {{{at.span.source, place, place}, isLast ? ", " + argument : argument + ", "}});
    g.found.back().isSure = true;
    return;
  }
}

}  // namespace axle::guess
