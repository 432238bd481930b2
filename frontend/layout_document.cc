#include "frontend/layout_document.h"

#include <algorithm>

#include "frontend/utf8.h"

namespace axle {

Document::Id Document::add(Kind kind) {
  Piece piece;
  piece.kind = kind;
  if (kind == Kind::blank) piece.width = 1;
  pieces_.push_back(piece);
  return static_cast<Id>(pieces_.size() - 1);
}

void Document::text(std::string_view text) {
  Piece& piece = pieces_[add(Kind::text)];
  piece.text = text;
  piece.width = static_cast<std::uint32_t>(columnsOf(text));
}

Document::Id Document::padding() {
  Id id = add(Kind::blank);
  pieces_[id].width = 0;
  return id;
}

void Document::line(Line line) {
  Id id = add(Kind::line);
  pieces_[id].line = line;
  pieces_[id].width = line == Line::spaced || line == Line::fill ? 1 : 0;
  if (open_.empty()) return;
  if (fills_.back() != none) pieces_[fills_.back()].end = id;
  fills_.back() = line == Line::fill ? id : none;
}

void Document::comment(std::string_view text, bool trailing) {
  Piece& piece = pieces_[add(Kind::comment)];
  piece.text = text;
  piece.trailing = trailing;
}

void Document::breakInside(Id group, Id inner, Id from) {
  pieces_[group].inner = inner;
  pieces_[group].from = from;
}

void Document::indent(std::uint32_t blanks) { pieces_[add(Kind::indent)].width = blanks; }

Document::Id Document::openGroup() {
  open_.push_back(add(Kind::open));
  fills_.push_back(none);
  return open_.back();
}

void Document::closeGroup() {
  Id end = add(Kind::close);
  pieces_[open_.back()].end = end;
  if (fills_.back() != none) pieces_[fills_.back()].end = end;
  open_.pop_back();
  fills_.pop_back();
}

class DocumentPrinter {
 public:
  DocumentPrinter(const Document& document, std::uint32_t width) : pieces_(document.pieces_), width_(width) {}
  std::string print();

 private:
  using Id = Document::Id;
  using Kind = Document::Kind;
  using Line = Document::Line;
  enum class Mode : std::uint8_t { flat, broken, inside };  // inside: as set by `breakInside`
  struct PrintedLine {
    std::uint32_t indent = 0;
    std::uint32_t width = 0;  // without its trailing comment
    std::string code;
    std::string_view trailing;
  };

  void measure();
  std::uint64_t flat(Id from, Id to) const { return widths_[to] - widths_[from]; }
  bool mustBreak(Id from, Id to) const { return breaks_[to] > breaks_[from]; }
  // The width from a piece up to the next place for a break.
  std::uint64_t rest(Id from) const { return flat(from, nextBreaks_[from]); }
  bool fits(Id from, Id to) const { return !mustBreak(from, to) && column() + flat(from, to) + rest(to) <= width_; }
  bool fitsOutside(Id group) const;
  Mode modeOf(Id group);

  std::uint32_t column() const { return lineBegun_ ? nextIndent_ : lines_.back().width + blanks_; }
  void beginLine(std::uint32_t indent);
  void put(const Document::Piece& piece);
  void putLine(Id id);
  void putComment(const Document::Piece& piece);
  std::string joined() const;
  void alignTrailing(std::size_t from, std::size_t to, std::string& out) const;

  const std::vector<Document::Piece>& pieces_;
  std::uint32_t width_;
  std::vector<std::uint64_t> widths_;  // total width of all pieces before this one, on one line
  std::vector<std::uint32_t> breaks_;  // number of certain line breaks before this one
  std::vector<Id> nextBreaks_;         // the first piece at or after this one where a line may break

