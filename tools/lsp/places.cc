// Places of the protocol: URIs, ranges, and files of the stdlib that the user can open.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "frontend/families.h"
#include "io/whole_file.h"
#include "tools/lsp/server.h"

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

std::string cacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cache;
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache" : std::string();
}

std::string textOfFile(const std::string& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return text;
  char chunk[1 << 14];
  while (std::size_t got = std::fread(chunk, 1, sizeof chunk, file)) text.append(chunk, got);
  std::fclose(file);
  return text;
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

std::string stdlibFile(const std::string& name, const std::string& version) {
  std::string cache = cacheFolder();
  std::string text(name == "core" ? coreText() : stdlibModule(name));
  if (cache.empty() || text.empty()) return {};
  fs::path folder = fs::path(cache) / "axle" / ("stdlib-" + version);
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::path path = folder / (name + ".ax");
  if (textOfFile(path.string()) == text) return path.string();
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  fs::remove(path, failed);
  if (failed || !writeWholeFile(path.string(), {&bytes, 1})) return {};
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read, failed);
  return path.string();
}

Json Server::rangeJson(const Text& text, std::uint32_t begin, std::uint32_t end) const {
  Place from = text.place(begin, encoding_), to = text.place(end, encoding_);
  return {{"start", {{"line", from.line}, {"character", from.character}}},
          {"end", {{"line", to.line}, {"character", to.character}}}};
}

Place Server::placeOf(const Json& position) {
  auto number = [&](const char* name) {
    const Json& value = heldBy(position, name);
    if (!value.is_number_integer()) throw Refusal{invalidParams, std::string(name) + " is no whole number"};
    if (!value.is_number_unsigned()) return std::uint32_t{0};  // below 0
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value.get<std::uint64_t>(), UINT32_MAX));
  };
  return {number("line"), number("character")};
}

std::uint32_t Server::offsetOf(const Document& document, const Json& position) const {
  return document.text.offset(placeOf(position), encoding_);
}

Json Server::locationIn(const std::string& uri, std::string text, std::uint32_t begin, std::uint32_t end) const {
  return {{"uri", uri}, {"range", rangeJson(Text(std::move(text)), begin, end)}};
}

// None where the place is in a text that is no more, or in one that no file holds.
std::optional<Json> Server::location(Document& document, Span span) {
  if (auto placed = document.check().placed(span))
    return Json{{"uri", document.uri}, {"range", rangeJson(document.text, placed->begin, placed->end)}};
  std::string path(document.sources().path(span.source));
  if (path == document.path) return std::nullopt;
  if (path.starts_with(stdlibFolder)) {
    std::string name = fs::path(path).stem().string();
    if (stdlibModule(name) == document.sources().text(span.source)) path = stdlibFile(name, version_);
  }
  if (path.empty()) return std::nullopt;
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed);
  return locationIn(uriOf(failed ? path : whole.lexically_normal().string()),
                    std::string(document.sources().text(span.source)), span.begin, span.end);
}

Json Server::operatorLocation(const CoreOp& op) {
  std::string path = stdlibFile("core", version_);
  if (path.empty()) return nullptr;
  std::string_view core = coreText();
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < op.line && at < core.size(); ++line) at = core.find('\n', at) + 1;
  std::size_t name = core.find(op.name, at + 3);
  return locationIn(uriOf(path), std::string(core), static_cast<std::uint32_t>(name),
                    static_cast<std::uint32_t>(name + op.name.size()));
}

}  // namespace axle::lsp
