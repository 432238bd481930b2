// Element types of a node against what TensorFlow registers its operator for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"
#include "import/tensorflow/types.h"

namespace axle::tensorflow {
namespace {

std::string listed(const std::vector<Value>& types) {
  std::vector<std::string> names;
  for (const Value& type : types)
    if (const auto* known = std::get_if<Type>(&type); known && elementOf(*known)) names.push_back(spelling(*known));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool Analysis::fitsElements(Frame& frame, NodeId id) {
  const Node& node = (*frame.graph)[id];
  const Operator* op = node.callee || !node.fed.empty() ? nullptr : operatorNamed(node.op);
  if (!op) return true;
  RuleNode n = ruleNode(frame, id);
  Diagnostic d;
  d.code = &codes::nodeMisfit;
  d.primary = {n.places.op, {}};
  const std::vector<TypedArgument> wanted = typedArguments(op->inputs, node, frame.fromCall);
  for (std::size_t i = 0; i < std::min(n.count(), wanted.size()); ++i) {
    const Type given = n.fact(i).type;
    if (given == Type::invalid || wanted[i].type == Type::invalid) continue;
    const std::string& from = (*frame.graph)[node.inputs[i].node].name;
    const OperatorAttribute* row = op->find(wanted[i].of->typeAttribute);
    const bool isTaken = !row || row->allows(given);
    if (isTaken && given == wanted[i].type) continue;
    if (isTaken) {
      d.message = fmt::format("`{}` takes {} as its `{}`, but `{}` is {}", node.op, spelling(wanted[i].type),
                              wanted[i].of->name, from, spelling(given));
      d.primary.text = row ? fmt::format("its attribute `{}` says {}", row->name, spelling(wanted[i].type))
                           : "it takes " + spelling(wanted[i].type);
    } else {
      d.message = fmt::format("`{}` takes no {} as its `{}`, but `{}` is {}", node.op, spelling(given),
                              wanted[i].of->name, from, spelling(given));
      d.primary.text = "it takes no " + spelling(given);
      d.notes.push_back(fmt::format("`{}` takes {}", node.op, listed(row->allowed)));
    }
    d.secondary.push_back(
        {(*frame.places)[node.inputs[i].node].name, fmt::format("{} comes from here", spelling(given))});
    d.help.push_back("nothing is converted unasked: a `Cast` node makes one type of the other");
    diagnostics_.push_back(std::move(d));
    return false;
  }
  for (const OperatorAttribute& row : op->attributes) {
    const Value* value = attributeIn(node, row.name, frame.fromCall);
    const auto* type = value ? std::get_if<Type>(value) : nullptr;
    if (!type || *type == Type::invalid || row.allows(*type)) continue;
    d.message = fmt::format("`{}`: its attribute `{}` is {}, but must be one of {}", node.op, row.name, spelling(*type),
                            listed(row.allowed));
    d.primary.text = "this operator";
    diagnostics_.push_back(std::move(d));
    return false;
  }
  return true;
}

}  // namespace axle::tensorflow
