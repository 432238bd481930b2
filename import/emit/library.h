// Functions of the standard library, to be found in graphs: what each computes, by its own definition. Next to those
// stand forms (forms.h), further ways of writing the same.
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

// An expression with what its names mean.
struct Closed {
  ast::ExprId expr;
  Scope* scope = nullptr;
};

struct Meaning {
  enum class Kind : std::uint8_t {
    expression,  // of a `let`, or what a caller passes
    part,        // of an expression of several, or of a part of it
    variable,    // of the function that is looked for: any value
    number,      // its static arguments
    symbol,      // of the graph's own program: a parameter of a cell
  } kind = Kind::expression;
  Closed closed;
  std::vector<std::size_t> path;  // of a part: from the outside inwards
  std::string name;
  SymbolId symbol{};
  std::optional<std::size_t> parameter{};  // of the scope's function
};

struct Scope {
  std::size_t module = 0;
  Scope* outer = nullptr;
  const ast::ExprFn* function = nullptr;  // whose parameters are here
  std::map<std::string, Meaning> names;
};

// An expression as far as its outermost application, calls of functions and names followed.
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
  std::string name;           // of an operator, a variable
  Closed at;                  // the application, tuple, function, literal
  std::vector<Closed> parts;  // operands, parts
  std::size_t part = 0;
  SymbolId symbol{};
  std::shared_ptr<const Head> of{};  // what it is a part of
};

struct LibraryFunction {
  std::string name;  // `nn.dense`
  std::size_t module = 0;
  ast::ExprId value;
  std::size_t size = 0;  // applications in it
  bool isForm = false;
};

class Library {
 public:
  Library();

  const std::vector<LibraryFunction>& functions() const { return functions_; }  // larger ones first
  const ast::ExprFn& functionOf(const LibraryFunction& its) const;
  OperatorTable& operators() { return operators_; }
  const ast::Module& module(const Scope& scope) const { return modules_[scope.module]; }
  const ast::Expr& operator[](Closed at) const { return modules_[at.scope->module][at.expr]; }

  // The function's body, over variables.
  Closed open(const LibraryFunction& its);
  Head head(Closed at);
  // The name that stands there, if it is one of a value, one step.
  const Meaning* meaning(Closed at, Scope** where = nullptr) const;
  // A scope inside of another one, for a cell's parameters.
  Scope* inside(Scope* outer, const ast::ExprFn* function);

 private:
  struct Callee {
    Closed function;  // an ExprFn
    bool isFound = false;
  };
  void add(const std::string& name, std::string text, bool areForms);
  std::size_t sizeOf(std::size_t module, ast::ExprId id, int depth) const;
  std::optional<std::pair<std::size_t, ast::ExprId>> topLevel(std::size_t module, const std::string& name) const;
  Callee callee(Closed call);
  Closed inlined(Closed call, Closed function);
  Closed block(Closed at);
  void bindParts(const ast::Module& module, ast::PatternId pattern, Scope* scope, Meaning meaning);
  Head partOf(Closed source, const std::vector<std::size_t>& path);

  SourceMap sources_;
  OperatorTable operators_;
  std::vector<ast::Module> modules_;
  std::map<std::string, std::size_t> byName_;
  std::vector<std::map<std::string, ast::ExprId>> topLevels_;
  std::vector<LibraryFunction> functions_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::map<std::pair<Scope*, std::uint32_t>, Scope*> opened_;  // by the application or block
};

}  // namespace axle::emit
