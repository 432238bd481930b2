#include "import/tensorflow/analysis/loops.h"

#include <algorithm>

#include "import/builder/control_shapes.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

bool inferState(GraphTyper& typer, const LoopState& loop) {
  bool learnt = false;
  if (loop.start.list && loop.state.list && loop.next.list)
    learnt |= inferStateSize(typer, loop.start.list->length, loop.state.list->length, loop.next.list->length, loop.at);
  return inferStateShape(typer, loop.start.value, loop.state.value, loop.next.value, loop.at) || learnt;
}

bool inferExit(GraphTyper& typer, const LoopExit& loop) {
  bool learnt = false;
  if (loop.start.list && loop.state.list && loop.exit.list && loop.exit.content)
    learnt |= inferExitSize(typer, loop.start.list->length, loop.state.list->length, loop.exit.list->length, loop.at);
  return inferExitShape(typer, loop.start.value, loop.state.value, loop.exit.value, loop.at) || learnt;
}

// Whether the body returns a parameter unchanged.
bool isPassedThrough(const Function& body, std::size_t i) {
  return i < body.results.size() && i < body.parameters.size() &&
         body.results[i].outlet.node == body.parameters[i].node;
}

const PartialShape* declaredStateShape(const Node& node, std::size_t i) {
  const auto* shapes = node.get<Values>("output_shapes");
  return shapes && i < shapes->size() ? std::get_if<PartialShape>(&(*shapes)[i]) : nullptr;
}

// Returns the loop of a While: its states are its inputs, and the variables that its body may assign.
Loop loopOfWhile(StructuralNode& n, const Function& body) {
  Analysis& analysis = n.analysis;
  Loop loop;
  loop.frame = &n.frame;
  loop.node = n.id;
  loop.at = n.places.op;
  loop.name = n.name;
  for (std::size_t i = 0; i < n.count(); ++i) {
    loop.starts.push_back(n.fact(i));
    loop.states.push_back(isPassedThrough(body, i)
                              ? n.fact(i)
                              : loopState(analysis, n.fact(i), declaredStateShape(n.node, i), n.name, n.places.name));
  }
  loop.variables = assignableVariables(analysis.model, loop.states);
  for (VariableId variable : loop.variables) {
    OutletFact start = variableFact(analysis, variable, n.places.op);
    loop.states.push_back(loopState(analysis, start, nullptr, n.name, n.places.name));
    loop.starts.push_back(std::move(start));
  }
  loop.assigned = analysis.variables.assigned;
  return loop;
}

Outcome followWhile(StructuralNode& n) {
  Analysis& analysis = n.analysis;
  const auto *condition = n.node.get<FunctionName>("cond"), *body = n.node.get<FunctionName>("body");
  if (!condition || !condition->id || !body || !body->id) return Outcome::unknown;
  Loop loop = loopOfWhile(n, analysis.model[*body->id]);
  auto iteration = followWhileIteration(analysis, loop, loop.states);
  if (!iteration) return Outcome::unknown;
  loop.condition = std::move(iteration->condition);
  loop.next = iteration->next.empty() ? loop.states : std::move(iteration->next);
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const OutletFact &start = loop.starts[i], &state = loop.states[i], &next = loop.next[i];
    if (next.type != Type::invalid) closeState(analysis, {start, state, next, n.places.op});
    const bool changes = state.value != start.value || state.content != start.content;
    OutletFact exit = changes ? loopExit(analysis, start, state, n.name, n.places.name) : state;
    if (next.list && !exit.list) exit.list = next.list;
    loop.exits.push_back(std::move(exit));
  }
  n.facts.assign(loop.exits.begin(), loop.exits.begin() + static_cast<std::ptrdiff_t>(n.count()));
  for (std::size_t i = 0; i < loop.variables.size(); ++i)
    analysis.variables.assigned[loop.variables[i]] = loop.exits[n.count() + i].value;
  analysis.loops.byWhile[n.site()] = std::move(loop);
  return Outcome::done;
}

}  // namespace

