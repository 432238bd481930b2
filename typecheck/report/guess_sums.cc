// Guesses of parentheses that a sum lacks beside a product.
#include <algorithm>

#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostSums = 8;

// The operands of a product or quotient; nullptr for other expressions.
const ast::ExprBinary* productAt(const Guesser& g, ast::ExprId operand) {
  const auto* binary = std::get_if<ast::ExprBinary>(&g.module[operand].node);
  const bool isProduct = binary && (binary->op == ast::Operator::mul || binary->op == ast::Operator::div);
  return isProduct ? binary : nullptr;
}

// The places where sizes and numbers are computed: bounds of slices, items of lists, static arguments.
std::vector<Span> placesOfNumbers(const Guesser& g, const ast::Expr& e) {
  std::vector<Span> places;
  if (const auto* index = std::get_if<ast::ExprIndex>(&e.node))
    for (const ast::IndexItem& item : index->items) places.push_back(item.span);
  if (const auto* list = std::get_if<ast::ExprList>(&e.node)) places = itemsOf(g, *list);
  if (const auto* call = std::get_if<ast::ExprCall>(&e.node))
    for (const ast::NamedArgument& named : call->named) places.push_back(g.module[named.value].span);
  return places;
}

}  // namespace

// Makes the sum a factor where a product takes only one of its terms, in bounds of slices, lists of sizes and static
// arguments: `h*d:(h + g)*d` for `h*d:h + g*d`.
void sumAsFactor(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::vector<Span> places;
  for (const ast::Expr* e : g.computing())
    for (const Span place : placesOfNumbers(g, *e)) places.push_back(place);
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* sum = std::get_if<ast::ExprBinary>(&e->node);
    if (!sum || (sum->op != ast::Operator::add && sum->op != ast::Operator::sub)) continue;
    if (std::ranges::none_of(places, [&](Span place) { return isWithin(e->span, place); })) continue;
    auto offer = [&](Span first, Span last) {
      if (++found <= mostSums)
        g.guess({e->span, {}, nullptr}, "put the sum in parentheses",
                {{{first.source, first.begin, first.begin}, "("}, {{last.source, last.end, last.end}, ")"}});
    };
    if (const auto* product = productAt(g, sum->right)) offer(g.module[sum->left].span, g.module[product->left].span);
    if (const auto* product = productAt(g, sum->left)) offer(g.module[product->right].span, g.module[sum->right].span);
  }
}

}  // namespace axle::guess
