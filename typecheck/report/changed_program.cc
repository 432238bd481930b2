#include "typecheck/report/changed_program.h"

#include <algorithm>

#include "frontend/parser.h"

namespace axle {
namespace {

Span spanOf(const ast::Module& module, const ast::Item& item) {
  if (const auto* binding = std::get_if<std::uint32_t>(&item)) return module.bindings[*binding].span;
  if (const auto* param = std::get_if<ast::Param>(&item)) return param->span;
  if (const auto* import = std::get_if<ast::Import>(&item)) return import->span;
  return std::get<ast::OpDecl>(item).span;
}

// The items that hold the edits; none where an edit is outside of items.
std::vector<std::size_t> touchedItems(const ast::Module& root, const std::vector<Edit>& edits) {
  std::vector<std::size_t> touched;
  std::size_t held = 0;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    const Span span = spanOf(root, root.items[i]);
    const auto inside = static_cast<std::size_t>(std::ranges::count_if(
        edits, [&](const Edit& edit) { return span.begin <= edit.span.begin && edit.span.end <= span.end; }));
    if (inside > 0) touched.push_back(i);
    held += inside;
  }
  return held == edits.size() ? touched : std::vector<std::size_t>();
}

// A part of the text with the edits in it, behind what is there already.
void addPart(std::string& to, ChangedProgram& changed, std::string_view text, Span part,
             const std::vector<Edit>& edits) {
  auto copy = [&](std::uint32_t from, std::uint32_t end) {
    changed.copied.push_back({from, static_cast<std::uint32_t>(to.size()), end - from});
    to += text.substr(from, end - from);
  };
  std::uint32_t at = part.begin;
  for (const Edit& edit : edits) {
    if (edit.span.begin < part.begin || edit.span.end > part.end) continue;
    copy(at, edit.span.begin);
    to += edit.text;
    at = edit.span.end;
  }
  copy(at, part.end);
}

}  // namespace

std::vector<ProgramItem> itemsOf(const Modules& modules, std::size_t root) {
  if (!modules.program.empty()) return modules.program;
  std::vector<ProgramItem> items;
  for (std::size_t i = 0; i < modules.modules[root].items.size(); ++i) items.push_back({root, i});
  return items;
}

std::uint32_t ChangedProgram::before(std::uint32_t place) const {
  const auto next =
      std::upper_bound(copied.begin(), copied.end(), place, [](auto p, const Copied& copy) { return p < copy.to; });
  const Copied& copy = *(next - 1);
  return copy.from + std::min(place - copy.to, copy.size);
}

std::optional<ChangedProgram> changeProgram(const Modules& modules, std::size_t ofRoot, SourceMap& sources,
                                            const std::vector<Edit>& edits) {
  const ast::Module& root = modules.modules[ofRoot];
  const std::string_view text = sources.text(root.source);
  std::vector<std::size_t> touched = touchedItems(root, edits);
  auto parse = [&]() -> std::optional<ChangedProgram> {
    ChangedProgram changed;
    std::string source;
    for (const std::size_t item : touched) {
      addPart(source, changed, text, spanOf(root, root.items[item]), edits);
      source += source.ends_with(';') ? "\n" : ";\n";
    }
    if (touched.empty())
      addPart(source, changed, text, {root.source, 0, static_cast<std::uint32_t>(text.size())}, edits);
    Diagnostics syntax;
    const SourceId id = sources.add(std::string(sources.path(root.source)), std::move(source));
    changed.module = parseModule(sources, id, std::string(root.name), syntax);
    return syntax.empty() ? std::optional(std::move(changed)) : std::nullopt;
  };
  std::optional<ChangedProgram> changed = parse();
  if (changed && !touched.empty() && changed->module.items.size() != touched.size()) {
    touched.clear();  // an edit makes one item two
    changed = parse();
  }
  if (!changed) return std::nullopt;
  changed->items = itemsOf(modules, ofRoot);
  if (touched.empty()) {
    const bool isSameItems = changed->module.items.size() == root.items.size();
    if (!modules.program.empty() && !isSameItems) return std::nullopt;
    if (modules.program.empty()) changed->items.clear();
    for (std::size_t i = 0; i < changed->module.items.size(); ++i)
      if (modules.program.empty())
        changed->items.push_back({ofRoot + 1, i});
      else
        touched.push_back(i);
  }
  for (std::size_t i = 0; i < touched.size(); ++i)
    for (ProgramItem& item : changed->items)
      if (item.module == ofRoot && item.item == touched[i]) item = {ofRoot + 1, i};
  const auto first = std::ranges::find(changed->items, ofRoot + 1, &ProgramItem::module);
  changed->same = static_cast<std::size_t>(first - changed->items.begin());
  return changed;
}

}  // namespace axle
