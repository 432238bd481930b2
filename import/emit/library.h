// The functions of the standard library as patterns: each is recognized by its own definition, and by equivalent ones
// (equivalent_forms.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ast.h"
#include "frontend/source.h"
#include "import/emit/tree.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

struct Scope;

// An expression, and the scope of its names.
struct ScopedExpr {
  ast::ExprId expr;
  Scope* scope = nullptr;
};

struct Meaning {
  enum class Kind : std::uint8_t {
    expression,  // the value of a `let`, or an argument
    part,        // one part of a tuple expression
    variable,    // a parameter of the pattern: matches any value
    number,      // a static parameter of the pattern
    symbol,      // a parameter of an inner function, such as a loop's body
  } kind = Kind::expression;
  ScopedExpr closed;
  std::vector<std::size_t> path;  // of a part: indices from the outer tuple inwards
  std::string name;
  std::optional<std::size_t> parameter{};  // index among those of the scope's function
};

struct Scope {
  std::size_t module = 0;
  Scope* outer = nullptr;
  const ast::ExprFn* function = nullptr;  // the function whose parameters the scope has
  std::map<std::string, Meaning> names;
};

// The outermost operator of an expression, after following names and inlining calls of functions.
struct Head {
  enum class Kind : std::uint8_t {
    unknown,
    op,
    variable,
    number,
    symbol,
    part,
    tuple,
    function,
    other
  } kind = Kind::unknown;
  std::string name;               // of an operator or a variable
  ScopedExpr at;                  // the application, tuple, function or literal
  std::vector<ScopedExpr> parts;  // operands, or parts of a tuple
  std::size_t part = 0;
  std::shared_ptr<const Head> of{};  // the expression that it is a part of
};

struct LibraryFunction {
  std::string name;  // `nn.dense`
  std::size_t module = 0;
  ast::ExprId value;
  std::size_t size = 0;  // the number of applications in it
  bool isEquivalentForm = false;
};

class Library {
 public:
  Library();

  const std::vector<LibraryFunction>& functions() const { return functions_; }  // larger ones first
  const ast::ExprFn& functionOf(const LibraryFunction& its) const;
  OperatorTable& operators() { return operators_; }
  const ast::Module& module(const Scope& scope) const { return modules_[scope.module]; }
  const ast::Expr& operator[](ScopedExpr at) const { return modules_[at.scope->module][at.expr]; }

  // Returns the function's body, with its parameters as variables. Invalidates the scopes of the function opened
  // before.
  ScopedExpr open(const LibraryFunction& its);
  Head head(ScopedExpr at);
  // Returns the meaning of a name, and its scope; none if the expression is not the name of a value.
  const Meaning* meaning(ScopedExpr at, Scope** where = nullptr) const;
  // A scope within another one, for the parameters of a function.
  Scope* innerScope(Scope* outer, const ast::ExprFn* function);

 private:
  struct Callee {
    ScopedExpr function;  // an ExprFn
    bool isFound = false;
  };
  void add(const std::string& name, std::string text, bool areEquivalentForms);
  std::size_t sizeOf(std::size_t module, ast::ExprId id, int depth) const;
  std::optional<std::pair<std::size_t, ast::ExprId>> topLevel(std::size_t module, const std::string& name) const;
  Callee callee(ScopedExpr call);
  ScopedExpr inlined(ScopedExpr call, ScopedExpr function);
  ScopedExpr block(ScopedExpr at);
  void bindParts(const ast::Module& module, ast::PatternId pattern, Scope* scope, const Meaning& meaning);
  Head partOf(ScopedExpr source, const std::vector<std::size_t>& path);

  SourceMap sources_;
  OperatorTable operators_;
  std::vector<ast::Module> modules_;
  std::map<std::string, std::size_t> byName_;
  std::vector<std::map<std::string, ast::ExprId>> topLevels_;
  std::vector<LibraryFunction> functions_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::map<std::pair<Scope*, std::uint32_t>, Scope*> opened_;  // by scope and application or block
};

}  // namespace axle::emit
