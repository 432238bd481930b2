#include "import/tensorflow/analysis/merged_branches.h"

#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/conflict_origins.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "import/tensorflow/analysis/guards.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Subject, Phrase, Phrase> noBranchFits{codes::nodeMisfit, "{} needs {}, but {}",
                                                             "no branch gives it"};

// A case that does not fit the shape that the result must have.
struct CaseMismatch {
  std::optional<std::size_t> axis;  // none if the ranks differ
  ShapePart wanted;
};

// Returns a value's shape with the variables of its sizes, which record what bound them.
Shape flatShape(GraphTyper& typer, TypedId value) {
  TypeTerm type = typer.solution().types[typer.checked().program[value].type];
  if (type.kind != TypeKind::tensor) type = typer.solution().types[typer.typeOf(value)];
  return type.kind == TypeKind::tensor ? typer.solution().flatten(type.shape) : typer.unknownShape("s");
}

// Whether the ranks differ. False if an open rank could fit.
bool ranksDiffer(const Shape& a, const Shape& b) {
  const auto isVar = [](const ShapePart& part) { return part.isVar; };
  const auto openParts = [&](const Shape& shape) { return std::count_if(shape.begin(), shape.end(), isVar); };
  const auto least = [&](const Shape& shape) { return std::ssize(shape) - openParts(shape); };
  return (openParts(b) == 0 && least(a) > least(b)) || (openParts(a) == 0 && least(b) > least(a));
}

// Returns the first size that differs by a number, or a difference of ranks; none if the case may fit.
std::optional<CaseMismatch> mismatchOf(GraphTyper& typer, const OutletFact& one, const OutletFact& merged) {
  if (!one.value || !merged.value) return std::nullopt;
  DimStore& dims = typer.solution().dims;
  const Shape its = flatShape(typer, one.value), wanted = flatShape(typer, merged.value);
  if (ranksDiffer(its, wanted)) {
    const TypeTerm& type = typer.solution().types[typer.checked().program[merged.value].type];
    return CaseMismatch{std::nullopt, type.shape.empty() ? ShapePart() : type.shape[0]};
  }
  for (std::size_t i = 0; i < std::min(its.size(), wanted.size()) && !its[i].isVar && !wanted[i].isVar; ++i) {
    const Dim a = typer.solution().resolve(its[i].dim), b = typer.solution().resolve(wanted[i].dim);
    const auto difference = dims.asConstant(dims.sub(a, b));
    if (difference && *difference != 0) return CaseMismatch{i, wanted[i]};
  }
  return std::nullopt;
}

std::string printWanted(Analysis& analysis, const CaseMismatch& mismatch) {
  return analysis.sizeNames.printNamed(analysis.typer.solution().resolve(mismatch.wanted.dim));
}

// Returns the size at a mismatch as text for messages, or else the shape.
std::string printGiven(Analysis& analysis, const OutletFact& one, const CaseMismatch& mismatch) {
  const Shape shape = flatShape(analysis.typer, one.value);
  if (mismatch.axis && *mismatch.axis < shape.size() && !shape[*mismatch.axis].isVar)
    return analysis.sizeNames.printNamed(analysis.typer.solution().resolve(shape[*mismatch.axis].dim));
  return printShape(analysis, one);
}

// Returns "`a` gives 3 and `b` gives 4", without repetitions.
Phrase givenByCases(Analysis& analysis, const MergedCases& merged, const CaseMismatch& mismatch) {
  std::vector<Phrase> gives;
  for (std::size_t i = 0; i < merged.cases.size(); ++i) {
    Phrase one("{} gives {}", arg::Subject{merged.names.cases[i]},
               arg::Size{printGiven(analysis, merged.cases[i], mismatch)});
    const auto isSame = [&](const Phrase& other) { return other.text == one.text; };
    if (std::none_of(gives.begin(), gives.end(), isSame)) gives.push_back(std::move(one));
  }
  Phrase all = gives.front();
  for (std::size_t i = 1; i < gives.size(); ++i) all = Phrase("{} and {}", all, gives[i]);
  return all;
}

