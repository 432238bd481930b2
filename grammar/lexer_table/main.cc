// Build step: writes a C++ file with the automaton that `grammar/lexer_table.h` declares, from the generated lexer.
// Usage: lexer_table OUT.cc
#include "grammar/lexer_table.h"

#include <antlr4-runtime.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "axle_grammar/AxLexer.h"

namespace {

using antlr4::atn::LexerActionType;
using antlr4::atn::LexerATNSimulator;
using antlr4::dfa::DFA;
using antlr4::dfa::DFAState;
using axle::grammar::AxLexer;
using axle::grammar::LexerState;
using axle::grammar::LexerTable;

constexpr std::size_t bytes = 256;

std::vector<DFA> decisions(const antlr4::atn::ATN& atn) {
  std::vector<DFA> made;
  for (std::size_t i = 0; i < atn.getNumberOfDecisions(); ++i) made.emplace_back(atn.getDecisionState(i), i);
  return made;
}

// ANTLR's interpreter, which computes a state the first time that some text reaches it. The grammar has one mode and no
// predicates, so states do not depend on the input.
class States : private LexerATNSimulator {
 public:
  States(const antlr4::atn::ATN& atn, std::vector<DFA>& dfa, antlr4::atn::PredictionContextCache& cache)
      : LexerATNSimulator(atn, dfa, cache) {}

  DFAState* first() { return addDFAState(computeStartState(&none_, atn.modeToStartState.at(0)).release()); }
  // Null if no token continues with the byte.
  DFAState* next(DFAState* state, std::size_t byte) {
    DFAState* to = getExistingTargetState(state, byte);
    if (to == nullptr) to = computeTargetState(&none_, state, byte);
    return to == ERROR.get() ? nullptr : to;
  }

 private:
  antlr4::ANTLRInputStream none_;
};

LexerState describe(const DFAState& state) {
  if (!state.isAcceptState) return {};
  LexerState made{static_cast<std::uint8_t>(state.prediction), false, false};
  if (state.prediction > UINT8_MAX) throw std::runtime_error("more kinds of tokens than a byte holds");
  if (state.lexerActionExecutor == nullptr) return made;
  for (const auto& action : state.lexerActionExecutor->getLexerActions()) {
    if (action->getActionType() == LexerActionType::SKIP)
      made.isSkipped = true;
    else if (action->getActionType() == LexerActionType::CHANNEL)
      made.isHidden = true;
    else
      throw std::runtime_error("the lexer does " + action->toString() + ", which its table cannot express");
  }
  return made;
}

struct Automaton {
  std::vector<LexerState> states;
  std::vector<std::vector<std::uint16_t>> next;  // by state, then byte
};

Automaton explore() {
  antlr4::ANTLRInputStream none;
  const AxLexer lexer(&none);
  std::vector<DFA> dfa = decisions(lexer.getATN());
  antlr4::atn::PredictionContextCache cache;
  States states(lexer.getATN(), dfa, cache);
  Automaton made;
  std::vector<DFAState*> reached{states.first()};
  std::unordered_map<DFAState*, std::uint16_t> indices{{reached[0], 0}};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    made.states.push_back(describe(*reached[i]));
    made.next.emplace_back(bytes, LexerTable::nowhere);
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      DFAState* to = states.next(reached[i], byte);
      if (to == nullptr) continue;
      const auto [known, isNew] = indices.try_emplace(to, static_cast<std::uint16_t>(reached.size()));
      if (isNew) reached.push_back(to);
      made.next[i][byte] = known->second;
    }
  }
  if (reached.size() >= LexerTable::nowhere) throw std::runtime_error("the lexer has too many states");
  for (const std::uint16_t to : made.next[0])
    if (to == LexerTable::nowhere || made.states[to].type == 0)
      throw std::runtime_error("a byte is no token by itself: the lexer needs a rule for any byte");
  return made;
}

// Puts bytes that lead to the same state from every state into one class.
std::vector<std::size_t> classesOf(const Automaton& automaton, std::vector<std::size_t>& representatives) {
  std::map<std::vector<std::uint16_t>, std::size_t> known;
  std::vector<std::size_t> classes;
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    std::vector<std::uint16_t> column;
    for (const auto& row : automaton.next) column.push_back(row[byte]);
    const auto [found, isNew] = known.try_emplace(std::move(column), known.size());
    if (isNew) representatives.push_back(byte);
    classes.push_back(found->second);
  }
  return classes;
}

void write(const std::string& path, const Automaton& automaton) {
  std::vector<std::size_t> representatives;
  const std::vector<std::size_t> classes = classesOf(automaton, representatives);
  std::ofstream out(path);
  out << "#include \"grammar/lexer_table.h\"\n\nnamespace axle::grammar {\nnamespace {\n\nconst std::uint8_t classOf[] "
         "= {";
  for (const std::size_t c : classes) out << c << ",";
  out << "};\nconst std::uint16_t next[] = {\n";
  for (const auto& row : automaton.next) {
    for (const std::size_t byte : representatives) out << row[byte] << ",";
    out << "\n";
  }
  out << "};\nconst LexerState states[] = {\n";
  for (const LexerState& state : automaton.states)
    out << "{" << unsigned{state.type} << "," << state.isSkipped << "," << state.isHidden << "},\n";
  out << "};\n\n}  // namespace\n\nconst LexerTable lexerTable{" << representatives.size()
      << ", classOf, next, states};\n\n}  // namespace axle::grammar\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: lexer_table OUT.cc");
    write(argv[1], explore());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lexer_table: %s\n", error.what());
    return 1;
  }
}
