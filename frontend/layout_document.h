// A text laid out to a width. After Oppen, "Prettyprinting" (1980), and Wadler, "A prettier printer" (2003): the text
// is a row of pieces, groups of them stand on one line where they fit, else the lines of the group itself break. A
// group fits where it and what follows it up to the next place for a break end within the width. Internal to frontend/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

class Document {
 public:
  enum class Line : std::uint8_t {
    soft,    // nothing where the group fits
    spaced,  // a blank where the group fits
    fill,    // a blank where what follows up to the group's next line fits
    hard,    // always a line break
  };
  using Id = std::uint32_t;

  // Views must outlive the document; texts have no line breaks.
  void text(std::string_view text);
  void blank() { add(Kind::blank); }
  // So many blanks; `resize` may change their number.
  Id padding();
  void resize(Id padding, std::uint32_t blanks) { pieces_[padding].width = blanks; }
  void line(Line line);
  // Where a line was begun: one more line, empty, before it.
  void emptyLine() { add(Kind::emptyLine); }
  // Up to the end of its line; what comes next stands on a line of its own, and no group around it fits. A trailing
  // one stands behind what was last, even where a line was begun; those of lines one after another are aligned.
  void comment(std::string_view text, bool trailing);

  Id openGroup();
  void closeGroup();
  Id here() const { return static_cast<Id>(pieces_.size()); }  // of the next piece
  // A group that breaks nowhere but in one group within it, and there from a piece on, where all else of it then fits:
  // the call `map(fn (x) {...}, y)`, whose function is `inner` and its block is at `from`.
  void breakInside(Id group, Id inner, Id from);
  void indent(std::uint32_t blanks = 2);
  void dedent() { add(Kind::dedent); }

  // Lines end in `\n`, the last one too; none has blanks at its end.
  std::string print(std::uint32_t width) const;

 private:
  friend class DocumentPrinter;
  enum class Kind : std::uint8_t { text, blank, line, emptyLine, comment, open, close, indent, dedent };
  static constexpr Id none = 0xffffffffu;
  struct Piece {
    Kind kind = Kind::text;
    Line line = Line::soft;
    bool trailing = false;         // of a comment
    std::uint32_t width = 0;       // on one line; of an indent: its blanks
    Id end = none;                 // of a group: its end; of a fill: the group's next line or its end
    Id inner = none, from = none;  // of a group: what `breakInside` says
    std::string_view text;
  };
  Id add(Kind kind);

  std::vector<Piece> pieces_;
  std::vector<Id> open_;   // groups
  std::vector<Id> fills_;  // by open group: its last fill, whose end is not known yet
};

}  // namespace axle
