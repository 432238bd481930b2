#include "import/tensorflow/analysis/calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/visit_nodes.h"
#include "import/tensorflow/problems.h"

namespace axle::codes {

const DiagnosticCode callsNotFollowed{"E0917", Severity::warning, "calls that are not followed"};

}  // namespace axle::codes

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::Counted, arg::Subject, arg::Number> argumentCountDiffers{
    codes::inputCount, "{} gives {} to {}, which takes {}", "{1}"};
constexpr Message<arg::Name, arg::ElementType, arg::Subject, arg::Name, arg::ElementType> argumentTypeDiffers{
    codes::nodeMisfit, "{} gives {} to {} for {}, which is {}", "gives {1}"};
constexpr Message<arg::Subject, arg::Counted, arg::Name, arg::Number, arg::Counted> tooFewResults{
    codes::badFunction, "{} gives {}, but {} takes {}", "takes {4}"};
constexpr Message<arg::Subject, arg::ElementType, arg::Name, arg::Name, arg::ElementType> resultTypeDiffers{
    codes::nodeMisfit, "{} gives {} for {}, but {} takes {} there", "takes {4}"};
constexpr Message<arg::Number> callsTooDeep{
    codes::callsNotFollowed, "calls of functions are followed {} deep, and no further: what is left is unknown",
    "this call is not followed"};
constexpr Message<arg::Number> tooManyNodes{
    codes::callsNotFollowed,
    "{} nodes are followed, those of functions once for each call, and no further: what is left is unknown",
    "this call is not followed"};

constexpr std::size_t deepestCall = 200;
constexpr std::size_t mostVisited = 200'000;  // nodes; the largest known graphs have a tenth of that

// Returns the type of a parameter in a call with `attributes`; `invalid` if the call does not determine it.
Type parameterType(const Parameter& parameter, const std::vector<Attribute>& attributes) {
  if (parameter.typeAttribute.empty()) return parameter.type;
  for (const Attribute& given : attributes)
    if (const auto* type = std::get_if<Type>(&given.value); type && given.name == parameter.typeAttribute) return *type;
  return Type::invalid;
}

bool differ(Type a, Type b) { return a != Type::invalid && b != Type::invalid && a != b; }

// Returns false, with an error, if the function does not take these arguments.
bool checkArguments(Analysis& analysis, Frame& frame, NodeId id, FunctionId callee,
                    const std::vector<Attribute>& attributes, const OutletFacts& arguments) {
  const Function& function = analysis.model[callee];
  const Node& node = frame[id];
  const std::vector<Parameter>& parameters = function.parameters;
  if (arguments.size() != parameters.size()) {
    report(analysis.diagnostics, argumentCountDiffers, frame.at(id).op, arg::Name{node.name},
           arg::Counted{arguments.size(), "argument"}, arg::Subject{functionLabel(node, callee, function)},
           arg::Number{parameters.size()});
    return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type wanted = parameterType(parameters[i], attributes), given = arguments[i].type;
    if (!differ(wanted, given)) continue;
    const arg::ElementType wantedType{spelling(wanted)};
    report(analysis.diagnostics, argumentTypeDiffers, frame.at(id).op, arg::Name{node.name},
           arg::ElementType{spelling(given)}, arg::Subject{functionLabel(node, callee, function)},
           arg::Name{parameters[i].name}, wantedType)
        .addLabel(placesOf(analysis, callee)[parameters[i].node].name, "is {}", wantedType);
    return false;
  }
  return true;
}

// Returns the types that the node declares for the results of a function that it calls.
std::vector<Type> declaredResults(const Model& model, const Frame& frame, const Node& node, FunctionId callee) {
  const auto* condition = node.get<FunctionName>("cond");
  const bool isCondition = condition && condition->id == callee && node.get<FunctionName>("body");
  return isCondition ? std::vector<Type>() : outletTypes(model, frame, node);
}

// Returns false, with an error, if the function's results are not those that the node declares. A loop may leave out
// states that no node takes.
bool checkResults(Analysis& analysis, Frame& frame, NodeId id, FunctionId callee, const OutletFacts& results) {
  const Function& function = analysis.model[callee];
  const Node& node = frame[id];
  const std::vector<Type> declared = declaredResults(analysis.model, frame, node, callee);
  if (results.size() < declared.size() && !node.get<FunctionName>("body")) {
    report(analysis.diagnostics, tooFewResults, frame.at(id).op, arg::Subject{functionLabel(node, callee, function)},
           arg::Counted{results.size(), "result"}, arg::Name{node.name}, arg::Number{declared.size()},
           arg::Counted{declared.size(), "result"});
    return false;
  }
  for (std::size_t i = 0; i < std::min(results.size(), declared.size()); ++i) {
    const Type wanted = declared[i], given = results[i].type;
    if (!differ(wanted, given)) continue;
    const arg::ElementType givenType{spelling(given)};
    report(analysis.diagnostics, resultTypeDiffers, frame.at(id).op,
           arg::Subject{functionLabel(node, callee, function)}, givenType, arg::Name{function.results[i].name},
           arg::Name{node.name}, arg::ElementType{spelling(wanted)})
        .addLabel(placesOf(analysis, callee)[function.results[i].outlet.node].name, "{} comes from here", givenType);
    return false;
  }
  return true;
}