  std::vector<PrintedLine> lines_{1};
  std::vector<Mode> modes_{Mode::broken};
  std::vector<std::uint32_t> indents_{0};
  Id broken_ = Document::none;  // a group that turned out not to fit
  std::uint32_t blanks_ = 0;    // pending before the next text
  bool lineBegun_ = false;      // the next text begins a line
  bool commented_ = false;      // a comment followed the last text
  bool emptyLine_ = false;
  std::uint32_t nextIndent_ = 0;
};

void DocumentPrinter::measure() {
  std::size_t count = pieces_.size();
  widths_.assign(count + 1, 0);
  breaks_.assign(count + 1, 0);
  nextBreaks_.assign(count + 1, static_cast<Id>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Document::Piece& piece = pieces_[i];
    bool counts = piece.kind == Kind::text || piece.kind == Kind::blank || piece.kind == Kind::line;
    bool breaks = piece.kind == Kind::comment || (piece.kind == Kind::line && piece.line == Line::hard);
    widths_[i + 1] = widths_[i] + (counts ? piece.width : 0);
    breaks_[i + 1] = breaks_[i] + (breaks ? 1 : 0);
  }
  for (std::size_t i = count; i-- > 0;) {
    bool may = pieces_[i].kind == Kind::comment || pieces_[i].kind == Kind::line;
    nextBreaks_[i] = may ? static_cast<Id>(i) : nextBreaks_[i + 1];
  }
}

bool DocumentPrinter::fitsOutside(Id group) const {
  constexpr std::uint64_t closing = 1;  // the block's brace
  const Document::Piece& piece = pieces_[group];
  if (piece.inner == Document::none) return false;
  Id innerEnd = pieces_[piece.inner].end;
  return !mustBreak(group, piece.from) && !mustBreak(innerEnd, piece.end) &&
         column() + flat(group, nextBreaks_[piece.from]) <= width_ &&
         indents_.back() + closing + flat(innerEnd, piece.end) + rest(piece.end) <= width_;
}

DocumentPrinter::Mode DocumentPrinter::modeOf(Id group) {
  if (modes_.back() == Mode::flat) return Mode::flat;
  if (group != broken_ && fits(group, pieces_[group].end)) return Mode::flat;
  if (!fitsOutside(group)) return Mode::broken;
  broken_ = pieces_[group].inner;
  return Mode::inside;
}

void DocumentPrinter::beginLine(std::uint32_t indent) {
  lineBegun_ = true;
  nextIndent_ = indent;
  blanks_ = 0;
}

void DocumentPrinter::put(const Document::Piece& piece) {
  if (lineBegun_) {
    bool first = lines_.size() == 1 && lines_.back().code.empty() && lines_.back().trailing.empty();
    if (emptyLine_ && !first) lines_.emplace_back();
    if (!first) lines_.emplace_back();
    lines_.back().indent = lines_.back().width = nextIndent_;
    lines_.back().code.assign(nextIndent_, ' ');
  }
  lineBegun_ = emptyLine_ = commented_ = false;
  lines_.back().code.append(blanks_, ' ');
  lines_.back().code += piece.text;
  lines_.back().width += blanks_ + piece.width;
  blanks_ = 0;
}

void DocumentPrinter::putLine(Id id) {
  const Document::Piece& piece = pieces_[id];
  bool breaks = piece.line == Line::hard || modes_.back() == Mode::broken;
  if (piece.line == Line::fill && breaks) {
    Id next = id + 1;
    breaks = mustBreak(next, piece.end) || column() + piece.width + flat(next, piece.end) + rest(piece.end) > width_;
  }
  if (breaks)
    beginLine(indents_.back());
  else if (!lineBegun_)
    blanks_ += piece.width;
}

void DocumentPrinter::putComment(const Document::Piece& piece) {
  PrintedLine& line = lines_.back();
  bool behind = piece.trailing && !line.code.empty() && line.trailing.empty() && !commented_;
  if (!lineBegun_) beginLine(indents_.back() + (modes_.back() == Mode::inside ? 0 : 2));
  if (behind) {
    line.trailing = piece.text;
  } else {
    std::uint32_t indent = nextIndent_;
    put(piece);
    beginLine(indent);
  }
  commented_ = true;
}

std::string DocumentPrinter::print() {
  measure();
  lineBegun_ = true;
  for (Id id = 0; id < pieces_.size(); ++id) {
    const Document::Piece& piece = pieces_[id];
    switch (piece.kind) {
      case Kind::text:
        put(piece);
        break;
      case Kind::blank:
        if (!lineBegun_) blanks_ += piece.width;
        break;
      case Kind::line:
        putLine(id);
        break;
      case Kind::emptyLine:
        emptyLine_ = true;
        break;
      case Kind::comment:
        putComment(piece);
        break;
      case Kind::open:
        modes_.push_back(modeOf(id));
        break;
      case Kind::close:
        modes_.pop_back();
        break;
      case Kind::indent:
        indents_.push_back(indents_.back() + (modes_.back() == Mode::inside ? 0 : piece.width));
        break;
      case Kind::dedent:
        indents_.pop_back();
        break;
    }
  }
  return joined();
}

// Aligns the trailing comments of consecutive lines with the same indentation, if they stay within the width.
void DocumentPrinter::alignTrailing(std::size_t from, std::size_t to, std::string& out) const {
  static constexpr std::uint32_t gap = 2;
  std::size_t widest = 0, longest = 0;
  for (std::size_t i = from; i < to; ++i) {
    widest = std::max<std::size_t>(widest, lines_[i].width);
    longest = std::max(longest, columnsOf(lines_[i].trailing));
  }
  bool aligned = widest + gap + longest <= width_;
  for (std::size_t i = from; i < to; ++i) {
    out += lines_[i].code;
    out.append(gap + (aligned ? widest - lines_[i].width : 0), ' ');
    out += lines_[i].trailing;
    out += '\n';
  }
}

std::string DocumentPrinter::joined() const {
  std::string out;
  if (lines_.size() == 1 && lines_.front().code.empty()) return out;
  for (std::size_t i = 0; i < lines_.size();) {
    // The last line of a broken statement is narrow for other reasons than those beside it.
    auto closes = [](const auto& line) { return line.code.find_first_of(")]}") == line.code.find_first_not_of(' '); };
    std::size_t end = i;
    while (end < lines_.size() && !lines_[end].trailing.empty() && lines_[end].indent == lines_[i].indent &&
           (end == i || !(closes(lines_[i]) || closes(lines_[end]))))
      ++end;
    if (end > i) {
      alignTrailing(i, end, out);
      i = end;
    } else {
      out += lines_[i++].code;
      out += '\n';
    }
  }
  return out;
}

std::string Document::print(std::uint32_t width) const { return DocumentPrinter(*this, width).print(); }

}  // namespace axle
