// Lays out a text to a width, after Oppen, "Prettyprinting" (1980), and Wadler, "A prettier printer" (2003). The text
// is a sequence of pieces; a group of them is put on one line if it fits, otherwise its own line breaks are taken. A
// group fits if it and the text after it up to the next possible break end within the width. Internal to frontend/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

class Document {
 public:
  enum class Line : std::uint8_t {
    soft,    // nothing if the group fits
    spaced,  // a blank if the group fits
    fill,    // a blank if the pieces up to the group's next line fit
    hard,    // always a line break
  };
  using Id = std::uint32_t;

  // Views must outlive the document; texts have no line breaks.
  void text(std::string_view text);
  void blank() { add(Kind::blank); }
  // Adds blanks, whose number `resize` may change.
  Id padding();
  void resize(Id padding, std::uint32_t blanks) { pieces_[padding].width = blanks; }
  void line(Line line);
  // Adds an empty line before a line that was just begun.
  void emptyLine() { add(Kind::emptyLine); }
  // Adds a comment. A comment ends its line, so no group around it fits. A trailing comment follows the last text, even
  // if a line was begun since; trailing comments of consecutive lines are aligned.
  void comment(std::string_view text, bool trailing);

  Id openGroup();
  void closeGroup();
  Id here() const { return static_cast<Id>(pieces_.size()); }  // the next piece
  // Lets a group break only inside `inner`, a group within it, from the piece `from` on, if the rest then fits on its
  // lines. Example: the call `map(fn (x) {...}, y)`, where `inner` is the function and `from` its block.
  void breakInside(Id group, Id inner, Id from);
  void indent(std::uint32_t blanks = 2);
  void dedent() { add(Kind::dedent); }

  // Prints the document. Every line ends in `\n`, including the last; no line has trailing blanks.
  std::string print(std::uint32_t width) const;

 private:
  friend class DocumentPrinter;
  enum class Kind : std::uint8_t { text, blank, line, emptyLine, comment, open, close, indent, dedent };
  static constexpr Id none = 0xffffffffu;
  struct Piece {
    Kind kind = Kind::text;
    Line line = Line::soft;
    bool trailing = false;         // of a comment
    std::uint32_t width = 0;       // on one line; for an indent: its blanks
    Id end = none;                 // for a group: its end; for a fill: the group's next line or its end
    Id inner = none, from = none;  // for a group: the arguments of `breakInside`
    std::string_view text;
  };
  Id add(Kind kind);

  std::vector<Piece> pieces_;
  std::vector<Id> open_;   // groups
  std::vector<Id> fills_;  // by open group: its last fill, whose end is still unknown
};

}  // namespace axle
