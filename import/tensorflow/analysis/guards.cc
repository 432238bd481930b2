#include "import/tensorflow/analysis/guards.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/builder/open_facts.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/conflict_origins.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"

namespace axle::tensorflow {
namespace {

// A size or an open rank of an input.
struct InputPart {
  const Input* input;
  ShapePart part;
  std::size_t axis = 0;
};
// The parts of the inputs so far, by their resolved value.
struct InputParts {
  std::map<std::uint32_t, InputPart> sizes;
  std::map<ShapeVar, InputPart> shapes;
  std::set<DimVar> computed;  // variables from which sizes are computed
};

// Whether the node's value is in the file.
bool isStored(const Node& node) {
  static constexpr std::string_view operators[] = {"Const", "ReadVariableOp", "VariableV2", "Variable"};
  return node.fed.empty() && std::find(std::begin(operators), std::end(operators), node.op) != std::end(operators);
}

// ---- inputs

std::string declaredSize(Analysis& analysis, const ShapePart& part) {
  if (part.isVar) return "..";
  if (const auto number = analysis.typer.solution().dims.asConstant(part.dim)) return std::to_string(*number);
  for (const auto& [name, size] : analysis.hints.sizes)
    if (size == part.dim) return name;
  return "?";
}

std::string declaredText(Analysis& analysis, const Input& input) {
  const bool isUndeclared = analysis.inferredRanks.count(input.outlet) != 0;
  if (isUndeclared || (input.shape.size() == 1 && input.hasOpenRank())) return "declared as ..";
  std::vector<std::string> sizes;
  for (const ShapePart& part : input.shape) sizes.push_back(declaredSize(analysis, part));
  return fmt::format("declared as [{}]", fmt::join(sizes, ", "));
}

// Adds a guard on an input that inference made less open than it is declared. `same` is another input that it must
// agree with.
void addInputGuard(Analysis& analysis, const Input& input, const std::string& what, const Reason* why,
                   const ShapePart& part, const Input* same = nullptr) {
  Guard* guard = addGuard(analysis, fmt::format("{}: {}", outletLabel(analysis.main(), input.outlet), what), why);
  if (!guard) return;
  const auto place = [&](const Input& its) { return analysis.mainPlaces[its.outlet.node].name; };
  guard->addSource(place(input), declaredText(analysis, input));
  if (same)
    guard->addSource(place(*same), declaredText(analysis, *same));
  else
    addOrigins(analysis, *guard, part);
}

std::string rankGuardText(Analysis& analysis, const Input& input, std::size_t rank) {
  return fmt::format("{}: the rank must be {}", outletLabel(analysis.main(), input.outlet), rank);
}

// Returns what restricts a size that is computed from a size that no input has; empty if nothing does.
std::string boundOf(Analysis& analysis, Dim size, DimVar of) {
  DimStore& dims = analysis.typer.solution().dims;
  if (const auto least = dims.asConstant(dims.sub(size, dims.variable(of))))
    return *least > 0 ? fmt::format("must be at least {}", *least) : std::string();
  for (const Term& term : dims.terms(size))
    if (dims.mul(dims.constant(term.coefficient), dims.variable(of)) == size)
      return fmt::format("must be a multiple of {}", term.coefficient);
  return "must be " + analysis.sizeNames.printNamed(size);
}

// Guards a size that another input has, too.
void guardSharedSize(Analysis& analysis, const Input& input, std::size_t axis, const ShapePart& size,
                     const InputPart& other, const Reason* why) {
  const Input& same = *other.input;
  const bool areBothDeclared = !input.hasOpenRank() && !same.hasOpenRank();
  if (areBothDeclared && other.part.dim == size.dim) return;
  if (const Reason* joined = analysis.typer.whatJoined(size, other.part)) why = joined;
  if (!why && same.hasOpenRank()) why = analysis.typer.whatFixed(same.shape[0]);
  addInputGuard(analysis, input,
                fmt::format("dimension {} must be dimension {} of {}", axis, other.axis,
                            outletLabel(analysis.main(), same.outlet)),
                why, size, &same);
}

// Guards a size that is declared open, or belongs to a shape of open rank.
void guardSize(Analysis& analysis, const Input& input, std::size_t axis, const ShapePart& size, InputParts& seen) {
  Solution& solution = analysis.typer.solution();
  DimStore& dims = solution.dims;
  const Reason* why = analysis.typer.whatFixed(size);
  if (!why && input.hasOpenRank()) why = analysis.typer.whatFixed(input.shape[0]);
  const Dim is = solution.resolve(size.dim);
  const auto mustBe = [&] { return fmt::format("dimension {} must be {}", axis, analysis.sizeNames.printNamed(is)); };
  if (dims.asConstant(is)) return addInputGuard(analysis, input, mustBe(), why, size);
  const auto [other, isNew] = seen.sizes.emplace(is.index, InputPart{&input, size, axis});
  if (!isNew) return guardSharedSize(analysis, input, axis, size, other->second, why);
  const std::vector<DimVar> variables(dims.variables(is).begin(), dims.variables(is).end());
  const auto standsElsewhere = [&](DimVar v) {
    return seen.computed.count(v) || (dims.variable(v) != is && seen.sizes.count(dims.variable(v).index));
  };
  const bool isBound = std::any_of(variables.begin(), variables.end(), standsElsewhere);
  const bool isVariable = dims.asVariable(is).has_value();
  if (!isVariable) seen.computed.insert(variables.begin(), variables.end());
  if (isBound || variables.size() > 1) return addInputGuard(analysis, input, mustBe(), why, size);
  if (isVariable || variables.empty()) return;
  if (const std::string bound = boundOf(analysis, is, variables[0]); !bound.empty())
    addInputGuard(analysis, input, fmt::format("dimension {} {}", axis, bound), why, size);
}

void guardRank(Analysis& analysis, const Input& input, const Shape& now, InputParts& seen) {
  const ShapePart& whole = input.shape[0];
  const Reason* why = analysis.typer.whatFixed(whole);
  const auto known = std::count_if(now.begin(), now.end(), [](const ShapePart& p) { return !p.isVar; });
  if (known == std::ssize(now))
    return addInputGuard(analysis, input, fmt::format("the rank must be {}", known), why, whole);
  if (known > 0) return addInputGuard(analysis, input, fmt::format("the rank must be at least {}", known), why, whole);
  if (now.size() > 1) return;
  const auto [other, isNew] = seen.shapes.emplace(now[0].var, InputPart{&input, whole});
  if (!isNew)
    addInputGuard(analysis, input,
                  "the shape must be that of " + outletLabel(analysis.main(), other->second.input->outlet),
                  analysis.typer.whatJoined(whole, other->second.part), whole, other->second.input);
}

void guardInput(Analysis& analysis, const Input& input, InputParts& seen) {
  const Shape now = analysis.typer.solution().flatten(input.shape);
  const bool wasOpen = input.hasOpenRank();
  const auto inferred = analysis.inferredRanks.find(input.outlet);
  if (inferred != analysis.inferredRanks.end() && inferred->second.guard)
    analysis.guards.push_back(*inferred->second.guard);
  if (wasOpen) guardRank(analysis, input, now, seen);
  const auto front = std::find_if(now.begin(), now.end(), [](const ShapePart& p) { return p.isVar; });
  for (auto part = now.begin(); part != front; ++part)
    if (wasOpen || !analysis.typer.solution().dims.asConstant(part->dim))
      guardSize(analysis, input, static_cast<std::size_t>(part - now.begin()), *part, seen);
}

// ---- constraints that the solver leaves open

// Guards a constraint. `sides` are the sizes that it relates.
void guardConstraint(Analysis& analysis, const Constraint& c, const std::string& text, const Shape& sides,
                     const InputParts& seen) {
  Guard* guard = addGuard(analysis, text, &analysis.checked().provenance[c.reason]);
  if (!guard) return;
  Solution& solution = analysis.typer.solution();
  for (const ShapePart& side : sides)
    for (DimVar v : solution.dims.variables(solution.resolve(side.dim))) {
      const Dim size = solution.dims.variable(v);
      const auto input = seen.sizes.find(size.index);
      if (input != seen.sizes.end())
        guard->addSource(
            analysis.mainPlaces[input->second.input->outlet.node].name,
            fmt::format("{} is its dimension {}", analysis.sizeNames.printNamed(size), input->second.axis));
    }
  for (const ShapePart& side : sides) addOrigins(analysis, *guard, side);
}

// Guards two sizes that broadcast against each other: equal, or one of them is 1.
void guardBroadcast(Analysis& analysis, const Constraint& c, const InputParts& seen) {
  const auto& sizes = std::get<constraint::BroadcastDim>(c.is);
  const Dim left = sizes.left.dim, right = sizes.right.dim;
  SizeNames& names = analysis.sizeNames;
  std::string text = fmt::format("{} == {}", names.printNamed(left), names.printNamed(right));
  for (Dim side : {left, right})
    if (!analysis.typer.solution().dims.asConstant(analysis.typer.solution().resolve(side)))
      text += fmt::format(" or {} == 1", names.printNamed(side));
  guardConstraint(analysis, c, text, {sizes.left, sizes.right}, seen);
}

}  // namespace

Guard* addGuard(Analysis& analysis, std::string text, const Reason* why) {
  std::vector<Guard>& guards = analysis.guards;
  if (std::any_of(guards.begin(), guards.end(), [&](const Guard& g) { return g.text == text; })) return nullptr;
  guards.push_back({std::move(text), {}});
  if (why) guards.back().addSource(why->span, why->subject + " needs it");
  return &guards.back();
}

void addOrigins(Analysis& analysis, Guard& guard, const ShapePart& size) {
  if (size.isVar) return;
  const Dim is = analysis.typer.solution().resolve(size.dim);
  for (Span place : analysis.typer.placesOf(size)) {
    const auto site = siteOf(analysis, {place, {}}, nullptr);
    std::string label = analysis.sizeNames.printNamed(is) + " comes from here";
    if (site && isStored((*site->frame)[site->node]))
      label += ", " + printFact(analysis, site->frame->facts[site->node.index].at(0));
    guard.addSource(place, std::move(label));
  }
}

InferredRanks inferredRanks(Analysis& analysis) {
  const DimStore& dims = analysis.typer.solution().dims;
  InferredRanks ranks;
  for (const Input& input : analysis.inputs) {
    const Shape now = analysis.typer.solution().flatten(input.shape);
    if (input.shape.size() != 1 || !input.hasOpenRank()) continue;
    if (std::any_of(now.begin(), now.end(), [](const ShapePart& part) { return part.isVar; })) continue;
    InferredRank& found = ranks[input.outlet];
    std::set<std::string> roles;  // names without their numbers
    std::size_t open = 0;
    for (const ShapePart& part : now) {
      found.sizes.push_back(dims.asVariable(part.dim) ? analysis.sizeNames.printNamed(part.dim) : std::string());
      if (found.sizes.back().empty()) continue;
      roles.insert(found.sizes.back().substr(0, found.sizes.back().find_first_of("0123456789")));
      ++open;
    }
    // The operator's names are used only if they distinguish the axes, such as `n, h, w`.
    if (open < 2 || roles.size() < open) found.sizes.assign(now.size(), {});
    const std::string text = rankGuardText(analysis, input, now.size());
    for (const Guard& guard : analysis.guards)
      if (guard.text == text) found.guard = guard;
  }
  return ranks;
}

void findGuards(Analysis& analysis) {
  GraphTyper& typer = analysis.typer;
  typer.solution().restartWork();
  InputParts seen;
  for (const Input& input : analysis.inputs) guardInput(analysis, input, seen);
  const std::vector<Constraint> pending = pendingConstraints(typer.checked().solver);
  for (const Constraint& c : pending)
    if (c.as<constraint::BroadcastDim>()) guardBroadcast(analysis, c, seen);
  for (const OpenFact& open : openFacts(typer, pending)) {
    if (open.isImplied) continue;
    const DimFact& fact = open.fact;
    const DimComparison asked = *comparisonOf(*open.constraint);
    SizeNames& names = analysis.sizeNames;
    guardConstraint(analysis, *open.constraint,
                    fmt::format("{} {} {}", names.printNamed(fact.left), axle::spelling(fact.relation),
                                names.printNamed(fact.right)),
                    {ShapePart::of(asked.left), ShapePart::of(asked.right)}, seen);
  }
}

}  // namespace axle::tensorflow
