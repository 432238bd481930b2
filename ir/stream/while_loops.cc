// Rewrites While loops over the frames of a sequence, as TensorFlow writes recurrent layers, as `loop`: counts, frames
// read at a count and results written at a count are part of a loop.
#include <algorithm>

#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

// The parts of a While. The inputs of its bodies are the inputs of the node.
struct Counted {
  const Node* node = nullptr;
  const Graph* graph = nullptr;
  const Graph* condition = nullptr;
  const Graph* step = nullptr;
  std::size_t states = 0;
  std::vector<bool> isCounter;  // by state: 0, 1, 2, ..
};

std::optional<std::size_t> inputOf(const Graph& body, OutletId outlet) {
  const auto at = std::find(body.inputs.begin(), body.inputs.end(), outlet);
  if (at == body.inputs.end()) return std::nullopt;
  return static_cast<std::size_t>(at - body.inputs.begin());
}

// Whether an input is the same in every step.
bool isFixed(const Counted& loop, std::size_t input) {
  return input >= loop.states || loop.step->outputs[input] == loop.step->inputs[input];
}

std::optional<std::int64_t> numberIn(const Model& model, const Graph& graph, OutletId outlet) {
  const auto elements = integerElements(model, graph, outlet);
  if (!elements || elements->size() != 1) return std::nullopt;
  return model.dims->asConstant(elements->front());
}

bool counts(const Model& model, const Counted& loop, std::size_t state) {
  const Node& next = loop.step->producer(loop.step->outputs[state]);
  if (next.op != Op::add || numberIn(model, *loop.graph, loop.node->inputs[state]) != 0) return false;
  for (std::size_t k = 0; k < 2; ++k)
    if (next.inputs[k] == loop.step->inputs[state] && numberIn(model, *loop.step, next.inputs[1 - k]) == 1) return true;
  return false;
}

// Whether an outlet of a body is a count, perhaps in another shape or element type.
bool isCount(const Counted& loop, const Graph& body, OutletId outlet) {
  while (body.producer(outlet).op == Op::cast || body.producer(outlet).op == Op::reshape)
    outlet = body.producer(outlet).inputs[0];
  const auto input = inputOf(body, outlet);
  return input && *input < loop.states && loop.isCounter[*input];
}

// Returns the number of steps that a condition allows: `count < size`, or several joined by `and`. Returns nothing for
// other conditions.
std::optional<Dim> stepsOf(const Model& model, const Counted& loop, OutletId condition) {
  const Node& node = loop.condition->producer(condition);
  if (node.op == Op::logicalAnd) {
    const auto a = stepsOf(model, loop, node.inputs[0]), b = stepsOf(model, loop, node.inputs[1]);
    if (!a || !b) return std::nullopt;
    return model.dims->min(*a, *b);
  }
  if (node.op != Op::less && node.op != Op::greater) return std::nullopt;
  const std::size_t count = node.op == Op::less ? 0 : 1;
  if (!isCount(loop, *loop.condition, node.inputs[count])) return std::nullopt;
  const OutletId limit = node.inputs[1 - count];
  auto known = integerElements(model, *loop.condition, limit);
  if (!known) {
    OutletId at = limit;
    while (loop.condition->producer(at).op == Op::reshape) at = loop.condition->producer(at).inputs[0];
    const auto input = inputOf(*loop.condition, at);
    if (input && isFixed(loop, *input)) known = integerElements(model, *loop.graph, loop.node->inputs[*input]);
  }
  if (!known || known->size() != 1) return std::nullopt;
  return known->front();
}

