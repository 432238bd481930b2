// The open documents, and the notifications that change them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

namespace {

// Returns the version of a document, or `otherwise` if the editor sent none.
std::int64_t versionIn(const Json& document, std::int64_t otherwise) {
  auto version = document.find("version");
  return version != document.end() && version->is_number_integer() ? version->get<std::int64_t>() : otherwise;
}

// Marks documents that import a changed file to be checked again.
void recheckImporters(State& state, const std::string& path) {
  const std::string identity = fileIdentity(path);
  for (auto& [uri, document] : state.documents) {
    const Modules& modules = document->check().modules();
    bool imports = std::any_of(modules.modules.begin(), modules.modules.end(), [&](const ast::Module& module) {
      return fileIdentity(std::string(document->sources().path(module.source))) == identity;
    });
    if (!imports || document->path == path) continue;
    document->check().forgetImports();
    document->isFresh = false;
  }
}

}  // namespace

LoadOptions loadOptions(const State& state) {
  LoadOptions load = state.load;
  for (const auto& [uri, document] : state.documents) load.texts[fileIdentity(document->path)] = document->text.bytes();
  return load;
}

Document* findDocument(State& state, const std::string& uri) {
  auto it = state.documents.find(uri);
  return it == state.documents.end() ? nullptr : it->second.get();
}

void refreshDocument(State& state, Document& document) {
  if (document.isFresh) return;
  document.refresh(loadOptions(state));
  publishDiagnostics(state, document);
}

Document& documentOf(State& state, const Json& params) {
  const std::string uri = member(member(params, "textDocument"), "uri");
  Document* found = findDocument(state, uri);
  if (!found) throw Refusal(invalidParams, "no document " + uri + " is open");
  refreshDocument(state, *found);
  return *found;
}

std::unique_ptr<Document> freshCopy(const Document& document) {
  auto fresh = std::make_unique<Document>(document.uri, document.path);
  fresh->text = document.text;
  fresh->version = document.version;
  return fresh;
}

Json didOpen(State& state, const Json& params) {
  const Json& item = member(params, "textDocument");
  const std::string uri = member(item, "uri");
  auto document = std::make_unique<Document>(uri, pathOf(uri));
  document->text = Text(member(item, "text").get<std::string>());
  document->version = versionIn(item, 0);
  state.documents[uri] = std::move(document);
  // Documents that did not find this file before may find it now.
  for (auto& [other, open] : state.documents)
    if (other != uri) {
      open->check().forgetImports();
      open->isFresh = false;
    }
  return nullptr;
}

Json didChange(State& state, const Json& params) {
  const std::string uri = member(member(params, "textDocument"), "uri");
  Document* found = findDocument(state, uri);
  if (!found) throw Refusal(invalidParams, "no document " + uri + " is open");
  Text text = found->text;  // all changes or none
  for (const Json& change : member(params, "contentChanges")) {
    const std::string with = member(change, "text");
    if (!change.contains("range")) {
      text = Text(with);
      continue;
    }
    auto offset = [&](const Json& place) { return text.offset(placeOf(place), state.encoding); };
    text.replace(offset(member(change["range"], "start")), offset(member(change["range"], "end")), with);
  }
  found->text = std::move(text);
  found->version = versionIn(member(params, "textDocument"), found->version);
  found->isFresh = false;
  recheckImporters(state, found->path);
  return nullptr;
}

Json didSave(State& state, const Json& params) {
  recheckImporters(state, pathOf(member(member(params, "textDocument"), "uri")));
  return nullptr;
}

Json didClose(State& state, const Json& params) {
  const std::string uri = member(member(params, "textDocument"), "uri");
  if (!findDocument(state, uri)) throw Refusal(invalidParams, "no document " + uri + " is open");
  std::string path = findDocument(state, uri)->path;
  state.documents.erase(uri);
  send(state,
       {{"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  recheckImporters(state, path);
  return nullptr;
}

}  // namespace axle::lsp
