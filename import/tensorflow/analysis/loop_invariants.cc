#include "import/tensorflow/analysis/loop_invariants.h"

#include <algorithm>

#include "import/builder/control_shapes.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

// Whether a shape is what is declared, as far as that is known.
bool agrees(GraphTyper& typer, const Shape& shape, const PartialShape& declared) {
  if (!declared.knownRank) return true;
  if (declared.sizes.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto size = typer.solution().dims.asConstant(typer.solution().resolve(shape[i].dim));
    if (declared.sizes[i] >= 0 && size != declared.sizes[i]) return false;
  }
  return true;
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
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const TypedId value = loop.states[i].value;
    const auto isIt = [&](const InvariantShapes::State& state) { return state.value == value; };
    if (!value || std::none_of(assumed.begin(), assumed.end(), isIt)) continue;
    const auto before = resolvedDims(analysis.typer, loop.starts[i].value);
    if (!before || before != resolvedDims(analysis.typer, loop.next[i].value)) return true;
  }
  return false;
}

bool addChangingStates(Analysis& analysis, LoopShapeAssumptions& to) {
  bool isAny = false;
  const std::deque<LoopState>& states = analysis.loops.states;
  for (const InvariantShapes::State& assumed : analysis.loops.invariants.assumed) {
    const auto state = std::find_if(states.begin(), states.end(),
                                    [&](const LoopState& its) { return its.state.value == assumed.value; });
    // Nothing shows that a state keeps its shape whose body gives nothing.
    const auto before = state == states.end() ? std::nullopt : resolvedDims(analysis.typer, state->start.value);
    const auto after = before ? resolvedDims(analysis.typer, state->next.value) : std::nullopt;
    if (before && before == after) continue;
    isAny = true;
    to.changing.insert(assumed.name);
    if (after && before->size() != after->size()) to.changingRank.insert(assumed.name);
  }
  return isAny;
}

}  // namespace axle::tensorflow
