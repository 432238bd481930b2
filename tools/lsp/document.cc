#include "tools/lsp/document.h"

#include <algorithm>

#include "frontend/keywords.h"
#include "typecheck/report/query.h"

namespace axle::lsp {

std::optional<Definition> definitionIn(const ast::Module& module, const std::string& name) {
  for (const ast::Item& item : module.items) {
    if (const auto* param = std::get_if<ast::Param>(&item); param && param->name.text == name)
      return Definition{param->name.span, param->doc, param->tensorName, true};
    if (const auto* index = std::get_if<std::uint32_t>(&item)) {
      const ast::Binding& binding = module.bindings[*index];
      for (const ast::Name& bound : namesOf(module, binding.pattern))
        if (bound.text == name) return Definition{bound.span, binding.doc, "", false};
    }
  }
  return std::nullopt;
}

namespace {

// The binding that defines the name at a span.
const ast::Binding* bindingAt(const ast::Module& module, Span name) {
  for (const ast::Binding& binding : module.bindings)
    if (module[binding.pattern].span == name) return &binding;
  return nullptr;
}

}  // namespace

Document::Document(std::string u, std::string p) : uri(std::move(u)), path(std::move(p)), check_(sources_, path) {}

void Document::refresh(const LoadOptions& load) {
  if (isFresh) return;
  check_.update(text.bytes(), load);
  isFresh = true;
  explained.reset();
  sharedNames_.clear();
  for (const CurrentStatement& current : check_.statements()) {
    auto add = [&](const auto& names) {
      for (const auto& entry : names) sharedNames_.push_back(entry.first);
    };
    add(current.statement->introduced.dims);
    add(current.statement->introduced.shapes);
    add(current.statement->introduced.elems);
    add(current.statement->introduced.types);
  }
  std::sort(sharedNames_.begin(), sharedNames_.end());
  std::map<const Piece*, std::pair<PieceNames, std::vector<std::string>>> kept;
  for (const PlacedPiece& placed : check_.pieces())
    if (auto it = names_.find(placed.piece.get()); it != names_.end()) kept.insert(names_.extract(it));
  names_ = std::move(kept);
}

const PieceNames& Document::namesIn(std::size_t piece) {
  const auto& shared = check_.pieces()[piece].piece;
  auto& [names, with] = names_[shared.get()];
  if (names.uses.empty() || with != sharedNames_) {
    names = namesOf(shared->module, sources_, sharedNames_);
    with = sharedNames_;
  }
  return names;
}

Document::At Document::at(std::uint32_t offset) {
  const std::vector<PlacedPiece>& pieces = check_.pieces();
  At found;
  if (pieces.empty()) return found;
  auto after = std::upper_bound(pieces.begin(), pieces.end(), offset,
                                [](std::uint32_t at, const PlacedPiece& piece) { return at < piece.begin; });
  found.piece = after == pieces.begin() ? 0 : static_cast<std::size_t>(after - pieces.begin()) - 1;
  found.offset = offset - pieces[found.piece].begin;
  found.names = &namesIn(found.piece);
  for (const NameUse& use : found.names->uses)  // the place right after a name counts as within it
    if (use.span.begin <= found.offset && found.offset <= use.span.end) {
      bool closer = !found.use || found.offset < use.span.end || found.use->kind == NameKind::symbol;
      if (closer) found.use = &use;
    }
  if (!found.use && pieces[found.piece].piece->isBroken()) {
    word_ = wordAt(found.piece, found.offset);
    if (!word_.name.empty()) found.use = &word_;
  }
  return found;
}

// Returns the word at an offset of a broken piece, with the meaning it had in the last good one.
NameUse Document::wordAt(std::size_t piece, std::uint32_t offset) {
  SourceId source = check_.pieces()[piece].piece->source;
  std::string_view bytes = sources_.text(source);
  std::uint32_t begin = offset, end = offset;
  while (begin > 0 && isNamePart(bytes[begin - 1])) --begin;
  while (end < bytes.size() && isNamePart(bytes[end])) ++end;
  NameUse use;
  use.span = {source, begin, end};
  use.name = bytes.substr(begin, end - begin);
  for (const CurrentStatement& current : check_.statements()) {
    if (current.piece != piece || current.isCurrent) continue;
    for (const LocalName& local : namesOf(current.statement->piece->module, sources_, sharedNames_).locals)
      if (local.name == use.name) {
        use.kind = NameKind::local;
        use.definition = local.definition;
      }
  }
  return use;
}

Span Document::inText(std::size_t piece, Span span) const {
  std::uint32_t begin = check_.pieces()[piece].begin;
  return {span.source, span.begin + begin, span.end + begin};
}

const CurrentStatement* Document::statementOf(std::size_t piece) const {
  const CurrentStatement* found = nullptr;
  for (const CurrentStatement& current : check_.statements())
    if (current.piece == piece) found = &current;
  return found;
}

Meaning Document::meaning(std::size_t piece, const NameUse& use) {
  if (use.kind == NameKind::local) {
    Meaning out;
    out.kind = Meaning::local;
    out.name = use.name;
    out.definition = use.definition;
    out.function = functionOf(piece, use.definition);
    if (const CurrentStatement* current = statementOf(piece)) out.statement = current->statement.get();
    return out;
  }
  if (use.kind == NameKind::module) {
    Meaning out;
    out.kind = Meaning::module;
    out.from = use.name;
    if (auto it = check_.imports().find(use.name); it != check_.imports().end())
      out.source = &check_.modules().modules[it->second];
    return out;
  }
  if (use.kind == NameKind::attribute) return staticParameter(meaningOf(use.callee, piece), use.name, piece);
  if (use.kind == NameKind::symbol) return meaningOf(use.name, 0, use.arity);
  return meaningOf(use.name, piece + (use.defines ? 1 : 0));
}

// Returns the static parameter of this name of a function, or the operator itself if the function is one.
Meaning Document::staticParameter(Meaning function, const std::string& name, std::size_t piece) {
  constexpr int mostNames = 100;  // that rename one function
  for (int i = 0; i < mostNames && function.kind != Meaning::op && function.source; ++i) {
    const ast::Module& module = *function.source;
    const ast::Binding* binding = bindingAt(module, function.definition);
    if (!binding) break;
    if (const auto* fn = std::get_if<ast::ExprFn>(&module[binding->value].node)) {
      for (const ast::StaticParameter& parameter : fn->statics) {
        if (parameter.name.text != name) continue;
        Meaning out;
        out.kind = Meaning::local;
        out.name = name;
        out.definition = parameter.name.span;
        out.statement = function.statement;
        out.function = function.name;
        return out;
      }
      break;
    }
    const auto* other = std::get_if<ast::ExprName>(&module[binding->value].node);
    if (!other) break;
    if (function.kind == Meaning::own) {
      function = meaningOf(other->name, piece);
    } else {
      auto definition = definitionIn(module, other->name);
      if (!definition) break;
      function.name = other->name;
      function.definition = definition->span;
    }
  }
  return function.kind == Meaning::op ? function : Meaning{};
}

// Returns the function of the piece whose static parameter is defined at a span; empty if there is none.
std::string Document::functionOf(std::size_t piece, Span parameter) const {
  const ast::Module& module = check_.pieces()[piece].piece->module;
  for (const ast::Binding& binding : module.bindings) {
    const auto* fn = std::get_if<ast::ExprFn>(&module[binding.value].node);
    const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node);
    for (std::size_t i = 0; fn && name && i < fn->statics.size(); ++i)
      if (fn->statics[i].name.span == parameter) return name->name;
  }
  return {};
}

