#include "typecheck/incremental/incremental.h"

#include <algorithm>
#include <set>

#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/query.h"

namespace axle {

namespace {

std::vector<std::string> boundNames(const ast::Module& module) {
  std::vector<std::string> names;
  for (const ast::Item& item : module.items) {
    if (const auto* param = std::get_if<ast::Param>(&item)) names.push_back(param->name.text);
    if (const auto* binding = std::get_if<std::uint32_t>(&item))
      for (ast::Name& name : namesOf(module, module.bindings[*binding].pattern)) names.push_back(std::move(name.text));
  }
  return names;
}

std::vector<std::string> importedBy(const ast::Module& module) {
  std::vector<std::string> names;
  for (const ast::Item& item : module.items)
    if (const auto* import = std::get_if<ast::Import>(&item)) names.push_back(import->name.text);
  return names;
}

// Names that the statements of the text bind or import: a kept statement of an earlier text must not bind them again.
struct BoundNames {
  std::set<std::uint32_t> bound;
  std::set<std::string> imported;

  void add(const Statement& statement) {
    bound.insert(statement.binds.begin(), statement.binds.end());
    for (std::string& name : importedBy(statement.piece->module)) imported.insert(std::move(name));
  }
  bool has(const Statement& statement) const {
    const std::vector<std::string> imports = importedBy(statement.piece->module);
    return std::any_of(statement.binds.begin(), statement.binds.end(), [&](auto name) { return bound.count(name); }) ||
           std::any_of(imports.begin(), imports.end(), [&](const auto& name) { return imported.count(name); });
  }
};

// Whether a broken piece may be the rest of a statement: it still mentions one of the statement's names.
bool isLeftOf(const Statement& statement, const Piece& broken) {
  const auto isSaid = [&](const std::string& name) {
    return std::binary_search(broken.mentions.begin(), broken.mentions.end(), name);
  };
  const std::vector<std::string> imports = importedBy(statement.piece->module);
  return std::any_of(statement.bound.begin(), statement.bound.end(), isSaid) ||
         std::any_of(imports.begin(), imports.end(), isSaid);
}

}  // namespace

IncrementalCheck::IncrementalCheck(SourceMap& sources, std::string path)
    : sources_(sources), path_(std::move(path)), pieces_(sources, path_) {}

IncrementalCheck::~IncrementalCheck() = default;

IncrementalCheck::NameId IncrementalCheck::nameId(const std::string& name) {
  return names_.try_emplace(name, static_cast<NameId>(names_.size())).first->second;
}

std::shared_ptr<Statement> IncrementalCheck::read(std::shared_ptr<const Piece> piece) {
  auto statement = std::make_shared<Statement>();
  statement->bound = boundNames(piece->module);
  statement->piece = std::move(piece);
  number(*statement);
  return statement;
}

void IncrementalCheck::number(Statement& statement) {
  statement.mentions.clear();
  statement.binds.clear();
  for (const std::string& name : statement.piece->mentions) statement.mentions.push_back(nameId(name));
  for (const std::string& name : statement.bound) statement.binds.push_back(nameId(name));
}

// Keeps the statements of unchanged pieces. A piece that is now broken keeps the statement that it replaced.
void IncrementalCheck::align() {
  const std::vector<CurrentStatement> old = std::move(statements_);
  statements_.clear();
  std::unordered_map<const Piece*, std::shared_ptr<Statement>> known;
  std::unordered_map<const Piece*, std::size_t> placeOf;
  begins_.clear();
  for (std::size_t i = 0; i < pieces().size(); ++i) {
    placeOf[pieces()[i].piece.get()] = i;
    begins_[pieces()[i].piece->source.index] = pieces()[i].begin;
  }
  // Removed statements, by the next piece that stayed.
  std::unordered_map<std::size_t, std::vector<std::shared_ptr<Statement>>> gone;
  std::size_t next = pieces().size();
  for (auto it = old.rbegin(); it != old.rend(); ++it) {
    auto place = placeOf.find(it->statement->piece.get());
    if (place != placeOf.end()) {
      next = place->second;
      known[it->statement->piece.get()] = it->statement;
    } else {
      gone[next].push_back(it->statement);
    }
  }
  BoundNames bound;
  std::set<std::size_t> stayed;
  for (const auto& [piece, statement] : known) stayed.insert(placeOf[piece]);
  for (std::size_t i = 0; i < pieces().size(); ++i) {
    const auto& piece = pieces()[i].piece;
    if (piece->isBroken()) continue;
    auto& statement = known[piece.get()];
    if (!statement) statement = read(piece);
    bound.add(*statement);
  }
  for (std::size_t i = 0; i < pieces().size(); ++i) {
    const auto& piece = pieces()[i].piece;
    if (!piece->isBroken()) {
      statements_.push_back({known[piece.get()], i, true});
      continue;
    }
    // The gap of new pieces around this one ends at the next piece that stayed.
    auto end = stayed.upper_bound(i);
    auto before = gone.find(end == stayed.end() ? pieces().size() : *end);
    if (before != gone.end()) {
      std::vector<std::shared_ptr<Statement>> left;  // for the next broken piece in the gap
      for (auto ghost = before->second.rbegin(); ghost != before->second.rend(); ++ghost) {
        if ((*ghost)->piece->isBroken() || bound.has(**ghost)) continue;
        if (isLeftOf(**ghost, *piece)) {
          statements_.push_back({*ghost, i, false});
          bound.add(**ghost);
        } else {
          left.insert(left.begin(), *ghost);
        }
      }
      before->second = std::move(left);
    }
    if (statements_.empty() || statements_.back().piece != i || statements_.back().isCurrent) {
      auto& statement = known[piece.get()];
      if (!statement) statement = read(piece);
      statements_.push_back({statement, i, true});
    }
  }
  findGone(old);
}

void IncrementalCheck::findGone(const std::vector<CurrentStatement>& old) {
  std::set<const Statement*> now;
  for (const CurrentStatement& current : statements_) now.insert(current.statement.get());
  gone_.clear();
  for (const CurrentStatement& before : old)
    if (before.statement->isInferred && !now.count(before.statement.get())) gone_.push_back(before.statement);
}

std::vector<const ast::Import*> IncrementalCheck::importStatements() const {
  std::vector<const ast::Import*> out;
  for (const CurrentStatement& current : statements_)
    for (const ast::Item& item : current.statement->piece->module.items)
      if (const auto* import = std::get_if<ast::Import>(&item)) out.push_back(import);
  return out;
}

void IncrementalCheck::loadImports(const LoadOptions& load) {
  std::vector<std::string> names;
  for (const ast::Import* import : importStatements()) names.push_back(import->name.text);
  if (importsKnown_ && names == importNames_) return;
  importsKnown_ = true;
  importNames_ = std::move(names);
  std::string text;
  importBegins_.clear();
  for (const std::string& name : importNames_) {
    importBegins_.push_back(static_cast<std::uint32_t>(text.size()));
    text += "import " + name + ";\n";
  }
  LoadOptions withRoot = load;
  withRoot.texts[fileIdentity(path_)] = std::move(text);
  loadFound_.clear();
  modules_ = loadModules(sources_, path_, withRoot, loadFound_);
  importsSource_ = modules_.root().source;
  rootImports_ = std::move(modules_.imports.back());
  modules_.modules.pop_back();
  modules_.imports.pop_back();
  imported_ = modules_.modules.size();
  checked_.reset();
}

// Drops unreferenced texts and names. Not to be called during inference.
void IncrementalCheck::dropUnusedSources() {
  std::vector<SourceId> live{importsSource_};
  auto keep = [&](const Label& label) {
    if (const Span* span = std::get_if<Span>(&label.place)) live.push_back(span->source);
  };
  for (const Diagnostic& found : loadFound_) {
    keep(found.primary);
    for (const Label& label : found.secondary) keep(label);
  }
  for (const ast::Module& module : modules_.modules) live.push_back(module.source);
  for (const PlacedPiece& placed : pieces()) live.push_back(placed.piece->source);
  for (const CurrentStatement& current : statements_) live.push_back(current.statement->piece->source);
  sources_.keep(live);
  liveBytes_ = sources_.heldBytes();
  gone_.clear();
  names_.clear();
  signatures_.clear();
  for (const CurrentStatement& current : statements_) number(*current.statement);
}

// Starts over, with only the imported modules inferred.
void IncrementalCheck::begin() {
  modules_.modules.resize(imported_);
  modules_.imports.resize(imported_);
  for (const CurrentStatement& current : statements_) {
    current.statement->isInferred = false;
    current.statement->module = Statement::none;
    current.statement->names.clear();
    for (Diagnostics& found : current.statement->found) found.clear();
  }
  checked_.reset();
  dropUnusedSources();
  checked_ = std::make_unique<Checked>(modules_, sources_, options_.operators);
  importFound_.clear();
  settleFound_.clear();
  afresh_ = false;
  Inference in(*checked_, options_, importFound_);
  if (!withinBudget(in, importFound_, [&] { inferImported(in, imported_); })) return;
  importedBindings_ = checked_->program.bindings.size();
  Statement outside;
  for (const auto& [name, module] : rootImports_)
    for (const auto& [member, binding] : checked_->moduleScopes[module].values)
      outside.names.push_back({member, binding});
  afresh_ = isOpen(outside);  // statements refine types of imported modules
}

void IncrementalCheck::update(std::string_view text, const LoadOptions& load) {
  pieces_.update(text);
  align();
  loadImports(load);
  constexpr std::size_t fewExprs = 10'000, fewBytes = 4 << 20;
  bool muchGarbage = checked_ && (checked_->program.exprs.size() > 4 * liveExprs_ + fewExprs ||
                                  sources_.heldBytes() > 4 * liveBytes_ + fewBytes);
  if (checked_ && !afresh_ && !muchGarbage) {
    infer();
    if (!afresh_) return;
  }
  begin();
  if (checked_->gaveUp) {
    afresh_ = true;
    return;
  }
  bool opened = afresh_;
  infer();
  afresh_ |= opened;
  liveExprs_ = checked_->program.exprs.size();
}

std::optional<Span> IncrementalCheck::placed(Span span) const {
  auto begin = begins_.find(span.source.index);
  if (begin == begins_.end()) return std::nullopt;
  return Span{span.source, span.begin + begin->second, span.end + begin->second};
}

Diagnostics IncrementalCheck::diagnostics() const {
  Diagnostics out;
  for (const PlacedPiece& placed : pieces())
    out.insert(out.end(), placed.piece->diagnostics.begin(), placed.piece->diagnostics.end());
  const std::vector<const ast::Import*> imports = importStatements();
  auto inText = [&](Label& label) {  // moves a label from the text of imports to the import statement
    Span* span = std::get_if<Span>(&label.place);
    if (!span || !(span->source == importsSource_)) return;
    auto after = std::upper_bound(importBegins_.begin(), importBegins_.end(), span->begin);
    auto index = static_cast<std::size_t>(after - importBegins_.begin());
    if (index > 0 && index <= imports.size()) *span = imports[index - 1]->name.span;
  };
  // Whether a label is not in a statement that is broken now.
  const auto isOfTheText = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    return !span || std::none_of(statements_.begin(), statements_.end(), [&](const CurrentStatement& current) {
      return !current.isCurrent && current.statement->piece->source == span->source;
    });
  };
  for (Diagnostic d : loadFound_) {
    inText(d.primary);
    if (!isOfTheText(d.primary)) continue;
    for (Label& label : d.secondary) inText(label);
    out.push_back(std::move(d));
  }
  out.insert(out.end(), importFound_.begin(), importFound_.end());
  auto phase = [&](Statement::Phase which) {
    for (const CurrentStatement& current : statements_) {
      if (pieces()[current.piece].piece->isBroken()) continue;
      const Diagnostics& found = current.statement->found[which];
      out.insert(out.end(), found.begin(), found.end());
    }
  };
  phase(Statement::inItself);
  phase(Statement::ofScheme);
  out.insert(out.end(), settleFound_.begin(), settleFound_.end());
  phase(Statement::ofNumbers);
  phase(Statement::ofNames);
  keepFirstOfMissingImports(sources_, out);
  noteErrorsLeftOut(out, leftOut_);
  return out;
}

std::vector<BindingType> IncrementalCheck::types() {
  checked_->rootNames.clear();
  for (const CurrentStatement& current : statements_)
    checked_->rootNames.insert(checked_->rootNames.end(), current.statement->names.begin(),
                               current.statement->names.end());
  return bindingTypes(*checked_, printSignature);
}

}  // namespace axle
