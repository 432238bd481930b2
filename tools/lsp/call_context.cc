#include "tools/lsp/call_context.h"

#include "frontend/keywords.h"

namespace axle::lsp {

TextKind textKindAfter(std::string_view before) {
  TextKind kind = TextKind::code;
  for (std::size_t i = before.rfind('\n') + 1; i < before.size(); ++i) {
    if (before[i] == '"') kind = kind == TextKind::string ? TextKind::code : TextKind::string;
    if (kind == TextKind::code && before.substr(i).starts_with("//")) return TextKind::comment;
  }
  return kind;
}

namespace {

// Whether the innermost open bracket is `[`.
bool inIndex(std::string_view before) {
  int depth = 0;
  for (std::size_t i = before.size(); i-- > 0;) {
    const char c = before[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ';' && depth == 0) return false;
    if ((c == '(' || c == '[' || c == '{') && depth-- == 0) return c == '[';
  }
  return false;
}

}  // namespace

TypePart typePartAfter(std::string_view before) {
  constexpr std::string_view inTypes = " \t\r\n*~?+-/%>@#";
  int depth = 0;
  bool isNext = false, isSize = false;  // after a comma; within a shape
  for (std::size_t i = before.size(); i-- > 0;) {
    const char c = before[i];
    if (isNamePart(c) || inTypes.find(c) != std::string_view::npos) continue;
    if (c == ',') {
      isNext |= depth == 0;
    } else if (c == ']' || c == ')') {
      ++depth;
    } else if (c == '[' || c == '(') {
      if (depth-- > 0) continue;
      depth = 0;
      isNext = false;
      isSize |= c == '[';
    } else if (c == ':' && depth == 0 && !isNext && !inIndex(before.substr(0, i))) {
      return isSize ? TypePart::size : TypePart::type;
    } else {
      return TypePart::none;
    }
  }
  return TypePart::none;
}

std::optional<OpenCall> openCallAt(std::string_view before) {
  OpenCall call;
  int depth = 0;
  std::string_view argument;  // the argument's text up to the end of `before`
  bool isFirst = true;
  std::size_t end = before.size();
  for (std::size_t i = before.size(); i-- > 0;) {
    char c = before[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ';' && depth == 0) return std::nullopt;
    if (c == ',' && depth == 0) {
      if (isFirst) argument = before.substr(i + 1, end - i - 1);
      isFirst = false;
      ++call.argument;
    }
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth-- > 0) continue;
    if (c == '{') return std::nullopt;
    if (c == '[') {  // within a list that is an argument
      depth = 0;
      call.argument = 0;
      isFirst = true;
      end = i;
      continue;
    }
    if (isFirst) argument = before.substr(i + 1, end - i - 1);
    std::size_t from = i;
    while (from > 0 && isNamePart(before[from - 1])) --from;
    call.callee = before.substr(from, i - from);
    if (call.callee.empty() || call.callee == "fn") return std::nullopt;
    if (auto assign = argument.find('='); assign != std::string_view::npos) {
      std::string_view name = argument.substr(0, assign);
      while (!name.empty() && (name.front() == ' ' || name.front() == '\n')) name.remove_prefix(1);
      while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
      call.named = name;
    }
    return call;
  }
  return std::nullopt;
}

}  // namespace axle::lsp
