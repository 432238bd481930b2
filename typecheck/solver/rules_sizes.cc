// Rules that compute sizes: reshape, number of elements, rank, and shapes given as a list of sizes.
#include <algorithm>
#include <span>

#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

std::optional<std::vector<Dim>> knownDims(Solver& solver, const Shape& shape) {
  std::vector<Dim> sizes;
  for (const ShapePart& part : solver.solution.resolve(shape)) {
    if (part.isVar) return std::nullopt;
    sizes.push_back(part.dim);
  }
  return sizes;
}

bool fixRank(Solver& solver, const Shape& shape, std::size_t rank, ReasonId reason) {
  if (auto known = knownDims(solver, shape); known && known->size() == rank) return true;
  Shape sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(ShapePart::of(freshDimTerm(solver, "d" + std::to_string(i))));
  return tryShapeEqual(solver, shape, sizes, reason) != Progress::failed;
}

std::optional<std::vector<Dim>> staticDims(Solver& solver, StaticId list, std::size_t count) {
  Solution& solution = solver.solution;
  const StaticTerm term = solution.types[solution.resolve(list)];
  if (term.kind != StaticKind::list || term.items.size() != count) return std::nullopt;
  std::vector<Dim> out;
  for (StaticId item : term.items) {
    const StaticTerm& value = solution.types[solution.resolve(item)];
    if (value.kind != StaticKind::dim) return std::nullopt;
    out.push_back(value.dim);
  }
  return out;
}

Progress failForm(Solver& solver, ReasonId reason, const char* wanted) {
  return failAttribute(solver, reason, std::string("a static argument must be ") + wanted);
}

namespace {

Dim productOf(DimStore& dims, std::span<const Dim> sizes) {
  Dim product = dims.constant(1);
  for (Dim d : sizes) product = dims.mul(product, d);
  return product;
}

// Returns how many leading sizes of a ragged operand a reshape must keep: those up to its last ragged length. 0 if no
// length is ragged.
std::size_t keptSizes(const Solver& solver, const std::vector<Dim>& from) {
  const auto last =
      std::find_if(from.rbegin(), from.rend(), [&](Dim d) { return solver.solution.kindOf(d) == DimKind::ragged; });
  return static_cast<std::size_t>(from.rend() - last);
}

// Equates the leading sizes that a reshape of a ragged operand must keep. False after a conflict.
bool keepSizes(Solver& solver, const Shape& operand, const Shape& result, std::size_t kept, ReasonId reason) {
  const Shape from = solver.solution.resolve(operand), to = solver.solution.resolve(result);
  for (std::size_t i = 0; i < kept; ++i) {
    const bool isKept =
        i < to.size() ? unifyDim(solver, to[i], from[i], reason) : requireUnragged(solver, from[kept - 1].dim, reason);
    if (!isKept) return false;
  }
  return true;
}

// Returns the sizes of a list, with a fresh one for each `_`; none if an item is not a size.
std::optional<Shape> listedSizes(Solver& solver, const std::vector<StaticId>& items) {
  Solution& solution = solver.solution;
  Shape sizes;
  for (StaticId item : items) {
    const StaticTerm term = solution.types[solution.resolve(item)];
    if (term.kind != StaticKind::dim && term.kind != StaticKind::hole) return std::nullopt;
    sizes.push_back(ShapePart::of(term.kind == StaticKind::hole ? freshDimTerm(solver, "d") : term.dim));
  }
  return sizes;
}

}  // namespace

