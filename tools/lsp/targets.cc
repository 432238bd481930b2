#include "tools/lsp/targets.h"

namespace axle::lsp {

NameTarget targetOf(Document& document, std::size_t piece, const NameUse& use) {
  NameTarget target{document.meaning(piece, use), ""};
  if (target.meaning.kind == Meaning::own) target.file = fileIdentity(document.path);
  if (target.meaning.kind == Meaning::member)
    target.file = fileIdentity(std::string(document.sources().path(target.meaning.source->source)));
  if (!target.meaning.function.empty())
    target.file = fileIdentity(std::string(document.sources().path(target.meaning.definition.source)));
  return target;
}

namespace {

bool isSame(const NameTarget& found, const NameTarget& target) {
  const Meaning &a = found.meaning, &b = target.meaning;
  if (found.file != target.file || a.name != b.name || a.function != b.function) return false;
  if (target.file.empty() && a.kind != b.kind) return false;
  switch (b.kind) {
    case Meaning::nothing:
      return false;
    case Meaning::local:
      return !b.function.empty() || a.definition == b.definition;
    case Meaning::op:
      return a.declaration == b.declaration;
    case Meaning::module:
      return a.from == b.from;
    case Meaning::own:
    case Meaning::member:
      return true;
  }
  return false;
}

}  // namespace

std::vector<NamePlace> placesOf(State& state, Document& document, const NameTarget& target) {
  std::vector<NamePlace> out;
  for (auto& [uri, other] : state.documents) {
    bool isHere = other.get() == &document;
    if (!isHere && target.file.empty()) continue;
    refreshDocument(state, *other);
    for (std::size_t i = 0; i < other->check().pieces().size(); ++i) {
      for (const NameUse& use : other->namesIn(i).uses) {
        const std::string& name = target.meaning.name;
        if (!use.name.ends_with(name)) continue;
        const NameTarget found = targetOf(*other, i, use);
        if (!isSame(found, target)) continue;
        Span span = use.span;
        if (found.meaning.kind == Meaning::member || found.meaning.kind == Meaning::op)
          span.begin = span.end - static_cast<std::uint32_t>(name.size());
        out.push_back({other.get(), i, other->inText(i, span), use.defines, use.kind == NameKind::attribute});
      }
    }
  }
  return out;
}

}  // namespace axle::lsp
