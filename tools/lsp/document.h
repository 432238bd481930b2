// An open text and its check.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/modules.h"
#include "frontend/source.h"
#include "tools/lsp/names.h"
#include "tools/lsp/text.h"
#include "typecheck/incremental/incremental.h"

namespace axle::lsp {

// What a name stands for.
struct Meaning {
  enum Kind { nothing, local, own, member, op, module } kind = nothing;
  std::string name;  // without the module's
  std::string from;  // of a member: the module
  Span definition;   // of its first mention; none of an operator, which stdlib/core.ax defines
  std::optional<BindingId> binding;
  const Statement* statement = nullptr;  // that binds it, of the document
  const ast::Module* source = nullptr;   // that it is defined in
  const CoreOp* declaration = nullptr;
  std::string function;  // of a static parameter, which callers name too: whose it is
};

// A change that was tried: it removes an error. Places are offsets of the text.
struct SuggestedFix {
  const DiagnosticCode* code;
  Span error;
  Fix fix;
};

class Document {
 public:
  Document(std::string uri, std::string path);

  std::string uri, path;
  std::int64_t version = 0;
  Text text;

  // Checks the text as it is now.
  void refresh(const LoadOptions& load);
  bool isFresh = false;
  std::optional<std::vector<SuggestedFix>> fixes;  // of the errors that were found last; none: not looked for
  std::unique_ptr<Document> trial;                 // for texts with a change that is tried
  IncrementalCheck& check() { return check_; }
  const IncrementalCheck& check() const { return check_; }
  Checked& checked() { return check_.checked(); }
  const SourceMap& sources() const { return sources_; }

  // The piece at an offset of the text, and the names in it.
  struct At {
    std::size_t piece = 0;
    std::uint32_t offset = 0;  // in the piece
    const PieceNames* names = nullptr;
    const NameUse* use = nullptr;  // the name that stands there
  };
  At at(std::uint32_t offset);
  const PieceNames& namesIn(std::size_t piece);
  Span inText(std::size_t piece, Span span) const;  // offsets of the text

  Meaning meaning(std::size_t piece, const NameUse& use);
  Meaning meaningOf(const std::string& name, std::size_t piece, std::size_t arity = 0);

  // The statement in the piece, or the last good one before the piece broke.
  const CurrentStatement* statementOf(std::size_t piece) const;
  // The type of the expression or name at a span of a statement's piece.
  std::optional<TypeId> typeAt(const Statement& statement, Span span);
  // The type of a local name; in a broken piece, that of the last good one of that name.
  std::optional<TypeId> typeOfLocal(const CurrentStatement& current, const NameUse& use);
  // Types, printed with the names of the statement's own type.
  std::vector<std::string> print(const Statement* statement, const std::vector<TypeId>& types);
  std::string print(const Statement* statement, TypeId type) { return print(statement, std::vector{type}).front(); }
  std::string printBinding(BindingId binding);
  std::string printSignature(BindingId binding);  // with the names of parameters
  // Names of sizes, shapes and types that the module's parameters share, sorted.
  const std::vector<std::string>& sharedNames() const { return sharedNames_; }

 private:
  SourceMap sources_;
  IncrementalCheck check_;
  NameUse wordAt(std::size_t piece, std::uint32_t offset);
  Meaning staticParameter(Meaning function, const std::string& name, std::size_t piece);
  std::string functionOf(std::size_t piece, Span parameter) const;

  NameUse word_;  // in a broken piece, whose names are not known
  std::map<const Piece*, std::pair<PieceNames, std::vector<std::string>>> names_;
  std::vector<std::string> sharedNames_;
};

// Where a module binds a name, and the `///` text of it.
struct Definition {
  Span span;
  std::string doc;
  std::string tensor;  // of a parameter, where it is not its name
  bool isParam = false;
};
std::optional<Definition> definitionIn(const ast::Module& module, const std::string& name);

}  // namespace axle::lsp
