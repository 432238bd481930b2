// Parse tree -> syntax tree. Reports text that the grammar accepts but the language does not (see AxParser.g4). The
// phases (statements, operator declarations, expressions, types, dimensions) are functions over one State. Internal to
// frontend/.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"
#include "frontend/parse_tree.h"
#include "frontend/syntax_codes.h"
#include "frontend/tokens.h"

namespace axle::transform {

using namespace tree;

// The maximum depth of an expression, type, shape or dimension: code that walks the tree recurses that deep.
inline constexpr std::uint32_t maxDepth = 1000;

inline constexpr Message<> comparisonsChain{codes::chainedComparison, "comparisons do not chain",
                                            "a second comparison"};
inline constexpr Message<arg::Name, arg::Code> wrongArguments{codes::syntax, "{} has other arguments",
                                                              "it is written as in {1}"};
inline constexpr Message<> misplacedTypeFunction{codes::onlyInOp, "a type function outside of an `op` declaration",
                                                 "only core operators are declared with these"};

class State {
 public:
  // Adds nodes to the module and leaves its existing nodes unchanged.
  State(ast::Module& module, Tokens& tokens, std::string_view text, Diagnostics& diagnostics)
      : module(module),
        tokens(tokens),
        text_(text),
        diagnostics_(diagnostics),
        exprDepths_(module.exprs.size(), 0),
        dimDepths_(module.dims.size(), 0),
        typeDepths_(module.types.size(), 0) {}

  // ---- texts
  Span span(const Token* token) const { return tokens.span(token); }
  Span span(const Rule* context) const;
  std::string_view view(Span span) const { return text_.substr(span.begin, span.end - span.begin); }
  std::string text(const Token* token) const { return std::string(view(span(token))); }
  ast::Name name(const Token* token) const { return {text(token), span(token)}; }
  // Returns the items of a comma list between two children. Reports gaps; a comma at the end is allowed.
  std::vector<Rule*> items(const Rule* context, std::size_t first, std::size_t last, Format<> noun);

  // ---- diagnostics
  template <class... Args>
  Diagnostic& error(const Message<Args...>& message, Span span, const std::type_identity_t<Args>&... arguments) {
    if (diagnostics_.size() >= maxErrors) return unread_ = {};
    return report(diagnostics_, message, span, arguments...);
  }
  void error(Diagnostic diagnostic) {
    if (diagnostics_.size() < maxErrors) diagnostics_.push_back(std::move(diagnostic));
  }
  std::size_t errorCount() const { return diagnostics_.size(); }

  // ---- nodes, each one level deeper than the deepest of its children
  template <class Node>
  ast::ExprId addExpr(Span span, Node node, std::initializer_list<ast::ExprId> children = {}) {
    std::uint32_t depth = 0;
    for (ast::ExprId child : children) depth = std::max(depth, depthOf(child));
    return addExprAt(span, std::move(node), depth);
  }
  template <class Node>
  ast::ExprId addExprAt(Span span, Node node, std::uint32_t below) {
    if (below >= maxDepth) return tooDeep(span);
    module.exprs.push_back({span, std::move(node)});
    exprDepths_.push_back(below + 1);
    return {static_cast<std::uint32_t>(module.exprs.size() - 1)};
  }
  template <class Node>
  ast::DimId addDim(Span span, Node node, std::uint32_t below = 0) {
    if (below >= maxDepth) return tooDeepDim(span);
    module.dims.push_back({span, std::move(node)});
    dimDepths_.push_back(below + 1);
    return {static_cast<std::uint32_t>(module.dims.size() - 1)};
  }
  template <class Node>
  ast::ShapeId addShape(Span span, Node node) {
    module.shapes.push_back({span, std::move(node)});
    return {static_cast<std::uint32_t>(module.shapes.size() - 1)};
  }
  template <class Node>
  ast::TypeId addType(Span span, Node node, std::uint32_t below = 0) {
    if (below >= maxDepth) return tooDeepType(span);
    module.types.push_back({span, std::move(node)});
    typeDepths_.push_back(below + 1);
    return {static_cast<std::uint32_t>(module.types.size() - 1)};
  }
  ast::PatternId addPattern(Span span, decltype(ast::Pattern::node) node);
  std::uint32_t depthOf(ast::ExprId id) const { return id ? exprDepths_[id.index] : 0; }
  std::uint32_t depthOf(ast::DimId id) const { return id ? dimDepths_[id.index] : 0; }
  std::uint32_t depthOf(ast::TypeId id) const { return id ? typeDepths_[id.index] : 0; }
  std::uint32_t bindingDepth(std::uint32_t binding) const { return depthOf(module.bindings[binding].value); }
  Span spanOf(ast::ExprId id) const { return module[id].span; }

