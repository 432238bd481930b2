#include "frontend/parse_tree.h"

namespace axle::tree {

using grammar::AxParser;

std::size_t find(const Rule* context, std::size_t tokenType, std::size_t from) {
  while (from < count(context) && type(context->children[from]) != tokenType) ++from;
  return from;
}

Rule* soleRule(Rule* context, std::size_t ruleIndex) {
  while (context->getRuleIndex() != ruleIndex) {
    if (count(context) != 1 || tokenIf(context->children[0]) != nullptr) return nullptr;
    context = rule(context->children[0]);
  }
  return context;
}

Rule* solePrimary(Rule* context) {
  Rule* found = soleRule(context, AxParser::RulePostfix);
  return found != nullptr && primaryEnd(found) == count(found) ? found : nullptr;
}

std::size_t primaryEnd(const Rule* postfix) {
  std::size_t first = token(postfix->children[0])->getType();
  if (first == AxParser::LPAREN) return find(postfix, AxParser::RPAREN) + 1;
  return first == AxParser::LBRACK ? find(postfix, AxParser::RBRACK) + 1 : 1;
}

}  // namespace axle::tree
