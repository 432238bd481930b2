// The text form of diagnostics.
#include <algorithm>
#include <map>

#include "frontend/diagnostic.h"
#include "frontend/spans.h"
#include "frontend/utf8.h"

namespace axle {

namespace {

constexpr std::size_t tabWidth = 4;
constexpr std::size_t wholeLine = 120;  // without a terminal, lines up to this many columns are shown whole
constexpr std::size_t window = 100;     // of a longer line, show this many columns around the label
constexpr std::string_view ellipsis = "...";
constexpr std::size_t minWidth = 40;  // the minimum width that every terminal is assumed to have

enum class Style { plain, bold, error, warning, note, gutter, primary, secondary };

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string operator()(Style style, std::string_view text) const {
    static constexpr std::string_view codes[] = {"", "1", "1;31", "1;33", "1;36", "1;34", "1;31", "1;34"};
    if (!colour_ || style == Style::plain || text.empty()) return std::string(text);
    return "\x1b[" + std::string(codes[static_cast<int>(style)]) + "m" + std::string(text) + "\x1b[0m";
  }

 private:
  bool colour_;
};

// A source line as a terminal shows it: tabs expanded, control characters and broken bytes replaced.
struct ShownLine {
  std::string text;
  std::vector<std::size_t> columns;  // for each byte of the source line, and its end, the column in which it is shown
  std::vector<std::size_t> bytes;    // for each column, and the end, where it starts in `text`
};

ShownLine show(std::string_view line) {
  ShownLine shown;
  std::size_t column = 0;
  auto put = [&](std::string_view piece, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) shown.bytes.push_back(shown.text.size());
    shown.text += piece;
    column += width;
  };
  for (std::size_t at = 0; at < line.size();) {
    CodePoint point = codePointAt(line, at);
    for (std::size_t i = 0; i < point.bytes; ++i) shown.columns.push_back(column);
    if (point.value == '\t') {
      std::size_t width = tabWidth - column % tabWidth;
      for (std::size_t i = 0; i < width; ++i) put(" ", 1);
    } else if (point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0) || point.value == 0xfffd) {
      put("\xef\xbf\xbd", 1);
    } else {
      put(line.substr(at, point.bytes), static_cast<std::size_t>(displayWidth(point.value)));
    }
    at += point.bytes;
  }
  shown.columns.push_back(column);
  shown.bytes.push_back(shown.text.size());
  return shown;
}

// Wraps a text into a line of `first` columns, then lines of `rest`. Does not break words or indented lines, since the
// columns of indented lines may be aligned.
std::vector<std::string_view> wrapped(std::string_view text, std::size_t first, std::size_t rest) {
  std::vector<std::string_view> lines;
  std::size_t start = 0, end = 0, column = 0, room = first;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = std::min(text.find(' ', at + 1), text.size());
    std::string_view word = text.substr(at, next - at);
    std::size_t columns = columnsOf(word);
    if (end > start && column + columns > room) {
      lines.push_back(text.substr(start, end - start));
      start = at + 1;  // without the blank
      column = columns - 1;
      room = rest;
    } else {
      column += columns;
    }
    at = end = next;
  }
  lines.push_back(text.substr(start));
  return lines;
}

// The part of a label on one line.
struct Mark {
  std::size_t begin, end;  // bytes in the source line
  bool primary;
  std::string_view text;
};

using Lines = std::map<std::uint32_t, std::vector<Mark>>;

void addMarks(Lines& lines, const SourceMap& sources, const Label& label, bool primary) {
  const Span& span = std::get<Span>(label.place);
  std::uint32_t first = sources.position(span.source, span.begin).line;
  std::uint32_t last = sources.position(span.source, std::max(span.begin, span.end)).line;
  const char* base = sources.text(span.source).data();
  auto offsetIn = [&](std::uint32_t number, std::uint32_t offset) {
    std::string_view line = sources.line(span.source, number);
    auto start = static_cast<std::size_t>(line.data() - base);
    return std::min(offset > start ? offset - start : 0, line.size());
  };
  if (last > first && offsetIn(last, span.end) == 0) --last;
  if (first == last) {
    lines[first].push_back({offsetIn(first, span.begin), offsetIn(first, span.end), primary, label.text});
    if (sources.position(span.source, span.end).line > first)
      lines[first].back().end = sources.line(span.source, first).size();
    return;
  }
  lines[first].push_back({offsetIn(first, span.begin), sources.line(span.source, first).size(), primary, label.text});
  if (!primary) return;  // its last line would look like a mark without a text
  std::string_view end = sources.line(span.source, last);
  std::size_t indent = std::min(end.find_first_not_of(" \t"), end.size());
  lines[last].push_back({std::min(indent, offsetIn(last, span.end)), offsetIn(last, span.end), primary, {}});
}

