// A module's text in pieces, one for each statement of its top level: after an edit only the pieces that it touches are
// read again. Each piece is a source of its own, so its tree and spans stay as they are while it moves.
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

// Where the pieces of a text end: behind each `;` of the top level, and at the text's end. Where brackets do not match,
// a line that begins in its first column like a statement begins one, so that what is broken stays small.
std::vector<std::uint32_t> pieceEnds(std::string_view text);

struct Piece {
  SourceId source;
  ast::Module module;                 // its statement; more, or none, where it is broken
  Diagnostics diagnostics;            // of its syntax
  std::vector<std::string> mentions;  // every name in it, once each, sorted
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

  // Pieces whose text stays are the same objects, and in the same order.
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