// Returns the meaning of a name in the piece. A binding below the piece is not in scope, but is better than nothing.
Meaning Document::meaningOf(const std::string& name, std::size_t piece, std::size_t arity) {
  Meaning out;
  out.name = name;
  for (const CurrentStatement& current : check_.statements()) {
    if (arity) break;
    auto definition = definitionIn(current.statement->piece->module, name);
    if (!definition || (out.kind == Meaning::own && current.piece >= piece)) continue;
    out.kind = Meaning::own;
    out.definition = definition->span;
    out.statement = current.statement.get();
    out.source = &current.statement->piece->module;
    out.binding.reset();
    for (const TopLevelName& bound : current.statement->names)
      if (bound.name == name) out.binding = bound.binding;
  }
  if (out.kind == Meaning::own) return out;
  std::string rest = name;
  if (auto dot = name.find('.'); dot != std::string::npos)
    if (auto import = check_.imports().find(name.substr(0, dot)); import != check_.imports().end()) {
      rest = name.substr(dot + 1);
      const ast::Module& module = check_.modules().modules[import->second];
      if (auto definition = definitionIn(module, rest)) {
        out.kind = Meaning::member;
        out.name = rest;
        out.from = name.substr(0, dot);
        out.definition = definition->span;
        out.source = &module;
        if (import->second < checked().moduleScopes.size()) {
          const auto& values = checked().moduleScopes[import->second].values;
          if (auto it = values.find(rest); it != values.end()) out.binding = it->second;
        }
        return out;
      }
    }
  for (const CoreOp& op : coreOps()) {
    if (op.name != rest) continue;
    bool isPrefix = op.text.substr(0, op.text.find("->")).find(',') == std::string_view::npos;
    if (out.declaration && isPrefix != (arity == 1)) continue;
    out.kind = Meaning::op;
    out.name = rest;
    out.declaration = &op;
  }
  return out;
}

