// Guesses of other element types: conversions, comparisons, positions of a mask.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// Whether a call only gives its first argument another shape.
bool keepsElements(const Guesser& g, const Application& call) {
  static constexpr std::string_view shaping[] = {"expand", "squeeze", "reshape", "transpose", "broadcast_to"};
  return !call.arguments.empty() && std::ranges::find(shaping, calleeOf(g, call)) != std::end(shaping);
}

std::optional<Application> shapingCallAt(const Guesser& g, Span expression) {
  if (!g.nodeAt<ast::ExprCall>(expression)) return std::nullopt;
  const std::vector<Application>& calls = g.calls();
  const auto call = std::ranges::find(calls, expression, &Application::span);
  return call != calls.end() && keepsElements(g, *call) ? std::optional(*call) : std::nullopt;
}

bool isArithmetic(ast::Operator op) { return op <= ast::Operator::mod || op == ast::Operator::negate; }

// The operands that arithmetic begins with, through names of the same function: integers would be divided, and run
// over, before a conversion around it.
void addOperands(const Guesser& g, Span expression, std::size_t depth, std::vector<Span>& operands) {
  if (g.nodeAt<ast::ExprNumber>(expression)) return;
  if (const auto* group = g.nodeAt<ast::ExprGroup>(expression))
    return addOperands(g, g.module[group->inner].span, depth, operands);
  const auto* binary = g.nodeAt<ast::ExprBinary>(expression);
  const auto* unary = g.nodeAt<ast::ExprUnary>(expression);
  if (depth > 0 && binary && isArithmetic(binary->op)) {
    addOperands(g, g.module[binary->left].span, depth - 1, operands);
    addOperands(g, g.module[binary->right].span, depth - 1, operands);
  } else if (depth > 0 && unary && isArithmetic(unary->op)) {
    addOperands(g, g.module[unary->operand].span, depth - 1, operands);
  } else if (const auto call = shapingCallAt(g, expression); depth > 0 && call) {
    addOperands(g, call->arguments[0], depth - 1, operands);
  } else if (const Span value = valueOf(g, expression); depth > 0 && g.nodeAt<ast::ExprBinary>(value)) {
    addOperands(g, value, depth - 1, operands);
  } else {
    operands.push_back(expression);
  }
}

// The statement that a place is part of, innermost; the place itself outside of statements.
Span statementAround(const Guesser& g, Span place) {
  std::optional<Span> found;
  for (const ast::Binding& binding : g.module.bindings)
    if (isWithin(place, binding.span) && (!found || isWithin(binding.span, *found))) found = binding.span;
  return found.value_or(place);
}

// Whether a name is one of a size or a static parameter: nothing binds a value to it. Their quotients are whole.
bool isOfSignature(const Guesser& g, Span expression) {
  const auto* name = g.nodeAt<ast::ExprName>(expression);
  if (!name || g.paramAt(expression) || !g.functionAround(expression)) return false;
  const bool isBound = std::ranges::any_of(g.module.patterns, [&](const ast::Pattern& pattern) {
    const auto* bound = std::get_if<ast::PatternName>(&pattern.node);
    return bound && bound->name == name->name;
  });
  return !isBound && std::ranges::none_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    return function && isWithin(expression, e.span) &&
           std::ranges::any_of(function->parameters,
                               [&](const ast::Parameter& parameter) { return parameter.name.text == name->name; });
  });
}

}  // namespace

// Converts an argument; of arithmetic, what it begins with, or all of it where that is sizes.
void converted(Guesser& g, const Application& at) {
  constexpr std::size_t deepest = 6;
  for (auto argument = at.arguments.rbegin(); argument != at.arguments.rend(); ++argument) {
    std::vector<Span> operands;
    addOperands(g, *argument, deepest, operands);
    std::ranges::sort(operands, {}, &Span::begin);
    const auto repeated = std::ranges::unique(operands);
    operands.erase(repeated.begin(), repeated.end());
    if (operands.size() == 1 && operands[0] == *argument) {
      g.wrap(at, *argument, "convert", "cast(", ")");
      continue;
    }
    const bool areSizes = std::ranges::all_of(operands, [&](Span operand) { return isOfSignature(g, operand); });
    if (areSizes && !operands.empty()) g.wrap(at, *argument, "convert", "cast(", ")");
    std::vector<Edit> edits;
    std::string names;
    for (const Span operand : operands) {
      edits.push_back({operand, "cast(" + g.text(operand) + ")"});
      names += fmt::format("{}`{}`", names.empty() ? "" : " and ", g.text(operand));
    }
    if (edits.empty()) continue;
    const bool isInside = std::ranges::all_of(edits, [&](const Edit& edit) { return isWithin(edit.span, at.span); });
    const Application shown = isInside ? at : Application{statementAround(g, operands.front()), {}, nullptr};
    const std::string title = "convert " + names;
    if (std::ranges::all_of(edits, [&](const Edit& edit) { return isWithin(edit.span, shown.span); }))
      g.guess(shown, title, std::move(edits));
    else
      g.found.push_back({title, std::move(edits)});
  }
}

