#include "runtime/strips.h"

#include <algorithm>
#include <vector>

#include "runtime/bundle_format.h"
#include "runtime/joined_steps.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

// A strip has as many rows as fit into this memory, but at least as many as a block of a product.
constexpr std::int64_t stripBytes = std::int64_t{128} * 1024, fewestRows = 16, mostRows = 64;

// The matrix between the products: its rows, and how they are divided into strips, none of which is of two batches.
struct Strips {
  std::int64_t rows = 0, rowsOfBatch = 0, rowsOfStrip = 0, rowBytes = 0;

  explicit Strips(const Step& first) {
    const TensorView& matrix = first.out(0);
    rows = matrix.shape.elements() / matrix.columns();
    rowsOfBatch = matrix.shape[matrix.shape.rank() - 2];
    rowBytes = matrix.columns() * static_cast<std::int64_t>(info(matrix.elem).bytes);
    rowsOfStrip = std::min(std::clamp(stripBytes / rowBytes, fewestRows, mostRows), rowsOfBatch);
  }
  std::int64_t ofBatch() const { return (rowsOfBatch + rowsOfStrip - 1) / rowsOfStrip; }
  std::int64_t count() const { return rows / rowsOfBatch * ofBatch(); }
  std::uint64_t bytes() const { return alignUp(static_cast<std::uint64_t>(rowsOfStrip * rowBytes)); }
};

// The input of a step that lies in the memory of another one's result.
int operandIn(const Step& step, const Step& of) {
  const std::vector<Storage>& storage = of.graph->storage;
  int at = 0;
  while (storage[step.node->inputs[static_cast<std::size_t>(at)]].root != of.node->outputs[0]) ++at;
  return at;
}

bool runInStrips(Step& first, Part part, Fault& fault) {
  const Strips strips(first);
  std::byte* const strip = workspaceOf(first, part);
  Step* const steps = &first;
  const std::int64_t begin = part.begin(strips.count());
  for (std::int64_t i = begin; i < part.end(strips.count()); ++i) {
    const std::int64_t batch = i / strips.ofBatch(), inBatch = i % strips.ofBatch() * strips.rowsOfStrip;
    StripCall call;
    call.begin = batch * strips.rowsOfBatch + inBatch;
    call.end = call.begin + std::min(strips.rowsOfStrip, strips.rowsOfBatch - inBatch);
    call.isFirst = inBatch == 0 || i == begin;
    call.workspace = strip + strips.bytes();
    for (std::uint32_t k = 0; k <= first.following; ++k) {
      Step& step = steps[k];
      if (k > 0) call.operand = operandIn(step, steps[k - 1]), call.input = strip;
      call.out = k < first.following ? strip : nullptr;
      if (!step.inStrips.kernel(step, call, fault)) return false;
      call.workspace += alignUp(step.inStrips.workspaceBytes);
    }
  }
  return true;
}

// Who reads each value.
class Readers {
 public:
  explicit Readers(const BoundGraph& graph) : graph_(*graph.graph), reads_(graph.values.size()), last_(reads_.size()) {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      for (std::uint32_t value : graph_.nodes[i].inputs) ++reads_[value], last_[value] = i;
    for (std::uint32_t value : graph_.outputs) reads_[value] += 2;
  }

  // The only node that reads a value, perhaps reshaped; null if there are others.
  const manifest::Node* onlyReaderOf(std::uint32_t value) const {
    while (reads_[value] == 1) {
      const manifest::Node& node = graph_.nodes[last_[value]];
      if (!node.alias) return &node;
      if (node.op != op::reshape) return nullptr;
      value = node.outputs[0];
    }
    return nullptr;
  }

 private:
  const manifest::Graph& graph_;
  std::vector<std::uint32_t> reads_, last_;
};

bool canRunInStrips(const Step& step) {
  return step.inStrips.kernel != nullptr && !step.late && !step.isEmpty && step.following == 0 &&
         step.node->inPlace == 0;
}

// Whether all rows of a step's result are read by the next step alone, which computes a row of results from each.
bool canPass(const BoundGraph& graph, const Step& step, const Step& next, const Readers& readers,
             std::int64_t rowsOfBatch) {
  const std::uint32_t value = step.node->outputs[0];
  const TensorView &matrix = step.out(0), &result = next.out(0);
  if (!step.node->byRows || !canRunInStrips(next) || readers.onlyReaderOf(value) != next.node ||
      graph.storage[value].root != value || !matrix.dense())
    return false;
  const bool isProduct = next.node->op == op::matmulVector;
  const auto& inputs = next.node->inputs;
  const auto readsRows = [&](std::uint32_t input) {
    const TensorView& view = graph.values[input];
    return graph.storage[input].root == value && view.columns() == matrix.columns() &&
           (isProduct ? view.shape[view.shape.rank() - 2] == rowsOfBatch
                      : view.shape.elements() == result.shape.elements() && result.columns() == view.columns());
  };
  return isProduct ? readsRows(inputs[0]) : std::count_if(inputs.begin(), inputs.end(), readsRows) == 1;
}

// Makes one call of a step and those that follow.
const char* joinProducts(BoundGraph& graph, Step& first) {
  std::uint64_t bytes = Strips(first).bytes();
  for (std::uint32_t k = 0; k <= first.following; ++k)
    if (__builtin_add_overflow(bytes, alignUp((&first)[k].inStrips.workspaceBytes), &bytes))
      return "it needs too much memory";
  const auto nanosecondsOf = [](const Step& step) { return step.inStrips.nanoseconds; };
  return joinSteps(graph, first, runInStrips, nanosecondsOf, bytes);
}

}  // namespace

const char* joinStrips(BoundGraph& graph) {
  const auto isMarked = [](const manifest::Node& node) { return node.byRows && node.op == op::matmulVector; };
  if (std::none_of(graph.graph->nodes.begin(), graph.graph->nodes.end(), isMarked)) return nullptr;
  const Readers readers(graph);
  for (std::size_t i = 0; i < graph.steps.size(); i += graph.steps[i].following + 1) {
    Step& first = graph.steps[i];
    if (!isMarked(*first.node) || !canRunInStrips(first) || first.out(0).bytes() < leastStripBytes) continue;
    const std::int64_t rowsOfBatch = Strips(first).rowsOfBatch;
    std::size_t last = i;
    const auto goesOn = [&] {
      return (last == i || graph.steps[last].node->op == op::rows) && last + 1 < graph.steps.size() &&
             canPass(graph, graph.steps[last], graph.steps[last + 1], readers, rowsOfBatch);
    };
    while (goesOn()) ++last;
    if (last == i || graph.steps[last].node->op != op::matmulVector) continue;
    first.following = static_cast<std::uint32_t>(last - i);
    if (const char* problem = joinProducts(graph, first)) return problem;
  }
  return nullptr;
}

}  // namespace axle::runtime