Progress constraint::Reshape::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm to = solution.types[solution.resolve(sizes)];
  if (to.kind == StaticKind::var) return Progress::waiting;
  if (to.kind != StaticKind::list) return failForm(solver, reason, "a list of sizes");
  if (!hasSizes) {  // the result's rank and sizes are known before the input is
    auto target = listedSizes(solver, to.items);
    if (!target) return failForm(solver, reason, "a list of sizes");
    if (!unifyShape(solver, result, *target, reason)) return Progress::failed;
    result = std::move(*target);
    hasSizes = true;
    for (const ShapePart& size : result)
      if (!isNonNegative(solver, size.dim)) addFact(solver, size.dim, FactRelation::ge, dims.constant(0), reason);
  }
  auto from = knownDims(solver, operand);
  if (!from) return Progress::waiting;
  const std::size_t kept = keptSizes(solver, *from);
  if (!keepSizes(solver, operand, result, kept, reason)) return Progress::failed;
  std::optional<Dim> hole;
  Dim total = productOf(dims, std::span(*from).subspan(kept)), product = dims.constant(1);
  for (std::size_t i = kept; i < to.items.size(); ++i) {
    if (solution.types[solution.resolve(to.items[i])].kind == StaticKind::hole)
      hole = result[i].dim;
    else
      product = dims.mul(product, solution.resolve(result[i].dim));
  }
  if (hole) {
    Dim quotient = dims.div(total, product);
    addFact(solver, product, FactRelation::ge, dims.constant(1), reason);
    // The fact above refutes a product of 0; a total that overflows is reported here.
    if (dims.isUndefined(quotient) && !dims.isUndefined(total)) return Progress::done;
    if (!unifyDim(solver, ShapePart::of(*hole), ShapePart::of(quotient), reason)) return Progress::failed;
    product = dims.mul(product, quotient);
  }
  Fact sameTotal{{total, FactRelation::eq, product}};
  if (kept == 0) sameTotal.reshaped = {solution.flatten(operand), sizes};
  addConstraint(solver, reason, std::move(sameTotal));
  return Progress::done;
}

Progress constraint::SizeOf::run(Solver& solver, ReasonId reason) {
  auto sizes = knownDims(solver, operand);
  if (!sizes) return Progress::waiting;
  Dim total = productOf(solver.solution.dims, *sizes);
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(total), reason));
}

Progress constraint::RankOf::run(Solver& solver, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  auto sizes = knownDims(solver, operand);
  auto given = sizes ? std::nullopt : dims.asConstant(solver.solution.resolve(result));
  if (given && *given <= maxAxes) {
    if (*given >= 0 && !fixRank(solver, operand, static_cast<std::size_t>(*given), reason)) return Progress::failed;
    sizes = knownDims(solver, operand);
  }
  if (!sizes) return Progress::waiting;
  Dim rank = dims.constant(static_cast<std::int64_t>(sizes->size()));
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(rank), reason));
}

Progress constraint::When::run(Solver& solver, ReasonId reason) {
  const StaticTerm value = solver.solution.types[solver.solution.resolve(condition)];
  if (value.kind == StaticKind::var) return Progress::waiting;
  if (value.kind != StaticKind::boolean) return failForm(solver, reason, "`true` or `false`");
  return doneIf(unifyShape(solver, result, value.boolean ? operand : Shape{}, reason));
}

Progress constraint::Tile::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm& list = solution.types[solution.resolve(times)];
  if (list.kind == StaticKind::var) return Progress::waiting;
  auto factors = staticDims(solver, times, list.items.size());
  if (!factors) return failForm(solver, reason, "a list of whole numbers");
  if (!fixRank(solver, operand, factors->size(), reason)) return Progress::failed;
  if (!knownDims(solver, operand)) return Progress::waiting;
  Shape from = solution.resolve(operand), to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    addFact(solver, (*factors)[i], FactRelation::ge, dims.constant(0), reason);
    if ((*factors)[i] != dims.constant(1) && !requireWhole(solver, from[i].dim, reason)) return Progress::failed;
    to.push_back(ShapePart::of(dims.mul(from[i].dim, (*factors)[i]), from[i].origin));
  }
  return doneIf(unifyShape(solver, result, to, reason));
}

Progress constraint::Sized::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const StaticTerm& list = solution.types[solution.resolve(sizes)];
  if (list.kind == StaticKind::var) return Progress::waiting;
  auto given = staticDims(solver, sizes, list.items.size());
  if (!given) return failForm(solver, reason, "a list of sizes, without `_`");
  Shape to;
  for (Dim d : *given) {
    addFact(solver, d, FactRelation::ge, solution.dims.constant(0), reason);
    to.push_back(ShapePart::of(d));
  }
  return doneIf(unifyShape(solver, result, to, reason));
}

Progress constraint::Stretch::run(Solver& solver, ReasonId reason) {
  Progress progress = Sized{result, sizes}.run(solver, reason);
  if (progress == Progress::done) addConstraint(solver, reason, Broadcast{result, operand, result});
  return progress;
}

}  // namespace axle
