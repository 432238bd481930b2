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

// The meaning of a name.
struct Meaning {
  enum Kind { nothing, local, own, member, op, module } kind = nothing;
  std::string name;  // without the module's
  std::string from;  // of a member: the module
  Span definition;   // its first mention; none for an operator, which stdlib/core.ax defines
  std::optional<BindingId> binding;
  const Statement* statement = nullptr;  // the document's statement that binds it
  const ast::Module* source = nullptr;   // the module that defines it
  const CoreOp* declaration = nullptr;
  std::string function;  // of a static parameter, which callers name too: its function
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
  // The errors as `axc check` tells them: with the operators that fail, and fixes that were tried. Their edits are
  // offsets of the text; their labels lie in its pieces. nullopt if not looked for yet.
  std::optional<Diagnostics> explained;
  std::unique_ptr<Document> trial;  // for trying changes of the text
  IncrementalCheck& check() { return check_; }
  const IncrementalCheck& check() const { return check_; }
  Diagnostics diagnostics() const { return explained ? *explained : check_.diagnostics(); }
  Checked& checked() { return check_.checked(); }
  const SourceMap& sources() const { return sources_; }

  // The piece at an offset of the text, and the names in it.
  struct At {
    std::size_t piece = 0;
    std::uint32_t offset = 0;  // in the piece
    const PieceNames* names = nullptr;
    const NameUse* use = nullptr;  // the name at the offset, if there is one
  };
  At at(std::uint32_t offset);
  const PieceNames& namesIn(std::size_t piece);
  Span inText(std::size_t piece, Span span) const;  // offsets of the text

  Meaning meaning(std::size_t piece, const NameUse& use);
  Meaning meaningOf(const std::string& name, std::size_t piece, std::size_t arity = 0);

  // Returns the statement in the piece, or the last good one before the piece broke.
  const CurrentStatement* statementOf(std::size_t piece) const;
  // Returns the type of the expression or name at a span of a statement's piece.
  std::optional<TypeId> typeAt(const Statement& statement, Span span);
  // Returns the type of a local name; in a broken piece, the last good type of a name with this text.
  std::optional<TypeId> typeOfLocal(const CurrentStatement& current, const NameUse& use);
  // Prints types with the names of the statement's own type.
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

  NameUse word_;  // the word found last in a broken piece, whose names are not known
  std::map<const Piece*, std::pair<PieceNames, std::vector<std::string>>> names_;
  std::vector<std::string> sharedNames_;
};

// The place where a module binds a name, and its `///` text.
struct Definition {
  Span span;
  std::string doc;
  std::string tensor;  // of a parameter: the name of its tensor
  bool isParam = false;
};
std::optional<Definition> definitionIn(const ast::Module& module, const std::string& name);

}  // namespace axle::lsp
