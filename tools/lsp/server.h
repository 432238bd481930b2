// The language server: requests and notifications of the protocol, answered from the open documents.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/diagnostic.h"
#include "tools/lsp/document.h"
#include "tools/lsp/transport.h"

namespace axle::lsp {

using Json = nlohmann::json;

// What a request is refused with.
struct Refusal {
  int code;
  std::string message;
};
inline constexpr int invalidParams = -32602, requestFailed = -32803;

// What an object of a request holds by that name; refused where it holds nothing.
const Json& heldBy(const Json& object, const char* name);

class Server {
 public:
  Server(Transport& transport, std::string version, LoadOptions load)
      : transport_(transport), version_(std::move(version)), load_(std::move(load)) {}

  // Until `exit` or the end of the input; gives the exit code.
  int run();

  using Method = Json (Server::*)(const Json& params);
  struct Row {
    std::string_view name;
    Method method;
  };

 private:
  void handle(const std::string& body);
  void answer(const Json& id, const Json& message);
  void send(Json message);
  void refuse(const Json& id, int code, const std::string& message);

  // server.cc: the session and its documents
  Json initialize(const Json& params);
  Json shutdown(const Json& params);
  Json nothing(const Json& params);
  Json didOpen(const Json& params);
  Json didChange(const Json& params);
  Json didClose(const Json& params);
  Json didSave(const Json& params);
  Document& document(const Json& params);
  Document* find(const std::string& uri);
  void changed(const std::string& path);
  void refresh();
  LoadOptions loadOptions() const;

  // publish.cc
  void publish(Document& document);
  Json diagnosticJson(Document& document, const Diagnostic& diagnostic);
  // hover.cc
  Json hover(const Json& params);
  // navigate.cc
  Json definition(const Json& params);
  Json references(const Json& params);
  Json prepareRename(const Json& params);
  Json rename(const Json& params);
  struct Target;
  struct Said {
    Document* document;
    std::size_t piece;
    Span span;  // of the text
    bool defines, isAttribute;
  };
  Target targetOf(Document& document, std::size_t piece, const NameUse& use);
  std::vector<Said> whereSaid(Document& document, const Target& target);
  const NameUse& renamed(Document& document, const Document::At& at, Target& target);
  std::string lineOf(const Document& document, std::size_t piece, const NameUse& use) const;
  std::optional<Json> tensorNameKept(Document& document, std::size_t piece, const std::string& name);
  // edits.cc
  Json formatting(const Json& params);
  Json codeAction(const Json& params);
  bool leavesTypes(Document& document, const std::string& text);
  // mends.cc
  bool findMends(Document& document, const std::function<bool()>& goOn);
  void findMends();
  std::vector<const Mend*> mendsOf(const Document& document, const Diagnostic& diagnostic) const;
  void offerMends(Document& document, std::uint32_t from, std::uint32_t to, Json& actions);
  // outline.cc
  Json documentSymbol(const Json& params);
  Json inlayHint(const Json& params);
  // complete.cc
  Json completion(const Json& params);
  Json signatureHelp(const Json& params);

  // Places
  Json rangeJson(const Text& text, std::uint32_t begin, std::uint32_t end) const;
  std::optional<Json> location(Document& document, Span span);
  Json operatorLocation(const CoreOp& op);
  Json locationIn(const std::string& uri, std::string text, std::uint32_t begin, std::uint32_t end) const;
  static Place placeOf(const Json& position);
  std::uint32_t offsetOf(const Document& document, const Json& position) const;

  static const Row methods[];

  Transport& transport_;
  std::string version_;
  LoadOptions load_;
  Encoding encoding_ = Encoding::utf16;
  std::map<std::string, std::unique_ptr<Document>> documents_;  // by URI
  bool isInitialized_ = false, isShutDown_ = false;
  std::optional<int> exitCode_;
};

// `file:///a%20b.ax` and `/a b.ax`. What is no file's stays.
std::string pathOf(const std::string& uri);
std::string uriOf(const std::string& path);

// The file that holds a module of the stdlib, or its operators (`core`), for the user to read; written where it is not
// there yet. Empty where none can be.
std::string stdlibFile(const std::string& name, const std::string& version);

}  // namespace axle::lsp