std::optional<TypeId> Document::typeAt(const Statement& statement, Span span) {
  const TypedProgram& program = checked().program;
  auto isThere = [&](Span other) { return other.source == span.source && other.begin == span.begin; };
  for (std::size_t i = statement.bindings.first; i < std::min(statement.bindings.second, program.bindings.size()); ++i)
    if (isThere(program.bindings[i].span) && checked().failed.count(static_cast<std::uint32_t>(i)) == 0)
      return program.bindings[i].type;
  for (std::size_t i = statement.exprs.first; i < std::min(statement.exprs.second, program.exprs.size()); ++i)
    if (program.exprs[i].span == span) return program.exprs[i].type;
  return std::nullopt;
}

std::optional<TypeId> Document::typeOfLocal(const CurrentStatement& current, const NameUse& use) {
  if (current.isCurrent) {
    if (auto type = typeAt(*current.statement, use.span)) return type;
    return typeAt(*current.statement, use.definition);
  }
  const TypedProgram& program = checked().program;
  for (std::size_t i = current.statement->bindings.second; i-- > current.statement->bindings.first;)
    if (i < program.bindings.size() && program.bindings[i].name == use.name) return program.bindings[i].type;
  return std::nullopt;
}

std::vector<std::string> Document::print(const Statement* statement, const std::vector<TypeId>& types) {
  checked().solution.restartWork();
  checked().solution.restartSteps();
  try {
    if (!statement || statement->names.size() != 1) return printTypes(checked(), types);
    BindingId owner = statement->names.front().binding;
    auto scheme = checked().schemes.find(owner.index);
    return printWithin(checked(), checked().program[owner].type,
                       scheme == checked().schemes.end() ? nullptr : &scheme->second, types);
  } catch (const TypesTooLarge&) {
    return std::vector<std::string>(types.size(), "(a type too large to print)");
  }
}

std::string Document::printBinding(BindingId binding) {
  checked().solution.restartWork();
  checked().solution.restartSteps();
  if (checked().failed.count(binding.index)) return "(an error)";
  return axle::printBinding(checked(), binding);
}

std::string Document::printSignature(BindingId binding) {
  checked().solution.restartWork();
  checked().solution.restartSteps();
  if (checked().failed.count(binding.index)) return "(an error)";
  return axle::printSignature(checked(), binding);
}

}  // namespace axle::lsp