class Renderer {
 public:
  Renderer(const Diagnostic& diagnostic, const SourceMap& sources, RenderOptions options)
      : diagnostic_(diagnostic),
        sources_(sources),
        paint_(options.colour),
        width_(options.width == 0 ? 0 : std::max(options.width, minWidth)) {}

  std::string render();

 private:
  void place(const Label& label, bool primary);
  void artifact(const ArtifactPlace& place, std::string_view label, bool primary);
  void excerpt(SourceId source, const Lines& lines);
  void line(std::string_view number, std::string_view text, std::vector<Mark> marks);
  void caretLine(const ShownLine& shown, const Mark& mark, std::size_t from, std::size_t to);
  void gutter(std::string_view number, std::string_view rest);
  void remark(std::string_view kind, std::string_view text);
  void head();
  // The columns after the gutter.
  std::size_t room() const { return width_ - gutterWidth_ - 3; }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  Painter paint_;
  std::size_t width_;  // 0: lines are not broken
  std::size_t gutterWidth_ = 1;
  std::string out_;
};

void Renderer::head() {
  static constexpr std::string_view severities[] = {"error", "warning", "note"};
  static constexpr Style styles[] = {Style::error, Style::warning, Style::note};
  auto severity = static_cast<std::size_t>(diagnostic_.code->severity);
  std::string head = std::string(severities[severity]) + "[" + std::string(diagnostic_.code->code) + "]";
  out_ = paint_(styles[severity], head);
  std::string message = ": " + diagnostic_.message;
  if (width_ == 0) {
    out_ += paint_(Style::bold, message) + "\n";
    return;
  }
  constexpr std::string_view indent = "  ";
  const auto lines = wrapped(message, width_ - head.size(), width_ - indent.size());
  for (std::string_view line : lines)
    out_ += (line.data() == lines.front().data() ? "" : std::string(indent)) + paint_(Style::bold, line) + "\n";
}

std::string Renderer::render() {
  head();

  // All labels of one file make one excerpt; the primary label's file comes first.
  std::vector<std::pair<SourceId, Lines>> files;
  auto linesOf = [&](SourceId source) -> Lines& {
    for (auto& [id, lines] : files)
      if (id == source) return lines;
    files.push_back({source, {}});
    return files.back().second;
  };
  auto collect = [&](const Label& label, bool primary) {
    if (const Span* span = std::get_if<Span>(&label.place)) addMarks(linesOf(span->source), sources_, label, primary);
  };
  collect(diagnostic_.primary, true);
  for (const Label& label : diagnostic_.secondary) collect(label, false);
  for (const auto& [id, lines] : files)
    if (!lines.empty() && !sources_.isListing(id))
      gutterWidth_ = std::max(gutterWidth_, std::to_string(lines.rbegin()->first).size());

  place(diagnostic_.primary, true);
  std::vector<SourceId> done;
  if (const Span* span = std::get_if<Span>(&diagnostic_.primary.place)) {
    excerpt(span->source, linesOf(span->source));
    done.push_back(span->source);
  }
  for (const Label& label : diagnostic_.secondary) {
    const Span* span = std::get_if<Span>(&label.place);
    if (span != nullptr && std::find(done.begin(), done.end(), span->source) != done.end()) continue;
    place(label, false);
    if (span == nullptr) continue;
    excerpt(span->source, linesOf(span->source));
    done.push_back(span->source);
  }
  if (!diagnostic_.notes.empty() || !diagnostic_.help.empty()) gutter("", "");
  for (const std::string& note : diagnostic_.notes) remark("note", note);
  for (const std::string& help : diagnostic_.help) remark("help", help);
  return std::move(out_);
}

void Renderer::place(const Label& label, bool primary) {
  if (const ArtifactPlace* found = std::get_if<ArtifactPlace>(&label.place))
    return artifact(*found, label.text, primary);
  const Span& span = std::get<Span>(label.place);
  if (sources_.isListing(span.source))
    return artifact({std::string(sources_.path(span.source)), std::string(sources_.node(span.source, span.begin))}, {},
                    primary);
  out_ += std::string(gutterWidth_, ' ') + paint_(Style::gutter, primary ? "--> " : "::: ") +
          placeText(sources_, span) + "\n";
}

