// Messages of the Language Server Protocol.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace axle::lsp {

using Json = nlohmann::json;

// Codes of error responses.
inline constexpr int parseError = -32700, invalidRequest = -32600, methodNotFound = -32601, invalidParams = -32602,
                     internalError = -32603, notInitialized = -32002, requestFailed = -32803;

// A request that is refused: thrown by its handler, sent as an error response.
class Refusal : public std::exception {
 public:
  Refusal(int code, std::string message) : code_(code), message_(std::move(message)) {}
  int code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int code_;
  std::string message_;
};

// Returns the member `name` of an object of a request; throws a Refusal if there is none.
const Json& member(const Json& object, const char* name);

}  // namespace axle::lsp
