#include "tools/repl/lines.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <deque>
#include <filesystem>
#include <iostream>

#include "frontend/text_tokens.h"
#include "tools/repl/complete.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/output.h"
#include "tools/repl/statements.h"

namespace axle::repl {

namespace {

constexpr const char* prompts[] = {"> ", ". "};
// The same in bold; `escape` encloses sequences that take no column.
constexpr const char* colouredPrompts[] = {"\1\033[1m\1>\1\033[0m\1 ", "\1\033[1m\1.\1\033[0m\1 "};
constexpr int escape = 1;

// Bracketed paste mode of terminals: the sequences that switch it on and off, and those around pasted text.
constexpr const char *pasteModeOn = "\033[?2004h", *pasteModeOff = "\033[?2004l";
constexpr const char* pasteBegins = "\033[200~";
constexpr std::string_view pasteEnds = "\033[201~";

// The text between the tokens of an entry that becomes one line: blanks, comments, and text that the lexer does not
// accept, such as a string without an end. A line with such text keeps all of it.
class Gaps {
 public:
  explicit Gaps(std::string& line) : line_(line) {}

  void add(std::string_view gap) {
    while (!gap.empty()) {
      const std::size_t end = std::min(gap.find('\n'), gap.size());
      addWithinLine(gap.substr(0, end));
      if (end < gap.size()) endLine();
      gap.remove_prefix(std::min(end + 1, gap.size()));
    }
  }

 private:
  void addWithinLine(std::string_view part) {
    const std::string_view text = trimmed(part);
    if (text.starts_with("//") && !hasUnread_) return;
    hasUnread_ |= !text.empty();
    line_ += line_.ends_with(' ') && text.empty() ? "" : part;
  }
  void endLine() {
    line_ = std::string(trimmed(line_)) + " ";
    hasUnread_ = false;
  }

  std::string& line_;
  bool hasUnread_ = false;
};

// Joins an entry to one line with the same meaning. Drops comments if it has several lines, since they would end the
// line.
std::string onOneLine(std::string_view entry) {
  entry = trimmed(entry);
  const auto tokens = textTokens(entry);
  if (!tokens || entry.find('\n') == entry.npos) return std::string(entry);
  std::string line;
  Gaps gaps(line);
  std::size_t at = 0;
  for (const TextToken& token : *tokens) {
    if (token.isDoc) continue;
    gaps.add(entry.substr(at, token.begin - at));
    line += token.text;
    at = token.end;
  }
  gaps.add(entry.substr(at));
  return std::string(trimmed(line));
}

class PlainLines : public Lines {
 public:
  explicit PlainLines(bool echo) : echo_(echo) {}

  LineKind next(std::string& line, bool isMore) override {
    if (!std::getline(std::cin, line)) return LineKind::end;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (echo_) std::printf("%s%s\n", prompts[isMore], line.c_str());
    return LineKind::line;
  }
  void remember(const std::string&) override {}