// Returns the element that a step writes into a state at the count. Returns nothing for states that change otherwise.
std::optional<OutletId> writtenElement(const Counted& loop, const Uses& uses, std::size_t state) {
  const OutletId before = loop.step->inputs[state];
  const Node& write = loop.step->producer(loop.step->outputs[state]);
  const GraphId condition = loop.node->bodies[0], step = loop.node->bodies[1];
  if (write.op != Op::scatterNd || as<ModeAttributes>(write).mode != ScatterMode::put || write.inputs[0] != before ||
      !isCount(loop, *loop.step, write.inputs[1]))
    return std::nullopt;
  const Dims& indices = (*loop.step)[write.inputs[1]].fact.shape;
  const Dims &whole = (*loop.step)[before].fact.shape, &item = (*loop.step)[write.inputs[2]].fact.shape;
  const bool isOne =
      indices.size() == 2 ? item.size() == whole.size() : indices.size() == 1 && item.size() + 1 == whole.size();
  if (!isOne || uses.count(step, before) != 1 || uses.count(step, write.outputs[0]) != 1 ||
      uses.count(condition, loop.condition->inputs[state]) != 0)
    return std::nullopt;
  return write.inputs[2];
}

// The new loop under construction.
struct Made {
  std::vector<OutletId> inputs, bodyInputs, bodyOutputs;
  std::vector<Fact> facts;
  std::vector<std::size_t> outputs;  // by new output: the old one
  std::size_t sequences = 0;
  GraphEdit body;
};

OutletId added(const Counted& loop, Made& made, Node node, Fact fact) {
  const auto index = static_cast<std::uint32_t>(loop.step->outlets.size() + made.body.added.size());
  made.body.added.push_back({std::move(node), {withoutValue(fact)}});
  return OutletId{index};
}

void addStates(const Counted& loop, const Uses& uses, Made& made) {
  for (std::size_t i = 0; i < loop.states; ++i) {
    if (isFixed(loop, i) || writtenElement(loop, uses, i)) continue;
    made.inputs.push_back(loop.node->inputs[i]);
    made.bodyInputs.push_back(loop.step->inputs[i]);
    made.bodyOutputs.push_back(loop.step->outputs[i]);
    made.facts.push_back((*loop.graph)[loop.node->outputs[i]].fact);
    made.outputs.push_back(i);
  }
}

// Makes sequences of inputs that are read at the count. An input that is also read in another way stays a capture, too.
void addSequences(const Counted& loop, const Uses& uses, Dim steps, PatchBuilder& patch, Made& made) {
  std::vector<OutletId> captured, capturedInBody;
  for (std::size_t i = 0; i < loop.step->inputs.size(); ++i) {
    if (!isFixed(loop, i)) continue;
    const OutletId x = loop.step->inputs[i];
    std::optional<OutletId> element;
    std::size_t others = 0;
    for (NodeId reader : uses.graphs[loop.node->bodies[1].index].readers[x.index]) {
      const Node& read = (*loop.step)[reader];
      const bool isElement = read.op == Op::gather && as<AxisAttributes>(read).axis == 0 && read.inputs[0] == x &&
                             (*loop.step)[read.inputs[1]].fact.shape.empty() &&
                             isCount(loop, *loop.step, read.inputs[1]) && (*loop.step)[x].fact.shape[0] == steps;
      others += !isElement;
      if (!isElement) continue;
      if (!element) {
        Node input;
        input.op = Op::input;
        element = added(loop, made, std::move(input), (*loop.step)[read.outputs[0]].fact);
        made.inputs.push_back(loop.node->inputs[i]);
        made.bodyInputs.push_back(*element);
        ++made.sequences;
      }
      made.body.replaced.emplace_back(read.outputs[0], *element);
    }
    if (others == 0) {
      if (element) made.body.removed.push_back((*loop.step)[x].node);
      continue;
    }
    captured.push_back(loop.node->inputs[i]);
    capturedInBody.push_back(x);
  }
  if (made.sequences == 0) {  // a sequence must determine the number of steps
    const Fact counts{Elem::i64, {steps}, {}};
    made.inputs.push_back(patch.wire(Op::iota, {}, AxisAttributes{0}, &counts));
    Node input;
    input.op = Op::input;
    made.bodyInputs.push_back(added(loop, made, std::move(input), Fact{Elem::i64, {}, {}}));
    ++made.sequences;
  }
  made.inputs.insert(made.inputs.end(), captured.begin(), captured.end());
  made.bodyInputs.insert(made.bodyInputs.end(), capturedInBody.begin(), capturedInBody.end());
}

