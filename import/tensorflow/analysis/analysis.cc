#include "import/tensorflow/analysis/analysis.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "import/tensorflow/codes.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t deepestCall = 200;
constexpr std::size_t mostVisited = 200'000;  // nodes; the largest graphs that people have come to a tenth of it
constexpr std::size_t mostRounds = 100;
constexpr std::uint32_t mostHinted = 1000;   // outlets of a node of an unknown operator
constexpr std::int64_t mostRepeated = 4096;  // equal elements that are written out

// What sizes that inputs leave open are called.
std::string sizeName(std::size_t index) {
  static constexpr std::string_view letters = "nmklpqrtuvw";
  std::string name(1, letters[index % letters.size()]);
  return index < letters.size() ? name : name + std::to_string(index / letters.size());
}

}  // namespace

Analysis::Analysis(const Model& model, SourceMap& sources, Diagnostics& diagnostics, std::vector<Hint> hints,
                   Steady steady)
    : model_(model),
      sources_(sources),
      diagnostics_(diagnostics),
      typer_(sources, graphOperators(), diagnostics),
      hints_(std::move(hints)),
      toldBefore_(diagnostics.size()),
      assumed_(std::move(steady)) {
  for (const Port& input : model.inputs)
    if (!input.asked.empty())
      if (auto hint = parseHint(fmt::format("--input {}={}", input.name, input.asked), input.name, input.asked))
        hints_.push_back(std::move(*hint));
}

namespace {

// Whether values of the run decide which of its nodes run, but for what functions do.
bool choosesNodes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.op == "Switch" || node.op == "RefSwitch" || node.op == "_SwitchN";
  });
}

}  // namespace

void Analysis::run() {
  mainPlaces_ = list(model_.main, model_.path, "", sources_);
  placeHints();
  Frame& main = open(model_.main, mainPlaces_, "");
  main.runsAlways = !choosesNodes(model_.main);
  visitAll(main);
  // What waited for a rank or a value is asked again, until nothing new is learnt.
  std::size_t rounds = 0;
  for (bool moved = true; moved;) {
    std::vector<Waiting> asked = std::move(waiting_);
    waiting_.clear();
    for (const Waiting& w : asked)
      if (!retry(w)) waiting_.push_back(w);
    bool fewer = waiting_.size() < asked.size(), control = settleControl();
    moved = (fewer || control || settleLoops()) && ++rounds < mostRounds;
    if (moved) followAgain();
  }
  typer_.settleFacts();
  nameSizes();
  checkConditions();
  checkJoins();
  tellCauses();
  findGuards();
}

Frame& Analysis::open(const Graph& graph, const GraphPlaces& places, std::string prefix) {
  frames_.emplace_back();
  Frame& frame = frames_.back();
  frame.graph = &graph;
  frame.places = &places;
  frame.prefix = std::move(prefix);
  frame.facts.resize(graph.nodes.size());
  return frame;
}

const GraphPlaces& Analysis::placesOf(FunctionId id) {
  auto found = functionPlaces_.find(id);
  if (found == functionPlaces_.end()) {
    const Function& function = model_[id];
    found = functionPlaces_.emplace(id, list(function.body, model_.path, function.name + "/", sources_)).first;
  }
  return found->second;
}

void Analysis::visitAll(Frame& frame) {
  for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i) visit(frame, NodeId{i});
}

RuleNode Analysis::ruleNode(Frame& frame, NodeId id) {
  const Node& node = (*frame.graph)[id];
  std::vector<const OutletFact*> inputs;
  for (const Outlet& from : node.inputs) {
    std::vector<OutletFact>& facts = frame.facts[from.node.index];
    // A loop's back edge is not typed yet.
    static const OutletFact none;
    inputs.push_back(from.port < facts.size() ? &facts[from.port] : &none);
  }
  RuleNode n(typer_, node, (*frame.places)[id], std::move(inputs), frame.fromCall);
  n.runsAlways = frame.runsAlways;
  return n;
}

