#include <cctype>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "typecheck/report/guess_titles.h"

namespace axle {

namespace {

// The text of an edit, with the name of the static argument whose value it is.
std::string whatIsNew(const Guesser& g, const Application& at, const Edit& edit) {
  if (at.named)
    for (const ast::NamedArgument& named : *at.named)
      if (g.module[named.value].span == edit.span) return named.name.text + "=" + edit.text;
  if (at.named && edit.span == endOf(at) && edit.text.starts_with(", "))
    return fmt::format("{}(...{})", calleeOf(g, at), edit.text);
  std::string text = edit.text;  // without the commas of what is put into a list
  if (text.starts_with(", ")) text.erase(0, 2);
  if (text.ends_with(", ")) text.erase(text.size() - 2);
  return text;
}

// An expression on one line; of a long one only what begins it, with `...` for the rest in its brackets.
std::string shortened(const std::string& expression) {
  constexpr std::size_t longest = 30;
  std::string line;
  for (const char ch : expression) {
    const bool isBlank = std::isspace(static_cast<unsigned char>(ch));
    if (!isBlank) line += ch;
    if (isBlank && !line.empty() && line.back() != ' ' && line.back() != '(' && line.back() != '[') line += ' ';
  }
  std::size_t begin = 0, close = 0, depth = 0;  // what is shown before the rest, and where the first bracket closes
  for (std::size_t i = 0; i < line.size() && close == 0; ++i) {
    const bool opens = line[i] == '(' || line[i] == '[', closes = line[i] == ')' || line[i] == ']';
    depth += opens;
    if (depth == 1 && (begin == 0 ? opens : line[i] == ',' && i < longest)) begin = i + 1;
    depth -= closes;
    if (closes && depth == 0) close = i;
  }
  if (line.size() <= longest || close == 0 || close + 1 != line.size()) return line;
  return fmt::format("{}{}...{}", line.substr(0, begin), line[begin - 1] == ',' ? " " : "", line.back());
}

// An expression with the edits in it.
std::string textWith(const Guesser& g, Span expression, const std::vector<Edit>& edits) {
  std::string becomes = g.text(expression);
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    becomes.replace(edit->span.begin - expression.begin, edit->span.end - edit->span.begin, edit->text);
  return becomes;
}

// The innermost call or tuple that has all edits.
std::optional<Span> innermostAround(const ast::Module& module, const std::vector<Edit>& edits) {
  std::optional<Span> innermost;
  for (const ast::Expr& e : module.exprs) {
    if (!std::holds_alternative<ast::ExprCall>(e.node) && !std::holds_alternative<ast::ExprTuple>(e.node)) continue;
    auto isInside = [&](const Edit& edit) { return isWithin(edit.span, e.span) && edit.span.begin > e.span.begin; };
    if (std::ranges::all_of(edits, isInside) && (!innermost || isWithin(e.span, *innermost))) innermost = e.span;
  }
  return innermost;
}

}  // namespace

std::string insteadUnused(const std::string& name, const std::string& other) {
  return fmt::format("write `{}`, which nothing uses, instead of `{}`", name, other);
}

bool isOfUnused(const Fix& fix) { return fix.title.find("`, which nothing uses, instead of `") != fix.title.npos; }

std::string titleWith(const Guesser& g, const Application& at, const std::string& title,
                      const std::vector<Edit>& edits) {
  constexpr std::size_t longest = 100;
  auto isShort = [](const std::string& shown) { return shown.size() <= longest && shown.find('\n') == shown.npos; };
  std::string becomes = textWith(g, at.span, edits);
  if (!isShort(becomes))
    if (const auto inner = innermostAround(g.module, edits); inner && isWithin(*inner, at.span) && *inner != at.span)
      becomes = textWith(g, *inner, edits);
  // Of an application that is long, only what is new; of that, if it is long, only its beginning.
  auto whatIsNewAs = [&](auto&& form) {
    std::string parts;
    for (const Edit& edit : edits)
      if (!edit.text.empty())
        parts += fmt::format("{}`{}`", parts.empty() ? ": " : " and ", form(whatIsNew(g, at, edit)));
    return parts;
  };
  std::string parts = whatIsNewAs(std::identity());
  if (!isShort(parts)) parts = whatIsNewAs(shortened);
  if (edits.size() == 1 && title.find(fmt::format("`{}`", edits[0].text)) != title.npos) parts.clear();  // it is told
  return isShort(becomes) ? fmt::format("{}: `{}`", title, becomes) : isShort(parts) ? title + parts : title;
}

}  // namespace axle