void Renderer::artifact(const ArtifactPlace& place, std::string_view label, bool primary) {
  auto endsWith = [&](std::string_view suffix) { return place.file.ends_with(suffix); };
  std::string_view kind = endsWith(".safetensors") || endsWith(".npz") || endsWith(".npy") ? "tensor" : "node";
  out_ += std::string(gutterWidth_, ' ') + paint_(Style::gutter, primary ? "--> " : "::: ") + place.file;
  if (!place.node.empty()) out_ += ": " + std::string(kind) + " \"" + place.node + "\"";
  out_ += "\n";
  if (!label.empty()) gutter("", paint_(primary ? Style::primary : Style::secondary, label));
}

void Renderer::excerpt(SourceId source, const Lines& lines) {
  if (sources_.text(source).empty()) return;
  gutter("", "");
  std::uint32_t previous = 0;
  for (const auto& [number, marks] : lines) {
    if (sources_.isListing(source))
      previous = 0;  // nodes have no order that readers know
    else if (previous != 0 && number == previous + 2)
      line(std::to_string(previous + 1), sources_.line(source, previous + 1), {});
    else if (previous != 0 && number > previous + 2)
      out_ += paint_(Style::gutter, "...") + "\n";
    line(sources_.isListing(source) ? "" : std::to_string(number), sources_.line(source, number), marks);
    previous = number;
  }
}

void Renderer::line(std::string_view number, std::string_view text, std::vector<Mark> marks) {
  ShownLine shown = show(text);
  std::size_t width = shown.columns.back();
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
  const std::size_t whole = width_ == 0 ? wholeLine : room();
  if (width <= whole) {
    gutter(number, shown.text);
    for (const Mark& mark : marks) caretLine(shown, mark, 0, width + 1);
    return;
  }
  if (marks.empty()) marks.push_back({0, 0, false, {}});
  const std::size_t part = width_ == 0 ? window : whole - 2 * ellipsis.size();
  const std::size_t leadIn = part * 3 / 10;  // columns shown before the label
  for (const Mark& mark : marks) {
    std::size_t column = shown.columns[mark.begin];
    std::size_t from = std::min(column > leadIn ? column - leadIn : 0, width - part);
    std::size_t to = from + part;
    std::string shownPart = shown.text.substr(shown.bytes[from], shown.bytes[to] - shown.bytes[from]);
    gutter(number, std::string(from > 0 ? ellipsis : "") + shownPart + std::string(to < width ? ellipsis : ""));
    caretLine(shown, mark, from, to);
  }
}

// Writes the line of carets under columns [from, to) of a source line, which is shown after `...` if `from` is not 0.
void Renderer::caretLine(const ShownLine& shown, const Mark& mark, std::size_t from, std::size_t to) {
  std::size_t begin = std::clamp(shown.columns[mark.begin], from, to);
  std::size_t end = std::clamp(shown.columns[mark.end], begin, to);
  std::size_t indent = begin - from + (from > 0 ? ellipsis.size() : 0);
  std::string carets(std::max<std::size_t>(end - begin, 1), mark.primary ? '^' : '-');
  const Style style = mark.primary ? Style::primary : Style::secondary;
  const bool fits = width_ == 0 || indent + carets.size() + 1 + columnsOf(mark.text) <= room();
  if (fits && !mark.text.empty()) carets += " " + std::string(mark.text);
  gutter("", std::string(indent, ' ') + paint_(style, carets));
  if (fits) return;
  indent = std::min(indent, room() - std::min(room(), minWidth));
  for (std::string_view line : wrapped(mark.text, room() - indent, room() - indent))
    gutter("", std::string(indent, ' ') + paint_(style, line));
}

void Renderer::gutter(std::string_view number, std::string_view rest) {
  std::string left =
      std::string(number) + std::string(gutterWidth_ - std::min(gutterWidth_, number.size()), ' ') + " |";
  out_ += paint_(Style::gutter, left);
  if (!rest.empty()) out_ += " " + std::string(rest);
  while (out_.ends_with(' ')) out_.pop_back();
  out_ += "\n";
}

void Renderer::remark(std::string_view kind, std::string_view text) {
  const std::string lead(gutterWidth_ + 1, ' '), hanging(gutterWidth_ + kind.size() + 5, ' ');
  out_ += lead + paint_(Style::gutter, "= ") + paint_(Style::bold, kind) + ": ";
  bool first = true;
  auto put = [&](std::string_view line) {
    out_ += (first ? "" : hanging) + std::string(line) + "\n";
    first = false;
  };
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (width_ == 0 || line.starts_with(' '))
      put(line);
    else
      for (std::string_view part : wrapped(line, width_ - hanging.size(), width_ - hanging.size())) put(part);
    at = end + 1;
  }
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources, RenderOptions options) {
  return Renderer(diagnostic, sources, options).render();
}

}  // namespace axle