std::vector<Type> Analysis::outletTypes(const Frame& frame, const Node& node) const {
  if (!node.callee) return tensorflow::outletTypes(node, frame.fromCall);
  std::vector<Type> types;
  for (const Result& result : model_[*node.callee].results) {
    const Value* given = attributeIn(node, result.typeAttribute, frame.fromCall);
    const auto* type = given ? std::get_if<Type>(given) : nullptr;
    types.push_back(result.typeAttribute.empty() ? result.type : type ? *type : Type::invalid);
  }
  return types;
}

TypeId Analysis::typeFor(Type type, Shape shape, Span at) { return tensorType(typer_, type, std::move(shape), at); }

Shape Analysis::shapeOf(const PartialShape& shape) {
  if (!shape.knownRank) return typer_.unknownShape("s");
  std::vector<Dim> dims;
  for (std::int64_t size : shape.sizes) {
    if (size >= 0) {
      dims.push_back(typer_.constant(size));
      continue;
    }
    std::string name;
    do name = sizeName(nextName_++);
    while (givenSizes_.count(name));
    dims.push_back(typer_.unknownSize(std::move(name)));
    inputSizes_.push_back(*typer_.solution().dims.asVariable(dims.back()));
  }
  return typer_.shape(dims);
}

OutletFact Analysis::declared(Frame& frame, NodeId id, std::size_t port, Type type) {
  OutletFact fact;
  fact.type = type;
  if (!elementOf(type)) return fact;
  Span at = (*frame.places)[id].name;
  fact.value = typer_.opaque(fmt::format("{}{}:{}", frame.prefix, (*frame.graph)[id].name, port),
                             typeFor(type, typer_.unknownShape("s"), at), at);
  return fact;
}

void Analysis::visit(Frame& frame, NodeId id) {
  Made made;
  const std::size_t told = diagnostics_.size();
  Outcome outcome = typeNode(frame, id, made);
  // A misfit of shapes, or of elements that meet, names both ends.
  if (outcome != Outcome::failed && diagnostics_.size() == told && !fitsElements(frame, id)) outcome = Outcome::failed;
  forgetAssigned(frame, id);
  finish(frame, id, outcome, std::move(made));
  tellers_.resize(diagnostics_.size() - toldBefore_, &frame);
  if (outcome == Outcome::waits) waiting_.push_back({&frame, id});
}

bool Analysis::givesTensors(const Frame& frame, const Node& node) const {
  if (!operatorNamed(node.op)) return true;
  std::vector<Type> types = outletTypes(frame, node);
  return std::any_of(types.begin(), types.end(), [](Type type) { return elementOf(type).has_value(); });
}

namespace {

// `Range(0, Rank(x), 1)` says which axes `x` has also where its rank is open.
void followRank(const RuleNode& n, OutletFact& fact) {
  if (n.node.op == "Rank" && n.isTensor(0)) fact.rankOf = n.in(0);
  if (n.node.op == "Range" && n.count() == 3 && n.number(0) == 0 && n.number(2) == 1) fact.axesOf = n.fact(1).rankOf;
}

}  // namespace

Outcome Analysis::typeNode(Frame& frame, NodeId id, Made& made) {
  const Node& node = (*frame.graph)[id];
  if (!node.fed.empty()) return placeholder(frame, id, made);
  if (node.callee) return call(frame, id, *node.callee, node.attributes, made);
  if (const Structural* row = structuralNamed(node.op)) return (this->*row->apply)(frame, id, made);
  const OperatorRow* row = findOperatorRow(node.op);
  if (!row || !row->type) return givesTensors(frame, node) ? Outcome::unknown : Outcome::done;
  RuleNode n = ruleNode(frame, id);
  if (!row->type.hasSignature() && !row->takesHandles)
    for (std::size_t i = 0; i < n.count(); ++i)
      if (!n.isTensor(i)) return Outcome::unknown;
  n.dropComplexAxes();
  Outcome outcome = row->type.apply(n);
  if (outcome == Outcome::done || outcome == Outcome::waits) made = factsOf(frame, id, n);
  if (!made.empty()) followRank(n, made.front());
  return outcome;
}

