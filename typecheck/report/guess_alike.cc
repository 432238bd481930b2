// Guesses of arguments that are not as others of their function: in another call of it, or as its parameters are named.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/guess_words.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostOthers = 4;  // of one kind

bool isWeight(const std::string& word) { return word.find('.') != word.npos; }
// `block1` of `block1.up.w`, `block.1` of `block.1.up.w`.
std::string layerOf(const std::string& word) {
  std::size_t end = word.find('.');
  while (end != word.npos && end + 1 < word.size() && std::isdigit(static_cast<unsigned char>(word[end + 1])))
    end = word.find('.', end + 1);
  return word.substr(0, end);
}

// The words without the numbers of layers.
Words formOf(std::string_view text) {
  Words form = wordsOf(text);
  for (std::string& word : form)
    if (isWeight(word)) word = withoutNumbers(word);
  return form;
}

// Writes the weights of another call's layer as those of this one's: `b2.up` for `b1.up`, where most of its weights
// are of `b2`.
class Renaming {
 public:
  Renaming(const Guesser& g, const Application& call) {
    std::map<std::string, std::size_t> uses;
    for (const std::string& word : wordsOf(g.text(call.span)))
      if (isWeight(word)) ++uses[layerOf(word)];
    for (const auto& [layer, count] : uses) {
      auto& [name, known] = layers_[withoutNumbers(layer)];
      if (count > known) name = layer, known = count;
    }
  }

  std::string operator()(const std::string& text) const {
    return withWords(text, [&](const std::string& word) {
      const auto layer = isWeight(word) ? layers_.find(withoutNumbers(layerOf(word))) : layers_.end();
      return layer == layers_.end() ? word : layer->second.first + word.substr(layerOf(word).size());
    });
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> layers_;
};

// Whether all weights of a text are there.
bool areThere(const Guesser& g, const std::string& text) {
  return std::ranges::all_of(wordsOf(text), [&](const std::string& word) {
    return !isWeight(word) || !std::isalpha(static_cast<unsigned char>(word[0])) ||
           std::ranges::any_of(g.module.items, [&](const ast::Item& item) {
             const auto* param = std::get_if<ast::Param>(&item);
             return param && param->name.text == word;
           });
  });
}

// The parts of a tuple; none of other expressions.
std::vector<Span> partsAt(const Guesser& g, Span expression) {
  std::vector<Span> parts;
  if (const auto* tuple = g.nodeAt<ast::ExprTuple>(expression))
    for (const ast::ExprId part : tuple->parts) parts.push_back(g.module[part].span);
  return parts;
}

// One call or tuple beside another one that it should be like.
struct Alike {
  const Application& shown;
  const Renaming& renaming;
  std::vector<Span> own, other;
};

bool haveForm(const Guesser& g, Span one, Span other) { return formOf(g.text(one)) == formOf(g.text(other)); }

// Where one part is left out of a call or tuple beside another one.
struct LeftOut {
  std::size_t at = 0;
  std::size_t differing = 0;  // parts that are not alike all the same
};

LeftOut leftOutOf(const Alike& pair, const std::function<bool(Span, Span)>& areAlike) {
  auto differing = [&](std::size_t without) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < pair.own.size(); ++i) count += !areAlike(pair.own[i], pair.other[i + (i >= without)]);
    return count;
  };
  LeftOut found{pair.other.size() - 1, differing(pair.other.size() - 1)};
  for (std::size_t i = found.at; i-- > 0;)
    if (const std::size_t count = differing(i); count < found.differing) found = {i, count};
  return found;
}

// The numbers in a text, also those of names, and what is between them.
std::vector<std::string> splitAtNumbers(const std::string& text) {
  std::vector<std::string> pieces(1);
  bool isNumber = false;
  for (const char c : text) {
    const bool isDigit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (isDigit != isNumber) pieces.emplace_back();
    isNumber = isDigit;
    pieces.back() += c;
  }
  return pieces;
}

