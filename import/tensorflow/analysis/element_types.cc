#include "import/tensorflow/analysis/element_types.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/problems.h"
#include "import/tensorflow/registry.h"
#include "import/tensorflow/types.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::Name, arg::ElementType> inputTypeDiffers{
    codes::nodeMisfit, "{} takes {} as its {}, but {} is {}"};
constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::Name> inputTypeRefused{
    codes::nodeMisfit, "{} takes no {} as its {}, but {} is {1}", "it takes no {1}"};
constexpr Message<arg::Name, arg::Name, arg::ElementType, arg::Type> attributeTypeRefused{
    codes::nodeMisfit, "{}: its attribute {} is {}, but must be one of {}", "this operator"};

std::string listed(const std::vector<Value>& types) {
  std::vector<std::string> names;
  for (const Value& type : types)
    if (const auto* known = std::get_if<Type>(&type); known && elementOf(*known)) names.push_back(spelling(*known));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the error for an input of a type other than `wanted`; none if it fits.
std::optional<Diagnostic> inputMisfit(const Frame& frame, NodeId id, const Operator& op, std::size_t input,
                                      const TypedArgument& wanted) {
  const Node& node = frame[id];
  const NodeId source = node.inputs[input].node;
  const Type given = frame.factOf(node.inputs[input]).type;
  if (given == Type::invalid || wanted.type == Type::invalid) return std::nullopt;
  const OperatorAttribute* row = op.find(wanted.of->typeAttribute);
  const bool isTaken = !row || row->allows(given);
  if (isTaken && given == wanted.type) return std::nullopt;
  const arg::Name name{node.op}, parameter{wanted.of->name}, from{frame[source].name};
  const arg::ElementType wantedType{spelling(wanted.type)}, givenType{spelling(given)};
  const Span at = frame.at(id).op;
  Diagnostic d;
  if (isTaken) {
    d = Diagnostic(inputTypeDiffers, at, name, wantedType, parameter, from, givenType);
    d.setLabel(row ? Phrase("its attribute {} says {}", arg::Name{row->name}, wantedType)
                   : Phrase("it takes {}", wantedType));
  } else {
    d = Diagnostic(inputTypeRefused, at, name, givenType, parameter, from);
    d.addNote("{} takes {}", name, arg::Type{listed(row->allowed)});
  }
  d.addLabel(frame.at(source).name, "{} comes from here", givenType);
  d.addHelp("nothing is converted unasked: a `Cast` node makes one type of the other");
  return d;
}

// Returns the error for a type that the attribute does not allow; none if it fits.
std::optional<Diagnostic> attributeMisfit(const Frame& frame, NodeId id, const OperatorAttribute& row) {
  const Node& node = frame[id];
  const Value* value = attributeIn(node, row.name, frame.fromCall);
  const auto* type = value ? std::get_if<Type>(value) : nullptr;
  if (!type || *type == Type::invalid || row.allows(*type)) return std::nullopt;
  return Diagnostic(attributeTypeRefused, frame.at(id).op, arg::Name{node.op}, arg::Name{row.name},
                    arg::ElementType{spelling(*type)}, arg::Type{listed(row.allowed)});
}

}  // namespace

std::optional<Diagnostic> elementMisfit(const Frame& frame, NodeId id) {
  const Node& node = frame[id];
  const Operator* op = node.callee || !node.fed.empty() ? nullptr : operatorNamed(node.op);
  if (!op) return std::nullopt;
  std::optional<Diagnostic> misfit;
  const std::vector<TypedArgument> wanted = typedArguments(op->inputs, node, frame.fromCall);
  for (std::size_t i = 0; !misfit && i < std::min(node.inputs.size(), wanted.size()); ++i)
    misfit = inputMisfit(frame, id, *op, i, wanted[i]);
  for (std::size_t i = 0; !misfit && i < op->attributes.size(); ++i)
    misfit = attributeMisfit(frame, id, op->attributes[i]);
  return misfit;
}

}  // namespace axle::tensorflow