Analysis::Made Analysis::factsOf(Frame& frame, NodeId id, const RuleNode& n) {
  const Node& node = n.node;
  std::vector<Type> types = outletTypes(frame, node);
  Made made;
  std::size_t port = 0;
  for (TypedId result : n.results)
    for (TypedId part : typer_.bind(frame.prefix + node.name, result, (*frame.places)[id].op)) {
      if (port >= types.size()) break;
      OutletFact fact;
      fact.type = types[port];
      fact.value = part;
      made.push_back(std::move(fact));
      ++port;
    }
  return made;
}

void Analysis::finish(Frame& frame, NodeId id, Outcome outcome, Made made) {
  const Node& node = (*frame.graph)[id];
  if (outcome == Outcome::unknown && !hasRule(node.op) && !node.callee) {
    ++unknown_[node.op];
    unknownNodes_.insert({&frame, id});
  }
  std::vector<Type> types = outletTypes(frame, node);
  if (outcome == Outcome::unknown && !node.callee && &frame == &frames_.front()) addHintedTypes(id, types);
  for (std::size_t port = made.size(); port < types.size(); ++port)
    made.push_back(declared(frame, id, port, types[port]));
  followValues(frame, id, made);
  std::vector<OutletFact>& facts = frame.facts[id.index];
  if (facts.empty()) {
    facts = std::move(made);
    if (&frame == &frames_.front())
      if (auto hints = hintsAt_.find(id); hints != hintsAt_.end())
        for (const auto& [port, hint] : hints->second)
          if (port < facts.size()) meet(facts[port], *hint, (*frame.places)[id].name);
    if (&frame == &frames_.front()) keepInputs(id);
    return;
  }
  // Who took the outlet before has what was declared of it.
  for (std::size_t port = 0; port < std::min(facts.size(), made.size()); ++port) {
    if (facts[port].value && made[port].value)
      typer_.unify(typer_.typeOf(facts[port].value), typer_.typeOf(made[port].value), (*frame.places)[id].op,
                   "`" + node.op + "`");
    if (made[port].known) facts[port].known = std::move(made[port].known);
    if (facts[port].value && made[port].value) typer_.redefine(facts[port].value, made[port].value);
  }
}

// Of an operator that nobody knows hints say what it gives.
void Analysis::addHintedTypes(NodeId id, std::vector<Type>& types) const {
  auto hints = hintsAt_.find(id);
  if (hints == hintsAt_.end() || operatorNamed(model_.main[id].op)) return;
  for (const auto& [port, hint] : hints->second) {
    if (!hint->type || port > mostHinted) continue;
    if (types.size() <= port) types.resize(port + 1, Type::invalid);
    types[port] = *hint->type;
  }
}

// True where a value is known now, or is known better.
bool Analysis::followValues(Frame& frame, NodeId id, Made& facts) {
  const Node& node = (*frame.graph)[id];
  const OperatorRow* row = findOperatorRow(node.op);
  if (!row || !row->value || !node.fed.empty()) return false;
  RuleNode n = ruleNode(frame, id);
  KnownValues values = row->value.apply(n);
  bool moved = false;
  for (std::size_t port = 0; port < std::min(values.size(), facts.size()); ++port) {
    std::optional<Known>& value = values[port];
    OutletFact& fact = facts[port];
    if (!value) continue;
    value->isReal = isReal(fact.type);
    if (fact.known) {
      moved |= refine(*fact.known, *value, n.places.op);
      continue;
    }
    moved = true;
    if (fact.value)
      typer_.unify(typer_.typeOf(fact.value), typeFor(fact.type, shapeOf({true, value->shape}), n.places.op),
                   n.places.op, "`" + node.op + "`");
    fact.known = std::move(value);
  }
  return moved;
}