// A part of the other call with the numbers that this one has in the place of its own: `shifts[3]` for `shifts[0]`
// beside `gains[3]` for `gains[0]`.
std::string renumbered(const Guesser& g, const Alike& pair, std::size_t leftOut) {
  std::map<std::string, std::string> numbers;
  for (std::size_t i = 0; i < pair.own.size(); ++i) {
    const Span other = pair.other[i + (i >= leftOut)];
    if (withoutNumbers(g.text(pair.own[i])) != withoutNumbers(g.text(other))) continue;
    const std::vector<std::string> own = splitAtNumbers(g.text(pair.own[i])), its = splitAtNumbers(g.text(other));
    for (std::size_t k = 1; k < its.size(); k += 2) numbers.emplace(its[k], own[k]);
  }
  std::string text;
  for (const std::string& piece : splitAtNumbers(g.text(pair.other[leftOut])))
    text += numbers.contains(piece) ? numbers[piece] : piece;
  return text;
}

// Whether an expression is the name of a value other than a weight.
bool isValueName(const Guesser& g, Span expression) {
  const std::string name = g.text(expression);
  return !isWeight(name) && std::isalpha(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, isPartOfName);
}

// The names that the function around a place binds before it, and that are one but for the number: `e1` and `e3` for
// `e2`.
std::vector<std::string> namedAlike(const Guesser& g, const std::string& name, Span place) {
  std::vector<std::string> names;
  const ast::ExprFn* around = g.functionAround(place);
  for (const ast::Pattern& pattern : g.module.patterns) {
    const auto* bound = std::get_if<ast::PatternName>(&pattern.node);
    const bool isAlike = bound && bound->name != name && withoutNumbers(bound->name) == withoutNumbers(name);
    if (isAlike && pattern.span.end <= place.begin && g.functionAround(pattern.span) == around)
      names.push_back(bound->name);
  }
  if (names.size() > mostOthers) names.clear();
  return names;
}

// Where one part is left out: the part that the other one has between those that are alike, or alike but for numbers.
void insertAlike(Guesser& g, const Alike& pair) {
  if (pair.own.empty()) return;
  auto [at, least] = leftOutOf(pair, [&](Span one, Span other) { return haveForm(g, one, other); });
  std::string part = pair.renaming(g.text(pair.other[at]));
  if (least > 1) {
    const LeftOut numbered = leftOutOf(
        pair, [&](Span one, Span other) { return withoutNumbers(g.text(one)) == withoutNumbers(g.text(other)); });
    at = numbered.at, least = numbered.differing;
    part = renumbered(g, pair, at);
  }
  if (least > 1 || !areThere(g, part)) return;
  const bool isLast = at == pair.own.size();
  const std::uint32_t place = isLast ? pair.own.back().end : pair.own[at].begin;
  auto offer = [&](const std::string& value) {
    g.guess(pair.shown, "left out, beside the other call",
            {{{pair.shown.span.source, place, place}, isLast ? ", " + value : value + ", "}});
  };
  if (part == g.text(pair.other[at])) {  // the other call's own value is seldom meant twice
    for (const std::string& value : namedAlike(g, part, pair.shown.span)) offer(value);
    for (const ast::Param* param : unusedOfGroup(g, part)) {
      offer(param->name.text);
      g.found.back().isSure = g.paramAt(pair.other[at]) != nullptr;
    }
  }
  offer(part);
  g.found.back().isSure = least == 0 && std::ranges::any_of(wordsOf(part), isWeight);
  g.found.back().isFallback = isValueName(g, pair.other[at]) && !unusedNames(g, pair.shown.span).empty();
}

void likeParts(Guesser& g, const Alike& pair);

