#include "import/tensorflow/analysis/loop_invariants.h"

#include <algorithm>

#include "import/builder/control_shapes.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

// Whether a shape agrees with a declared one, as far as both are known.
bool agrees(GraphTyper& typer, const Shape& shape, const PartialShape& declared) {
  if (!declared.knownRank) return true;
  if (declared.sizes.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto size = typer.solution().dims.asConstant(typer.solution().resolve(shape[i].dim));
    if (declared.sizes[i] >= 0 && size != declared.sizes[i]) return false;
  }
  return true;
}

// Returns an assumed state with the value that an iteration computes; null if the body computes none.
const LoopState* closedState(const Analysis& analysis, const InvariantShapes::State& assumed) {
  const std::deque<LoopState>& states = analysis.loops.states;
  const auto found = std::find_if(states.begin(), states.end(),
                                  [&](const LoopState& its) { return its.state.value == assumed.value; });
  return found == states.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Shape> invariantShape(Analysis& analysis, const OutletFact& start, const PartialShape* declared,
                                    const std::string& loop) {
  InvariantShapes& invariants = analysis.loops.invariants;
  const std::string name = loop + ":" + std::to_string(invariants.count[loop]++);
  if (invariants.assumptions.changingRank.count(name)) return analysis.typer.unknownShape("s");
  if (!invariants.assumptions.areMade || invariants.assumptions.changing.count(name)) return std::nullopt;
  auto shape = resolvedShape(analysis.typer, start);
  if (!shape || (declared && !agrees(analysis.typer, *shape, *declared))) return std::nullopt;
  invariants.assumed.push_back({name, {}});
  return shape;
}

void recordAssumedState(InvariantShapes& invariants, TypedId state) {
  if (!invariants.assumed.empty() && !invariants.assumed.back().value) invariants.assumed.back().value = state;
}

bool breaksAssumption(Analysis& analysis, const Loop& loop) {
  const std::vector<InvariantShapes::State>& assumed = analysis.loops.invariants.assumed;
  return std::any_of(assumed.begin(), assumed.end(), [&](const InvariantShapes::State& its) {
    const auto isIt = [&](const OutletFact& state) { return its.value && state.value == its.value; };
    if (std::none_of(loop.states.begin(), loop.states.end(), isIt)) return false;
    const LoopState* state = closedState(analysis, its);
    return !state || !haveSameShape(analysis.typer, state->start.value, state->next.value);
  });
}

std::vector<ChangingState> changingStates(const Loop& loop, const OutletFacts& next) {
  std::vector<ChangingState> states;
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const ChangingState its{programValue(loop.starts[i]), programValue(loop.states[i]), programValue(next[i])};
    if (its.state && its.start && its.next && its.state != its.start) states.push_back(its);
  }
  return states;
}

bool keepsShapes(GraphTyper& typer, const Loop& loop, const Iteration& first) {
  if (first.next.size() != loop.starts.size()) return false;
  const std::vector<ChangingState> states = changingStates(loop, first.next);
  return std::all_of(states.begin(), states.end(),
                     [&](const ChangingState& its) { return haveSameShape(typer, its.start, its.next); });
}

void fixShapes(GraphTyper& typer, const Loop& loop) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const OutletFact &state = loop.states[i], &start = loop.starts[i];
    if (state.value && start.value)
      typer.unify(typer.typeOf(start.value), typer.typeOf(state.value), loop.at, "the loop");
    if (state.content && start.content)
      typer.unify(typer.typeOf(start.content), typer.typeOf(state.content), loop.at, "the loop");
  }
}

bool addChangingStates(Analysis& analysis, LoopShapeAssumptions& to) {
  bool isAny = false;
  for (const InvariantShapes::State& assumed : analysis.loops.invariants.assumed) {
    // If the body computes no value for a state, nothing shows that the state keeps its shape.
    const LoopState* state = closedState(analysis, assumed);
    if (state && haveSameShape(analysis.typer, state->start.value, state->next.value)) continue;
    isAny = true;
    to.changing.insert(assumed.name);
    const auto before = state ? resolvedShape(analysis.typer, state->start.value) : std::nullopt;
    const auto after = state ? resolvedShape(analysis.typer, state->next.value) : std::nullopt;
    if (before && after && before->size() != after->size()) to.changingRank.insert(assumed.name);
  }
  return isAny;
}

}  // namespace axle::tensorflow