// An element that was open is what it turns out to be.
bool Analysis::refine(const Known& before, const Known& now, Span at) {
  if (before.shape != now.shape) return false;
  Solution& solution = typer_.solution();
  bool moved = false;
  for (std::size_t i = 0; i < before.elements.size(); ++i) {
    Dim was = solution.resolve(before.elements[i]), is = solution.resolve(now.elements[i]);
    auto open = solution.dims.asVariable(was);
    auto still = solution.dims.asVariable(is);
    if (was == is || !open || solution.dimVars[open->index].isSize) continue;
    if (still && !solution.dimVars[still->index].isSize) continue;  // open as before
    moved |= typer_.equate(was, is, at, "the value");
  }
  return moved;
}

bool Analysis::followAgain() {
  bool moved = false;
  for (Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      if (!frame.isCopiedAt(i)) moved |= followValues(frame, NodeId{i}, frame.facts[i]);
  return moved;
}

bool Analysis::retry(const Waiting& waiting) {
  Made made;
  Outcome outcome = typeNode(*waiting.frame, waiting.node, made);
  if (outcome == Outcome::waits) return false;
  finish(*waiting.frame, waiting.node, outcome, std::move(made));
  tellers_.resize(diagnostics_.size() - toldBefore_, waiting.frame);
  return true;
}

// ---- what the command line says

void Analysis::placeHints() {
  std::map<std::string_view, NodeId> named;
  if (!hints_.empty())
    for (std::uint32_t i = 0; i < model_.main.nodes.size(); ++i) named.emplace(model_.main.nodes[i].name, NodeId{i});
  for (const Hint& hint : hints_) {
    for (const HintSize& size : hint.shape.value_or(std::vector<HintSize>()))
      if (!size.name.empty() && !givenSizes_.count(size.name))
        givenSizes_.emplace(size.name, typer_.unknownSize(size.name));
    auto input = std::find_if(model_.inputs.begin(), model_.inputs.end(),
                              [&](const Port& port) { return port.name == hint.tensor; });
    if (input != model_.inputs.end()) {
      hintsAt_[input->outlet.node].emplace_back(input->outlet.port, &hint);
      continue;
    }
    std::size_t colon = hint.tensor.rfind(':');
    std::string_view name = hint.tensor, digits = colon == name.npos ? "0" : name.substr(colon + 1);
    std::uint32_t port = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    bool isPort = error == std::errc() && end == digits.data() + digits.size();
    auto found = named.find(isPort ? name.substr(0, colon) : name);
    if (found != named.end()) {
      hintsAt_[found->second].emplace_back(isPort ? port : 0, &hint);
      continue;
    }
    Diagnostic d;
    d.code = &codes::noSuchTensor;
    d.message =
        fmt::format("`{}`: there is no tensor `{}` among those that the outputs need", hint.option, hint.tensor);
    d.primary = {ArtifactPlace{model_.path, hint.tensor}, {}};
    diagnostics_.push_back(std::move(d));
  }
}

void Analysis::meet(OutletFact& fact, const Hint& hint, Span at) {
  if (hint.type && fact.type != Type::invalid && *hint.type != fact.type) {
    Diagnostic d;
    d.code = &codes::nodeMisfit;
    d.message =
        fmt::format("`{}` says {}, but the tensor is {}", hint.option, spelling(*hint.type), spelling(fact.type));
    d.primary = {at, fmt::format("{} here", spelling(fact.type))};
    diagnostics_.push_back(std::move(d));
    return;
  }
  if (!hint.shape || !fact.value) return;
  if (hint.value) {
    fact.known = knownOf(*hint.value, typer_.solution().dims);
    fact.constant = hint.value;
  }
  std::vector<Dim> dims;
  for (const HintSize& size : *hint.shape)
    dims.push_back(size.value          ? typer_.constant(*size.value)
                   : size.name.empty() ? typer_.unknownSize("d")
                                       : givenSizes_.at(size.name));
  Type type = fact.sampleRate ? Type::f32 : fact.type;
  typer_.unify(typeFor(type, typer_.shape(dims), at), typer_.typeOf(fact.value), at, "`" + hint.option + "`");
}

// What says that text which is given is a WAV file.
const Hint* Analysis::samplesOf(Outlet outlet) const {
  auto hints = hintsAt_.find(outlet.node);
  if (hints == hintsAt_.end()) return nullptr;
  for (const auto& [port, hint] : hints->second)
    if (port == outlet.port && hint->sampleRate) return hint;
  return nullptr;
}

// ---- sources, variables, calls

Outcome Analysis::constant(Frame& frame, NodeId id, Made& made) {
  const Node& node = (*frame.graph)[id];
  const auto* tensor = node.get<std::shared_ptr<const Tensor>>("value");
  if (!tensor || !*tensor) return Outcome::unknown;
  OutletFact fact;
  fact.type = (*tensor)->type;
  if (elementOf(fact.type)) {
    Span at = (*frame.places)[id].name;
    std::string name = frame.prefix + node.name;
    fact.value = constantOf(name, *tensor, at);
    fact.known = knownOf(**tensor, typer_.solution().dims);
    fact.constant = *tensor;
  }
  made.push_back(std::move(fact));
  return Outcome::done;
}

TypedId Analysis::constantOf(const std::string& name, std::shared_ptr<const Tensor> tensor, Span at) {
  TypeId type = typeFor(tensor->type, shapeOf({true, tensor->shape}), at);
  if (tensor->type == Type::string) return typer_.opaque(name, type, at);  // bundles hold no text
  // Of one element over and over the element is kept, as in its file.
  if (tensor->stored() <= 1 && tensor->count > mostRepeated && !isComplex(tensor->type)) {
    auto one = std::make_shared<Tensor>();
    one->type = tensor->type;
    one->bytes = tensor->element(0);
    std::vector<std::int64_t> sizes = tensor->shape;
    TypedId element = constantOf(name, std::move(one), at);
    auto whole = typer_.apply("full", at, {element}, {{"dims", typer_.list(sizes)}}, "`Const`");
    if (whole) return typer_.bind(name, *whole, at).front();
  }
  weights_.emplace_back(std::move(tensor));
  return typer_.weight(name, type, at);
}

Outcome Analysis::argument(Frame& frame, NodeId id, Made& made) {
  const Node& node = (*frame.graph)[id];
  const auto* index = node.get<std::int64_t>("index");
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= frame.arguments.size()) return Outcome::unknown;
  made.push_back(frame.arguments[static_cast<std::size_t>(*index)]);
  return Outcome::done;
}

