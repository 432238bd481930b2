#include "import/tensorflow/analysis/input_nodes.h"

#include <algorithm>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/apply_hints.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/operators/known_tensor.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

std::string inputSizeName(std::size_t index) {
  static constexpr std::string_view letters = "nmklpqrtuvw";
  const std::string name(1, letters[index % letters.size()]);
  return index < letters.size() ? name : name + std::to_string(index / letters.size());
}

Outcome constant(StructuralNode& n) {
  const auto* tensor = n.node.get<std::shared_ptr<const Tensor>>("value");
  if (!tensor || !*tensor) return Outcome::unknown;
  OutletFact fact;
  fact.type = (*tensor)->type;
  if (elementOf(fact.type)) {
    fact.value = constantValue(n.analysis, n.name, *tensor, n.places.name);
    fact.known = knownOf(**tensor, n.t.solution().dims);
    fact.constant = *tensor;
  }
  n.facts.push_back(std::move(fact));
  return Outcome::done;
}

Outcome parameter(StructuralNode& n) {
  const auto* index = n.node.get<std::int64_t>("index");
  const OutletFacts& arguments = n.frame.arguments;
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= arguments.size()) return Outcome::unknown;
  n.facts.push_back(arguments[static_cast<std::size_t>(*index)]);
  return Outcome::done;
}

// Types an identity. If it takes a reference to a variable, it reads the variable when it runs.
Outcome passOn(StructuralNode& n) {
  for (std::size_t i = 0; i < n.count(); ++i) n.facts.push_back(n.fact(i));
  if (n.node.op == "Identity" && n.count() == 1 && n.fact(0).variable && n.fact(0).value) {
    auto [read, isFirst] = n.analysis.variables.reads.try_emplace(n.site());
    if (isFirst) read->second = variableValue(n.analysis, *n.fact(0).variable, n.places.name);
    n.facts[0].value = read->second;
  }
  return Outcome::done;
}

Outcome passFirst(StructuralNode& n) {
  if (n.count() < 1) return Outcome::unknown;
  n.facts = {n.fact(0)};
  return Outcome::done;
}

// Returns the shape that a list of declared shapes has for a port; null if it has none.
const PartialShape* shapeAt(const Values* shapes, std::size_t port) {
  return shapes && port < shapes->size() ? std::get_if<PartialShape>(&(*shapes)[port]) : nullptr;
}

// Types an iterator, or a similar node, by the shapes that its attributes declare.
Outcome nextElement(StructuralNode& n) {
  const Value* attribute = n.attribute("output_shapes");
  const auto* shapes = attribute ? std::get_if<Values>(attribute) : nullptr;
  const PartialShape* single = n.shape("shape");
  for (std::size_t port = 0; Type type : n.outletTypes()) {
    const PartialShape* shape = shapes && port < shapes->size() ? shapeAt(shapes, port) : single;
    n.facts.push_back(
        opaqueFact(n.t, n.name, type, inputShape(n.analysis, shape ? *shape : PartialShape{}), n.places.name));
    ++port;
  }
  return Outcome::done;
}

// Types a dequeue by the elements that the queue declares; several elements are stacked.
Outcome dequeue(StructuralNode& n) {
  if (n.node.inputs.empty()) return Outcome::unknown;
  const Value* attribute = attributeOf(n.frame[n.node.inputs[0].node], "shapes");
  const auto* shapes = attribute ? std::get_if<Values>(attribute) : nullptr;
  const bool areSeveral = !n.node.op.starts_with("QueueDequeueV") && n.node.op != "QueueDequeue";
  std::optional<std::vector<Dim>> count;
  if (areSeveral && n.node.op.starts_with("QueueDequeueMany")) count = n.sizes(1);
  const Dim length = count && count->size() == 1 ? count->front() : n.t.unknownSize("n");
  for (std::size_t port = 0; Type type : n.outletTypes()) {
    const PartialShape* declared = shapeAt(shapes, port);
    Shape shape = inputShape(n.analysis, declared ? *declared : PartialShape{});
    if (areSeveral) shape.insert(shape.begin(), ShapePart::of(length));
    n.facts.push_back(opaqueFact(n.t, n.name, type, std::move(shape), n.places.name));
    ++port;
  }
  return Outcome::done;
}