void refuseBranches(Analysis& analysis, const MergedCases& merged, const CaseMismatch& mismatch, const Phrase& gives) {
  GraphTyper& typer = analysis.typer;
  const Reason* why = typer.whatFixed(mismatch.wanted);
  const bool isKnown = why && analysis.sources.isListing(why->span.source);
  const arg::Name result{merged.names.result};
  const Phrase needed = mismatch.axis ? Phrase("{} as dimension {} of {}", arg::Size{printWanted(analysis, mismatch)},
                                               arg::Number{*mismatch.axis}, result)
                                      : Phrase("{} to be {}", result, arg::Shape{printShape(analysis, merged.merged)});
  Diagnostic d(noBranchFits, isKnown ? why->span : merged.at, arg::Subject{isKnown ? why->subject : "what takes it"},
               needed, gives);
  const auto addOrigin = [&](Span place, const OutletFact& one) {
    d.addLabel(place, "{} comes from here", arg::Size{printGiven(analysis, one, mismatch)});
  };
  const std::vector<Span> asking = typer.placesOf(mismatch.wanted);
  if (mismatch.axis && !asking.empty()) addOrigin(asking[0], merged.merged);
  for (const OutletFact& one : merged.cases) {
    const Shape shape = flatShape(typer, one.value);
    if (!mismatch.axis || *mismatch.axis >= shape.size() || shape[*mismatch.axis].isVar) continue;
    const std::vector<Span> places = typer.placesOf(shape[*mismatch.axis]);
    if (!places.empty()) addOrigin(places[0], one);
  }
  const auto site = siteOf(analysis, d.primary, nullptr);
  report(analysis, std::move(d), site ? site->frame : nullptr);
}

void guardBranches(Analysis& analysis, const MergedCases& merged, const CaseMismatch& mismatch, const Phrase& gives) {
  const std::string must = mismatch.axis
                               ? fmt::format("dimension {} must be {}", *mismatch.axis, printWanted(analysis, mismatch))
                               : fmt::format("the shape must be {}", printShape(analysis, merged.merged));
  Guard* guard = addGuard(analysis, fmt::format("{}: {}: {}", merged.names.result, must, gives.text),
                          analysis.typer.whatFixed(mismatch.wanted));
  if (!guard) return;
  guard->addSource(merged.at, "what branches give");
  for (const OutletFact& one : merged.cases)
    if (const Shape shape = flatShape(analysis.typer, one.value); mismatch.axis && *mismatch.axis < shape.size())
      addOrigins(analysis, *guard, shape[*mismatch.axis]);
}

void checkCases(Analysis& analysis, const MergedCases& merged) {
  std::vector<std::optional<CaseMismatch>> mismatches;
  for (const OutletFact& one : merged.cases) mismatches.push_back(mismatchOf(analysis.typer, one, merged.merged));
  const auto isMismatch = [](const auto& m) { return m.has_value(); };
  const auto first = std::find_if(mismatches.begin(), mismatches.end(), isMismatch);
  if (first == mismatches.end() || merged.names.cases.size() != merged.cases.size()) return;
  CaseMismatch mismatch = **first;
  const bool isOneAxis =
      std::all_of(mismatches.begin(), mismatches.end(), [&](const auto& m) { return !m || m->axis == mismatch.axis; });
  if (!isOneAxis) mismatch.axis.reset();
  const Phrase gives = givenByCases(analysis, merged, mismatch);
  if (std::all_of(mismatches.begin(), mismatches.end(), isMismatch))
    refuseBranches(analysis, merged, mismatch, gives);
  else
    guardBranches(analysis, merged, mismatch, gives);
}

}  // namespace

void checkMergedBranches(Analysis& analysis) {
  for (const MergedCases& merged : analysis.branches.merged)
    if (merged.cases.size() > 1 && !hasErrors(analysis.diagnostics)) checkCases(analysis, merged);
}

}  // namespace axle::tensorflow