Outcome Analysis::placeholder(Frame& frame, NodeId id, Made& made) {
  const Node& node = (*frame.graph)[id];
  std::vector<Type> types = outletTypes(frame, node);
  if (&frame == &frames_.front()) addHintedTypes(id, types);
  for (std::uint32_t port = 0; port < std::max<std::size_t>(types.size(), 1); ++port) {
    auto fed = std::find_if(model_.inputs.begin(), model_.inputs.end(),
                            [&](const Port& p) { return p.outlet == Outlet{id, port}; });
    Type type = port < types.size() ? types[port] : Type::invalid;
    if (fed != model_.inputs.end() && fed->type != Type::invalid) type = fed->type;
    OutletFact fact;
    fact.type = type;
    if (elementOf(type)) {
      PartialShape shape;
      if (const auto* declaredShape = node.get<PartialShape>("shape")) shape = *declaredShape;
      if (fed != model_.inputs.end() && fed->shape.knownRank) shape = fed->shape;
      Span at = (*frame.places)[id].name;
      const Hint* samples = type == Type::string ? samplesOf({id, port}) : nullptr;
      if (samples) fact.sampleRate = samples->sampleRate;
      if (samples) shape = {true, {-1, -1}};
      fact.value = typer_.input(frame.prefix + node.name, typeFor(samples ? Type::f32 : type, shapeOf(shape), at), at);
    }
    made.push_back(std::move(fact));
  }
  return Outcome::done;
}

