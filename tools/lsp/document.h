// An open text and what is known of it.
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

// What a name means.
struct Meaning {
  enum Kind { nothing, local, own, member, op, module } kind = nothing;
  std::string name;  // without the module's
  std::string from;  // of a member: the module
  Span definition;   // where it is said first; none of an operator, of which it is in stdlib/core.ax
  std::optional<BindingId> binding;
  const Statement* statement = nullptr;  // that binds it, of the document
  const ast::Module* source = nullptr;   // that it is defined in
  const CoreOp* declaration = nullptr;
  std::string function;  // of a static parameter, which callers say too: whose it is
};

// A change that was tried, in offsets of the text: with it an error of it is gone.
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
  std::optional<std::vector<SuggestedFix>>
      fixes;                        // of the errors of the text as it was checked last; none: not looked for
  std::unique_ptr<Document> trial;  // of what the text might be
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

  // The statement that says what the piece holds, or held before it broke.
  const CurrentStatement* statementOf(std::size_t piece) const;
  // The type of what stands at a span of a statement's piece.
  std::optional<TypeId> typeAt(const Statement& statement, Span span);
  // Of a local name; where its piece is broken, of the one of that name that was there before.
  std::optional<TypeId> typeOfLocal(const CurrentStatement& current, const NameUse& use);
  // In the names of the statement's own type.
  std::vector<std::string> print(const Statement* statement, const std::vector<TypeId>& types);
  std::string print(const Statement* statement, TypeId type) { return print(statement, std::vector{type}).front(); }
  std::string printBinding(BindingId binding);
  // Sizes, shapes and the like that the module's parameters share, in the order of the alphabet.
  const std::vector<std::string>& sharedNames() const { return sharedNames_; }

 private:
  SourceMap sources_;
  IncrementalCheck check_;
  NameUse wordAt(std::size_t piece, std::uint32_t offset);
  Meaning staticParameter(Meaning function, const std::string& name, std::size_t piece);
  std::string functionOf(std::size_t piece, Span parameter) const;

  NameUse word_;  // of a broken piece, which tells no names
  std::map<const Piece*, std::pair<PieceNames, std::vector<std::string>>> names_;
  std::vector<std::string> sharedNames_;
};

// The `///` text of a name that a module binds, and where it says the name.
struct Definition {
  Span span;
  std::string doc;
  std::string tensor;  // of a parameter, where it is not its name
  bool isParam = false;
};
std::optional<Definition> definitionIn(const ast::Module& module, const std::string& name);

}  // namespace axle::lsp