OutletFact inputFact(StructuralNode& n, std::uint32_t port, Type declared) {
  const std::vector<Port>& inputs = n.analysis.model.inputs;
  const auto input =
      std::find_if(inputs.begin(), inputs.end(), [&](const Port& p) { return p.outlet == Outlet{n.id, port}; });
  const bool isInput = input != inputs.end();
  OutletFact fact;
  fact.type = isInput && declared == Type::invalid ? input->type : declared;
  if (!elementOf(fact.type)) return fact;
  PartialShape shape;
  if (const auto* attribute = n.node.get<PartialShape>("shape")) shape = *attribute;
  const bool isOfGraph = isInput && n.analysis.graphShapes.count(input->name);
  if (isInput && input->shape.knownRank) shape = isOfGraph ? input->ofGraph : input->shape;
  const auto inferred = n.analysis.inferredRanks.find({n.id, port});
  std::vector<std::string> names;  // names of open sizes in the operators that determined the rank
  if (inferred != n.analysis.inferredRanks.end() && n.analysis.isMain(n.frame) && !shape.knownRank) {
    names = inferred->second.sizes;
    shape = {true, std::vector<std::int64_t>(names.size(), -1)};
  }
  const Hint* samples = fact.type == Type::string ? hintOfSamples(n.analysis, {n.id, port}) : nullptr;
  if (samples) {
    fact.sampleRate = samples->sampleRate;
    shape = {true, {-1, -1}};
  }
  const Span at = n.places.name;
  fact.value =
      n.t.input(n.name, tensorType(n.t, samples ? Type::f32 : fact.type, inputShape(n.analysis, shape, names), at), at);
  return fact;
}

}  // namespace

Outcome inputFacts(StructuralNode& n) {
  std::vector<Type> types = n.outletTypes();
  if (n.analysis.isMain(n.frame)) addHintedTypes(n.analysis, n.id, types);
  for (std::uint32_t port = 0; port < std::max<std::size_t>(types.size(), 1); ++port)
    n.facts.push_back(inputFact(n, port, port < types.size() ? types[port] : Type::invalid));
  return Outcome::done;
}

Shape inputShape(Analysis& analysis, const PartialShape& shape, const std::vector<std::string>& names) {
  GraphTyper& typer = analysis.typer;
  if (!shape.knownRank) return typer.unknownShape("s");
  std::vector<Dim> dims;
  for (std::int64_t size : shape.sizes) {
    if (size >= 0) {
      dims.push_back(typer.constant(size));
      continue;
    }
    std::string name = dims.size() < names.size() ? names[dims.size()] : std::string();
    while (name.empty() || analysis.hints.sizes.count(name)) name = inputSizeName(analysis.nextInputName++);
    dims.push_back(typer.unknownSize(std::move(name)));
    analysis.inputSizes.push_back(*typer.solution().dims.asVariable(dims.back()));
  }
  return typer.shape(dims);
}

void recordInputs(Analysis& analysis, NodeId id) {
  const std::vector<std::uint32_t>& fed = analysis.model.main[id].fed;
  const OutletFacts& facts = analysis.main().facts[id.index];
  for (std::uint32_t port = 0; port < facts.size(); ++port) {
    if (std::find(fed.begin(), fed.end(), port) == fed.end() || !facts[port].value) continue;
    Shape shape = analysis.typer.solution().types[analysis.typer.typeOf(facts[port].value)].shape;
    if (isComplex(facts[port].type)) shape.pop_back();
    analysis.inputs.push_back({{id, port}, std::move(shape)});
  }
}

std::span<const StructuralOperator> inputOperators() {
  static constexpr StructuralOperator rows[] = {
      {"Const", constant},
      {"HostConst", constant},
      {"_Arg", parameter},
      {"Placeholder", inputFacts},
      {"PlaceholderV2", inputFacts},
      // identities
      {"Enter", passOn},
      {"Identity", passOn},
      {"IdentityN", passOn},
      {"LoopCond", passOn},
      {"PlaceholderWithDefault", passOn},
      {"PreventGradient", passOn},
      {"RefEnter", passOn},
      {"Snapshot", passOn},
      {"StopGradient", passOn},
      {"TensorArrayGrad", passOn},
      {"TensorArrayGradV2", passOn},
      {"TensorArrayGradV3", passOn},
      {"CheckNumerics", passFirst},
      {"CheckNumericsV2", passFirst},
      {"Copy", passFirst},
      {"CopyHost", passFirst},
      {"DebugGradientIdentity", passFirst},
      {"DebugGradientRefIdentity", passFirst},
      {"DebugIdentity", passFirst},
      {"DebugIdentityV2", passFirst},
      {"DebugIdentityV3", passFirst},
      {"DestroyTemporaryVariable", passFirst},
      {"Print", passFirst},
      {"RefIdentity", passFirst},
      // values from outside that are not inputs of the model
      {"DatasetToSingleElement", nextElement},
      {"FakeParam", nextElement},
      {"ImmutableConst", nextElement},
      {"IteratorGetNext", nextElement},
      {"IteratorGetNextSync", nextElement},
      {"OptionalGetValue", nextElement},
      {"TemporaryVariable", nextElement},
      {"UncompressElement", nextElement},
      {"QueueDequeue", dequeue},
      {"QueueDequeueMany", dequeue},
      {"QueueDequeueManyV2", dequeue},
      {"QueueDequeueUpTo", dequeue},
      {"QueueDequeueUpToV2", dequeue},
      {"QueueDequeueV2", dequeue},
  };
  return rows;
}

}  // namespace axle::tensorflow
