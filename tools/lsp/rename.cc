// Renames all places of a name, if that changes no meaning.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/keywords.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "tools/lsp/targets.h"

namespace axle::lsp {

namespace {

// Returns the meaning of the name at a place; throws a Refusal if it cannot be renamed.
NameTarget renamedTarget(State& state, Document& document, const Document::At& at) {
  if (!at.use) throw Refusal(requestFailed, "there is no name here");
  NameTarget target = targetOf(document, at.piece, *at.use);
  switch (target.meaning.kind) {
    case Meaning::nothing:
      throw Refusal(requestFailed, "`" + at.use->name + "` is not defined");
    case Meaning::op:
      throw Refusal(requestFailed, "`" + target.meaning.name + "` is a core operator");
    case Meaning::module:
      throw Refusal(requestFailed, "a module's name is that of its file");
    case Meaning::local:
    case Meaning::own:
    case Meaning::member:
      break;
  }
  const auto definesIt = [&](const auto& entry) { return fileIdentity(entry.second->path) == target.file; };
  const bool isOpen = target.file.empty() || std::any_of(state.documents.begin(), state.documents.end(), definesIt);
  if (!isOpen) throw Refusal(requestFailed, "`" + at.use->name + "` is defined in a file that is not open");
  return target;
}

// Returns the line for a message: `line 3`.
std::string lineOf(const State& state, const Document& document, std::size_t piece, const NameUse& use) {
  return "line " + std::to_string(document.text.place(document.inText(piece, use.span).begin, state.encoding).line + 1);
}

// Returns an edit that keeps the name of a renamed parameter's tensor. The tensor has the parameter's name unless the
// source states another, so the edit states the old name.
std::optional<Json> keepTensorName(const State& state, Document& document, std::size_t piece, const std::string& name) {
  const ast::Module& module = document.check().pieces()[piece].piece->module;
  for (const ast::Item& item : module.items) {
    const auto* param = std::get_if<ast::Param>(&item);
    if (!param || param->name.text != name) continue;
    std::string_view text = document.sources().text(param->span);
    if (text.find('"') != std::string_view::npos) continue;
    Span end = document.inText(piece, {param->span.source, param->span.end, param->span.end});
    if (text.ends_with(';')) --end.begin;
    return Json{{"range", rangeJson(state, document.text, end.begin, end.begin)}, {"newText", " = \"" + name + "\""}};
  }
  return std::nullopt;
}

}  // namespace

Json prepareRename(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Document::At at = document.at(positionOf(state, document, params));
  const NameTarget target = renamedTarget(state, document, at);
  Span span = document.inText(at.piece, at.use->span);
  span.begin = span.end - static_cast<std::uint32_t>(target.meaning.name.size());
  return {{"range", rangeJson(state, document.text, span.begin, span.end)}, {"placeholder", target.meaning.name}};
}

Json rename(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Document::At at = document.at(positionOf(state, document, params));
  const std::string name = member(params, "newName");
  const NameTarget target = renamedTarget(state, document, at);
  if (name == target.meaning.name) return {{"changes", Json::object()}};
  if (!isName(name)) throw Refusal(requestFailed, "`" + name + "` is no name");
  for (const CoreOp& op : coreOps())
    if (op.name == name) throw Refusal(requestFailed, "`" + name + "` is a core operator");
  std::map<std::string, Json> edits;
  std::set<std::pair<Document*, std::size_t>> pieces;
  for (const NamePlace& place : placesOf(state, document, target)) {
    edits[place.document->uri].push_back(
        {{"range", rangeJson(state, place.document->text, place.span.begin, place.span.end)}, {"newText", name}});
    if (!place.isAttribute) pieces.insert({place.document, place.piece});
    if (!place.defines || target.meaning.kind == Meaning::local) continue;
    if (place.document->meaningOf(name, 0).kind == Meaning::own)
      throw Refusal(requestFailed, "`" + name + "` is defined already");
    if (auto kept = keepTensorName(state, *place.document, place.piece, target.meaning.name))
      edits[place.document->uri].push_back(*kept);
  }
  // The new name must not mean something else where the name is used.
  for (const auto& [other, piece] : pieces)
    for (const NameUse& use : other->namesIn(piece).uses)
      if (use.name == name && use.kind != NameKind::attribute)
        throw Refusal(requestFailed, "`" + name + "` means something else already, in " +
                                         lineOf(state, *other, piece, use) + ": choose another name");
  return {{"changes", edits}};
}

}  // namespace axle::lsp
