// What the language server knows between requests. Handlers are functions over it (handlers.h).
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
  LoadOptions load;  // of the command line: where imported modules are searched
  Encoding encoding = Encoding::utf16;
  std::map<std::string, std::unique_ptr<Document>> documents = {};  // by URI
  bool isInitialized = false, isShutDown = false;
  std::optional<int> exitCode = {};  // once the client sent `exit`
};

// Sends a notification or a response.
void send(State& state, Json message);

// ---- documents (documents.cc)

// The open document that a request is about, checked; refused where none is open.
Document& documentOf(State& state, const Json& params);
// Null where no document of that URI is open.
Document* findDocument(State& state, const std::string& uri);
// For loading modules: the texts of open documents take the place of their files.
LoadOptions loadOptions(const State& state);
// Checks a document whose text, or whose imports, changed, and publishes its diagnostics.
void refreshDocument(State& state, Document& document);
// The same text with nothing known of it. What an unexpected exception left of a check is not relied on.
std::unique_ptr<Document> freshCopy(const Document& document);

// ---- diagnostics (publish.cc)

void publishDiagnostics(State& state, Document& document);
Json diagnosticJson(State& state, Document& document, const Diagnostic& diagnostic);

// ---- fixes of errors, tried on the whole text (fixes.cc)

// Looks for fixes of a document's errors. False where `goOn` said no before all were tried; an empty one says yes.
bool findFixes(State& state, Document& document, const std::function<bool()>& goOn);
// Those that were found for a diagnostic.
std::vector<const SuggestedFix*> fixesOf(const Document& document, const Diagnostic& diagnostic);
// Appends code actions for the errors between two offsets.
void addFixActions(State& state, Document& document, std::uint32_t from, std::uint32_t to, Json& actions);

}  // namespace axle::lsp
