#include "import/tensorflow/analysis/structured_control.h"

#include "import/builder/structured_control.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/dataflow_control.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

bool defineExits(GraphTyper& typer, const Loop& loop) {
  if (!loop.condition.value) return false;
  std::vector<LoopValue> values;
  std::vector<const OutletFact*> exits;
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const TypedId state = programValue(loop.states[i]), start = programValue(loop.starts[i]);
    if (!state || state == start) continue;  // no value, or the same in every iteration
    values.push_back({start, state, i < loop.next.size() ? programValue(loop.next[i]) : TypedId()});
    exits.push_back(i < loop.exits.size() ? &loop.exits[i] : nullptr);
  }
  const std::vector<TypedId> results = defineLoop(typer, loop.name, loop.condition.value, values, loop.at);
  if (results.size() != exits.size()) return false;
  bool isAny = false;
  for (std::size_t i = 0; i < exits.size(); ++i)
    if (exits[i]) isAny |= defineOpaque(typer, programValue(*exits[i]), results[i], loop.name, loop.at, "the loop");
  return isAny;
}

bool defineResults(Analysis& analysis, const Branch& branch) {
  GraphTyper& typer = analysis.typer;
  const std::size_t count = branch.cases.size();
  const auto selected = selectedCase(analysis, branch.by, count);
  const TypedId selector = branch.by.frame ? branch.by.frame->factOf(branch.by.outlet).value : TypedId();
  if (count < 2 || !canSelect(typer, selector)) return false;
  bool isAny = false;
  for (std::size_t port = 0; port < branch.results.size(); ++port) {
    const TypedId result = programValue(branch.results[port]);
    if (!result) continue;
    std::vector<TypedId> cases;
    for (const OutletFacts& its : branch.cases)
      cases.push_back(port < its.size() ? programValue(its[port]) : TypedId());
    if (TypedId value = selectCase(typer, branch.name, selector, selected, cases, branch.at))
      isAny |= defineOpaque(typer, result, value, branch.name, branch.at, "the branches");
  }
  return isAny;
}

}  // namespace

bool defineControl(Analysis& analysis, Frame& frame, NodeId id) {
  const Site site{&frame, id};
  if (auto loop = analysis.loops.byWhile.find(site); loop != analysis.loops.byWhile.end())
    return defineExits(analysis.typer, loop->second);
  if (auto branches = analysis.branches.byNode.find(site); branches != analysis.branches.byNode.end()) {
    bool isAny = false;
    for (const Branch& branch : branches->second) isAny |= defineResults(analysis, branch);
    return isAny;
  }
  if (isNode(frame[id], "Exit"))
    if (const auto loop = loopOfExit(frame, id)) {
      for (const Loop::StateNodes& state : loop->nodes)
        if (state.exit) analysis.program.tried.insert({&frame, *state.exit});
      return defineExits(analysis.typer, *loop);
    }
  if (isNode(frame[id], "Merge"))
    if (const auto branch = branchOfMerge(frame, id)) return defineResults(analysis, *branch);
  return false;
}

}  // namespace axle::tensorflow
