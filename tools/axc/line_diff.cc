#include "tools/axc/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axle::axc {

namespace {

constexpr std::size_t around = 3;              // unchanged lines shown before and after a change
constexpr std::size_t largestTable = 1 << 24;  // entries; above it all lines between the equal ends count as changed

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// A line marked ' ', '-' or '+'.
struct DiffLine {
  char mark;
  std::string_view text;
};

// As Git colours them.
constexpr std::string_view removedColour = "\x1b[31m", addedColour = "\x1b[32m", hunkColour = "\x1b[36m";

std::string painted(const std::string& text, std::string_view in, bool colour) {
  return colour ? std::string(in) + text + "\x1b[m" : text;
}

std::string shown(const DiffLine& line, bool colour) {
  const bool isEnded = line.text.ends_with('\n');
  std::string text = line.mark + std::string(line.text.substr(0, line.text.size() - (isEnded ? 1 : 0)));
  if (line.mark != ' ') text = painted(text, line.mark == '-' ? removedColour : addedColour, colour);
  return text + (isEnded ? "\n" : "\n\\ No newline at end of file\n");
}

using Lines = std::vector<std::string_view>;

// Appends the difference of the lines from `first` on, without the last `last` lines of each text, by their longest
// common subsequence.
void addMiddle(const Lines& a, const Lines& b, std::size_t first, std::size_t last, std::vector<DiffLine>& out) {
  const std::size_t n = a.size() - first - last, m = b.size() - first - last;
  std::vector<std::uint32_t> common;  // the length of the common subsequence from (i, j) on
  const bool fits = n * m <= largestTable;
  if (fits) common.assign((n + 1) * (m + 1), 0);
  for (std::size_t i = n; fits && i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i * (m + 1) + j] = a[first + i] == b[first + j]
                                    ? common[(i + 1) * (m + 1) + j + 1] + 1
                                    : std::max(common[(i + 1) * (m + 1) + j], common[i * (m + 1) + j + 1]);
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (fits && i < n && j < m && a[first + i] == b[first + j]) {
      out.push_back({' ', a[first + i]});
      ++i, ++j;
    } else if (i < n && (j == m || !fits || common[(i + 1) * (m + 1) + j] >= common[i * (m + 1) + j + 1])) {
      out.push_back({'-', a[first + i++]});
    } else {
      out.push_back({'+', b[first + j++]});
    }
  }
}

std::vector<DiffLine> diffLines(const Lines& a, const Lines& b) {
  const std::size_t least = std::min(a.size(), b.size());
  std::size_t first = 0, last = 0;
  while (first < least && a[first] == b[first]) ++first;
  while (last < least - first && a[a.size() - 1 - last] == b[b.size() - 1 - last]) ++last;
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < first; ++i) out.push_back({' ', a[i]});
  addMiddle(a, b, first, last, out);
  for (std::size_t i = a.size() - last; i < a.size(); ++i) out.push_back({' ', a[i]});
  return out;
}

// Prints a range as `3,4`. An empty range begins at the line before it.
std::string rangeText(std::size_t before, std::size_t count) {
  return std::to_string(count == 0 ? before : before + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unifiedDiff(std::string_view before, std::string_view after, const std::string& path, bool colour) {
  const std::vector<DiffLine> lines = diffLines(linesOf(before), linesOf(after));
  std::string text;
  std::size_t oldLine = 0, newLine = 0;  // before the next line
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t begin = at;
    while (begin < lines.size() && lines[begin].mark == ' ') ++begin;
    if (begin == lines.size()) break;
    begin = std::max(at, begin - std::min(begin, around));
    oldLine += begin - at, newLine += begin - at;
    // A hunk ends at the last change that is close to the change before.
    std::size_t end = begin, equal = 0;
    for (std::size_t i = begin; i < lines.size() && equal <= 2 * around; ++i) {
      equal = lines[i].mark == ' ' ? equal + 1 : 0;
      if (equal == 0) end = i + 1;
    }
    end = std::min(end + around, lines.size());
    std::string body;
    std::size_t olds = 0, news = 0;
    for (std::size_t i = begin; i < end; ++i) {
      body += shown(lines[i], colour);
      olds += lines[i].mark != '+', news += lines[i].mark != '-';
    }
    text += painted("@@ -" + rangeText(oldLine, olds) + " +" + rangeText(newLine, news) + " @@", hunkColour, colour);
    text += "\n" + body;
    oldLine += olds, newLine += news;
    at = end;
  }
  return text.empty() ? text : "--- " + path + "\n+++ " + path + "\n" + text;
}

}  // namespace axle::axc
