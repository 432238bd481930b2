// The typed program as the function of an entry, and the values of its weights.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"
#include "import/tensorflow/operators/node_formula.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostListed = 20;  // nodes of one error

bool isInteger(Type type) {
  auto elem = info(type).element;
  return elem && (axle::info(*elem).isInt || *elem == Elem::boolean);
}

// Text that is decoded as a WAV file.
bool isSound(const Graph& graph, Outlet outlet) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.op == "DecodeWav" && !node.inputs.empty() && node.inputs[0] == outlet;
  });
}

}  // namespace

// What has a type only, but is known to be these numbers, is a constant.
void Analysis::placeKnownValues() {
  for (Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (OutletFact& fact : frame.facts[i]) {
        if (!fact.value || !fact.known || !isInteger(fact.type) || !typer_.isOpaque(fact.value)) continue;
        Known known = *fact.known;
        for (Dim& d : known.elements) d = typer_.solution().resolve(d);
        auto values = numbers(known, typer_.solution().dims);
        auto tensor = values ? integerTensor(fact.type, known.shape, *values) : nullptr;
        if (!tensor) continue;
        Span at = (*frame.places)[NodeId{i}].name;
        typer_.redefine(fact.value, constantOf(frame.prefix + (*frame.graph)[NodeId{i}].name, tensor, at));
      }
}

// Of the nodes whose values these are, those that have a formula get values. False where none does.
bool Analysis::placeFormulas(const std::vector<BindingId>& missing) {
  bool moved = false;
  std::set<std::pair<Frame*, NodeId>> nodes;
  for (BindingId binding : missing)
    if (auto site = madeBy_.find(binding.index); site != madeBy_.end())
      if (nodes.insert({site->second.frame, site->second.node}).second)
        moved |= placeFormula(*site->second.frame, site->second.node);
  return moved;
}

bool Analysis::placeFormula(Frame& frame, NodeId id) {
  const Node& node = (*frame.graph)[id];
  if (!tried_.insert({&frame, id}).second) return false;
  const OperatorRow* row = findOperatorRow(node.op);
  if (!node.fed.empty() || !row || !row->formula) return placeControl(frame, id);
  NodeFormula formula(ruleNode(frame, id), frame.facts[id.index], inputSizes_,
                      [&](std::shared_ptr<const Tensor> tensor) {
                        return constantOf(frame.prefix + node.name, std::move(tensor), (*frame.places)[id].op);
                      });
  FormulaResults results = row->formula.apply(formula);
  if (formula.isTypesOnly()) return false;
  bool moved = false;
  std::vector<OutletFact>& facts = frame.facts[id.index];
  for (std::size_t port = 0; port < std::min(results.size(), facts.size()); ++port)
    moved |= results[port] && placeValue(facts[port], results[port].id, frame.prefix + node.name,
                                         (*frame.places)[id].op, "`" + node.op + "`");
  return moved;
}

// What an outlet, or the list that it stands for, was a type of so far is this value.
bool Analysis::placeValue(const OutletFact& fact, TypedId value, const std::string& name, Span at,
                          const std::string& subject) {
  TypedId open = fact.content ? fact.content : fact.value;
  if (!open || !typer_.isOpaque(open)) return false;
  if (!typer_.unify(typer_.typeOf(open), typer_.typeOf(value), at, subject)) return false;
  typer_.redefine(open, typer_.bind(name, value, at).front());
  return true;
}

// Of calls and the like the node inside counts, which makes what they hand on.
void Analysis::noteMakers() {
  auto makes = [&](const Site& site) {
    const std::string& op = (*site.frame->graph)[site.node].op;
    std::pair<Frame*, NodeId> at(site.frame, site.node);
    if (unrolled_.count(at)) return false;  // the last turn does
    const OperatorRow* row = findOperatorRow(op);
    return (row && row->formula) || turns_.count(at) || choices_.count(at) || op == "Exit" || op == "Merge";
  };
  auto note = [&](TypedId value, Site site) {
    auto binding = value ? typer_.opaqueBehind(value) : std::nullopt;
    if (!binding) return;
    auto [known, isNew] = madeBy_.try_emplace(binding->index, site);
    if (!isNew && !makes(known->second) && makes(site)) known->second = site;
  };
  for (Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (const OutletFact& fact : frame.facts[i])
        for (TypedId value : {fact.value, fact.content})
          if (!frame.isCopiedAt(i)) note(value, {&frame, NodeId{i}});
  // What variables are in the end is no outlet.
  for (const auto& [at, turns] : turns_)
    for (const OutletFact& fact : turns.ends) note(fact.value, {at.first, at.second});
  for (const auto& [at, choices] : choices_)
    for (const Choice& choice : choices)
      for (const OutletFact& fact : choice.chosen) note(fact.value, {at.first, at.second});
}

// Nodes of operators that nobody knows, of whose values the node's is computed.
std::vector<Analysis::Site> Analysis::unknownBehind(Site site) {
  std::vector<Site> found, asked{site};
  std::set<std::pair<Frame*, NodeId>> seen;
  while (!asked.empty()) {
    const Site at = asked.back();
    asked.pop_back();
    if (!seen.insert({at.frame, at.node}).second) continue;
    const Node& node = (*at.frame->graph)[at.node];
    if (unknownNodes_.count({at.frame, at.node})) {
      found.push_back(at);
    } else if (node.op == "_Arg" && at.frame->caller) {
      asked.push_back({at.frame->caller, at.frame->call});
    } else {
      for (Outlet from : node.inputs) {
        const std::vector<OutletFact>& facts = at.frame->facts[from.node.index];
        const TypedId value = from.port < facts.size() ? facts[from.port].value : TypedId();
        if (!value || typer_.isOpaque(value)) asked.push_back({at.frame, from.node});
      }
    }
  }
  return found;
}

void Analysis::tellNotComputed(const std::vector<Span>& places) {
  struct Culprit {
    bool isKnown, isOfMain;
    bool takesText;
    std::string name, text;  // `x` (Op)
    Span place;
    bool operator<(const Culprit& other) const { return std::tie(isKnown, text) < std::tie(other.isKnown, other.text); }
  };
  std::vector<Culprit> nodes;  // those of unknown operators first
  auto takesText = [&](Site at) {
    const std::vector<Outlet>& inputs = (*at.frame->graph)[at.node].inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](Outlet input) {
      return factAt(*at.frame, input).type == Type::string && !isSound(*at.frame->graph, input);
    });
  };
  auto add = [&](Site at, Span place, bool isKnown) {
    const Node& node = (*at.frame->graph)[at.node];
    std::string text = fmt::format("`{}` ({})", node.name, node.op);
    auto same = [&](const Culprit& other) { return other.text == text; };
    if (std::none_of(nodes.begin(), nodes.end(), same))
      nodes.push_back({isKnown, at.frame == &frames_.front(), takesText(at), node.name, std::move(text), place});
  };
  for (Span place : places) {
    auto site = siteOf({place, {}}, nullptr);
    if (!site) continue;
    const std::vector<Site> unknown = unknownBehind(*site);
    for (Site at : unknown) add(at, (*at.frame->places)[at.node].op, false);
    if (unknown.empty()) add(*site, place, true);
  }
  std::sort(nodes.begin(), nodes.end());
  Diagnostic d;
  d.code = &codes::notComputed;
  d.message = nodes.size() == 1 ? "the outputs need a node that cannot be computed yet"
                                : fmt::format("the outputs need {} nodes that cannot be computed yet", nodes.size());
  if (nodes.empty()) {
    d.primary = {ArtifactPlace{model_.path, ""}, {}};
  } else {
    const Culprit& first = nodes[0];
    d.primary = {first.place, !first.isKnown    ? "axc does not know this operator"
                              : first.takesText ? "axc does not compute with text"
                                                : "its type is known, but not its value"};
    for (std::size_t i = 0; i < std::min(nodes.size(), mostListed); ++i) d.notes.push_back(nodes[i].text);
    if (nodes.size() > mostListed) d.notes.push_back(fmt::format("and {} more", nodes.size() - mostListed));
    if (!first.isKnown && first.isOfMain)
      d.help.push_back(
          fmt::format("make what it gives an input, with its type: `--input \"{}=f32 [n, 10]\"`", first.name));
  }
  for (const Port& input : model_.inputs) {
    const std::vector<OutletFact>& facts = frames_.front().facts[input.outlet.node.index];
    const bool isKnown = input.outlet.port < facts.size() && facts[input.outlet.port].sampleRate;
    if (!isKnown && isSound(model_.main, input.outlet))
      d.help.push_back(
          fmt::format("`{0}` is a WAV file, whose samples decide: give one, as in `-i {0}=FILE.wav`", input.name));
  }
  diagnostics_.push_back(std::move(d));
}