// Converts what the result of a function begins with where its type promises other elements.
void resultConverted(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    const auto* body = function ? std::get_if<ast::ExprBlock>(&g.module[function->body].node) : nullptr;
    if (!body || !body->result || !function->resultType) continue;
    const Span result = g.module[body->result].span;
    if (isWithin(at.span, g.module[function->resultType].span) && !g.nodeAt<ast::ExprTuple>(result))
      converted(g, {result, {result}, nullptr});
  }
}

// Compares numbers with 0 where bool is needed.
void compared(Guesser& g, const Application& at) {
  for (const Span argument : at.arguments)
    if (auto elem = g.elemOf(argument); elem && *elem != Elem::boolean) g.wrap(at, argument, "compare", "(", " != 0)");
}

// Compares two numbers that are subtracted where bool is needed: `a == b` for `a - b`.
void comparedEqual(Guesser& g, const Application& at) {
  const auto* binary = g.nodeAt<ast::ExprBinary>(at.span);
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (!binary || !at.isOrigin || binary->op != ast::Operator::sub) return;
  if (std::ranges::find(told, "bool") == told.end()) return;
  g.guess(at, "where they are equal", {{binary->opSpan, "=="}});
  g.found.back().isSure = true;
}

namespace {

constexpr std::size_t mostUses = 32;  // places that a value is followed to

// Whether what an expression is stays a part of a greater one's elements: between them is only arithmetic, and calls
// that give another shape.
bool staysElementOf(const Guesser& g, Span part, Span whole) {
  return isWithin(part, whole) && std::ranges::none_of(g.calls(), [&](const Application& call) {
           return isWithin(part, call.span) && call.span != part && isWithin(call.span, whole) && call.span != whole &&
                  !keepsElements(g, call);
         });
}

// Adds the uses of a name in a function, not in those inside of it.
void addUses(const Guesser& g, const std::string& name, const ast::ExprFn* within, std::vector<Span>& uses) {
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name == name)
      if (g.functionAround(e.span) == within && std::ranges::find(uses, e.span) == uses.end()) uses.push_back(e.span);
}

// Adds the places that use what a place computes: its name, the parameter that it is given to, the calls of the
// function that returns it.
void addUsesOf(const Guesser& g, Span value, std::vector<Span>& uses) {
  const ast::ExprFn* around = g.functionAround(value);
  for (const Application& call : g.calls()) {
    const auto given = std::ranges::find_if(call.arguments, [&](Span part) { return isWithin(value, part); });
    const auto index = static_cast<std::size_t>(given - call.arguments.begin());
    if (index == call.arguments.size() || !staysElementOf(g, value, call.span)) continue;
    const auto called = calledFunctionAt(g.checked.modules, call.span);
    if (called && called->module == &g.module && index < called->function->parameters.size())
      addUses(g, called->function->parameters[index].name.text, called->function, uses);
  }
  const auto* body = around ? std::get_if<ast::ExprBlock>(&g.module[around->body].node) : nullptr;
  const bool isResult = body && body->result && staysElementOf(g, value, g.module[body->result].span);
  for (const ast::Binding& binding : g.module.bindings) {
    const std::string name = g.text(g.module[binding.pattern].span);
    const ast::Expr& bound = g.module[binding.value];
    if (g.functionAround(binding.span) == around && staysElementOf(g, value, bound.span))
      addUses(g, name, around, uses);
    if (!isResult || std::get_if<ast::ExprFn>(&bound.node) != around) continue;
    for (const Application& call : g.calls())
      if (calleeOf(g, call) == name) uses.push_back(call.span);
  }
}

// Whether a value is what `softmax` is given, also by names and functions of the program.
bool goesToSoftmax(const Guesser& g, Span value) {
  std::vector<Span> places{value};
  for (std::size_t i = 0; i < std::min(places.size(), mostUses); ++i) {
    const Span place = places[i];
    const bool isGiven = std::ranges::any_of(g.calls(), [&](const Application& call) {
      const std::string callee = calleeOf(g, call);
      return (callee == "softmax" || callee == "log_softmax") && staysElementOf(g, place, call.span);
    });
    if (isGiven) return true;
    addUsesOf(g, place, places);
  }
  return false;
}

bool isLogical(ast::Operator op) { return op >= ast::Operator::eq && op <= ast::Operator::logicalOr; }

}  // namespace

