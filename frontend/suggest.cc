// "Did you mean": finds the names closest to a wrong one.
#include "frontend/suggest.h"

#include <algorithm>
#include <numeric>

#include "frontend/diagnostic.h"
#include "frontend/lower_case.h"

namespace axle {

namespace {

// Returns the Damerau-Levenshtein distance (optimal string alignment), ignoring case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      char x = lowerCase(a[i - 1]), y = lowerCase(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == lowerCase(b[j - 2]) && lowerCase(a[i - 2]) == y)
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// Splits a name into words: `pool_max` and `max_pool` have the same words, and so do `conv2d_transpose` and
// `conv_transpose2d`.
std::vector<std::string_view> words(std::string_view name) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at <= name.size();) {
    std::size_t end = std::min(name.find_first_of("_.", at), name.size());
    std::string_view word = name.substr(at, end - at);
    const std::size_t digit = word.find_first_of("0123456789");
    if (digit != word.npos && digit > 0) {
      found.push_back(word.substr(digit));
      word = word.substr(0, digit);
    }
    found.push_back(word);
    at = end + 1;
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Returns the distance up to which a name is suggested: one mistake in three letters; for names of one or two letters,
// only case may differ.
std::size_t cutOff(std::string_view name) { return name.size() < 3 ? 0 : name.size() / 3; }

constexpr std::size_t longestName = 64;  // longer names are not typed by hand

struct Near {
  std::size_t distance;
  bool hasOtherLetters;  // letters that are exchanged are likelier than one too many
  std::string_view name;
  auto operator<=>(const Near&) const = default;
};

// The close names, the closest first.
std::vector<Near> closeNames(std::string_view wrong, std::span<const std::string_view> known) {
  std::vector<Near> near;
  if (wrong.size() > longestName) return {};
  std::vector<std::string_view> wrongWords = words(wrong);
  for (std::string_view name : known) {
    if (name == wrong || name.size() > longestName) continue;
    std::size_t lengths = name.size() > wrong.size() ? name.size() - wrong.size() : wrong.size() - name.size();
    if (lengths > cutOff(wrong)) continue;
    std::size_t found = distance(wrong, name);
    if (wrongWords.size() > 1 && words(name) == wrongWords) found = std::min<std::size_t>(found, 1);
    if (found <= cutOff(wrong)) near.push_back({found, !std::ranges::is_permutation(name, wrong), name});
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

}  // namespace

std::vector<std::string> closestNames(std::string_view wrong, std::span<const std::string_view> known,
                                      std::size_t limit) {
  const std::vector<Near> near = closeNames(wrong, known);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(limit, near.size()); ++i) names.emplace_back(near[i].name);
  return names;
}

std::vector<std::string> equallyCloseNames(std::string_view wrong, std::span<const std::string_view> known) {
  std::vector<std::string> names;
  const std::vector<Near> near = closeNames(wrong, known);
  for (const Near& name : near)
    if (name.distance == near.front().distance) names.emplace_back(name.name);
  return names;
}

}  // namespace axle