// By a node, or as an output.
bool Analysis::isTaken(Outlet outlet) const {
  const auto isIt = [&](Outlet other) { return other == outlet; };
  return std::any_of(model_.main.nodes.begin(), model_.main.nodes.end(),
                     [&](const Node& node) { return std::any_of(node.inputs.begin(), node.inputs.end(), isIt); }) ||
         std::any_of(model_.outputs.begin(), model_.outputs.end(), [&](const Port& port) { return isIt(port.outlet); });
}

// What the function says that it implements: `_implements`, as a name or a list with one; `api_implements`, which tells
// the layers of a model apart by a suffix. Empty: nothing.
std::string Analysis::compositeOf(const Function& function) {
  for (const Attribute& attribute : function.attributes) {
    if (attribute.name != "_implements" && attribute.name != "api_implements") continue;
    if (const auto* list = std::get_if<FunctionName>(&attribute.value)) return list->name;
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (!text) continue;
    constexpr std::size_t suffix = sizeof "_01234567-0123-0123-0123-0123456789ab" - 1;
    const bool isOneOfMany =
        attribute.name == "api_implements" && text->size() > suffix && (*text)[text->size() - suffix] == '_';
    return isOneOfMany ? text->substr(0, text->size() - suffix) : *text;
  }
  return {};
}

