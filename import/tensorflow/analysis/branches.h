// Branches: If and Case, whose branches are functions, and what the cases of a branch have in common.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

// The outlet whose number selects one of several cases: the first for false or 0, the last for all numbers that have
// none.
struct Selector {
  Frame* frame = nullptr;  // null where it is not known
  Outlet outlet;
};

// What errors call the result of branches, and each of them.
struct CaseNames {
  std::string result;
  std::vector<std::string> cases;
};

// A value that is one of several.
struct MergedCases {
  OutletFacts cases;
  Selector by;
  OutletFact merged;
  Span at;
  CaseNames names;
};

// All values that one selector selects: `cases` by case and outlet, `results` by outlet.
struct Branch {
  Selector by;
  std::vector<OutletFacts> cases;
  OutletFacts results;
  Span at;
  std::string name;
};

struct Branches {
  std::deque<MergedCases> merged;
  std::map<Site, std::vector<Branch>> byNode;  // of If, Case, and assignments behind a Switch
};

// The number of the selected case, where it is known.
std::optional<std::size_t> selectedCase(Analysis& analysis, const Selector& by, std::size_t count);

// The fact of a value that is one of `cases`. What they have in common may be known later: `inferMergedCases`.
OutletFact mergeCases(Analysis& analysis, OutletFacts cases, const Selector& by, const std::string& name, Span at,
                      CaseNames names);

// Gives merged values what their cases have in common by now. True where something was learnt.
bool inferMergedCases(Analysis& analysis);

std::span<const StructuralOperator> branchOperators();

}  // namespace axle::tensorflow