void addResults(const Counted& loop, const Uses& uses, Made& made) {
  for (std::size_t i = 0; i < loop.states; ++i) {
    auto element = writtenElement(loop, uses, i);
    if (!element) continue;
    const OutletId written = loop.step->outputs[i];
    Fact fact = withoutAxis((*loop.step)[written].fact, 0);
    const Node& producer = loop.step->producer(*element);
    if (producer.op == Op::reshape && (*loop.step)[producer.inputs[0]].fact.shape == fact.shape) {
      element = producer.inputs[0];
    } else if ((*loop.step)[*element].fact.shape != fact.shape) {
      Node reshape;
      reshape.op = Op::reshape;
      reshape.inputs = {*element};
      element = added(loop, made, std::move(reshape), fact);
    }
    made.bodyOutputs.push_back(*element);
    made.body.removed.push_back((*loop.step)[written].node);
    made.body.removed.push_back((*loop.step)[loop.step->inputs[i]].node);
    made.facts.push_back((*loop.graph)[loop.node->outputs[i]].fact);
    made.outputs.push_back(i);
  }
}

// Returns the While and its number of steps, if it counts from 0 to the number of frames of a stream.
std::optional<std::pair<Counted, Dim>> countedWhile(const Model& model, const StreamQuestion& question, GraphId g,
                                                    NodeId id) {
  const Graph& graph = model.graphs[g.index];
  const Node& node = graph[id];
  if (node.op != Op::whileLoop || g.index != 0 || !node.runSizes.empty() || !node.after.empty()) return std::nullopt;
  for (GraphId body : node.bodies)
    if (hasComposite(model, body)) return std::nullopt;
  Counted loop{&node,
               &graph,
               &model.graphs[node.bodies[0].index],
               &model.graphs[node.bodies[1].index],
               as<WhileAttributes>(node).states,
               {}};
  for (std::size_t i = 0; i < loop.states; ++i) loop.isCounter.push_back(counts(model, loop, i));
  const auto steps = stepsOf(model, loop, loop.condition->outputs[0]);
  if (!steps || !mentionsStream(model, question, *steps)) return std::nullopt;
  return std::pair(loop, *steps);
}

}  // namespace

std::optional<Patch> loopOfWhile(Model& model, const StreamQuestion& question, const Uses& uses, GraphId g, NodeId id) {
  const auto counted = countedWhile(model, question, g, id);
  if (!counted) return std::nullopt;
  const auto& [loop, steps] = *counted;
  for (std::size_t i = 0; i < loop.states; ++i)
    if (writtenElement(loop, uses, i) && (*loop.step)[loop.step->inputs[i]].fact.shape[0] != steps) return std::nullopt;
  PatchBuilder patch(model, g, id);
  Made made;
  made.body.graph = loop.node->bodies[1];
  addStates(loop, uses, made);
  const std::size_t states = made.inputs.size();
  addSequences(loop, uses, steps, patch, made);
  addResults(loop, uses, made);
  made.body.inputs = made.bodyInputs;
  made.body.outputs = made.bodyOutputs;
  Node node;
  node.op = Op::loop;
  node.inputs = made.inputs;
  node.attributes = LoopAttributes{states, made.sequences};
  node.bodies = {loop.node->bodies[1]};
  const auto fresh = patch.wireNode(std::move(node), made.facts);
  for (std::size_t i = 0; i < fresh.size(); ++i) patch.shunt(loop.node->outputs[made.outputs[i]], fresh[i]);
  for (std::size_t i = 0; i < loop.states; ++i)
    if (isFixed(loop, i)) patch.shunt(loop.node->outputs[i], loop.node->inputs[i]);
  patch.edit().removed.push_back(id);
  GraphEdit condition;
  condition.graph = loop.node->bodies[0];
  condition.clear = true;
  auto done = patch.finish("a While over frames is a loop");
  if (!done) return std::nullopt;
  done->edits.insert(done->edits.begin(), {std::move(made.body), std::move(condition)});
  return done;
}

}  // namespace axle::ir::stream