// Of more than two parts that differ: all in the order of the other one, if they only stand elsewhere.
bool reorderAlike(Guesser& g, const Alike& pair, const std::vector<std::size_t>& differing) {
  std::vector<std::size_t> left = differing;
  std::vector<Edit> edits;
  for (const std::size_t i : differing) {
    const auto own = std::ranges::find_if(left, [&](std::size_t k) { return haveForm(g, pair.own[k], pair.other[i]); });
    if (own == left.end()) return false;
    edits.push_back({pair.own[i], g.text(pair.own[*own])});
    left.erase(own);
  }
  g.guess(pair.shown, "in the order of the other call", std::move(edits));
  g.found.back().isSure = true;
  return true;
}

// Of as many parts: two that are exchanged, several in another order, or one that is another one.
void changeAlike(Guesser& g, const Alike& pair) {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < pair.own.size(); ++i)
    if (!haveForm(g, pair.own[i], pair.other[i])) differing.push_back(i);
  if (differing.size() > 2 && reorderAlike(g, pair, differing)) return;
  for (const std::size_t i : differing)
    for (const std::size_t k : differing) {
      if (i >= k || !haveForm(g, pair.own[i], pair.other[k]) || !haveForm(g, pair.own[k], pair.other[i])) continue;
      g.guess(pair.shown, "swap these, as in the other call",
              {{pair.own[i], g.text(pair.own[k])}, {pair.own[k], g.text(pair.own[i])}});
      g.found.back().isSure = true;
      return;
    }
  constexpr std::size_t mostDiffering = 2;  // the first argument, which is mostly another value
  for (const std::size_t i : differing) {
    if (differing.size() > mostDiffering) return;
    const std::vector<Span> own = partsAt(g, pair.own[i]), other = partsAt(g, pair.other[i]);
    if (own.empty() || other.empty()) continue;
    likeParts(g, {pair.shown, pair.renaming, own, other});
  }
}

void likeParts(Guesser& g, const Alike& pair) {
  if (pair.own.size() + 1 == pair.other.size()) insertAlike(g, pair);
  if (pair.own.size() == pair.other.size()) changeAlike(g, pair);
}

// What an argument is called: the last part of a name, or of the layer that the weights of a tuple belong to.
std::string calledSo(const Guesser& g, Span argument) {
  const std::vector<Span> parts = partsAt(g, argument);
  const std::string text = g.text(parts.empty() ? argument : parts[0]);
  if (!std::ranges::all_of(text, isPartOfName)) return {};
  if (parts.empty()) return text.substr(text.rfind('.') + 1);
  const std::string layer = groupOf(text);
  const auto isOfLayer = [&](Span part) { return groupOf(g.text(part)) == layer; };
  if (layer.empty() || !std::ranges::all_of(parts, isOfLayer)) return {};
  const std::string whole = layer.substr(0, layer.size() - 1);
  return whole.substr(whole.rfind('.') + 1);
}

// Whether an argument is named for a parameter: `wq` for `w`, `self_mask` for `mask`.
bool isNamedFor(const std::string& argument, const std::string& parameter) {
  return argument.starts_with(parameter) || argument.ends_with("_" + parameter);
}

// The value that all other calls give a parameter where this one gives another: `t` for `time`. Not the first, which is
// mostly another one.
void valueOfSiblings(Guesser& g, const Application& call, const std::vector<Application>& others) {
  for (std::size_t i = 1; i < call.arguments.size() && !others.empty(); ++i) {
    const auto isAlike = [&](const Application& other) {
      return other.arguments.size() == call.arguments.size() && isValueName(g, other.arguments[i]) &&
             g.text(other.arguments[i]) == g.text(others[0].arguments[i]);
    };
    if (!isValueName(g, call.arguments[i]) || !std::ranges::all_of(others, isAlike)) continue;
    const ast::ExprFn* around = g.functionAround(call.span);
    const bool isElsewhere = around && usesOf(g, g.text(call.arguments[i]), g.module[around->body].span) > 1;
    if (!isElsewhere) continue;  // nothing would use it any more
    const std::string name = g.text(others[0].arguments[i]);
    if (name != g.text(call.arguments[i]))
      g.guess(call, fmt::format("use `{}`, as in the other calls", name), {{call.arguments[i], name}});
  }
}

