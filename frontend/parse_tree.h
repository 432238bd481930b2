// Access to ANTLR's parse trees by position. Positions follow the grammar's rules, which hold in every context without
// an exception. Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include <typeinfo>
#include <vector>

#include "axle_grammar/AxParser.h"

namespace axle::tree {

using Node = antlr4::tree::ParseTree;
using Rule = antlr4::ParserRuleContext;
using Token = antlr4::Token;

// The token of a terminal.
inline Token* token(const Node* node) {
  return static_cast<antlr4::tree::TerminalNode*>(const_cast<Node*>(node))->getSymbol();
}
// Returns nullptr for a rule. There are no error nodes here: only contexts with an exception have them.
inline Token* tokenIf(const Node* node) {
  return typeid(*node) == typeid(antlr4::tree::TerminalNodeImpl) ? token(node) : nullptr;
}
// The context of a non-terminal.
inline Rule* rule(Node* node) { return static_cast<Rule*>(node); }
// The token's type; 0 for a rule.
inline std::size_t type(const Node* node) {
  const Token* found = tokenIf(node);
  return found == nullptr ? 0 : found->getType();
}
inline std::size_t count(const Rule* context) { return context->children.size(); }

// Returns the index of the first child at or after `from` that is a token of this type; `count` if there is none.
std::size_t find(const Rule* context, std::size_t tokenType, std::size_t from = 0);
// The statement or item after its annotations.
inline Rule* content(const Rule* statement) { return rule(statement->children.back()); }
// Descends through single children to the rule; nullptr if a node on the way has several children.
Rule* soleRule(Rule* context, std::size_t ruleIndex);
// Descends through single children to a name, literal or bracket; nullptr if a node on the way has several children.
Rule* solePrimary(Rule* context);
// The index after the name, literal or bracket, where calls and indices begin.
std::size_t primaryEnd(const Rule* postfix);

}  // namespace axle::tree
