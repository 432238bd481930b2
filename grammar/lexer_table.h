// The lexer of AxLexer.g4 as a finite automaton over bytes. The build step `lexer_table` derives it from the generated
// lexer: it finds the same tokens in a fraction of the time of ANTLR's interpreter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace axle::grammar {

// The token that ends when the automaton is in this state.
struct LexerState {
  std::uint8_t type;  // a token type of AxLexer; 0 if no token ends here
  bool isSkipped;     // the lexer drops the token
  bool isHidden;      // the parser does not see the token
};

// The state after `state` and a byte of class `c` is `next[state * classes + c]`; state 0 is the initial state.
struct LexerTable {
  static constexpr std::uint16_t nowhere = UINT16_MAX;
  std::size_t classes;
  const std::uint8_t* classOf;  // of each byte
  const std::uint16_t* next;
  const LexerState* states;
};

extern const LexerTable lexerTable;

struct Lexeme {
  std::size_t end;
  LexerState token;
};

// Returns the longest token that begins at `begin`, which must be inside the text: every byte begins some token.
inline Lexeme readLexeme(std::string_view text, std::size_t begin) {
  const LexerTable& table = lexerTable;
  Lexeme found{};
  std::size_t state = 0;
  for (std::size_t at = begin; at < text.size();) {
    state = table.next[state * table.classes + table.classOf[static_cast<unsigned char>(text[at])]];
    if (state == LexerTable::nowhere) break;
    ++at;
    if (table.states[state].type != 0) found = {at, table.states[state]};
  }
  return found;
}

}  // namespace axle::grammar
