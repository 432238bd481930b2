// From a name to where it is defined, and to all places that say it.
#include <algorithm>
#include <set>

#include "frontend/keywords.h"
#include "tools/lsp/server.h"

namespace axle::lsp {

Json Server::definition(const Json& params) {
  Document& document = this->document(params);
  Document::At at = document.at(offsetOf(document, heldBy(params, "position")));
  if (!at.use) return nullptr;
  Meaning meaning = document.meaning(at.piece, *at.use);
  if (meaning.kind == Meaning::nothing) return nullptr;
  if (meaning.kind == Meaning::op) return operatorLocation(*meaning.declaration);
  if (meaning.kind == Meaning::module) {
    if (!meaning.source) return nullptr;
    return location(document, {meaning.source->source, 0, 0}).value_or(nullptr);
  }
  if (auto place = location(document, meaning.definition)) return *place;
  // What defined it is broken now: where it was.
  for (const CurrentStatement& current : document.check().statements())
    if (current.statement.get() == meaning.statement) {
      std::uint32_t begin = document.check().pieces()[current.piece].begin;
      return {{"uri", document.uri}, {"range", rangeJson(document.text, begin, begin)}};
    }
  return nullptr;
}

// What a name stands for, as all open documents know it.
struct Server::Target {
  Meaning meaning;
  std::string file;  // that defines it; empty of operators, and of local names that no caller says
};

Server::Target Server::targetOf(Document& document, std::size_t piece, const NameUse& use) {
  Target target{document.meaning(piece, use), ""};
  if (target.meaning.kind == Meaning::own) target.file = fileIdentity(document.path);
  if (target.meaning.kind == Meaning::member)
    target.file = fileIdentity(std::string(document.sources().path(target.meaning.source->source)));
  if (!target.meaning.function.empty())
    target.file = fileIdentity(std::string(document.sources().path(target.meaning.definition.source)));
  return target;
}

std::vector<Server::Said> Server::whereSaid(Document& document, const Target& target) {
  std::vector<Said> out;
  for (auto& [uri, other] : documents_) {
    bool isHere = other.get() == &document;
    if (!isHere && target.file.empty()) continue;
    if (!other->isFresh) other->refresh(loadOptions());
    for (std::size_t i = 0; i < other->check().pieces().size(); ++i) {
      for (const NameUse& use : other->namesIn(i).uses) {
        const std::string& name = target.meaning.name;
        if (!use.name.ends_with(name)) continue;
        Target found = targetOf(*other, i, use);
        const Meaning& a = found.meaning;
        const Meaning& b = target.meaning;
        bool isSame = found.file == target.file && a.name == b.name && a.function == b.function &&
                      (!target.file.empty() || a.kind == b.kind);
        if (isSame && b.kind == Meaning::local && b.function.empty()) isSame = a.definition == b.definition;
        if (isSame && b.kind == Meaning::op) isSame = a.declaration == b.declaration;
        if (isSame && b.kind == Meaning::module) isSame = a.from == b.from;
        if (!isSame || b.kind == Meaning::nothing) continue;
        Span span = use.span;
        if (a.kind == Meaning::member || a.kind == Meaning::op)
          span.begin = span.end - static_cast<std::uint32_t>(name.size());
        out.push_back({other.get(), i, other->inText(i, span), use.defines, use.kind == NameKind::attribute});
      }
    }
  }
  return out;
}

Json Server::references(const Json& params) {
  Document& document = this->document(params);
  Document::At at = document.at(offsetOf(document, heldBy(params, "position")));
  Json out = Json::array();
  if (!at.use) return out;
  bool withDefinition = params.value(Json::json_pointer("/context/includeDeclaration"), true);
  for (const Said& said : whereSaid(document, targetOf(document, at.piece, *at.use)))
    if (withDefinition || !said.defines)
      out.push_back(
          {{"uri", said.document->uri}, {"range", rangeJson(said.document->text, said.span.begin, said.span.end)}});
  return out;
}

// The name at a place, where it may be another.
const NameUse& Server::renamed(Document& document, const Document::At& at, Target& target) {
  if (!at.use) throw Refusal{requestFailed, "there is no name here"};
  target = targetOf(document, at.piece, *at.use);
  switch (target.meaning.kind) {
    case Meaning::nothing:
      throw Refusal{requestFailed, "`" + at.use->name + "` is not defined"};
    case Meaning::op:
      throw Refusal{requestFailed, "`" + target.meaning.name + "` is a core operator"};
    case Meaning::module:
      throw Refusal{requestFailed, "a module's name is that of its file"};
    case Meaning::local:
    case Meaning::own:
    case Meaning::member:
      break;
  }
  bool isOpen = target.file.empty() || std::any_of(documents_.begin(), documents_.end(), [&](const auto& entry) {
                  return fileIdentity(entry.second->path) == target.file;
                });
  if (!isOpen) throw Refusal{requestFailed, "`" + at.use->name + "` is defined in a file that is not open"};
  return *at.use;
}

Json Server::prepareRename(const Json& params) {
  Document& document = this->document(params);
  Document::At at = document.at(offsetOf(document, heldBy(params, "position")));
  Target target;
  const NameUse& use = renamed(document, at, target);
  Span span = document.inText(at.piece, use.span);
  span.begin = span.end - static_cast<std::uint32_t>(target.meaning.name.size());
  return {{"range", rangeJson(document.text, span.begin, span.end)}, {"placeholder", target.meaning.name}};
}

// For the user: `line 3`.
std::string Server::lineOf(const Document& document, std::size_t piece, const NameUse& use) const {
  return "line " + std::to_string(document.text.place(document.inText(piece, use.span).begin, encoding_).line + 1);
}

Json Server::rename(const Json& params) {
  Document& document = this->document(params);
  Document::At at = document.at(offsetOf(document, heldBy(params, "position")));
  const std::string name = heldBy(params, "newName");
  Target target;
  renamed(document, at, target);
  if (name == target.meaning.name) return {{"changes", Json::object()}};
  if (!isName(name)) throw Refusal{requestFailed, "`" + name + "` is no name"};
  for (const CoreOp& op : coreOps())
    if (op.name == name) throw Refusal{requestFailed, "`" + name + "` is a core operator"};
  std::map<std::string, Json> edits;
  std::set<std::pair<Document*, std::size_t>> pieces;
  for (const Said& said : whereSaid(document, target)) {
    edits[said.document->uri].push_back(
        {{"range", rangeJson(said.document->text, said.span.begin, said.span.end)}, {"newText", name}});
    if (!said.isAttribute) pieces.insert({said.document, said.piece});
    if (!said.defines || target.meaning.kind == Meaning::local) continue;
    if (said.document->meaningOf(name, 0).kind == Meaning::own)
      throw Refusal{requestFailed, "`" + name + "` is defined already"};
    if (auto kept = tensorNameKept(*said.document, said.piece, target.meaning.name))
      edits[said.document->uri].push_back(*kept);
  }
  // Nothing may come between a place that says the name and what it means.
  for (const auto& [other, piece] : pieces)
    for (const NameUse& use : other->namesIn(piece).uses)
      if (use.name == name && use.kind != NameKind::attribute)
        throw Refusal{requestFailed, "`" + name + "` means something else already, in " + lineOf(*other, piece, use) +
                                         ": choose another name"};
  return {{"changes", edits}};
}

// The tensor of a parameter is called by its name unless another is given: it keeps its own.
std::optional<Json> Server::tensorNameKept(Document& document, std::size_t piece, const std::string& name) {
  const ast::Module& module = document.check().pieces()[piece].piece->module;
  for (const ast::Item& item : module.items) {
    const auto* param = std::get_if<ast::Param>(&item);
    if (!param || param->name.text != name) continue;
    std::string_view text = document.sources().text(param->span);
    if (text.find('"') != std::string_view::npos) continue;
    Span end = document.inText(piece, {param->span.source, param->span.end, param->span.end});
    if (text.ends_with(';')) --end.begin;
    return Json{{"range", rangeJson(document.text, end.begin, end.begin)}, {"newText", " = \"" + name + "\""}};
  }
  return std::nullopt;
}

}  // namespace axle::lsp