// The number at the end of a name; empty where it has none.
std::string numberBehind(const std::string& name) { return name.substr(name.find_last_not_of("0123456789") + 1); }

// Where the other calls, two at least, give a parameter values of one name but for the number, and this one gives a
// value of another name: the one of their name with its number. `s3` for `x3` beside `s2` and `s1`.
void valueNamedAsSiblings(Guesser& g, const Application& call, const std::vector<Application>& others) {
  for (std::size_t i = 1; i < call.arguments.size() && others.size() > 1; ++i) {
    const std::string own = g.text(call.arguments[i]), number = numberBehind(own);
    const auto isNumbered = [&](const Application& other) {
      if (other.arguments.size() != call.arguments.size() || !isValueName(g, other.arguments[i])) return false;
      const std::string name = g.text(other.arguments[i]);
      return !numberBehind(name).empty() && numberBehind(name) != number &&
             withoutNumbers(name) == withoutNumbers(g.text(others[0].arguments[i]));
    };
    if (!isValueName(g, call.arguments[i]) || number.empty() || !std::ranges::all_of(others, isNumbered)) continue;
    const std::string its = g.text(others[0].arguments[i]);
    const std::string name = its.substr(0, its.size() - numberBehind(its).size()) + number;
    const std::vector<std::string> bound = namedAlike(g, its, call.span);
    if (name == own || std::ranges::find(bound, name) == bound.end()) continue;
    g.guess(call, fmt::format("use `{}` instead of `{}`: another call has `{}`", name, own, its),
            {{call.arguments[i], name}});
    g.found.back().isSure = true;
  }
}

}  // namespace

// Makes the arguments of a call, and the parts of tuples among them, like those of another call of the function: one
// that is left out, two that are exchanged, or one that all others are given, or with another number.
void argumentsAsSiblings(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const Application& marked : g.markedCalls()) {
    if (parametersOf(g, calleeOf(g, marked)).empty()) continue;
    const Renaming renaming(g, marked);
    std::vector<Application> others;
    for (const Application& call : g.calls())
      if (!(call.span == marked.span) && calleeOf(g, call) == calleeOf(g, marked) && others.size() < mostOthers)
        if (g.functionAround(call.span) == g.functionAround(marked.span)) others.push_back(call);
    for (const Application& other : others) likeParts(g, {marked, renaming, marked.arguments, other.arguments});
    valueOfSiblings(g, marked, others);
    valueNamedAsSiblings(g, marked, others);
  }
}

// Exchanges a value where a list or number must be known, and the list or number beside it: `broadcast_to(x, [n, d])`
// for `broadcast_to([n, d], x)`.
void exchangedWithStatic(Guesser& g, const Application& at) {
  for (const Application& call : g.calls())
    for (std::size_t i = 0; i + 1 < call.arguments.size(); ++i) {
      const Span one = call.arguments[i], other = call.arguments[i + 1];
      if (!isWithin(at.span, one) && !isWithin(at.span, other)) continue;
      const Span beside = isWithin(at.span, one) ? other : one;
      if (!g.nodeAt<ast::ExprList>(beside) && !g.nodeAt<ast::ExprNumber>(beside)) continue;
      g.guess(call, "swap the arguments", {{one, g.text(other)}, {other, g.text(one)}});
    }
}

