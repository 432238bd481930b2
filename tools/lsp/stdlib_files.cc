#include "tools/lsp/stdlib_files.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "frontend/families.h"
#include "frontend/modules.h"
#include "io/whole_file.h"

namespace axle::lsp {

namespace fs = std::filesystem;

namespace {

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

}  // namespace axle::lsp
