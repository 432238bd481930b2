#include "tools/lsp/server.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/lsp/handlers.h"

namespace axle::lsp {

namespace {

constexpr int pauseMilliseconds = 250;  // the pause without input before the search for fixes begins
constexpr int maxMessageDepth = 100;    // messages of the protocol nest far less

Json initialize(State& state, const Json& params) {
  state.isInitialized = true;
  Json offered = Json::array();
  if (auto at = Json::json_pointer("/capabilities/general/positionEncodings"); params.contains(at))
    offered = params[at];
  if (std::find(offered.begin(), offered.end(), "utf-8") != offered.end()) state.encoding = Encoding::utf8;
  return {{"capabilities",
           {{"positionEncoding", state.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
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
          {"serverInfo", {{"name", "axc"}, {"version", state.version}}}};
}

Json initialized(State&, const Json&) { return nullptr; }

Json shutdown(State& state, const Json&) {
  state.isShutDown = true;
  return nullptr;
}

using Handler = Json (*)(State& state, const Json& params);
struct MethodRow {
  std::string_view name;
  Handler handler;
};
constexpr MethodRow methodTable[] = {
    {"initialize", initialize},
    {"initialized", initialized},
    {"shutdown", shutdown},
    {"textDocument/didOpen", didOpen},
    {"textDocument/didChange", didChange},
    {"textDocument/didClose", didClose},
    {"textDocument/didSave", didSave},
    {"textDocument/hover", hover},
    {"textDocument/definition", definition},
    {"textDocument/references", references},
    {"textDocument/prepareRename", prepareRename},
    {"textDocument/rename", rename},
    {"textDocument/completion", completion},
    {"textDocument/signatureHelp", signatureHelp},
    {"textDocument/documentSymbol", documentSymbol},
    {"textDocument/inlayHint", inlayHint},
    {"textDocument/formatting", formatting},
    {"textDocument/codeAction", codeAction},
};

void respond(State& state, const Json& id, Json result) { send(state, {{"id", id}, {"result", std::move(result)}}); }

void respondError(State& state, const Json& id, int code, const std::string& message) {
  send(state, {{"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

// Throws if a test asks for a fault (server.h).
void throwInjectedFault(std::string_view where) {
  static const char* const asked = std::getenv("AXLE_LSP_FAULT");
  if (!asked) return;
  if (where == asked) throw std::runtime_error("an injected fault");
  if (std::string(where) + ":other" == asked) throw 0;
}

// The content of the exception being handled.
struct Fault {
  int code = internalError;
  std::string message;
  bool isExpected = false;  // the request is at fault, not the server
};

Fault currentFault(const std::string& method) {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return {refusal.code(), refusal.what(), true};
  } catch (const Json::exception&) {
    return {invalidParams, "the parameters of " + method + " do not have the types that the protocol gives them", true};
  } catch (const std::exception& bug) {
    return {internalError, bug.what(), false};
  } catch (...) {
    return {internalError, "an unknown exception", false};
  }
}

void callHandler(State& state, const MethodRow& row, const Json& message) {
  const bool isRequest = message.contains("id");
  try {
    throwInjectedFault(row.name);
    Json result = row.handler(state, message.contains("params") ? message["params"] : Json::object());
    if (isRequest) respond(state, message["id"], std::move(result));
  } catch (...) {
    const Fault fault = currentFault(std::string(row.name));
    if (isRequest) respondError(state, message["id"], fault.code, fault.message);
    if (fault.isExpected) return;
    for (auto& [uri, document] : state.documents) document = freshCopy(*document);
  }
}

void dispatch(State& state, const Json& message) {
  const std::string method = message["method"];
  const bool isRequest = message.contains("id");
  if (method == "exit" && !isRequest) {
    state.exitCode = state.isShutDown ? 0 : 1;
    return;
  }
  const auto refuse = [&](int code, const std::string& why) {
    if (isRequest) respondError(state, message["id"], code, why);
  };
  if (state.isShutDown) return refuse(invalidRequest, "the server is shut down");
  if (!state.isInitialized && method != "initialize") return refuse(notInitialized, "the server is not initialized");
  const auto row = std::find_if(std::begin(methodTable), std::end(methodTable),
                                [&](const MethodRow& r) { return r.name == method; });
  if (row == std::end(methodTable)) return refuse(methodNotFound, "there is no method " + method);
  callHandler(state, *row, message);
}

void handle(State& state, const std::string& body) {
  auto isShallow = [](int depth, Json::parse_event_t, Json&) { return depth < maxMessageDepth; };
  const Json message = Json::parse(body, isShallow, false);
  if (message.is_discarded()) return respondError(state, nullptr, parseError, "the message is not JSON");
  if (!message.is_object()) return respondError(state, nullptr, invalidRequest, "the message is no object");
  const bool hasMethod = message.contains("method") && message["method"].is_string();
  if (!hasMethod && (message.contains("result") || message.contains("error"))) return;  // a response
  const Json id = message.contains("id") ? message["id"] : Json();
  if (!hasMethod || !(id.is_null() || id.is_string() || id.is_number_integer()))
    return respondError(state, nullptr, invalidRequest, "the message has no method, or an invalid id");
  dispatch(state, message);
}

// Does work between requests, which answers no client. If it fails on a document, the document is reset and the work is
// tried again after the next message. `work` returns false if the rest must wait.
template <class Work>
void betweenRequests(State& state, std::string_view name, Work work) {
  for (auto& [uri, document] : state.documents) try {
      throwInjectedFault(name);
      if (!work(*document)) return;
    } catch (...) {
      document = freshCopy(*document);
    }
}

}  // namespace

void send(State& state, Json message) {
  message["jsonrpc"] = "2.0";
  state.transport.write(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Json& member(const Json& object, const char* name) {
  auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) throw Refusal(invalidParams, std::string("the parameters lack `") + name + "`");
  return *found;
}

int serve(Transport& transport, const std::string& version, const LoadOptions& load) {
  State state{transport, version, load};
  while (!state.exitCode) {
    if (!transport.isReady())
      betweenRequests(state, "check", [&](Document& document) { return refreshDocument(state, document), true; });
    if (!transport.isReady(pauseMilliseconds))
      betweenRequests(state, "fixes", [&](Document& document) {
        return findFixes(state, document, [&] { return !transport.isReady(); });
      });
    std::optional<Transport::Message> message = transport.read();
    if (!message) break;
    if (!message->error.empty()) {
      respondError(state, nullptr, parseError, message->error);
      continue;
    }
    try {
      handle(state, message->body);
    } catch (...) {  // not from a handler: the message itself cannot be handled
      respondError(state, nullptr, internalError, "the message cannot be handled");
    }
  }
  return state.exitCode.value_or(state.isShutDown ? 0 : 1);
}

}  // namespace axle::lsp
