#include "frontend/consequent_errors.h"

#include <algorithm>
#include <set>

#include "frontend/syntax_codes.h"

namespace axle {

namespace {

bool isSyntax(const Diagnostic& d) { return d.code == &codes::syntax || d.code == &codes::unbalanced; }
bool isText(const Diagnostic& d) { return d.code == &codes::unknownCharacter || d.code == &codes::unterminatedString; }
// Errors that depend on where blocks begin and end.
bool isOfBlocks(const Diagnostic& d) {
  return d.code == &codes::unusedValue || d.code == &codes::noResult || d.code == &codes::badElse;
}

std::vector<std::uint32_t> places(const Diagnostic& d) {
  std::vector<std::uint32_t> found;
  if (const Span* span = std::get_if<Span>(&d.primary.place)) found.push_back(span->begin);
  for (const Label& label : d.secondary)
    if (const Span* span = std::get_if<Span>(&label.place)) found.push_back(span->begin);
  return found;
}

template <class... Args>
bool isAbout(const Diagnostic& d, const Message<Args...>& message, std::string_view bracket) {
  return d.is(message) && d.arguments[0] == bracket;
}

// Drops the errors that a missing bracket causes: without its `{`, a `}` is unmatched and the statements before it seem
// to be outside the block; without its `}`, a `{` is unclosed.
void dropPairs(Diagnostics& found) {
  std::vector<bool> drop(found.size());
  std::size_t missing = found.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (isAbout(found[i], expectedBefore, "`{`")) missing = i;
    if (isAbout(found[i], unclosedBracket, "`{`"))
      drop[i] = std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i), [&](const Diagnostic& d) {
        return isAbout(d, expectedBefore, "`}`") && places(d)[0] > places(found[i])[1];
      });
    if (missing > i || !isAbout(found[i], unmatchedBracket, "`}`")) continue;
    for (std::size_t j = missing + 1; j < i; ++j) drop[j] = drop[j] || isOfBlocks(found[j]);
    drop[i] = true;
    missing = found.size();
  }
  std::size_t at = 0;
  std::erase_if(found, [&](const Diagnostic&) { return drop[at++]; });
}

}  // namespace

void dropConsequentErrors(Diagnostics& found, const SourceMap& sources,
                          const std::vector<std::uint32_t>& statementEnds) {
  dropPairs(found);

  // Drops the second syntax error on a line, which is almost never a separate mistake, and a bracket left open on such
  // a line.
  std::set<std::uint32_t> lines;
  std::erase_if(found, [&](const Diagnostic& d) {
    if (!isSyntax(d) && !isText(d)) return false;
    std::set<std::uint32_t> here;
    std::vector<std::uint32_t> marked = places(d);
    if (d.code != &codes::unbalanced) marked.resize(1);
    for (std::uint32_t place : marked)
      here.insert(sources.position(std::get<Span>(d.primary.place).source, place).line);
    bool seen =
        isSyntax(d) && std::any_of(here.begin(), here.end(), [&](std::uint32_t line) { return lines.count(line) > 0; });
    if (!seen) lines.insert(here.begin(), here.end());
    return seen;
  });

  // In a statement with a syntax error, errors about blocks are unreliable.
  auto statementOf = [&](std::uint32_t place) {
    return std::lower_bound(statementEnds.begin(), statementEnds.end(), place) - statementEnds.begin();
  };
  std::set<std::ptrdiff_t> broken;
  for (const Diagnostic& d : found) {
    if (!isSyntax(d) && !isText(d)) continue;
    for (std::uint32_t place : places(d)) broken.insert(statementOf(place));
  }
  std::erase_if(found,
                [&](const Diagnostic& d) { return isOfBlocks(d) && broken.count(statementOf(places(d)[0])) > 0; });
}

}  // namespace axle
