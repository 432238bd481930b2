// The table of TensorFlow's operators: a row defines how an operator is typed, followed as a value, and computed.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "import/builder/graph_typer.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/rule_node.h"

namespace axle::tensorflow {

// Types a node as the core operator `core` of all its inputs.
Outcome byCoreOperator(RuleNode& n, std::string_view core);
// Types a node by the signature of its row, in the language of stdlib/core.ax; its value stays unknown. A static
// argument is the value of the input, or the attribute, of its name; the other inputs, except handles of resources, are
// the parameters. A rule that waits for a value already gives the rank.
Outcome bySignature(RuleNode& n, std::string_view signature);

// The rule that types the results of an operator. A row writes it as
//   "sqrt"                          the core operator that takes all inputs
//   "(t s, t s) -> t s"             a signature
//   {"(t s @ [c]) -> ...", "..."}   a second signature for nodes whose data_format has the channels first
//   convolutionType                 a function
//   {convolutionType, "conv2d"}     a function that takes the name of a core operator, or a signature
//   byAnalysis                      the analysis itself types it (analysis/structural_operators.cc)
class TypeRule {
 public:
  using Function = Outcome (*)(RuleNode&, std::string_view text);

  // NOLINTBEGIN(google-explicit-constructor): a cell of a row is written as its text or function alone
  constexpr TypeRule() = default;
  constexpr TypeRule(const char* text) : TypeRule(std::string_view(text)) {}
  constexpr TypeRule(std::string_view text, std::string_view channelsFirst = {})
      : TypeRule(text.starts_with('(') ? bySignature : byCoreOperator, text, channelsFirst) {}
  constexpr TypeRule(Function function, std::string_view text = {}, std::string_view channelsFirst = {})
      : text(text), channelsFirst(channelsFirst), function_(function) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return function_ != nullptr; }
  Outcome apply(RuleNode& n) const { return function_(n, text); }
  bool hasSignature() const { return text.starts_with('('); }

  std::string_view text;           // a signature, the name of a core operator, or nothing
  std::string_view channelsFirst;  // a signature

 private:
  Function function_ = nullptr;
};
inline constexpr TypeRule byAnalysis;

// The rule that computes followed values (`Known`); none if an operand is open.
using KnownValues = std::vector<std::optional<Known>>;
class ValueRule {
 public:
  using Function = std::optional<Known> (*)(const RuleNode&);
  using AllFunction = KnownValues (*)(const RuleNode&);  // for an operator with several outlets

  constexpr ValueRule() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr ValueRule(Function function) : function_(function) {}
  constexpr ValueRule(AllFunction all) : all_(all) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return function_ || all_; }
  // Returns the values from the first outlet on.
  KnownValues apply(const RuleNode& n) const { return all_ ? all_(n) : KnownValues{function_(n)}; }

 private:
  Function function_ = nullptr;
  AllFunction all_ = nullptr;
};

// Formulas in the order in which they are tried: the first one with a result counts.
class FormulaRule {
 public:
  using Function = FormulaResults (*)(NodeFormula&);

  constexpr FormulaRule() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr FormulaRule(Function first, Function second = nullptr) : tried_{first, second} {}

  explicit operator bool() const { return tried_[0] != nullptr; }
  FormulaResults apply(NodeFormula& f) const {
    FormulaResults results;
    for (Function formula : tried_)
      if (formula && results.empty()) results = formula(f);
    return results;
  }

 private:
  std::array<Function, 2> tried_{};
};

struct OperatorRow {
  std::string_view name;
  TypeRule type;
  ValueRule value = {};
  FormulaRule formula = {};
  bool takesHandles = false;  // it has no signature, and takes inputs that are not tensors
};

// Returns the row of an operator; null if there is none.
const OperatorRow* findOperatorRow(std::string_view name);
// Returns the tables of all families.
std::span<const std::span<const OperatorRow>> operatorFamilies();

// Returns the core operators and, under their TensorFlow names, the operators whose rows have signatures. The signature
// for images with the channels first is named `NAME/NC`.
std::span<const CoreOp> graphOperators();

}  // namespace axle::tensorflow