void Analysis::addComposites() {
  auto values = [](const std::vector<OutletFact>& facts) {
    std::vector<TypedId> ids;
    for (const OutletFact& fact : facts) ids.push_back(fact.value);
    return ids;
  };
  for (const CompositeCall& call : compositeCalls_) {
    const Function& function = model_[call.function];
    typer_.checked().program.composites.push_back({compositeOf(function), function.name, values(call.inputs),
                                                   values(call.outputs),
                                                   (*call.site.frame->places)[call.site.node].name});
  }
}

bool Analysis::define() {
  placeKnownValues();
  Frame& main = frames_.front();
  auto valueAt = [&](Outlet outlet) -> TypedId {
    const std::vector<OutletFact>& facts = main.facts[outlet.node.index];
    return outlet.port < facts.size() ? facts[outlet.port].value : TypedId();
  };
  std::vector<TypedId> inputs, results;
  std::vector<Span> missing;
  std::set<Outlet> given;
  TypedProgram& program = typer_.checked().program;
  for (const Port& port : model_.inputs) {
    // A tensor of two names has the first; one of open rank that nothing takes cannot be given.
    TypedId value = valueAt(port.outlet);
    if (!given.insert(port.outlet).second ||
        (value && !isTaken(port.outlet) &&
         !resolvedShape(frames_.front().facts[port.outlet.node.index][port.outlet.port])))
      continue;
    if (!value) {
      missing.push_back(mainPlaces_[port.outlet.node].name);
      continue;
    }
    program.bindings[std::get<TypedRef>(program[value].node).binding.index].name = port.name;
    inputs.push_back(value);
  }
  for (const Port& port : model_.outputs) {
    TypedId value = valueAt(port.outlet);
    if (!value) missing.push_back(mainPlaces_[port.outlet.node].name);
    results.push_back(value);
  }
  if (missing.empty()) {
    Span at = results.empty() ? Span{} : mainPlaces_[model_.outputs[0].outlet.node].line;
    noteMakers();
    std::vector<BindingId> open;
    do open = typer_.define(inputs, results, at);
    while (!open.empty() && placeFormulas(open));
    for (BindingId binding : open) missing.push_back(program[binding].span);
    if (hasErrors(diagnostics_)) return false;
  }
  addComposites();
  if (!missing.empty()) tellNotComputed(missing);
  return missing.empty();
}

std::map<std::uint32_t, std::vector<std::string>> Analysis::outletNames() {
  std::map<std::uint32_t, std::vector<std::string>> names;
  const TypedProgram& program = typer_.checked().program;
  for (const Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (std::size_t port = 0; port < frame.facts[i].size() && !frame.isCopiedAt(i); ++port) {
        TypedId value = frame.facts[i][port].value;
        const TypedRef* ref = value ? std::get_if<TypedRef>(&program[value].node) : nullptr;
        if (ref)
          names[ref->binding.index].push_back(
              fmt::format("{}{}:{}", frame.prefix, (*frame.graph)[NodeId{i}].name, port));
      }
  return names;
}

FileResult<TensorBytes> Analysis::weight(std::uint32_t index) {
  auto whole = [](const Tensor& tensor) {
    auto bytes = std::make_shared<const std::string>(tensor.dense());
    return TensorBytes{bytes, std::as_bytes(std::span(*bytes))};
  };
  if (const auto* constant = std::get_if<std::shared_ptr<const Tensor>>(&weights_[index])) {
    const Tensor& tensor = **constant;
    if (!tensor.isWhole()) return whole(tensor);
    return TensorBytes{*constant, std::as_bytes(std::span(tensor.bytes))};
  }
  auto tensor = model_.variables[std::get<VariableId>(weights_[index]).index].read();
  if (!tensor) return tl::unexpected(tensor.error());
  return whole(*tensor);
}

}  // namespace axle::tensorflow
