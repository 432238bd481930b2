#include "tools/lsp/server.h"

#include <algorithm>
#include <exception>

namespace axle::lsp {

namespace {

constexpr int parseError = -32700, invalidRequest = -32600, methodNotFound = -32601, internalError = -32603;
constexpr int notInitialized = -32002;

constexpr int pause = 250;    // milliseconds in which nobody types
constexpr int deepest = 100;  // what the protocol nests stays far below

// Of a document; editors may say that there is none.
std::int64_t versionIn(const Json& document, std::int64_t otherwise) {
  auto version = document.find("version");
  return version != document.end() && version->is_number_integer() ? version->get<std::int64_t>() : otherwise;
}

}  // namespace

const Server::Row Server::methods[] = {
    {"initialize", &Server::initialize},
    {"initialized", &Server::nothing},
    {"shutdown", &Server::shutdown},
    {"textDocument/didOpen", &Server::didOpen},
    {"textDocument/didChange", &Server::didChange},
    {"textDocument/didClose", &Server::didClose},
    {"textDocument/didSave", &Server::didSave},
    {"textDocument/hover", &Server::hover},
    {"textDocument/definition", &Server::definition},
    {"textDocument/references", &Server::references},
    {"textDocument/prepareRename", &Server::prepareRename},
    {"textDocument/rename", &Server::rename},
    {"textDocument/completion", &Server::completion},
    {"textDocument/signatureHelp", &Server::signatureHelp},
    {"textDocument/documentSymbol", &Server::documentSymbol},
    {"textDocument/inlayHint", &Server::inlayHint},
    {"textDocument/formatting", &Server::formatting},
    {"textDocument/codeAction", &Server::codeAction},
};

int Server::run() {
  while (!exitCode_) {
    if (!transport_.isReady()) refresh();
    if (!transport_.isReady(pause)) findMends();
    std::optional<Transport::Message> message = transport_.read();
    if (!message) break;
    if (!message->error.empty())
      refuse(nullptr, parseError, message->error);
    else
      handle(message->body);
  }
  return exitCode_.value_or(isShutDown_ ? 0 : 1);
}

void Server::send(Json message) {
  message["jsonrpc"] = "2.0";
  transport_.write(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::refuse(const Json& id, int code, const std::string& message) {
  send({{"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void Server::handle(const std::string& body) {
  auto isShallow = [](int depth, Json::parse_event_t, Json&) { return depth < deepest; };
  Json message = Json::parse(body, isShallow, false);
  if (message.is_discarded()) return refuse(nullptr, parseError, "the message is not JSON");
  if (!message.is_object()) return refuse(nullptr, invalidRequest, "the message is no object");
  Json id = message.contains("id") ? message["id"] : Json();
  bool hasMethod = message.contains("method") && message["method"].is_string();
  if (!hasMethod && (message.contains("result") || message.contains("error"))) return;  // an answer
  if (!hasMethod || !(id.is_null() || id.is_string() || id.is_number_integer()))
    return refuse(nullptr, invalidRequest, "the message has no method, or an id that is none");
  bool isRequest = message.contains("id");
  if (message["method"] == "exit" && !isRequest) {
    exitCode_ = isShutDown_ ? 0 : 1;
    return;
  }
  if (isShutDown_ || (!isInitialized_ && message["method"] != "initialize")) {
    if (isRequest)
      refuse(id, isShutDown_ ? invalidRequest : notInitialized,
             isShutDown_ ? "the server is shut down" : "the server is not initialized");
    return;
  }
  answer(id, message);
}

void Server::answer(const Json& id, const Json& message) {
  const std::string name = message["method"];
  bool isRequest = message.contains("id");
  auto row = std::find_if(std::begin(methods), std::end(methods), [&](const Row& r) { return r.name == name; });
  if (row == std::end(methods)) {
    if (isRequest) refuse(id, methodNotFound, "there is no method " + name);
    return;
  }
  auto refused = [&](int code, const std::string& why) {
    if (isRequest) refuse(id, code, why);
  };
  try {
    Json result = (this->*row->method)(message.contains("params") ? message["params"] : Json::object());
    if (isRequest) send({{"id", id}, {"result", std::move(result)}});
  } catch (const Refusal& refusal) {
    refused(refusal.code, refusal.message);
  } catch (const Json::exception& wrong) {
    refused(invalidParams, "the parameters of " + name + " do not have the types that the protocol gives them");
  } catch (const std::exception& bug) {
    refused(internalError, bug.what());
  }
}

Json Server::nothing(const Json&) { return nullptr; }

Json Server::initialize(const Json& params) {
  isInitialized_ = true;
  Json offered = Json::array();
  if (auto at = Json::json_pointer("/capabilities/general/positionEncodings"); params.contains(at))
    offered = params[at];
  if (std::find(offered.begin(), offered.end(), "utf-8") != offered.end()) encoding_ = Encoding::utf8;
  return {{"capabilities",
           {{"positionEncoding", encoding_ == Encoding::utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"completionProvider", {{"triggerCharacters", {".", "\"", "("}}}},
            {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
            {"documentSymbolProvider", true},
            {"inlayHintProvider", true},
            {"documentFormattingProvider", true},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}}}},
          {"serverInfo", {{"name", "axc"}, {"version", version_}}}};
}

Json Server::shutdown(const Json&) {
  isShutDown_ = true;
  return nullptr;
}

const Json& heldBy(const Json& object, const char* name) {
  auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) throw Refusal{invalidParams, std::string("the parameters lack `") + name + "`"};
  return *found;
}

// ---- documents

LoadOptions Server::loadOptions() const {
  LoadOptions load = load_;
  for (const auto& [uri, document] : documents_) load.texts[fileIdentity(document->path)] = document->text.bytes();
  return load;
}

Document* Server::find(const std::string& uri) {
  auto it = documents_.find(uri);
  return it == documents_.end() ? nullptr : it->second.get();
}

// The open document that a request is about, checked.
Document& Server::document(const Json& params) {
  const std::string uri = heldBy(heldBy(params, "textDocument"), "uri");
  Document* found = find(uri);
  if (!found) throw Refusal{invalidParams, "no document " + uri + " is open"};
  if (!found->isFresh) {
    found->refresh(loadOptions());
    publish(*found);
  }
  return *found;
}

// Documents that import what has changed are checked anew.
void Server::changed(const std::string& path) {
  const std::string identity = fileIdentity(path);
  for (auto& [uri, document] : documents_) {
    const Modules& modules = document->check().modules();
    bool imports = std::any_of(modules.modules.begin(), modules.modules.end(), [&](const ast::Module& module) {
      return fileIdentity(std::string(document->sources().path(module.source))) == identity;
    });
    if (!imports || document->path == path) continue;
    document->check().forgetImports();
    document->isFresh = false;
  }
}

void Server::refresh() {
  for (auto& [uri, document] : documents_) {
    if (document->isFresh) continue;
    document->refresh(loadOptions());
    publish(*document);
  }
}

Json Server::didOpen(const Json& params) {
  const Json& item = heldBy(params, "textDocument");
  const std::string uri = heldBy(item, "uri");
  auto document = std::make_unique<Document>(uri, pathOf(uri));
  document->text = Text(heldBy(item, "text").get<std::string>());
  document->version = versionIn(item, 0);
  std::string path = document->path;
  documents_[uri] = std::move(document);
  // Those that looked for it before may find it now.
  for (auto& [other, open] : documents_)
    if (other != uri) {
      open->check().forgetImports();
      open->isFresh = false;
    }
  return nullptr;
}

Json Server::didChange(const Json& params) {
  const std::string uri = heldBy(heldBy(params, "textDocument"), "uri");
  Document* found = find(uri);
  if (!found) throw Refusal{invalidParams, "no document " + uri + " is open"};
  Text text = found->text;  // all changes or none
  for (const Json& change : heldBy(params, "contentChanges")) {
    const std::string with = heldBy(change, "text");
    if (!change.contains("range")) {
      text = Text(with);
      continue;
    }
    auto offset = [&](const Json& place) { return text.offset(placeOf(place), encoding_); };
    text.replace(offset(heldBy(change["range"], "start")), offset(heldBy(change["range"], "end")), with);
  }
  found->text = std::move(text);
  found->version = versionIn(heldBy(params, "textDocument"), found->version);
  found->isFresh = false;
  changed(found->path);
  return nullptr;
}

Json Server::didSave(const Json& params) {
  changed(pathOf(heldBy(heldBy(params, "textDocument"), "uri")));
  return nullptr;
}

Json Server::didClose(const Json& params) {
  const std::string uri = heldBy(heldBy(params, "textDocument"), "uri");
  if (!find(uri)) throw Refusal{invalidParams, "no document " + uri + " is open"};
  std::string path = find(uri)->path;
  documents_.erase(uri);
  send({{"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  changed(path);
  return nullptr;
}

}  // namespace axle::lsp
