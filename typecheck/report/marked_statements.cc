#include "typecheck/report/marked_statements.h"

#include <algorithm>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesser.h"
#include "typecheck/report/replay.h"

namespace axle {
namespace {

// The operands of an operator or a call with arguments by position.
std::vector<Span> operandsAt(const Guesser& g, Span place) {
  std::vector<Span> operands;
  if (const auto* binary = g.nodeAt<ast::ExprBinary>(place))
    operands = {g.module[binary->left].span, g.module[binary->right].span};
  else if (const auto* call = g.nodeAt<ast::ExprCall>(place))
    for (const ast::ExprId argument : call->arguments) operands.push_back(g.module[argument].span);
  return operands;
}

// Which parameter of the function around it a name is; nothing for others.
std::optional<std::size_t> parameterNamed(const Guesser& g, Span name) {
  const ast::ExprFn* around = g.functionAround(name);
  if (!around) return std::nullopt;
  const auto found = std::ranges::find(around->parameters, g.text(name),
                                       [](const ast::Parameter& parameter) { return parameter.name.text; });
  if (found == around->parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - around->parameters.begin());
}

// Where a name's value is made, and how it is called there: behind its statement, or where calls give it to the
// function around it.
MadeOperand madeAt(const Guesser& g, Span name, const std::vector<Span>& calls) {
  Span value = valueOf(g, name);
  for (const Span call : calls) {
    const auto parameter = value == name ? parameterNamed(g, name) : std::nullopt;
    const auto* given = parameter ? g.nodeAt<ast::ExprCall>(call) : nullptr;
    if (!given || given->arguments.size() <= *parameter) break;
    name = g.module[given->arguments[*parameter]].span;
    value = g.nodeAt<ast::ExprName>(name) ? valueOf(g, name) : name;
    if (!g.nodeAt<ast::ExprName>(name)) break;
  }
  return {g.text(name), value};
}

// The calls and operators whose values an operand has by name.
std::vector<MadeOperand> madeFor(const Guesser& g, Span operand, const std::vector<Span>& calls) {
  std::vector<MadeOperand> made;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* name = std::get_if<ast::ExprName>(&e.node);
    if (!name || !isWithin(e.span, operand)) continue;
    MadeOperand its = madeAt(g, e.span, calls);
    if (its.value == e.span || g.nodeAt<ast::ExprFn>(its.value) || operandsAt(g, its.value).empty()) continue;
    // What is given without a name is called as the function calls it.
    if (its.name == g.text(its.value)) its.name = name->name;
    made.push_back(std::move(its));
  }
  return made;
}

}  // namespace

std::vector<MadeOperand> madeOperands(Checked& checked, const Diagnostic& failure, const std::vector<Span>& calls) {
  constexpr std::size_t most = 2;  // of more, none tells anything
  std::vector<MadeOperand> all;
  const Span* place = std::get_if<Span>(&failure.primary.place);
  if (!place || !(place->source == checked.modules.root().source)) return all;
  Guesser g(checked, failure);
  std::size_t highest = 0;
  const std::vector<Span> operands = operandsAt(g, *place);
  const bool areRanksToBeEqual = failure.code == &codes::rankMismatch;
  for (const Span operand : operands) highest = std::max(highest, g.rankOf(operand).value_or(0));
  for (const Span operand : operands) {
    const std::size_t rank = g.rankOf(operand).value_or(highest);
    if (rank == 0 || (rank == highest && !areRanksToBeEqual)) continue;
    const std::vector<MadeOperand> made = madeFor(g, operand, calls);
    if (made.size() <= most) all.insert(all.end(), made.begin(), made.end());
  }
  return all;
}

void markMade(const std::vector<MadeOperand>& made, Diagnostic& error) {
  for (const auto& [name, value] : made) {
    auto isThere = [within = value](const Label& label) {
      const Span* span = std::get_if<Span>(&label.place);
      return span && (isWithin(*span, within) || isWithin(within, *span));
    };
    if (!isThere(error.primary) && std::ranges::none_of(error.secondary, isThere))
      error.addLabel(value, "{} is made here", arg::Name{name});
  }
}

void markUnused(Checked& checked, Diagnostic& error) {
  constexpr std::size_t mostUnused = 2;
  if (!error.fixes.empty() || error.code->severity != Severity::error || !isOfTypes(error.code)) return;
  const std::vector<Span> unused = unusedBindings(Guesser(checked, error), std::get<Span>(error.primary.place));
  if (unused.size() > mostUnused) return;
  auto isMarked = [&](Span place) {
    return std::ranges::any_of(error.secondary, [&](const Label& label) {
      const Span* span = std::get_if<Span>(&label.place);
      return span && isWithin(place, *span);
    });
  };
  for (const Span place : unused)
    if (!isMarked(place)) error.addLabel(place, "nothing uses this");
}

}  // namespace axle
