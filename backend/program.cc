#include "backend/program.h"

namespace axle {

std::optional<Program> plainProgram(const ir::Model& model) {
  Program program;
  for (const ir::Graph& graph : model.graphs) {
    Calls& calls = program.graphs.emplace_back();
    const auto order = ir::topologicalOrder(graph);
    if (!order) return std::nullopt;
    for (ir::NodeId id : *order) {
      const ir::Node& node = graph[id];
      if (node.op == ir::Op::input || node.op == ir::Op::constant) continue;
      Call& call = calls.emplace_back();
      call.node = id;
      call.inputs = node.inputs;
      call.outputs = node.outputs;
      call.from = {id};
    }
  }
  return program;
}

std::optional<Program> fusedProgram(const ir::Model& model) {
  auto program = plainProgram(model);
  if (!program) return std::nullopt;
  fuseRows(model, *program);
  fusePointwise(model, *program);
  makeViews(model, *program);
  orderCalls(model, *program);
  gatherStrips(model, *program);
  placeResultsInOperands(model, *program);
  selectPrimitives(model, *program);
  runByRows(model, *program);
  runInStrips(model, *program);
  return program;
}

}  // namespace axle
