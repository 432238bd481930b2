#include "import/tensorflow/analysis/signature_shapes.h"

#include <algorithm>
#include <optional>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::codes {

const DiagnosticCode signatureContradicted{"N0901", Severity::note, "a signature that the graph contradicts"};

}  // namespace axle::codes

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::Name, arg::Shape, Phrase, arg::Shape> shapeContradicted{
    codes::signatureContradicted, "signature {} declares {} as {}, but the graph {} {}",
    "the graph's shape counts: TensorFlow ignores the signature's"};
constexpr Message<arg::Name, arg::Name, arg::Type, Phrase, arg::Type> typeContradicted{
    codes::signatureContradicted, "signature {} declares {} as {}, but the graph {} {}",
    "the graph's type counts: TensorFlow ignores the signature's"};

std::optional<Shape> shapeInGraph(Analysis& analysis, const Port& port) {
  const OutletFact& fact = analysis.main().factOf(port.outlet);
  return fact.value ? resolvedShape(analysis.typer, fact) : std::nullopt;
}

std::optional<std::int64_t> sizeInGraph(Analysis& analysis, const ShapePart& part) {
  return analysis.typer.solution().dims.asConstant(part.dim);
}

// Returns the first axis whose sizes differ. If the ranks differ, returns the shape's rank. A size that is open differs
// from a number in an input, which takes any; in an output the number may be right.
std::optional<std::size_t> differingAxis(Analysis& analysis, const PartialShape& declared, const Shape& shape,
                                         bool isInput) {
  if (declared.sizes.size() != shape.size()) return shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto size = sizeInGraph(analysis, shape[axis]);
    if (declared.sizes[axis] >= 0 && size.value_or(isInput ? -1 : declared.sizes[axis]) != declared.sizes[axis])
      return axis;
  }
  return std::nullopt;
}

bool hasOtherShape(Analysis& analysis, const Port& port, bool isInput) {
  if (!port.ofSignature.knownRank || !port.asked.empty()) return false;
  const auto shape = shapeInGraph(analysis, port);
  return shape && differingAxis(analysis, port.ofSignature, *shape, isInput);
}

bool hasOtherType(Analysis& analysis, const Port& port) {
  const auto declared = elementOf(port.typeOfSignature), given = elementOf(analysis.main().factOf(port.outlet).type);
  return declared && given && *declared != *given;
}

void nameSizes(Analysis& analysis, const std::optional<Shape>& shape) {
  if (!shape) return;
  for (const ShapePart& part : *shape) analysis.sizeNames.printNamed(part.dim);
}

// Labels the node that makes a size of an input differ from the declared one.
void labelOrigin(Analysis& analysis, const Port& port, const Shape& shape, Diagnostic& d) {
  const auto axis = differingAxis(analysis, port.ofSignature, shape, false);
  if (!axis || *axis >= shape.size()) return;
  for (const Input& input : analysis.inputs) {
    if (input.outlet != port.outlet || input.shape.size() != shape.size()) continue;
    if (const Reason* why = analysis.typer.whatFixed(input.shape[*axis]); why && !why->subject.empty())
      d.addLabel(why->span, "{} makes it {}", arg::Subject{why->subject},
                 arg::Size{analysis.sizeNames.printNamed(shape[*axis].dim)});
  }
}

void noteType(Analysis& analysis, const Port& port, const Phrase& does) {
  const auto shape = shapeInGraph(analysis, port);
  nameSizes(analysis, shape);
  std::string declared = spelling(port.typeOfSignature);
  std::string given = spelling(analysis.main().factOf(port.outlet).type);
  if (port.ofSignature.knownRank && shape) {
    declared += " " + toText(port.ofSignature);
    given += " " + analysis.sizeNames.print(*shape);
  }
  axle::report(analysis.diagnostics, typeContradicted, analysis.mainPlaces[port.outlet.node].name,
               arg::Name{analysis.model.signature}, arg::Name{port.name}, arg::Type{declared}, does, arg::Type{given});
}

void noteShape(Analysis& analysis, const Port& port, const Phrase& does, bool isInput) {
  const auto shape = shapeInGraph(analysis, port);
  if (!shape) return;
  nameSizes(analysis, shape);
  Diagnostic& d =
      axle::report(analysis.diagnostics, shapeContradicted, analysis.mainPlaces[port.outlet.node].name,
                   arg::Name{analysis.model.signature}, arg::Name{port.name}, arg::Shape{toText(port.ofSignature)},
                   does, arg::Shape{analysis.sizeNames.print(*shape)});
  if (isInput) labelOrigin(analysis, port, *shape, d);
}

void adoptGraph(Analysis& analysis, Port& port) {
  port.type = analysis.main().factOf(port.outlet).type;
  const auto shape = shapeInGraph(analysis, port);
  port.shape = {shape.has_value(), {}};
  for (const ShapePart& part : shape.value_or(Shape()))
    port.shape.sizes.push_back(sizeInGraph(analysis, part).value_or(-1));
}

void correctPort(Analysis& analysis, Port& port, bool isInput) {
  const Phrase does = isInput ? "takes" : "gives";
  const bool hasSameShape = !hasOtherShape(analysis, port, isInput) && !analysis.graphShapes.count(port.name);
  if (hasOtherType(analysis, port))
    noteType(analysis, port, does);
  else if (!hasSameShape)
    noteShape(analysis, port, does, isInput);
  else
    return;
  adoptGraph(analysis, port);
}

// Whether the command line gives an input another shape than the signature: the outputs' shapes follow from it.
bool asksForOtherShapes(const Model& model) {
  return std::any_of(model.inputs.begin(), model.inputs.end(), [](const Port& input) { return !input.asked.empty(); });
}

}  // namespace

std::set<std::string> inputsCompletedBySignature(const Model& model) {
  std::set<std::string> inputs;
  for (const Port& input : model.inputs)
    if (input.ofSignature.knownRank && input.shape != input.ofGraph) inputs.insert(input.name);
  return inputs;
}

std::set<std::string> inputsContradictingSignature(Analysis& analysis) {
  std::set<std::string> inputs;
  for (const Port& input : analysis.model.inputs)
    if (hasOtherShape(analysis, input, true)) inputs.insert(input.name);
  return inputs;
}

void correctSignature(Analysis& analysis, Model& model) {
  if (hasErrors(analysis.diagnostics)) return;
  for (Port& input : model.inputs) correctPort(analysis, input, true);
  if (asksForOtherShapes(model)) return;
  for (Port& output : model.outputs) correctPort(analysis, output, false);
}

}  // namespace axle::tensorflow
