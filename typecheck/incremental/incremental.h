// Checks a module whose text is edited. After an edit, infers only the statements that the edit touches, those that use
// a name whose type changed, and those that share open variables with one of them. Its diagnostics equal those of
// `check` for the whole text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/modules.h"
#include "frontend/top_level_statements.h"
#include "typecheck/checked.h"
#include "typecheck/infer/scheme.h"

namespace axle {

// A statement with the result of its last inference.
struct Statement {
  std::shared_ptr<const Piece> piece;
  bool isInferred = false;
  std::vector<TopLevelName> names;                            // bound by it
  std::pair<std::size_t, std::size_t> exprs, bindings, lets;  // ranges of the program: from, to

  // Only IncrementalCheck uses the following members.
  struct Use {
    std::uint32_t name, signature;
    friend bool operator==(const Use&, const Use&) = default;
  };
  std::vector<std::string> bound;              // names that its text binds
  std::vector<std::uint32_t> mentions, binds;  // names
  std::vector<Use> uses;                       // of names bound by earlier statements
  std::vector<std::uint32_t> signatures;       // of `names`
  AnnotationNames introduced;
  bool isOpen = false;  // later uses may refine its types
  std::uint32_t introducedAs = 0;
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t module = none;
  std::vector<std::pair<VariableMark, VariableMark>> variables;
  // The diagnostics by phase; all phases but the first run once all statements are inferred.
  enum Phase { inItself, ofScheme, ofNumbers, ofNames, phases };
  std::array<Diagnostics, phases> found;
};

// A statement of the current text. For a piece with syntax errors: the statement from before the errors, if it is
// known.
struct CurrentStatement {
  std::shared_ptr<Statement> statement;
  std::size_t piece = 0;
  bool isCurrent = true;  // false for a statement from before the piece's syntax errors
};

class IncrementalCheck {
 public:
  // `sources` must outlive this object and be used by it alone; `path` is the module's file.
  IncrementalCheck(SourceMap& sources, std::string path);
  ~IncrementalCheck();

  // Checks a new text of the module. `load.texts` are texts of other modules.
  void update(std::string_view text, const LoadOptions& load);
  // Makes the next update read imported modules again.
  void forgetImports() { importsKnown_ = false; }
  void forgetAll() { checked_.reset(); }

  const std::vector<PlacedPiece>& pieces() const { return pieces_.pieces(); }
  const std::vector<CurrentStatement>& statements() const { return statements_; }
  // Returns the diagnostics that `check` gives for the text, in the same order. Syntax errors come first; statements
  // with syntax errors have no others.
  Diagnostics diagnostics() const;
  Checked& checked() { return *checked_; }
  const Modules& modules() const { return modules_; }  // imported modules come first
  std::size_t importedModules() const { return imported_; }
  const std::map<std::string, std::size_t>& imports() const { return rootImports_; }
  // Returns the place in the module's text of a span in one of its pieces. None for spans in other texts or in removed
  // pieces.
  std::optional<Span> placed(Span span) const;  // the result's source is still the piece's
  std::vector<BindingType> types();
  std::size_t inferredLast() const { return inferredLast_; }  // number of statements

 private:
  using NameId = std::uint32_t;
  struct Round;

  NameId nameId(const std::string& name);
  std::shared_ptr<Statement> read(std::shared_ptr<const Piece> piece);
  void number(Statement& statement);
  void align();
  void findGone(const std::vector<CurrentStatement>& old);
  void loadImports(const LoadOptions& load);
  std::vector<const ast::Import*> importStatements() const;
  void begin();
  void dropUnusedSources();
  void infer();
  bool pass(Round& round);
  void inferStatement(Round& round, std::size_t index);
  void finish(Round& round);
  bool touchExplained(Round& round);
  void touchGroup(Round& round, std::size_t index);
  void link(Round& round);
  void discard();
  bool isOpen(const Statement& statement);
  std::uint32_t signatureOf(const Statement& statement, const TopLevelName& name);
  std::vector<Statement::Use> usesOf(const Statement& statement) const;
  void bringIn(const Statement& statement);

  SourceMap& sources_;
  std::string path_;
  ModulePieces pieces_;
  std::vector<CurrentStatement> statements_;
  std::vector<std::shared_ptr<const Statement>> gone_;  // removed by the last update
  std::unordered_map<std::string, NameId> names_;
  std::unordered_map<std::string, std::uint32_t> signatures_;
  std::uint32_t lastSignature_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> begins_;  // beginnings of pieces, by their sources

  bool importsKnown_ = false;
  std::vector<std::string> importNames_;
  std::map<std::string, std::size_t> rootImports_;
  std::size_t imported_ = 0, importedBindings_ = 0;
  Diagnostics loadFound_, importFound_;
  SourceId importsSource_;
  std::vector<std::uint32_t> importBegins_;  // beginnings of imports in the text of `importsSource_`

  Modules modules_;
  std::unique_ptr<Checked> checked_;
  CheckOptions options_;
  Scope scope_;
  std::vector<std::uint32_t> current_;  // signatures of the names in scope, by NameId; 0: none
  Diagnostics settleFound_;
  std::size_t leftOut_ = 0;  // errors past `maxErrors`
  bool afresh_ = true;       // the next update infers everything
  std::size_t liveExprs_ = 0, liveBytes_ = 0, inferredLast_ = 0;
};

}  // namespace axle