// Selects by a mask what is added to scores: `scores + select(row <= column, 0f, -inf)` for
// `scores + (row <= column)`. Where the bool is computed, if that is marked, otherwise where it is added.
void addedMaskSelected(Guesser& g, const Application& at) {
  const auto* sum = g.nodeAt<ast::ExprBinary>(at.span);
  const bool isOfMask = isFailing(g, at) && sum && sum->op == ast::Operator::add &&
                        std::ranges::any_of(at.arguments, [&](Span part) { return g.elemOf(part) == Elem::boolean; });
  if (!isOfMask || !goesToSoftmax(g, at.span)) return;
  auto offer = [&](Span mask) {
    Span whole = mask;  // with parentheses
    for (const ast::Expr& e : g.module.exprs)
      if (const auto* group = std::get_if<ast::ExprGroup>(&e.node)) {
        if (g.module[group->inner].span == mask) whole = e.span;
        if (e.span == mask) mask = g.module[group->inner].span;
      }
    g.guess({whole, {}, nullptr}, "what the mask hides gets no weight",
            {{whole, fmt::format("select({}, 0f, -inf)", g.text(mask))}});
    g.found.back().isSure = true;
  };
  for (const Span mark : g.marks())
    if (const auto* made = g.nodeAt<ast::ExprBinary>(mark); made && isLogical(made->op)) offer(mark);
  for (const Span part : at.arguments)
    if (g.elemOf(part) == Elem::boolean) offer(part);
}

// Selects by a mask what is added to it elsewhere: `select(mask, x, low)` for `x + (1 - mask) * low`.
void asSelect(Guesser& g, const Application& at) {
  const auto* inverse = g.nodeAt<ast::ExprBinary>(at.span);
  if (!isFailing(g, at) || !inverse || inverse->op != ast::Operator::sub) return;
  const Span mask = g.module[inverse->right].span;
  if (g.text(g.module[inverse->left].span) != "1" || g.elemOf(mask) != Elem::boolean) return;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* sum = std::get_if<ast::ExprBinary>(&e.node);
    const auto* product =
        sum && sum->op == ast::Operator::add ? std::get_if<ast::ExprBinary>(&g.module[sum->right].node) : nullptr;
    const auto* group = product && product->op == ast::Operator::mul
                            ? std::get_if<ast::ExprGroup>(&g.module[product->left].node)
                            : nullptr;
    if (!group || !(g.module[group->inner].span == at.span)) continue;
    g.guess({e.span, {}, nullptr}, "select by the mask",
            {{e.span, fmt::format("select({}, {}, {})", g.text(mask), g.text(g.module[sum->left].span),
                                  g.text(g.module[product->right].span))}});
    g.found.back().isSure = true;
  }
}

// Makes positions of a mask.
void asMask(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() != 2 || g.elemOf(at.arguments[1]) != Elem::boolean) return;
  if (!g.text(at.span).starts_with("gather(")) return;
  const std::string positions = "squeeze(nonzero(" + g.text(at.arguments[1]) + "), axis=1)";
  g.guess(at, "the positions where a mask holds", {{at.arguments[1], positions}});
}

// Joins bools by words: `a and b` for `a * b`, `a or b` for `a + b`, also for several in a row.
void asLogic(Guesser& g, const Application& at) {
  const auto* binary = g.nodeAt<ast::ExprBinary>(at.span);
  if (!binary || at.isOrigin || g.named(2) != "bool") return;
  const ast::Operator op = binary->op;
  if (op != ast::Operator::mul && op != ast::Operator::add) return;
  const std::string word(spelling(op == ast::Operator::mul ? ast::Operator::logicalAnd : ast::Operator::logicalOr));
  std::vector<Edit> edits{{binary->opSpan, word}};
  Span whole = at.span;
  bool isOperand = false;  // of another operator, which may bind more tightly than the word
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (const ast::Expr& e : g.module.exprs) {
      const auto* outer = std::get_if<ast::ExprBinary>(&e.node);
      const auto* unary = std::get_if<ast::ExprUnary>(&e.node);
      if (outer && outer->op == op && g.module[outer->left].span == whole) {
        edits.push_back({outer->opSpan, word});
        whole = e.span;
        goesOn = true;
        break;
      }
      isOperand |= outer && (g.module[outer->left].span == whole || g.module[outer->right].span == whole);
      isOperand |= unary && g.module[unary->operand].span == whole;
    }
  }
  if (isOperand) {
    edits.insert(edits.begin(), {{whole.source, whole.begin, whole.begin}, "("});
    edits.push_back({{whole.source, whole.end, whole.end}, ")"});
  }
  g.guess({whole, {}, nullptr}, "these are bool", std::move(edits));
}

// Converts all floats of another type than the first argument's, as the weights of a layer are.
void weightsConverted(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() < 3) return;
  const auto first = g.elemOf(at.arguments[0]);
  std::vector<Edit> edits;
  for (std::size_t i = 1; i < at.arguments.size(); ++i)
    if (auto elem = g.elemOf(at.arguments[i]); first && elem && *elem != *first && info(*elem).isFloat)
      edits.push_back({at.arguments[i], "cast(" + g.text(at.arguments[i]) + ")"});
  if (edits.size() > 1) g.guess(at, "convert the weights", std::move(edits));
}

}  // namespace axle::guess