  ast::Module& module;
  Tokens& tokens;
  bool inOp = false;                          // inside an `op` declaration
  std::unordered_set<std::string> mentioned;  // names of statements that did not parse
  // The minus and the bracket of each form like `(- n (m))`, which the parse tree represents as calls.
  std::unordered_set<const antlr4::Token*> bracketOperands;

 private:
  void reportTooDeep(Span span);
  ast::ExprId tooDeep(Span span);
  ast::DimId tooDeepDim(Span span);
  ast::TypeId tooDeepType(Span span);

  std::string_view text_;
  Diagnostics& diagnostics_;
  Diagnostic unread_;  // receives the errors after the last one that is kept
  std::vector<std::uint32_t> exprDepths_, dimDepths_, typeDepths_;
  bool reportedTooDeep_ = false;
};

// ---- statements (transform_statements.cc)
void program(State& s, grammar::AxParser::ProgramContext* context);
ast::ExprId block(State& s, Rule* context);

// ---- operator declarations (transform_operators.cc)
void opItem(State& s, Rule* context);

// ---- expressions (transform_expressions.cc)
ast::ExprId valueOnly(State& s, grammar::AxParser::ValueOnlyContext* context);
ast::ExprId value(State& s, Rule* context);
ast::ExprId expression(State& s, Rule* context);
// Makes a function; `named` if it is a statement `fn name(...) {...}`, which binds its name.
ast::ExprId function(State& s, Rule* context, bool named);
// Returns the value of a string token.
std::string unescaped(State& s, Token* token);

// ---- types and facts (transform_types.cc)
ast::TypeId typeOnly(State& s, grammar::AxParser::TypeOnlyContext* context);
void factOnly(State& s, grammar::AxParser::FactOnlyContext* context, std::vector<ast::Fact>& facts);
ast::TypeId typeOf(State& s, Rule* context);
// A parameter in a list of types: whether it has a name, and its type.
inline bool isNamed(const Rule* parameter) { return count(parameter) > 1; }
inline Rule* typeIn(const Rule* parameter) { return rule(parameter->children.back()); }
std::vector<ast::Fact> facts(State& s, Rule* whereClause);
// Reports a form outside an `op` declaration if it is allowed only there.
void requireOp(State& s, Span span, Format<> what);

// ---- shapes and dimensions (transform_dims.cc)
ast::ShapeId shapeOnly(State& s, grammar::AxParser::ShapeOnlyContext* context);
ast::ShapeId shape(State& s, Rule* context);
// Whether a side of a fact is a shape: a list of sizes, `s @ r`, `s # r`, `permute(s, [1, 0])`. A name may be a shape
// or a size.
bool isShapeSide(State& s, Rule* side);
// Reads the dimension that a side of a fact, or an argument, consists of.
ast::DimId dimOfArgument(State& s, Rule* argument);
ast::DimId dim(State& s, Rule* context);
ast::DimId dimNumber(State& s, Token* token);
// Whether an argument of a call in a type is `true`, `false` or a string.
inline bool isConstant(const Rule* argument) { return tokenIf(argument->children[0]) != nullptr; }

// ---- functions of windows (transform_windows.cc): `conv_out(n, 3, 1, "same", 1)`
bool isWindowFunction(std::string_view name);
ast::DimId windowCall(State& s, std::string_view function, const std::vector<Rule*>& arguments, Span whole);

}  // namespace axle::transform
