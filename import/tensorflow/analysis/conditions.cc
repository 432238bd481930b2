#include "import/tensorflow/analysis/conditions.h"

#include <algorithm>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::ElementType, arg::Shape> selectorNotScalar{
    codes::nodeMisfit, "{} takes a scalar to decide by, but gets {} {}", "decides by it"};
constexpr Message<arg::Name, arg::ElementType, arg::Shape> conditionNotScalar{
    codes::nodeMisfit, "{} takes a scalar to decide by, but gets {} {}", "its condition is {1} {2}"};

// Returns the input that must be a scalar; none if the operator has none.
std::optional<std::size_t> conditionInput(const Node& node) {
  if (isNode(node, "Switch") || node.op == "_SwitchN") return 1;
  if (node.op == "LoopCond") return 0;
  return std::nullopt;
}

// Whether a loop with this condition never ends: a result of its function that is not a scalar counts as true if it has
// elements.
bool alwaysHolds(GraphTyper& typer, const Shape& shape) {
  return !shape.empty() && std::all_of(shape.begin(), shape.end(), [&](const ShapePart& part) {
    return typer.solution().dims.asConstant(typer.solution().resolve(part.dim)).value_or(0) > 0;
  });
}

void checkCondition(Analysis& analysis, Frame& frame, NodeId id) {
  const Node& node = frame[id];
  const auto input = conditionInput(node);
  OutletFact fact;
  if (input && *input < node.inputs.size() && node.fed.empty()) fact = frame.factOf(node.inputs[*input]);
  if (auto loop = analysis.loops.byWhile.find({&frame, id}); loop != analysis.loops.byWhile.end())
    fact = loop->second.condition;
  const auto shape = resolvedShape(analysis.typer, fact);
  if (!shape || (input ? shape->empty() : !alwaysHolds(analysis.typer, *shape))) return;
  Diagnostic d(input ? selectorNotScalar : conditionNotScalar, frame.at(id).op, arg::Name{node.op},
               arg::ElementType{spelling(fact.type)}, arg::Shape{printShape(analysis, fact)});
  if (!input) d.addNote("a condition that is not a scalar holds whenever it has elements");
  report(analysis, std::move(d), &frame);
}

}  // namespace

void checkConditions(Analysis& analysis) {
  for (Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i)
      if (!frame.isCopiedAt(i)) checkCondition(analysis, frame, NodeId{i});
}

}  // namespace axle::tensorflow
