#include "import/tensorflow/analysis/signature_shapes.h"

#include <algorithm>
#include <optional>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::codes {

const DiagnosticCode signatureContradicted{"N0901", Severity::note, "a signature's shape that the graph contradicts"};

}  // namespace axle::codes

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::Name, arg::Shape, Phrase, arg::Shape> shapeContradicted{
    codes::signatureContradicted, "signature {} declares {} as {}, but the graph {} {}",
    "the graph's shape counts: TensorFlow ignores the signature's"};

std::optional<Shape> shapeInGraph(Analysis& analysis, const Port& port) {
  const OutletFact& fact = analysis.main().factOf(port.outlet);
  return fact.value ? resolvedShape(analysis.typer, fact) : std::nullopt;
}

// Returns the first axis whose sizes are known and differ. If the ranks differ, returns the shape's rank.
std::optional<std::size_t> differingAxis(Analysis& analysis, const PartialShape& declared, const Shape& shape) {
  if (declared.sizes.size() != shape.size()) return shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto size = analysis.typer.solution().dims.asConstant(shape[axis].dim);
    if (declared.sizes[axis] >= 0 && size && *size != declared.sizes[axis]) return axis;
  }
  return std::nullopt;
}

bool isContradicted(Analysis& analysis, const Port& port) {
  if (!port.ofSignature.knownRank || !port.asked.empty()) return false;
  const auto shape = shapeInGraph(analysis, port);
  return shape && differingAxis(analysis, port.ofSignature, *shape);
}

void noteShape(Analysis& analysis, const Port& port, const Phrase& does) {
  const auto shape = shapeInGraph(analysis, port);
  if (!shape) return;
  for (const ShapePart& part : *shape) analysis.sizeNames.printNamed(part.dim);
  Diagnostic& d =
      axle::report(analysis.diagnostics, shapeContradicted, analysis.mainPlaces[port.outlet.node].name,
                   arg::Name{analysis.model.signature}, arg::Name{port.name}, arg::Shape{toText(port.ofSignature)},
                   does, arg::Shape{analysis.sizeNames.print(*shape)});
  const auto axis = differingAxis(analysis, port.ofSignature, *shape);
  if (!axis || *axis >= shape->size()) return;
  for (const Input& input : analysis.inputs) {
    if (input.outlet != port.outlet || input.shape.size() != shape->size()) continue;
    if (const Reason* why = analysis.typer.whatFixed(input.shape[*axis]); why && !why->subject.empty())
      d.addLabel(why->span, "{} makes it {}", arg::Subject{why->subject},
                 arg::Size{analysis.sizeNames.printNamed((*shape)[*axis].dim)});
  }
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
    if (isContradicted(analysis, input)) inputs.insert(input.name);
  return inputs;
}

void noteSignatureShapes(Analysis& analysis) {
  if (hasErrors(analysis.diagnostics)) return;
  for (const Port& input : analysis.model.inputs)
    if (isContradicted(analysis, input) || analysis.graphShapes.count(input.name)) noteShape(analysis, input, "takes");
  if (!analysis.hints.all.empty()) return;  // hints, not the graph alone, may determine an output's shape
  for (const Port& output : analysis.model.outputs)
    if (isContradicted(analysis, output)) noteShape(analysis, output, "gives");
}

}  // namespace axle::tensorflow
