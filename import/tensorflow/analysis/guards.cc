// What the sizes of the run decide: what an input's shape must be besides what is declared of it, and what is left
// open.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/variables.h"

namespace axle::tensorflow {
namespace {

// The node's value is in the file.
bool isStored(const Node& node) {
  static constexpr std::string_view operators[] = {"Const", "ReadVariableOp", "VariableV2", "Variable"};
  return node.fed.empty() && std::find(std::begin(operators), std::end(operators), node.op) != std::end(operators);
}

}  // namespace

// Null where it is said already.
Analysis::Guard* Analysis::addGuard(std::string text, const Reason* why) {
  if (!guarded_.insert(text).second) return nullptr;
  guards_.push_back({std::move(text), {}});
  if (why) addSource(guards_.back(), why->span, why->subject + " needs it");
  return &guards_.back();
}

void Analysis::addSource(Guard& guard, Span place, std::string label) {
  auto same = [&](const Label& known) { return std::get<Span>(known.place) == place; };
  if (std::none_of(guard.sources.begin(), guard.sources.end(), same))
    guard.sources.push_back({place, std::move(label)});
}

void Analysis::addOrigins(Guard& guard, const ShapePart& size) {
  if (size.isVar) return;
  const Dim is = typer_.solution().resolve(size.dim);
  for (Span place : typer_.placesOf(size)) {
    auto site = siteOf({place, {}}, nullptr);
    std::string label = printNamed(is) + " comes from here";
    if (site && isStored((*site->frame->graph)[site->node]))
      label += ", " + describe(site->frame->facts[site->node.index].at(0));
    addSource(guard, place, std::move(label));
  }
}

// ---- inputs

void Analysis::keepInputs(NodeId id) {
  const Node& node = model_.main[id];
  const std::vector<OutletFact>& facts = frames_.front().facts[id.index];
  for (std::uint32_t port = 0; port < facts.size(); ++port) {
    if (std::find(node.fed.begin(), node.fed.end(), port) == node.fed.end() || !facts[port].value) continue;
    Shape shape = typer_.solution().types[typer_.typeOf(facts[port].value)].shape;
    if (isComplex(facts[port].type)) shape.pop_back();
    inputs_.push_back({{id, port}, std::move(shape)});
  }
}

std::string Analysis::declaredShape(const Input& input) {
  std::vector<std::string> sizes;
  for (const ShapePart& part : input.shape) {
    auto given =
        std::find_if(givenSizes_.begin(), givenSizes_.end(), [&](const auto& g) { return g.second == part.dim; });
    auto number = part.isVar ? std::nullopt : typer_.solution().dims.asConstant(part.dim);
    sizes.push_back(part.isVar                   ? ".."
                    : number                     ? std::to_string(*number)
                    : given == givenSizes_.end() ? "?"
                                                 : given->first);
  }
  if (input.shape.size() == 1 && input.shape[0].isVar) return "..";
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

Span Analysis::placeOf(const Input& input) const { return (*frames_.front().places)[input.outlet.node].name; }

// What is said of an input that inference made less open than it is declared; `same` is another one that it must be
// as.
void Analysis::addInputGuard(const Input& input, const std::string& what, const Reason* why, const ShapePart& part,
                             const Input* same) {
  Guard* guard = addGuard(fmt::format("{}: {}", nameOf(frames_.front(), input.outlet), what), why);
  if (!guard) return;
  addSource(*guard, placeOf(input), "declared as " + declaredShape(input));
  if (same)
    addSource(*guard, placeOf(*same), "declared as " + declaredShape(*same));
  else
    addOrigins(*guard, part);
}

// How a size that is computed of one that stands nowhere else bounds itself; empty where it does not.
std::string Analysis::boundOf(Dim size, DimVar of) {
  DimStore& dims = typer_.solution().dims;
  if (auto least = dims.asConstant(dims.sub(size, dims.variable(of))))
    return *least > 0 ? fmt::format("must be at least {}", *least) : std::string();
  for (const Term& term : dims.terms(size))
    if (dims.mul(dims.constant(term.coefficient), dims.variable(of)) == size)
      return fmt::format("must be a multiple of {}", term.coefficient);
  return "must be " + printNamed(size);
}

// Of a size that is declared open, or is one of a shape that is.
void Analysis::guardSize(const Input& input, std::size_t axis, const ShapePart& size, InputParts& seen) {
  Solution& solution = typer_.solution();
  const Reason* why = typer_.whatFixed(size);
  if (!why && isRankOpen(input)) why = typer_.whatFixed(input.shape[0]);
  const std::string must = fmt::format("dimension {} must be ", axis);
  const Dim is = solution.resolve(size.dim);
  if (solution.dims.asConstant(is)) return addInputGuard(input, must + printNamed(is), why, size);
  auto [other, isNew] = seen.sizes.emplace(is.index, InputPart{&input, size, axis});
  if (!isNew) {
    const Input& same = *other->second.input;
    const bool bothDeclared = !isRankOpen(input) && !isRankOpen(same);
    if (bothDeclared && other->second.part.dim == size.dim) return;
    if (const Reason* joined = typer_.whatJoined(size, other->second.part)) why = joined;
    if (!why && isRankOpen(same)) why = typer_.whatFixed(same.shape[0]);
    const std::string that =
        fmt::format("dimension {} of {}", other->second.axis, nameOf(frames_.front(), same.outlet));
    return addInputGuard(input, must + that, why, size, &same);
  }
  const std::vector<DimVar> of(solution.dims.variables(is).begin(), solution.dims.variables(is).end());
  auto stands = [&](DimVar v) {
    return seen.computed.count(v) ||
           (solution.dims.variable(v) != is && seen.sizes.count(solution.dims.variable(v).index));
  };
  const bool isBound = std::any_of(of.begin(), of.end(), stands);
  const bool isOwn = solution.dims.asVariable(is).has_value();
  if (!isOwn) seen.computed.insert(of.begin(), of.end());
  if (isBound || of.size() > 1) return addInputGuard(input, must + printNamed(is), why, size);
  if (isOwn || of.empty()) return;
  if (std::string bound = boundOf(is, of[0]); !bound.empty())
    addInputGuard(input, fmt::format("dimension {} {}", axis, bound), why, size);
}

void Analysis::guardRank(const Input& input, const Shape& now, InputParts& seen) {
  const ShapePart& whole = input.shape[0];
  const Reason* why = typer_.whatFixed(whole);
  const auto known = std::count_if(now.begin(), now.end(), [](const ShapePart& p) { return !p.isVar; });
  if (known == std::ssize(now)) return addInputGuard(input, fmt::format("the rank must be {}", known), why, whole);
  if (known > 0) return addInputGuard(input, fmt::format("the rank must be at least {}", known), why, whole);
  if (now.size() > 1) return;
  auto [other, isNew] = seen.shapes.emplace(now[0].var, InputPart{&input, whole});
  if (!isNew)
    addInputGuard(input, "the shape must be that of " + nameOf(frames_.front(), other->second.input->outlet),
                  typer_.whatJoined(whole, other->second.part), whole, other->second.input);
}

void Analysis::guardInput(const Input& input, InputParts& seen) {
  const Shape now = typer_.solution().flatten(input.shape);
  const bool wasOpen = isRankOpen(input);
  if (wasOpen) guardRank(input, now, seen);
  const auto front = std::find_if(now.begin(), now.end(), [](const ShapePart& p) { return p.isVar; });
  for (auto part = now.begin(); part != front; ++part)
    if (wasOpen || !typer_.solution().dims.asConstant(part->dim))
      guardSize(input, static_cast<std::size_t>(part - now.begin()), *part, seen);
}

// ---- what is left open

// As people say it where it is about one size: `h >= 3` for `h - 1 >= 2`.
void Analysis::simplify(DimFact& fact) {
  DimStore& dims = typer_.solution().dims;
  auto [relation, difference] = normaliseFact(typer_.checked().solver, fact);
  if (relation != FactRelation::ge) return;
  Dim size = difference, constant = dims.constant(0);
  for (const Term& term : std::vector<Term>(dims.terms(difference).begin(), dims.terms(difference).end()))
    if (term.factors.empty()) {
      constant = dims.constant(term.coefficient);
      size = dims.sub(difference, constant);
    }
  if (dims.terms(size).size() != 1) return;
  const bool isLower = dims.terms(size)[0].coefficient > 0;
  const Dim minus = dims.constant(-1);
  fact.left = isLower ? size : dims.mul(minus, size);
  fact.relation = isLower ? FactRelation::ge : FactRelation::le;
  fact.right = isLower ? dims.mul(minus, constant) : constant;
}

std::vector<Analysis::OpenFact> Analysis::openFacts(const std::vector<Constraint>& pending) {
  std::vector<OpenFact> facts;
  std::map<DimVar, std::vector<std::size_t>> ofSize;  // those of one size only
  Solution& solution = typer_.solution();
  for (const Constraint& c : pending) {
    if (!comparisonOf(c)) continue;
    DimFact fact = factOf(typer_.checked(), c);
    fact.left = solution.resolve(fact.left);
    fact.right = solution.resolve(fact.right);
    simplify(fact);
    OpenVariables v;
    collectVariables(typer_.checked().solver, fact.left, v);
    collectVariables(typer_.checked().solver, fact.right, v);
    std::sort(v.dims.begin(), v.dims.end());
    v.dims.erase(std::unique(v.dims.begin(), v.dims.end()), v.dims.end());
    if (v.dims.size() == 1) ofSize[v.dims[0]].push_back(facts.size());
    facts.push_back({&c, std::move(fact), false});
  }
  // What others say already is not said.
  constexpr std::size_t mostCompared = 16;
  for (const auto& [_, group] : ofSize)
    for (std::size_t i : group) {
      std::vector<DimFact> others;
      for (std::size_t j : group)
        if (j != i && !facts[j].isSaid) others.push_back(facts[j].fact);
      if (!others.empty() && others.size() <= mostCompared)
        facts[i].isSaid = factFollows(typer_.checked().solver, facts[i].fact, others);
    }
  return facts;
}

void Analysis::guardPending(const Constraint& c, const std::string& text, const Shape& sides, const InputParts& seen) {
  Guard* guard = addGuard(text, &typer_.checked().provenance[c.reason]);
  if (!guard) return;
  DimStore& dims = typer_.solution().dims;
  for (const ShapePart& side : sides)
    for (DimVar v : dims.variables(typer_.solution().resolve(side.dim))) {
      const Dim size = dims.variable(v);
      auto input = seen.sizes.find(size.index);
      if (input != seen.sizes.end())
        addSource(*guard, placeOf(*input->second.input),
                  fmt::format("{} is its dimension {}", printNamed(size), input->second.axis));
    }
  for (const ShapePart& side : sides) addOrigins(*guard, side);
}

void Analysis::guardStretch(const Constraint& c, const InputParts& seen) {
  const auto& sizes = std::get<constraint::BroadcastDim>(c.is);
  const Dim left = sizes.left.dim, right = sizes.right.dim;
  std::string text = fmt::format("{} == {}", printNamed(left), printNamed(right));
  for (Dim side : {left, right})
    if (!typer_.solution().dims.asConstant(typer_.solution().resolve(side)))
      text += fmt::format(" or {} == 1", printNamed(side));
  guardPending(c, text, {sizes.left, sizes.right}, seen);
}

void Analysis::findGuards() {
  typer_.solution().restartWork();
  InputParts seen;
  for (const Input& input : inputs_) guardInput(input, seen);
  const std::vector<Constraint> pending = pendingConstraints(typer_.checked().solver);
  for (const Constraint& c : pending)
    if (c.as<constraint::BroadcastDim>()) guardStretch(c, seen);
  for (const OpenFact& open : openFacts(pending)) {
    if (open.isSaid) continue;
    const DimFact& fact = open.fact;
    const DimComparison asked = *comparisonOf(*open.constraint);
    guardPending(*open.constraint,
                 fmt::format("{} {} {}", printNamed(fact.left), axle::spelling(fact.relation), printNamed(fact.right)),
                 {ShapePart::of(asked.left), ShapePart::of(asked.right)}, seen);
  }
}

}  // namespace axle::tensorflow
