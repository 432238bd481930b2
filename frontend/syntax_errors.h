// The parser's error strategy: messages for users, and recovery at the end of the statement. Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include "frontend/tokens.h"

namespace axle {

// Reports the first error of each statement and skips to the `;` or `}` that ends it. The exception passes through all
// rules below `statement` and `item`, and their contexts keep it. Inserts a missing `;` at the end of a line. Throws
// ParseCancellationException at `maxErrors`.
class SyntaxErrors : public antlr4::ANTLRErrorStrategy {
 public:
  SyntaxErrors(Tokens& tokens, std::string_view text, Diagnostics& diagnostics)
      : tokens_(tokens), text_(text), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser*) override { reported_ = false; }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  void sync(antlr4::Parser* parser) override;
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;

 private:
  std::size_t endOfStatement(std::size_t from) const;
  bool explained(std::uint32_t statementBegin, std::uint32_t offset, std::size_t end);
  void report(antlr4::Parser* parser, antlr4::Token* offending, const antlr4::misc::IntervalSet& expected,
              std::size_t rule);
  bool startsLine(const antlr4::Token* token) const;

  Tokens& tokens_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  bool reported_ = false;  // the current exception has been reported
};

}  // namespace axle