OutletFact loopState(Analysis& analysis, const OutletFact& start, const PartialShape* declared, const std::string& name,
                     Span at) {
  GraphTyper& typer = analysis.typer;
  OutletFact state;
  state.type = start.type;
  state.variable = start.variable;
  if (start.list) state.list = start.content ? withOpenLength(typer, *start.list) : start.list;
  if (start.content) state = withContent(typer, std::move(state), name, at);
  if (!start.value) return state;
  if (auto shape = invariantShape(analysis, start, declared, name)) {
    state.value = opaqueFact(typer, name, start.type, std::move(*shape), at).value;
    recordAssumedState(analysis.loops.invariants, state.value);
    return state;
  }
  Shape shape;
  if (declared && declared->knownRank) {
    shape = declaredShape(typer, *declared);
  } else if (const auto given = resolvedShape(typer, start)) {
    for (std::size_t i = 0; i < given->size(); ++i) shape.push_back(ShapePart::of(typer.unknownSize("d")));
  } else {
    shape = typer.unknownShape("s");
  }
  state.value = opaqueFact(typer, name, start.type, std::move(shape), at).value;
  return state;
}

OutletFact loopExit(Analysis& analysis, const OutletFact& start, const OutletFact& state, const std::string& name,
                    Span at) {
  GraphTyper& typer = analysis.typer;
  OutletFact exit = state;
  exit.known.reset();
  if (state.content) {
    exit.list = withOpenLength(typer, *state.list);
    exit = withContent(typer, std::move(exit), name, at);
  }
  if (state.value) {
    TypeId type = typer.typeOf(state.value);
    if (auto shape = resolvedShape(typer, state)) {
      for (ShapePart& part : *shape)
        if (typer.solution().dims.asVariable(typer.solution().resolve(part.dim)))
          part = ShapePart::of(typer.unknownSize("d"));
      type = tensorType(typer, state.type, std::move(*shape), at);
    }
    exit.value = typer.opaque(name, type, at);
  }
  analysis.loops.exits.push_back({start, state, exit, at});
  inferExit(typer, analysis.loops.exits.back());
  return exit;
}

void closeState(Analysis& analysis, LoopState state) {
  analysis.loops.states.push_back(std::move(state));
  inferState(analysis.typer, analysis.loops.states.back());
}

bool inferLoopStates(Analysis& analysis) {
  bool learnt = false;
  for (const LoopState& state : analysis.loops.states) learnt |= inferState(analysis.typer, state);
  for (const LoopExit& exit : analysis.loops.exits) learnt |= inferExit(analysis.typer, exit);
  return learnt;
}

std::optional<Iteration> followWhileIteration(Analysis& analysis, const Loop& loop, const OutletFacts& states) {
  const Node& node = (*loop.frame)[loop.node];
  const auto *condition = node.get<FunctionName>("cond"), *body = node.get<FunctionName>("body");
  const std::size_t count = node.inputs.size();
  std::map<VariableId, TypedId>& assigned = analysis.variables.assigned;
  assigned = loop.assigned;
  for (std::size_t i = 0; i < loop.variables.size(); ++i) assigned[loop.variables[i]] = states[count + i].value;
  OutletFacts arguments(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(count));
  const auto test = followCall(analysis, *loop.frame, loop.node, *condition->id, condition->attributes, arguments);
  if (!test || test->empty()) return std::nullopt;
  Iteration iteration{test->front(), {}};
  if (isTrue(analysis.typer, iteration.condition) == false) return iteration;
  auto next = followCall(analysis, *loop.frame, loop.node, *body->id, body->attributes, std::move(arguments));
  if (!next) return std::nullopt;
  iteration.next = std::move(*next);
  iteration.next.resize(count);
  for (VariableId variable : loop.variables) iteration.next.push_back(variableFact(analysis, variable, loop.at));
  return iteration;
}

std::span<const StructuralOperator> loopOperators() {
  static constexpr StructuralOperator rows[] = {
      {"StatelessWhile", followWhile},
      {"While", followWhile},
  };
  return rows;
}

}  // namespace axle::tensorflow
