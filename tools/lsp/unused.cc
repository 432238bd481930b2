#include "tools/lsp/unused.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "typecheck/report/fixes.h"

namespace axle::lsp {

namespace {

// The names that the text uses: those of the top level, with the modules that they are of, and the places of those that
// functions define.
struct Used {
  std::set<std::string, std::less<>> topLevel;
  std::set<std::pair<std::size_t, std::uint32_t>> locals;  // piece, offset in it
};

Used usedIn(Document& document) {
  Used used;
  for (std::size_t piece = 0; piece < document.check().pieces().size(); ++piece)
    for (const NameUse& use : document.namesIn(piece).uses) {
      if (use.defines) continue;
      if (use.kind == NameKind::local) used.locals.emplace(piece, use.definition.begin);
      if (use.kind != NameKind::topLevel) continue;
      used.topLevel.insert(use.name);
      used.topLevel.insert(use.name.substr(0, use.name.find('.')));
    }
  return used;
}

}  // namespace

std::vector<UnusedName> unusedNames(Document& document) {
  std::vector<UnusedName> unused;
  if (document.text.bytes().size() > longestTextWithFixes || hasSyntaxErrors(document.check().diagnostics()))
    return unused;
  const Used used = usedIn(document);
  for (std::size_t piece = 0; piece < document.check().pieces().size(); ++piece) {
    auto add = [&](const std::string& name, Span span) { unused.push_back({name, document.inText(piece, span)}); };
    for (const ast::Item& item : document.check().pieces()[piece].piece->module.items) {
      const auto* import = std::get_if<ast::Import>(&item);
      const auto* param = std::get_if<ast::Param>(&item);
      const ast::Name* name = import ? &import->name : param ? &param->name : nullptr;
      if (name && !used.topLevel.contains(name->text)) add(name->text, name->span);
    }
    for (const LocalName& local : document.namesIn(piece).locals)
      if (local.sort.empty() && !local.name.starts_with('_') && !used.locals.contains({piece, local.definition.begin}))
        add(local.name, local.definition);
  }
  std::ranges::sort(unused, {}, [](const UnusedName& each) { return each.span.begin; });
  return unused;
}

}  // namespace axle::lsp
