// A module's text cut into pieces, one for each top-level statement: an edit parses only the pieces that it touches.
// Each piece is a source of its own, so its tree and spans stay valid when it moves.
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

// The offsets at which the pieces of a text end: after each top-level `;`, and at the end of the text. If brackets do
// not match, an unindented line that looks like the beginning of a statement begins a piece, so that the broken part
// stays small.
std::vector<std::uint32_t> pieceEnds(std::string_view text);

struct Piece {
  SourceId source;
  ast::Module module;                 // its statement; several or none if the text is broken
  Diagnostics diagnostics;            // of its syntax
  std::vector<std::string> mentions;  // every name in it, once, sorted
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

  // Pieces whose text is unchanged stay the same objects, in the same order.
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
