#include "ir/stream/told_sizes.h"

#include <algorithm>
#include <set>

namespace axle::ir {

namespace {

using Symbols = std::set<DimVar>;

void addSymbols(const DimStore& dims, Dim d, Symbols& to) {
  for (DimVar v : dims.variables(d)) to.insert(v);
}

Symbols symbolsOfSizes(const Model& model) {
  Symbols found;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      if (node.op == Op::none) continue;
      for (OutletId output : node.outputs)
        for (Dim d : graph[output].fact.shape) addSymbols(*model.dims, d, found);
      Attributes attributes = node.attributes;
      changeSizes(attributes, [&](Dim& d) { addSymbols(*model.dims, d, found); });
    }
  return found;
}

// Removes the symbols that these sizes determine: a size determines a symbol if all its other symbols are known.
void takeTold(const DimStore& dims, const std::vector<Dims>& shapes, Symbols& untold) {
  for (bool again = true; std::exchange(again, false);)
    for (const Dims& shape : shapes)
      for (Dim d : shape) {
        const auto all = dims.variables(d);
        const auto isOpen = [&](DimVar v) { return untold.count(v) != 0; };
        if (std::count_if(all.begin(), all.end(), isOpen) != 1) continue;
        untold.erase(*std::find_if(all.begin(), all.end(), isOpen));
        again = true;
      }
}

std::vector<Dims> inputShapes(const Model& model) {
  std::vector<Dims> shapes;
  for (OutletId input : model.main().inputs) shapes.push_back(model.main()[input].fact.shape);
  return shapes;
}

void addInput(StreamStage& stage, const StageSource& source, Fact fact) {
  Graph& graph = stage.model.graphs.front();
  Node node;
  node.op = Op::input;
  const NodeId id = graph.add(std::move(node), {std::move(fact)});
  graph.inputs.push_back(graph[id].outputs[0]);
  stage.model.inputNames.push_back("in." + std::to_string(stage.sources.size()));
  stage.sources.push_back(source);
}

class Teller {
 public:
  Teller(StreamNetwork& network, const Model& model) : network_(network), model_(model) {}

  void tell(StreamStage& stage);
  void addStages() {
    std::move(network_.stages.begin(), network_.stages.end(), std::back_inserter(first_));
    network_.stages = std::move(first_);
  }

 private:
  std::optional<std::uint32_t> bufferOf(std::size_t input) const;
  Fact shownFact(std::size_t input) const;
  StageSource shown(std::size_t input);

  StreamNetwork& network_;
  const Model& model_;
  std::vector<StreamStage> first_;                            // that run before all others
  std::vector<std::pair<std::size_t, std::uint32_t>> slots_;  // by input of the model
};

std::optional<std::uint32_t> Teller::bufferOf(std::size_t input) const {
  for (std::size_t i = 0; i < network_.buffers.size(); ++i)
    if (network_.buffers[i].input == input) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

// Returns the fact of an input of the model, with no frames if it streams.
Fact Teller::shownFact(std::size_t input) const {
  Fact fact = withoutValue(model_.main()[model_.main().inputs[input]].fact);
  if (const auto buffer = bufferOf(input)) fact.shape[network_.buffers[*buffer].axis] = model_.dims->constant(0);
  return fact;
}

StageSource Teller::shown(std::size_t input) {
  const auto buffer = bufferOf(input);
  StageSource source;
  source.index = static_cast<std::uint32_t>(input);
  if (!buffer) return source;
  source.kind = SourceKind::slot;
  for (const auto& [known, slot] : slots_)
    if (known == input) {
      source.index = slot;
      return source;
    }
  source.index = network_.slots++;
  slots_.emplace_back(input, source.index);
  StreamStage& stage = first_.emplace_back();
  stage.model.dims = model_.dims;
  stage.model.entry = model_.entry;
  stage.model.weights = model_.weights;
  stage.model.graphs.emplace_back();
  StageSource none;
  none.kind = SourceKind::begin;
  none.index = *buffer;
  addInput(stage, none, shownFact(input));
  Graph& graph = stage.model.graphs.front();
  Node copy;
  copy.op = Op::copy;
  copy.inputs = graph.inputs;
  const NodeId id = graph.add(std::move(copy), {shownFact(input)});
  graph.outputs = graph[id].outputs;
  stage.model.outputNames.push_back("out.0");
  stage.sinks.push_back({SinkKind::fillSlot, source.index});
  return source;
}

void Teller::tell(StreamStage& stage) {
  Symbols untold = symbolsOfSizes(stage.model);
  takeTold(*model_.dims, inputShapes(stage.model), untold);
  for (std::size_t i = 0; i < model_.main().inputs.size() && !untold.empty(); ++i) {
    Fact fact = shownFact(i);
    const std::size_t before = untold.size();
    takeTold(*model_.dims, {fact.shape}, untold);
    if (untold.size() < before) addInput(stage, shown(i), std::move(fact));
  }
}

}  // namespace

void tellSizes(StreamNetwork& network, const Model& model) {
  Teller teller(network, model);
  for (StreamStage& stage : network.stages) teller.tell(stage);
  teller.addStages();
}

}  // namespace axle::ir
