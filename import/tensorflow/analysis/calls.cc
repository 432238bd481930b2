// Calls and control flow against the functions that they name, and conditions against what may decide.
#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"

namespace axle::tensorflow {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Type typeIn(Type own, const std::string& attribute, const std::vector<Attribute>& with) {
  if (attribute.empty()) return own;
  for (const Attribute& given : with)
    if (const auto* type = std::get_if<Type>(&given.value); type && given.name == attribute) return *type;
  return Type::invalid;
}

bool differ(Type a, Type b) { return a != Type::invalid && b != Type::invalid && a != b; }

}  // namespace

std::string calledBy(const Node& node, FunctionId callee, const Function& function) {
  std::string name = fmt::format("`{}`", function.name);
  auto isIt = [&](const Value& value) {
    const auto* its = std::get_if<FunctionName>(&value);
    return its && its->id == callee;
  };
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name != "f" && isIt(attribute.value)) return fmt::format("`{}` {}", attribute.name, name);
    const auto* list = std::get_if<Values>(&attribute.value);
    const auto found = list ? std::find_if(list->begin(), list->end(), isIt) : Values::const_iterator();
    if (list && found != list->end()) return fmt::format("`{}[{}]` {}", attribute.name, found - list->begin(), name);
  }
  return name;
}

void Analysis::refuseCall(Frame& frame, NodeId id, const DiagnosticCode& code, std::string message, std::string label,
                          std::optional<Label> there) {
  Diagnostic d;
  d.code = &code;
  d.message = std::move(message);
  d.primary = {(*frame.places)[id].op, std::move(label)};
  if (there) d.secondary.push_back(std::move(*there));
  diagnostics_.push_back(std::move(d));
}

// False, with an error, where the function does not take these.
bool Analysis::takes(Frame& frame, NodeId id, FunctionId callee, const std::vector<Attribute>& with,
                     const Made& arguments) {
  const Function& function = model_[callee];
  const Node& node = (*frame.graph)[id];
  const std::vector<Parameter>& parameters = function.parameters;
  if (arguments.size() != parameters.size()) {
    refuseCall(frame, id, codes::inputCount,
               fmt::format("`{}` gives {} to {}, which takes {}", node.name, counted(arguments.size(), "argument"),
                           calledBy(node, callee, function), parameters.size()),
               counted(arguments.size(), "argument"), std::nullopt);
    return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type wants = typeIn(parameters[i].type, parameters[i].typeAttribute, with);
    if (!differ(wants, arguments[i].type)) continue;
    refuseCall(frame, id, codes::nodeMisfit,
               fmt::format("`{}` gives {} to {} for `{}`, which is {}", node.name, spelling(arguments[i].type),
                           calledBy(node, callee, function), parameters[i].name, spelling(wants)),
               fmt::format("gives {}", spelling(arguments[i].type)),
               Label{placesOf(callee)[parameters[i].node].name, fmt::format("is {}", spelling(wants))});
    return false;
  }
  return true;
}

// What the node declares that it gives.
std::vector<Type> Analysis::declaredResults(const Frame& frame, const Node& node, FunctionId callee) const {
  const auto* condition = node.get<FunctionName>("cond");
  const bool isCondition = condition && condition->id == callee && node.get<FunctionName>("body");
  return isCondition ? std::vector<Type>() : outletTypes(frame, node);
}

// False, with an error, where the function does not give what the node says. A loop may leave states out that nobody
// takes.
bool Analysis::gives(Frame& frame, NodeId id, FunctionId callee, const Made& results) {
  const Function& function = model_[callee];
  const Node& node = (*frame.graph)[id];
  const std::vector<Type> declared = declaredResults(frame, node, callee);
  if (results.size() < declared.size() && !node.get<FunctionName>("body")) {
    refuseCall(frame, id, codes::badFunction,
               fmt::format("{} gives {}, but `{}` takes {}", calledBy(node, callee, function),
                           counted(results.size(), "result"), node.name, declared.size()),
               fmt::format("takes {}", counted(declared.size(), "result")), std::nullopt);
    return false;
  }
  for (std::size_t i = 0; i < std::min(results.size(), declared.size()); ++i) {
    if (!differ(declared[i], results[i].type)) continue;
    refuseCall(frame, id, codes::nodeMisfit,
               fmt::format("{} gives {} for `{}`, but `{}` takes {} there", calledBy(node, callee, function),
                           spelling(results[i].type), function.results[i].name, node.name, spelling(declared[i])),
               fmt::format("takes {}", spelling(declared[i])),
               Label{placesOf(callee)[function.results[i].outlet.node].name,
                     fmt::format("{} comes from here", spelling(results[i].type))});
    return false;
  }
  return true;
}

// ---- conditions

void Analysis::checkConditions() {
  for (Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i)
      if (!frame.isCopiedAt(i)) checkCondition(frame, NodeId{i});
}

void Analysis::checkCondition(Frame& frame, NodeId id) {
  struct Row {
    std::string_view op;
    std::size_t input;
  };
  static constexpr Row rows[] = {{"Switch", 1}, {"RefSwitch", 1}, {"_SwitchN", 1}, {"LoopCond", 0}};
  const Node& node = (*frame.graph)[id];
  const Row* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.op == node.op; });
  const bool isScalarOnly = row != std::end(rows);
  OutletFact fact;
  if (isScalarOnly && row->input < node.inputs.size() && node.fed.empty())
    fact = factAt(frame, node.inputs[row->input]);
  if (auto turns = turns_.find({&frame, id}); turns != turns_.end()) fact = turns->second.condition;
  const auto shape = resolvedShape(fact);
  // Of a loop's function a tensor that is no scalar says whether it has elements.
  const bool isEndless = shape && !shape->empty() && std::all_of(shape->begin(), shape->end(), [&](const ShapePart& p) {
                           return typer_.solution().dims.asConstant(typer_.solution().resolve(p.dim)).value_or(0) > 0;
                         });
  if (isScalarOnly ? !shape || shape->empty() : !isEndless) return;
  Diagnostic d;
  d.code = &codes::nodeMisfit;
  d.message =
      fmt::format("`{}` takes a scalar to decide by, but gets {} {}", node.op, spelling(fact.type), printShape(fact));
  const std::string its = spelling(fact.type) + " " + printShape(fact);
  d.primary = {(*frame.places)[id].op, isScalarOnly ? "decides by it" : "its condition is " + its};
  if (!isScalarOnly) d.notes.push_back("a condition that is no scalar holds as long as it has elements: always");
  diagnostics_.push_back(std::move(d));
  tellers_.resize(diagnostics_.size() - toldBefore_, &frame);
}

}  // namespace axle::tensorflow
