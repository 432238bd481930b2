#include "tools/lsp/places.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "frontend/families.h"
#include "tools/lsp/stdlib_files.h"

namespace axle::lsp {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view fileScheme = "file://";
constexpr std::string_view stdlibFolder = "stdlib/";

int hexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

}  // namespace

std::string pathOf(const std::string& uri) {
  if (!uri.starts_with(fileScheme)) return uri;
  std::string_view rest = std::string_view(uri).substr(fileScheme.size());
  rest = rest.substr(std::min(rest.find('/'), rest.size()));  // without a host
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    bool isEscape = rest[i] == '%' && i + 2 < rest.size() && hexDigit(rest[i + 1]) >= 0 && hexDigit(rest[i + 2]) >= 0;
    path += isEscape ? static_cast<char>(hexDigit(rest[i + 1]) * 16 + hexDigit(rest[i + 2])) : rest[i];
    if (isEscape) i += 2;
  }
  return path;
}

std::string uriOf(const std::string& path) {
  if (!path.starts_with('/')) return path;
  constexpr char digits[] = "0123456789ABCDEF";
  std::string uri(fileScheme);
  for (char c : path) {
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("/-._~").find(c) != std::string_view::npos;
    auto byte = static_cast<unsigned char>(c);
    if (isPlain)
      uri += c;
    else
      (uri += '%') += {digits[byte >> 4], digits[byte & 15]};
  }
  return uri;
}

Json rangeJson(const State& state, const Text& text, std::uint32_t begin, std::uint32_t end) {
  Place from = text.place(begin, state.encoding), to = text.place(end, state.encoding);
  return {{"start", {{"line", from.line}, {"character", from.character}}},
          {"end", {{"line", to.line}, {"character", to.character}}}};
}

Place placeOf(const Json& position) {
  auto number = [&](const char* name) {
    const Json& value = member(position, name);
    if (!value.is_number_integer()) throw Refusal(invalidParams, std::string(name) + " is no whole number");
    if (!value.is_number_unsigned()) return std::uint32_t{0};  // below 0
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value.get<std::uint64_t>(), UINT32_MAX));
  };
  return {number("line"), number("character")};
}

std::uint32_t offsetOf(const State& state, const Document& document, const Json& position) {
  return document.text.offset(placeOf(position), state.encoding);
}

std::uint32_t positionOf(const State& state, const Document& document, const Json& params) {
  return offsetOf(state, document, member(params, "position"));
}

std::pair<std::uint32_t, std::uint32_t> rangeOf(const State& state, const Document& document, const Json& params) {
  const Json& range = member(params, "range");
  return {offsetOf(state, document, member(range, "start")), offsetOf(state, document, member(range, "end"))};
}

namespace {

Json locationIn(const State& state, const std::string& uri, std::string text, std::uint32_t begin, std::uint32_t end) {
  return {{"uri", uri}, {"range", rangeJson(state, Text(std::move(text)), begin, end)}};
}

}  // namespace

std::optional<Json> location(const State& state, Document& document, Span span) {
  if (auto placed = document.check().placed(span))
    return Json{{"uri", document.uri}, {"range", rangeJson(state, document.text, placed->begin, placed->end)}};
  std::string path(document.sources().path(span.source));
  if (path == document.path) return std::nullopt;
  if (path.starts_with(stdlibFolder)) {
    std::string name = fs::path(path).stem().string();
    if (stdlibModule(name) == document.sources().text(span.source)) path = stdlibFile(name, state.version);
  }
  if (path.empty()) return std::nullopt;
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed);
  return locationIn(state, uriOf(failed ? path : whole.lexically_normal().string()),
                    std::string(document.sources().text(span.source)), span.begin, span.end);
}

Json operatorLocation(const State& state, const CoreOp& op) {
  std::string path = stdlibFile("core", state.version);
  if (path.empty()) return nullptr;
  std::string_view core = coreText();
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < op.line && at < core.size(); ++line) at = core.find('\n', at) + 1;
  std::size_t name = core.find(op.name, at + 3);
  return locationIn(state, uriOf(path), std::string(core), static_cast<std::uint32_t>(name),
                    static_cast<std::uint32_t>(name + op.name.size()));
}

}  // namespace axle::lsp