 private:
  bool echo_;
};

// Returns the path of the history file; empty if there is no folder for it.
std::string historyFile() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (!state && !home) return {};
  const std::filesystem::path folder =
      (state && *state ? std::filesystem::path(state) : std::filesystem::path(home ? home : "") / ".local/state") /
      "axle";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  return failed ? std::string() : (folder / "history").string();
}

class TerminalLines : public Lines {
 public:
  explicit TerminalLines(Session& session)
      : session_(session),
        line_(el_init("axc", stdin, stdout, stderr)),
        history_(history_init()),
        file_(historyFile()) {
    constexpr int keptLines = 2000;
    std::setlocale(LC_CTYPE, "");
    history(history_, &event_, H_SETSIZE, keptLines);
    history(history_, &event_, H_SETUNIQUE, 1);
    if (!file_.empty()) history(history_, &event_, H_LOAD, file_.c_str());
    el_set(line_, EL_CLIENTDATA, this);
    el_set(line_, EL_PROMPT_ESC, &TerminalLines::prompt, escape);
    el_set(line_, EL_EDITOR, "emacs");
    el_set(line_, EL_HIST, history, history_);
    el_set(line_, EL_ADDFN, "axc-complete", "complete a name, a command or a file", &TerminalLines::complete);
    el_set(line_, EL_BIND, "^I", "axc-complete", nullptr);
    el_set(line_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_set(line_, EL_ADDFN, "axc-paste", "insert pasted text", &TerminalLines::paste);
    el_set(line_, EL_BIND, pasteBegins, "axc-paste", nullptr);
    el_source(line_, nullptr);  // the user's ~/.editrc
  }
  ~TerminalLines() override {
    el_end(line_);
    history_end(history_);
  }
  TerminalLines(const TerminalLines&) = delete;
  TerminalLines& operator=(const TerminalLines&) = delete;

  LineKind next(std::string& line, bool isMore) override {
    isMore_ = isMore;
    if (pasted_.size() > 1) return nextPasted(line);
    if (!pasted_.empty()) el_push(line_, pasted_.front().c_str());  // the last line of a paste, still without a newline
    pasted_.clear();
    wasInterrupted();
    int count = 0;
    std::fputs(pasteModeOn, stdout);
    const char* typed = el_gets(line_, &count);
    std::fputs(pasteModeOff, stdout);
    std::fflush(stdout);
    if (wasInterrupted()) {
      pasted_.clear();
      el_reset(line_);
      std::printf("^C\n");
      return LineKind::interrupted;
    }
    if (!typed || count <= 0) {
      std::printf("\n");
      return LineKind::end;
    }
    line.assign(typed, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return pasted_.empty() ? LineKind::line : LineKind::pasted;
  }

  void remember(const std::string& entry) override {
    const std::string line = onOneLine(entry);
    if (line.empty()) return;
    history(history_, &event_, H_ENTER, line.c_str());
    if (!file_.empty()) history(history_, &event_, H_SAVE, file_.c_str());
  }

 private:
  // Takes the next line of a paste, and shows it as if it had been typed.
  LineKind nextPasted(std::string& line) {
    line = std::move(pasted_.front());
    pasted_.pop_front();
    std::printf("%s%s\n", prompts[isMore_], line.c_str());
    return pasted_.front().empty() && pasted_.size() == 1 ? LineKind::line : LineKind::pasted;
  }

  // Reads pasted text. Its first line is inserted at the cursor, and entered if more lines follow; these wait in
  // `pasted_`.
  static unsigned char paste(EditLine* line, int) {
    std::string text;
    wchar_t wide = 0;
    while (!text.ends_with(pasteEnds)) {
      if (el_wgetc(line, &wide) <= 0) return CC_EOF;
      char bytes[16];
      std::mbstate_t state{};
      const std::size_t count = std::wcrtomb(bytes, wide, &state);
      if (count != static_cast<std::size_t>(-1)) text.append(bytes, count);
    }
    text.resize(text.size() - pasteEnds.size());
    std::replace(text.begin(), text.end(), '\r', '\n');
    std::replace(text.begin(), text.end(), '\t', ' ');  // a tab would complete a word
    std::deque<std::string>& pasted = of(line).pasted_;
    pasted.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      pasted.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!pasted.front().empty()) el_insertstr(line, pasted.front().c_str());
    pasted.pop_front();
    if (!pasted.empty()) el_push(line, "\n");
    return CC_REFRESH;
  }

  static TerminalLines& of(EditLine* line) {
    void* self = nullptr;
    el_get(line, EL_CLIENTDATA, &self);
    return *static_cast<TerminalLines*>(self);
  }

  static char* prompt(EditLine* line) {
    return const_cast<char*>((promptsHaveColour() ? colouredPrompts : prompts)[of(line).isMore_]);
  }

  // Completes the word as far as all candidates agree. If that adds nothing, lists the candidates.
  static unsigned char complete(EditLine* line, int) {
    const LineInfo* info = el_line(line);
    const std::string_view before(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
    const Completion found = completionOf(of(line).session_, before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::string_view typed = before.substr(found.begin);
    std::string common = found.words.front();
    for (const std::string& word : found.words) {
      auto differs = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
      common.erase(differs.first, common.end());
    }
    if (found.words.size() == 1) common += found.behind;
    if (common.size() > typed.size()) {
      el_insertstr(line, common.c_str() + typed.size());
      return CC_REFRESH;
    }
    list(found.words);
    return CC_REDISPLAY;
  }

  static void list(const std::vector<std::string>& words) {
    constexpr std::size_t width = 78;
    std::size_t widest = 0;
    for (const std::string& word : words) widest = std::max(widest, word.size() + 2);
    const std::size_t columns = std::max<std::size_t>(1, width / widest);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i % columns == 0) std::printf("\n");
      std::printf("%-*s", static_cast<int>(widest), words[i].c_str());
    }
    std::printf("\n");
  }

  Session& session_;
  EditLine* line_;
  History* history_;
  HistEvent event_{};
  std::string file_;
  std::deque<std::string> pasted_;  // pasted lines that are not read yet; no newline follows the last one
  bool isMore_ = false;
};

}  // namespace

std::unique_ptr<Lines> terminalLines(Session& session) { return std::make_unique<TerminalLines>(session); }
std::unique_ptr<Lines> plainLines(bool echo) { return std::make_unique<PlainLines>(echo); }

}  // namespace axle::repl
