// A module's text divided into pieces, one for each top-level statement: after an edit, only the changed pieces are
// parsed again. Each piece is a source of its own, so its tree and spans stay valid when it moves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"
#include "frontend/line_tokens.h"

namespace axle {

// Returns the offsets at which the pieces of a text end: after each top-level `;`, and at the end of the text. If
// brackets do not match, an unindented line that looks like the beginning of a statement begins a piece, so that the
// broken part stays small.
std::vector<std::uint32_t> pieceEnds(std::string_view text);

struct Piece {
  SourceId source;
  ast::Module module;                 // one statement; several or none if the text is broken
  Diagnostics diagnostics;            // its syntax errors
  std::vector<std::string> mentions;  // the names in it, without duplicates, sorted
  bool isBroken() const { return hasErrors(diagnostics); }
};

struct PlacedPiece {
  std::shared_ptr<const Piece> piece;
  std::uint32_t begin = 0;  // in the module's text
};

class ModulePieces {
 public:
  // `path` is what diagnostics print. `sources` must outlive the pieces.
  ModulePieces(SourceMap& sources, std::string path) : sources_(sources), path_(std::move(path)) {}

  // Parses the text again. Pieces with unchanged text stay the same objects, in the same order.
  void update(std::string_view text);
  const std::vector<PlacedPiece>& pieces() const { return pieces_; }

 private:
  std::shared_ptr<const Piece> parse(std::string_view text);

  SourceMap& sources_;
  std::string path_;
  LineTokens lines_;
  std::vector<PlacedPiece> pieces_;
};

}  // namespace axle