// Warns once for each graph.
void warnNotFollowed(Analysis& analysis, const Message<arg::Number>& message, std::size_t limit, Span call) {
  if (!std::exchange(analysis.calls.areLimited, true)) report(analysis.diagnostics, message, call, arg::Number{limit});
}

Outcome partitionedCall(StructuralNode& n) {
  const auto* f = n.node.get<FunctionName>("f");
  return f && f->id ? callFunction(n, *f->id, f->attributes) : Outcome::unknown;
}

}  // namespace

Frame& openFrame(Analysis& analysis, const Graph& graph, const GraphPlaces& places, std::string prefix) {
  Frame& frame = analysis.frames.emplace_back();
  frame.graph = &graph;
  frame.places = &places;
  frame.prefix = std::move(prefix);
  frame.facts.resize(graph.nodes.size());
  return frame;
}

const GraphPlaces& placesOf(Analysis& analysis, FunctionId id) {
  auto [places, isNew] = analysis.functionPlaces.try_emplace(id);
  const Function& function = analysis.model[id];
  if (isNew) places->second = list(function.body, analysis.model.path, function.name + "/", analysis.sources);
  return places->second;
}

std::optional<OutletFacts> followCall(Analysis& analysis, Frame& frame, NodeId id, FunctionId callee,
                                      const std::vector<Attribute>& attributes, OutletFacts arguments) {
  const Function& function = analysis.model[callee];
  if (frame.depth >= deepestCall) {
    warnNotFollowed(analysis, callsTooDeep, deepestCall, frame.at(id).op);
    return std::nullopt;
  }
  if (!checkArguments(analysis, frame, id, callee, attributes, arguments)) return std::nullopt;
  analysis.visitedNodes += function.body.nodes.size() + 1;
  if (analysis.visitedNodes > mostVisited) {
    warnNotFollowed(analysis, tooManyNodes, mostVisited, frame.at(id).op);
    return std::nullopt;
  }
  const Node& node = frame[id];
  Frame& inner = openFrame(analysis, function.body, placesOf(analysis, callee), frame.nameOf(id) + "/");
  inner.depth = frame.depth + 1;
  inner.caller = &frame;
  inner.call = id;
  inner.fromCall = attributes;
  inner.arguments = arguments;
  inner.runsAlways =
      frame.runsAlways && (node.callee || node.op.ends_with("PartitionedCall")) && !choosesNodes(function.body);
  visitAll(analysis, inner);
  OutletFacts results;
  for (const Result& result : function.results) {
    const OutletFacts& facts = inner.facts[result.outlet.node.index];
    if (result.outlet.port >= facts.size()) return std::nullopt;
    results.push_back(facts[result.outlet.port]);
  }
  if (!checkResults(analysis, frame, id, callee, results)) return std::nullopt;
  if (!compositeOf(function).empty())
    analysis.calls.composites.push_back({{&frame, id}, callee, std::move(arguments), results});
  return results;
}

Outcome callFunction(StructuralNode& n, FunctionId callee, const std::vector<Attribute>& attributes) {
  OutletFacts arguments;
  for (std::size_t i = 0; i < n.count(); ++i) arguments.push_back(n.fact(i));
  auto results = followCall(n.analysis, n.frame, n.id, callee, attributes, std::move(arguments));
  if (!results) return Outcome::unknown;
  n.facts = std::move(*results);
  return Outcome::done;
}

std::span<const StructuralOperator> callOperators() {
  static constexpr StructuralOperator rows[] = {
      {"BatchFunction", partitionedCall},
      {"PartitionedCall", partitionedCall},
      {"StatefulPartitionedCall", partitionedCall},
  };
  return rows;
}

std::string functionLabel(const Node& node, FunctionId callee, const Function& function) {
  std::string name = fmt::format("`{}`", function.name);
  const auto isCallee = [&](const Value& value) {
    const auto* its = std::get_if<FunctionName>(&value);
    return its && its->id == callee;
  };
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name != "f" && isCallee(attribute.value)) return fmt::format("`{}` {}", attribute.name, name);
    const auto* list = std::get_if<Values>(&attribute.value);
    const auto found = list ? std::find_if(list->begin(), list->end(), isCallee) : Values::const_iterator();
    if (list && found != list->end()) return fmt::format("`{}[{}]` {}", attribute.name, found - list->begin(), name);
  }
  return name;
}

bool choosesNodes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return isNode(node, "Switch") || node.op == "_SwitchN"; });
}

// `_implements` is text or a function's name; `api_implements` is text with a suffix that distinguishes a model's
// layers.
std::string compositeOf(const Function& function) {
  for (const Attribute& attribute : function.attributes) {
    if (attribute.name != "_implements" && attribute.name != "api_implements") continue;
    if (const auto* list = std::get_if<FunctionName>(&attribute.value)) return list->name;
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (!text) continue;
    constexpr std::size_t suffix = sizeof "_01234567-0123-0123-0123-0123456789ab" - 1;
    const bool hasSuffix =
        attribute.name == "api_implements" && text->size() > suffix && (*text)[text->size() - suffix] == '_';
    return hasSuffix ? text->substr(0, text->size() - suffix) : *text;
  }
  return {};
}

}  // namespace axle::tensorflow
