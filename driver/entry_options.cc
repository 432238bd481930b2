#include "driver/entry_options.h"

#include <algorithm>
#include <charconv>

namespace axle::driver {

namespace {

std::optional<std::int64_t> readSize(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Parses `[2, 3]`.
std::optional<std::vector<std::int64_t>> readShape(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::string inner;
  for (char c : text.substr(1, text.size() - 2))
    if (c != ' ') inner += c;
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < inner.size();) {
    std::size_t end = std::min(inner.find(',', at), inner.size());
    std::optional<std::int64_t> size = readSize(std::string_view(inner).substr(at, end - at));
    if (!size || end + 1 == inner.size()) return std::nullopt;
    sizes.push_back(*size);
    at = end + 1;
  }
  return sizes;
}

}  // namespace

tl::expected<EntryOptions, std::string> readEntryOptions(const std::vector<std::string>& sets) {
  EntryOptions entry;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals), value = equals == set.npos ? "" : set.substr(equals + 1);
    const auto size = readSize(value);
    const auto shape = readShape(value);
    if (name.empty() || (!size && !shape))
      return tl::unexpected("--set wants a size, as in n=4, or a shape, as in s=[2,3], not `" + set + "`");
    const bool differs = size ? entry.dims.emplace(name, *size).first->second != *size
                              : entry.shapes.emplace(name, *shape).first->second != *shape;
    if (differs || (entry.dims.count(name) && entry.shapes.count(name)))
      return tl::unexpected("--set gives `" + name + "` two values");
  }
  return entry;
}

}  // namespace axle::driver