// Exchanges two arguments that are named for each other's parameters: `f(x, wq, bq)` for `f(x, bq, wq)` of
// `f = fn (x, w, b)`.
void argumentsAsNamed(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.calls()) {
    const std::vector<std::string> parameters = parametersOf(g, calleeOf(g, call));
    if (parameters.size() != call.arguments.size()) continue;
    std::vector<std::string> names;
    for (const Span argument : call.arguments) names.push_back(calledSo(g, argument));
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t k = i + 1; k < names.size(); ++k) {
        if (!isNamedFor(names[i], parameters[k]) || !isNamedFor(names[k], parameters[i])) continue;
        if (isNamedFor(names[i], parameters[i]) || isNamedFor(names[k], parameters[k]) || ++found > mostOthers)
          continue;
        g.guess(call, "swap the arguments",
                {{call.arguments[i], g.text(call.arguments[k])}, {call.arguments[k], g.text(call.arguments[i])}});
        g.found.back().isSure = true;
      }
  }
}

namespace {

// What the arguments of a `loop` behind its cell are for: the parameters of the cell behind the state.
std::vector<std::string> parametersOfCell(const Guesser& g, const Application& loop) {
  std::vector<std::string> names;
  for (const ast::Binding& binding : g.module.bindings) {
    const auto* cell = std::get_if<ast::ExprFn>(&g.module[binding.value].node);
    if (!cell || g.text(g.module[binding.pattern].span) != g.text(loop.arguments[1])) continue;
    names.clear();
    for (const ast::Parameter& parameter : cell->parameters) names.push_back(parameter.name.text);
    if (g.functionAround(binding.span) == g.functionAround(loop.span)) break;
  }
  if (!names.empty()) names.erase(names.begin());
  return names;
}

}  // namespace

// Gives all arguments that are named for parameters in the order of these: `loop(x, cell, l.g, l.w, l.b)` for
// `loop(x, cell, l.w, l.b, l.g)` of `cell = fn (state, g, w, b)`.
void argumentsInOrder(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const bool isLoop = calleeOf(g, call) == "loop" && call.arguments.size() > 2;
    const std::vector<std::string> parameters = isLoop ? parametersOfCell(g, call) : parametersOf(g, calleeOf(g, call));
    const std::vector<Span> given(call.arguments.begin() + (isLoop ? 2 : 0), call.arguments.end());
    if (parameters.size() != given.size() || given.size() < 3) continue;
    std::vector<Edit> edits;
    std::set<std::size_t> wanted, places;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto own = std::ranges::find(parameters, calledSo(g, given[i]));
      if (own == parameters.end() || *own == parameters[i]) continue;
      const auto place = static_cast<std::size_t>(own - parameters.begin());
      places.insert(i);
      wanted.insert(place);
      edits.push_back({given[place], g.text(given[i])});
    }
    if (edits.size() < 3 || wanted != places || wanted.size() != edits.size() || ++found > mostOthers) continue;
    std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
    g.guess(call, "in the order of the parameters", std::move(edits));
    g.found.back().isSure = true;
  }
}

