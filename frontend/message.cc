#include "frontend/message.h"

#include <algorithm>

namespace axle {

namespace {
constinit const DiagnosticCode* lastRegistered = nullptr;
}

DiagnosticCode::DiagnosticCode(std::string_view code, Severity severity, std::string_view title) noexcept
    : code(code), severity(severity), title(title), next_(std::exchange(lastRegistered, this)) {}

std::vector<const DiagnosticCode*> diagnosticCodes() {
  std::vector<const DiagnosticCode*> codes;
  for (const DiagnosticCode* code = lastRegistered; code != nullptr; code = code->next_) codes.push_back(code);
  std::sort(codes.begin(), codes.end(), [](const auto* a, const auto* b) { return a->code < b->code; });
  return codes;
}

std::string formatMessage(std::string_view text, std::initializer_list<const MessageArgument*> arguments) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("{}")) {
      out += arguments.begin()[next++]->text;
      at += 1;
    } else if (rest.size() > 2 && rest[0] == '{' && rest[1] >= '0' && rest[1] <= '9' && rest[2] == '}') {
      out += arguments.begin()[rest[1] - '0']->text;
      at += 2;
    } else {
      out += rest[0];
    }
  }
  return out;
}

}  // namespace axle
