// Parse tree -> document: determines where the lines of a program may break, and the blanks between its tokens.
// Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle_grammar/AxParser.h"
#include "frontend/layout_document.h"
#include "frontend/tokens.h"

namespace axle {

class Layout {
 public:
  explicit Layout(const RawTokens& raw) : raw_(raw) {}

  // Adds the next window of the program, which must have parsed without errors. Does not keep the tree. `apart` holds
  // the tokens that need a blank before the first operand of their prefix form.
  void program(grammar::AxParser::ProgramContext* context, const std::unordered_set<const antlr4::Token*>& apart) {
    spaced_ = &apart;
    statements(context, Gap::hard);
  }
  std::string finish(std::uint32_t width);

  // The separators of two tokens. If both tokens ask for one, the later one in this list wins.
  enum class Gap : std::uint8_t { none, blank, soft, fill, spaced, hard };
  // Which operators have blanks around them. loose: all; sizes (in square brackets): all except `*`; range (in an
  // index): only words.
  enum class Spacing : std::uint8_t { loose, sizes, range };

  static constexpr std::size_t rulesEnd = grammar::AxParser::RuleSortArgument + 1;  // one past the last rule's index

 private:
  using Node = antlr4::tree::ParseTree;
  using Rule = antlr4::ParserRuleContext;
  using Token = antlr4::Token;
  using Step = void (Layout::*)(Rule* context);

  struct Comment {
    std::string_view text;
    bool trailing = false;    // follows a token on its line
    bool isDoc = false;       // `///`
    bool afterEmpty = false;  // follows an empty line
  };
  struct Aligned {
    Document::Id padding;
    std::uint32_t width;  // of the text before it
  };

  // ---- tokens and comments
  void reach(const Token* token);
  void comments();
  void token(const Token* token);
  void word(std::string_view text);
  void close(const Token* token, Gap gap);
  void want(Gap gap) { gap_ = std::max(gap_, gap); }
  void settle();
  Document::Id openGroup(const Token* first);
  std::string_view text(const Token* token) const;

  // ---- any rule
  static Token* tokenOf(Node* node) {  // nullptr for a rule
    return typeid(*node) == typeid(antlr4::tree::TerminalNodeImpl)
               ? static_cast<antlr4::tree::TerminalNode*>(node)->getSymbol()
               : nullptr;
  }
  static Rule* ruleOf(Node* node) { return static_cast<Rule*>(node); }
  static std::size_t typeOf(Node* node) {  // 0 for a rule
    Token* token = tokenOf(node);
    return token == nullptr ? 0 : token->getType();
  }
  bool isSpaced(const Token* token) const { return spaced_->contains(token); }
  bool isSpaced(const Rule* suffix) const {
    return suffix->getRuleIndex() == grammar::AxParser::RuleDimSuffix && isSpaced(suffix->start);
  }
  static Step stepOf(std::size_t rule);
  void rule(Rule* context);
  void child(Rule* context, std::size_t index);
  void terminal(Rule* context, std::size_t index);
  void children(Rule* context, std::size_t begin, std::size_t end);
  std::size_t brackets(Rule* context, std::size_t open);
  static const Rule* soleFunction(Rule* arguments);
  static bool isTupleOfNames(Rule* context);

  // ---- constructs
  void statements(Rule* context, Gap gap);
  static bool isParam(Rule* item);
  void semicolon(const Token* token);
  void endStatement();
  void paramItem(Rule* context);
  void opItem(Rule* context);
  void annotated(Rule* context);
  void binding(Rule* context);
  void value(Rule* context);
  void chain(Rule* context);
  void block(Rule* context);
  void blockLines(Rule* context);
  void function(Rule* context);
  void conditional(Rule* context);
  void conditionalParts(Rule* context);
  void whereClause(Rule* context);
  void whereBelow(Rule* context, std::uint32_t indent);
  void range(Rule* context);
  void dimGroup(Rule* context);
  void endRun();

  const RawTokens& raw_;
  Document document_;
  std::size_t next_ = 0;            // index of the raw token after `reached_`
  const Token* reached_ = nullptr;  // the last token that was reached
  std::uint32_t reachedEnd_ = 0;    // where it ends
  std::vector<Comment> pending_;    // comments before it that are not in the document yet
  bool afterEmpty_ = false;         // it follows an empty line
  std::string_view last_;           // the last text in the document
  bool apart_ = true;               // a separator follows `last_`
  bool first_ = true;               // `last_` is an opening bracket, or there is no text yet
  Gap gap_ = Gap::none;
  Spacing spacing_ = Spacing::loose;
  bool fills_ = false;                  // the parts of the innermost bracket share lines
  bool unended_ = false;                // the last statement's `;` is not written yet
  bool alone_ = true;                   // the statement does not follow the one before on the next line
  const Token* spacedMinus_ = nullptr;  // of the prefix form `(- n m)`
  const std::unordered_set<const Token*>* spaced_ = nullptr;  // of the window
  std::vector<Aligned> run_;  // the `param` lines one after another, whose colons are aligned
  struct Function {
    Document::Id group, block;
  };
  std::unordered_map<const Rule*, Function> functions_;
};

}  // namespace axle
