// The state of the language server between requests. Handlers are functions over it (handlers.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tools/lsp/document.h"
#include "tools/lsp/protocol.h"
#include "tools/lsp/transport.h"

namespace axle::lsp {

struct State {
  Transport& transport;
  std::string version;
  LoadOptions load;  // from the command line: where to search imported modules
  Encoding encoding = Encoding::utf16;
  std::map<std::string, std::unique_ptr<Document>> documents = {};  // by URI
  bool isInitialized = false, isShutDown = false;
  std::optional<int> exitCode = {};  // once the client sent `exit`
};

// Sends a notification or a response.
void send(State& state, Json message);

// ---- documents (documents.cc)

// Returns the open document of a request, checked; throws a Refusal if it is not open.
Document& documentOf(State& state, const Json& params);
// Returns null if no document of that URI is open.
Document* findDocument(State& state, const std::string& uri);
// Returns options for loading modules: texts of open documents replace their files.
LoadOptions loadOptions(const State& state);
// Checks a document whose text, or whose imports, changed, and publishes its diagnostics.
void refreshDocument(State& state, Document& document);
// Returns a document with the same text and a fresh check, for use after an unexpected exception.
std::unique_ptr<Document> freshCopy(const Document& document);

// ---- diagnostics (publish.cc)

void publishDiagnostics(State& state, Document& document);
Json diagnosticsJson(State& state, Document& document);
Json diagnosticJson(State& state, Document& document, const Diagnostic& diagnostic);

// ---- fixes of errors, tried on the whole text (fixes.cc)

// Looks for fixes of a document's errors, and publishes them as they are explained then. Returns false if `goOn`
// returned false before all were tried; it may be empty.
bool findFixes(State& state, Document& document, const std::function<bool()>& goOn);
// Appends code actions for the errors between two offsets.
void addFixActions(State& state, Document& document, std::uint32_t from, std::uint32_t to, Json& actions);

}  // namespace axle::lsp