Outcome Analysis::passOn(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  for (std::size_t i = 0; i < n.count(); ++i) made.push_back(n.fact(i));
  // What a reference stands for is read when the node runs.
  if (n.node.op == "Identity" && n.count() == 1 && n.fact(0).variable && n.fact(0).value) {
    auto [read, isFirst] = reads_.try_emplace({&frame, id});
    if (isFirst) read->second = valueOf(*n.fact(0).variable, n.places.name);
    made[0].value = read->second;
  }
  return Outcome::done;
}

Outcome Analysis::partitionedCall(Frame& frame, NodeId id, Made& made) {
  const auto* f = (*frame.graph)[id].get<FunctionName>("f");
  if (!f || !f->id) return Outcome::unknown;
  return call(frame, id, *f->id, f->attributes, made);
}

Outcome Analysis::call(Frame& frame, NodeId id, FunctionId callee, const std::vector<Attribute>& with, Made& made) {
  RuleNode n = ruleNode(frame, id);
  std::vector<OutletFact> arguments;
  for (std::size_t i = 0; i < n.count(); ++i) arguments.push_back(n.fact(i));
  auto results = follow(frame, id, callee, with, std::move(arguments));
  if (!results) return Outcome::unknown;
  made = std::move(*results);
  return Outcome::done;
}

void Analysis::tooManyCalls(Frame& frame, NodeId id, std::string what) {
  if (std::exchange(gaveUpCalls_, true)) return;
  Diagnostic d;
  d.code = &codes::callsNotFollowed;
  d.message = std::move(what) + ", and no further: what is left is unknown";
  d.primary = {(*frame.places)[id].op, "this call is not followed"};
  diagnostics_.push_back(std::move(d));
}

std::optional<Analysis::Made> Analysis::follow(Frame& frame, NodeId id, FunctionId callee,
                                               const std::vector<Attribute>& with, Made arguments) {
  const Function& function = model_[callee];
  if (frame.depth >= deepestCall) {
    tooManyCalls(frame, id, fmt::format("calls of functions are followed {} deep", deepestCall));
    return std::nullopt;
  }
  if (!takes(frame, id, callee, with, arguments)) return std::nullopt;
  visited_ += function.body.nodes.size() + 1;
  if (visited_ > mostVisited) {
    tooManyCalls(frame, id, fmt::format("{} nodes are followed, those of functions once for each call", mostVisited));
    return std::nullopt;
  }
  Frame& inner = open(function.body, placesOf(callee), frame.prefix + (*frame.graph)[id].name + "/");
  inner.depth = frame.depth + 1;
  inner.caller = &frame;
  inner.call = id;
  inner.fromCall = with;
  inner.arguments = arguments;
  const Node& node = (*frame.graph)[id];
  inner.runsAlways =
      frame.runsAlways && (node.callee || node.op.ends_with("PartitionedCall")) && !choosesNodes(function.body);
  visitAll(inner);
  Made made;
  for (const Result& result : function.results) {
    const std::vector<OutletFact>& facts = inner.facts[result.outlet.node.index];
    if (result.outlet.port >= facts.size()) return std::nullopt;
    made.push_back(facts[result.outlet.port]);
  }
  if (!gives(frame, id, callee, made)) return std::nullopt;
  if (!compositeOf(function).empty()) compositeCalls_.push_back({{&frame, id}, callee, std::move(arguments), made});
  return made;
}

}  // namespace axle::tensorflow