namespace {

// A statement whose value is a tuple of weights, and these, also in its parts.
struct Bundle {
  std::string name;
  Span tuple;
  std::vector<Span> weights;
};

std::vector<Bundle> bundlesOf(const Guesser& g) {
  std::vector<Bundle> bundles;
  for (const ast::Binding& binding : g.module.bindings) {
    Span value = g.module[binding.value].span;
    if (const auto* group = g.nodeAt<ast::ExprGroup>(value)) value = g.module[group->inner].span;
    if (!g.nodeAt<ast::ExprTuple>(value)) continue;
    Bundle bundle{g.text(g.module[binding.pattern].span), value, {}};
    for (const ast::Expr& e : g.module.exprs)
      if (std::holds_alternative<ast::ExprName>(e.node) && isWithin(e.span, value) && g.paramAt(e.span))
        bundle.weights.push_back(e.span);
    std::ranges::sort(bundle.weights, {}, &Span::begin);
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

}  // namespace

// Makes a tuple of weights like that of another layer, where one of its weights is another one: `(l1.w, l1.b)` for
// `(l1.w, l0.v)` beside `l0 = (l0.w, l0.b)`.
void bundleAsSiblings(Guesser& g, const Application& at) {
  constexpr std::size_t leastAlike = 3;  // weights, of statements that are not named alike
  if (!isFailing(g, at)) return;
  const std::vector<Bundle> bundles = bundlesOf(g);
  std::size_t found = 0;
  for (const Bundle& own : bundles)
    for (const Bundle& other : bundles) {
      const bool areAlike = withoutNumbers(own.name) == withoutNumbers(other.name) || own.weights.size() >= leastAlike;
      if (own.tuple == other.tuple || !areAlike || own.weights.size() != other.weights.size()) continue;
      const Renaming renaming(g, {own.tuple, {}, nullptr});
      std::vector<Edit> differing;
      for (std::size_t i = 0; i < own.weights.size(); ++i)
        if (std::string name = renaming(g.text(other.weights[i])); name != g.text(own.weights[i]))
          differing.push_back({own.weights[i], std::move(name)});
      if (differing.size() != 1 || !areThere(g, differing[0].text) || ++found > mostOthers) continue;
      const auto& [place, instead] = differing[0];
      g.found.push_back({fmt::format("use `{}` instead of `{}`, as in `{}`", instead, g.text(place), other.name),
                         differing, false, true});
    }
}

// Calls another function of the program as another call does, where that takes weights of this one's layer that nothing
// uses: `step(x, l2.w, l2.skip)` for `plain(x, l2.w)` beside `step(y, l1.w, l1.skip)`.
void asOtherFunction(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  auto weightsIn = [](const std::string& text) {
    std::set<std::string> weights;
    for (const std::string& word : wordsOf(text))
      if (isWeight(word)) weights.insert(word);
    return weights;
  };
  auto groupsOf = [](const std::set<std::string>& weights) {
    std::set<std::string> groups;
    for (const std::string& weight : weights) groups.insert(groupOf(weight));
    return groups;
  };
  auto behindFirst = [](const Application& call) {
    return Span{call.span.source, call.arguments[0].end, call.span.end};
  };
  auto mayBe = [&](const Application& call) {
    return call.arguments.size() > 1 && call.named->empty() && !parametersOf(g, calleeOf(g, call)).empty();
  };
  std::set<std::string> offered;
  for (const Application& own : g.markedCalls()) {
    if (!mayBe(own)) continue;
    const Renaming renaming(g, own);
    const std::set<std::string> given = weightsIn(g.text(behindFirst(own)));
    for (const Application& other : given.empty() ? std::vector<Application>() : g.calls()) {
      if (!mayBe(other) || calleeOf(g, other) == calleeOf(g, own)) continue;
      const std::string its = g.text(behindFirst(other));
      const std::set<std::string> ownGroups = groupsOf(given), itsGroups = groupsOf(weightsIn(its));
      const bool areLayers = ownGroups.size() == 1 && itsGroups.size() == 1;  // also where they are not named alike
      const std::string behind = !areLayers ? renaming(its) : withWords(its, [&](const std::string& word) {
        return isWeight(word) ? *ownGroups.begin() + word.substr(itsGroups.begin()->size()) : word;
      });
      std::set<std::string> more = weightsIn(behind);
      if (!std::ranges::includes(more, given)) continue;
      for (const std::string& name : given) more.erase(name);
      const std::vector<const ast::Param*>& unused = g.unusedParams();
      const bool areUnused = std::ranges::all_of(more, [&](const std::string& name) {
        return std::ranges::any_of(unused, [&](const ast::Param* param) { return param->name.text == name; });
      });
      const std::string callee = calleeOf(g, other);
      if (more.empty() || !areUnused || !offered.insert(callee + behind).second) continue;
      const auto end = own.span.begin + static_cast<std::uint32_t>(calleeOf(g, own).size());
      g.guess(own, fmt::format("use `{}` instead of `{}`: it takes `{}` too", callee, calleeOf(g, own), *more.begin()),
              {{{own.span.source, own.span.begin, end}, callee}, {behindFirst(own), behind}});
      g.found.back().isSure = true;
    }
  }
}

}  // namespace axle::guess
