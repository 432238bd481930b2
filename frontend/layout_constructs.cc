// The layout of constructs that need more than the tables of layout.cc.
#include <algorithm>

#include "frontend/layout.h"

namespace axle {

using grammar::AxParser;

// ---- statements

// The statements of a block or of the program, separated by `;`.
void Layout::statements(Rule* context, Gap gap) {
  for (Node* node : context->children) {
    if (Token* symbol = tokenOf(node)) {
      if (symbol->getType() == AxParser::SEMI) semicolon(symbol);
      continue;
    }
    Rule* statement = ruleOf(node);
    reach(statement->start);
    endStatement();
    alone_ = afterEmpty_ ||
             std::any_of(pending_.begin(), pending_.end(), [](const Comment& comment) { return !comment.trailing; });
    want(gap);
    settle();
    comments();
    if (afterEmpty_ && !first_) document_.emptyLine();
    if (context->getRuleIndex() == AxParser::RuleProgram && !isParam(statement)) endRun();
    rule(statement);
    unended_ = true;
  }
}

bool Layout::isParam(Rule* item) {
  return item->children.size() == 1 && ruleOf(item->children[0])->getRuleIndex() == AxParser::RuleParamItem;
}

// Delays a `;` until the next statement begins, so that comments before the `;` are printed after it. Writes it at once
// after a `///` comment, which would otherwise document the next statement.
void Layout::semicolon(const Token* token) {
  reach(token);
  if (std::none_of(pending_.begin(), pending_.end(), [](const Comment& comment) { return comment.isDoc; })) return;
  comments();
  word(";");
  unended_ = false;
}

void Layout::endStatement() {
  if (unended_) word(";");
  unended_ = false;
}

void Layout::annotated(Rule* context) {
  for (Node* node : context->children) {
    rule(ruleOf(node));
    if (node != context->children.back()) want(Gap::hard);
  }
}

void Layout::binding(Rule* context) {
  child(context, 0);
  if (context->children.size() == 1) return;
  terminal(context, 1);
  Rule* bound = ruleOf(context->children[2]);
  if (bound->children.size() == 1) {
    want(Gap::blank);
    return rule(bound);
  }
  document_.openGroup();
  document_.indent();
  want(Gap::spaced);
  children(bound, 0, bound->children.size());
  document_.dedent();
  document_.closeGroup();
}

void Layout::value(Rule* context) {
  openGroup(context->start);
  children(context, 0, context->children.size());
  document_.closeGroup();
}

// ---- declarations

void Layout::paramItem(Rule* context) {
  if (alone_) endRun();
  child(context, 0);
  Token* name = tokenOf(context->children[1]);
  terminal(context, 1);
  if (context->children.size() > 2 && typeOf(context->children[2]) == AxParser::COLON)
    run_.push_back({document_.padding(), static_cast<std::uint32_t>(text(name).size())});
  children(context, 2, context->children.size());
}

void Layout::endRun() {
  std::uint32_t widest = 0;
  for (const Aligned& line : run_) widest = std::max(widest, line.width);
  for (const Aligned& line : run_) document_.resize(line.padding, widest - line.width);
  run_.clear();
}

void Layout::opItem(Rule* context) {
  std::size_t arrow = 0;
  while (typeOf(context->children[arrow]) != AxParser::ARROW) ++arrow;
  children(context, 0, arrow);
  document_.openGroup();
  document_.indent();
  children(context, arrow, arrow + 2);
  document_.dedent();
  document_.closeGroup();
  children(context, arrow + 2, context->children.size());
}

void Layout::whereClause(Rule* context) { whereBelow(context, 2); }

void Layout::whereBelow(Rule* context, std::uint32_t indent) {
  document_.openGroup();
  document_.indent(indent);
  want(Gap::spaced);
  terminal(context, 0);
  document_.openGroup();
  document_.indent();
  children(context, 1, context->children.size());
  document_.dedent();
  document_.closeGroup();
  document_.dedent();
  document_.closeGroup();
}

// ---- functions and blocks

// Puts the function on one line, or breaks its block into lines.
void Layout::function(Rule* context) {
  static constexpr std::uint32_t behindBody = 4;  // so that facts are not mistaken for the body
  Document::Id group = openGroup(context->start);
  std::size_t opener = 1;
  while (typeOf(context->children[opener]) != AxParser::LPAREN) ++opener;
  children(context, 0, opener);
  for (std::size_t i = brackets(context, opener); i < context->children.size(); ++i) {
    Node* node = context->children[i];
    std::size_t inner = tokenOf(node) == nullptr ? ruleOf(node)->getRuleIndex() : rulesEnd;
    if (inner == AxParser::RuleWhereClause) {
      whereBelow(ruleOf(node), behindBody);
    } else if (inner == AxParser::RuleBlock) {
      want(Gap::blank);
      settle();
      functions_[context] = {group, document_.here()};
      blockLines(ruleOf(node));
    } else {
      child(context, i);
    }
  }
  document_.closeGroup();
}

void Layout::block(Rule* context) {
  openGroup(context->start);
  blockLines(context);
  document_.closeGroup();
}

// A block of one expression may be on one line.
void Layout::blockLines(Rule* context) {
  Spacing outerSpacing = spacing_;
  bool outerFills = fills_, outerUnended = unended_;
  spacing_ = Spacing::loose;
  fills_ = unended_ = false;
  auto isStatement = [](Node* node) { return tokenOf(node) == nullptr; };
  auto count = std::count_if(context->children.begin(), context->children.end(), isStatement);
  Gap gap = count > 1 ? Gap::hard : Gap::spaced;
  token(context->start);
  document_.indent();
  statements(context, gap);
  close(tokenOf(context->children.back()), gap);
  spacing_ = outerSpacing;
  fills_ = outerFills;
  unended_ = outerUnended;
}

// Puts all blocks of a conditional on one line, or none.
void Layout::conditional(Rule* context) {
  openGroup(context->start);
  conditionalParts(context);
  document_.closeGroup();
}

void Layout::conditionalParts(Rule* context) {
  for (std::size_t i = 0; i < context->children.size(); ++i) {
    Node* node = context->children[i];
    std::size_t inner = tokenOf(node) == nullptr ? ruleOf(node)->getRuleIndex() : rulesEnd;
    if (inner == AxParser::RuleBlock || inner == AxParser::RuleElsePart) want(Gap::blank);
    if (inner == AxParser::RuleBlock)
      blockLines(ruleOf(node));
    else if (inner == AxParser::RuleElsePart)
      conditionalParts(ruleOf(node));
    else
      child(context, i);
  }
}

// ---- operators

// Lays out a chain of operands; if it does not fit on one line, each further line begins with an operator.
void Layout::chain(Rule* context) {
  openGroup(context->start);
  child(context, 0);
  document_.indent();
  children(context, 1, context->children.size());
  document_.dedent();
  document_.closeGroup();
}

// An index or a range of them.
void Layout::range(Rule* context) {
  Spacing outer = spacing_;
  spacing_ = Spacing::range;
  children(context, 0, context->children.size());
  spacing_ = outer;
}

// The contents of parentheses within a dimension.
void Layout::dimGroup(Rule* context) {
  auto isOperand = [](Node* node) {
    return tokenOf(node) == nullptr && ruleOf(node)->getRuleIndex() == AxParser::RuleOperand;
  };
  if (std::any_of(context->children.begin(), context->children.end(), isOperand))
    spacedMinus_ = ruleOf(context->children[1])->start;
  children(context, 0, context->children.size());
}

// ---- the end

std::string Layout::finish(std::uint32_t width) {
  reach(raw_[raw_.count() - 1]);
  endStatement();
  want(Gap::hard);
  settle();
  comments();
  endRun();
  return document_.print(width);
}

}  // namespace axle
