#include "typecheck/types/operator_signatures.h"

#include "frontend/parser.h"

namespace axle {

std::optional<std::uint32_t> OperatorTable::find(std::string_view name, std::size_t arity) {
  // `-` has two rows in the table: infix first, then prefix.
  bool prefix = name == "-" && arity == 1;
  std::string key = std::string(name) + (prefix ? "/1" : "");
  if (auto it = byKey_.find(key); it != byKey_.end()) return it->second;
  const CoreOp* row = nullptr;
  for (const CoreOp& op : declared_) {
    if (op.name != name) continue;
    row = &op;
    if (!prefix) break;
  }
  if (!row) {
    byKey_[key] = std::nullopt;
    return std::nullopt;
  }

  auto parsed = std::make_shared<Parsed>();
  // Puts as many empty lines before the declaration as the file has lines before it, so spans and lines are those of
  // the file.
  std::string text(row->line > 0 ? row->line - 1 : 0, '\n');
  text += row->text;
  SourceId source = parsed->sources.add("stdlib/core.ax", std::move(text));
  Diagnostics diagnostics;
  parsed->module = parseModule(parsed->sources, source, "core", diagnostics);
  for (const ast::Item& item : parsed->module.items)
    if (auto* decl = std::get_if<ast::OpDecl>(&item)) parsed->entry.decl = decl;
  if (!parsed->entry.decl) return std::nullopt;
  parsed->entry.name = std::string(row->name);
  parsed->entry.module = &parsed->module;
  parsed->entry.doc = row->doc;
  parsed->entry.text = row->text;
  auto index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(&parsed->entry);
  parsed_.push_back(std::move(parsed));
  byKey_[key] = index;
  return index;
}

std::optional<std::size_t> OperatorTable::attribute(std::uint32_t op, std::string_view name) const {
  const auto& attributes = entries_[op]->decl->attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i)
    if (attributes[i].name.text == name) return i;
  return std::nullopt;
}

}  // namespace axle
