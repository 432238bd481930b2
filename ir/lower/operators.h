// The table of core operators: each row names the rule that lowers an application. Rows are declared beside their
// rules.
#pragma once

#include <span>
#include <string_view>

#include "ir/lower/application.h"

namespace axle::ir::lowering {

class Formula;
struct Results;

using Rule = std::optional<Value> (*)(Context&, const Application&, const CoreOperator&);

struct CoreOperator {
  std::string_view name;
  Op op;  // none if the rule chooses it
  Rule lower;
  Rule ragged = nullptr;                   // for ragged tensors; null: refused; `lower`: as dense ones
  Results (*formula)(Formula&) = nullptr;  // for the rules of formula_rules.h
  std::size_t arity = 0;                   // tells prefix minus from infix minus; 0 for all others
};

// Rows by family.
std::span<const CoreOperator> pointwiseOperators();
std::span<const CoreOperator> structureOperators();
std::span<const CoreOperator> windowOperators();
std::span<const CoreOperator> contractionOperators();
std::span<const CoreOperator> paddingOperators();
std::span<const CoreOperator> signalOperators();
std::span<const CoreOperator> reductionOperators();
std::span<const CoreOperator> loopOperators();
std::span<const CoreOperator> runSizeOperators();
std::span<const CoreOperator> raggedConversionOperators();

// Returns all rows, including those of formulas.
const std::vector<CoreOperator>& coreOperators();
// Returns null if no row has this name and number of parameters.
const CoreOperator* findCoreOperator(std::string_view name, std::size_t parameters);

// Fails if constant sizes break a precondition of the operator (preconditions.cc).
bool preconditionsHold(Context& c, const Application& a, std::string_view op);

}  // namespace axle::ir::lowering
