// Ragged tensors: rows one after another, and row splits that belong to the length, not to the tensor. So what works on
// each element needs no splits at all.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

const Lowerer::Ragged* Lowerer::raggedOf(DimVar length) const {
  auto known = ragged_.find(length.index);
  return known != ragged_.end() && isInside(known->second.scope) ? &known->second : nullptr;
}

std::vector<DimVar> Lowerer::raggedLengths(TypeId tensor) {
  std::vector<DimVar> lengths;
  const TypeTerm& term = solution_.types[tensor];
  if (term.kind != TypeKind::tensor) return lengths;
  for (const ShapePart& part : term.shape)
    if (auto length = part.isVar ? std::nullopt : raggedLength(solution_, part.dim)) lengths.push_back(*length);
  return lengths;
}

std::optional<std::vector<Dim>> Lowerer::flatShape(const Shape& shape, Span span) {
  std::vector<Dim> flat;
  for (const ShapePart& part : shape) {
    // A literal's shape is open only where it meets only `#`: `[]`. A runtime rank is open to the end.
    if (part.isVar && solution_.shapeVars[part.var.index].runtime)
      return fail(codes::openSize, "the rank of a tensor here is known only in the middle of a run", span,
                  "has this rank", "a bundle is compiled for one rank: annotate the tensor with its dimensions");
    if (part.isVar) continue;
    if (auto length = raggedLength(solution_, part.dim)) {
      const Ragged* ragged = raggedOf(*length);
      if (!ragged)
        return fail(codes::openSize,
                    "the lengths `" + solution_.printSize(part.dim) +
                        "` follow neither from the inputs nor from what comes before",
                    span, "has these lengths");
      flat = {ragged->rows};
    } else {
      flat.push_back(part.dim);
    }
    if (!sizeIsKnown(flat.back(), span)) return std::nullopt;
  }
  return flat;
}

std::vector<Value> Lowerer::inputValues() {
  std::size_t rows = 0;
  std::vector<Tensor> tensors;
  for (InputTensor& input : inputTensors(solution_, entry_, false)) {
    std::size_t port = model_.inputNames.size();
    Elem elem = input.splitsOf ? Elem::i64 : solution_.types[entry_.inputs[input.input].type].elem.elem;
    Tensor tensor{0, source(0, Op::input, Fact{elem, std::move(input.shape), {}}), std::nullopt};
    graph()[graph()[tensor.outlet].node].names.push_back(input.name);
    graph().inputs.push_back(tensor.outlet);
    model_.inputNames.push_back(std::move(input.name));
    if (!input.splitsOf) {
      rows = port;
      tensors.push_back(tensor);
      continue;
    }
    Splits splits{port, rows, input.rows, std::nullopt};
    if (const Ragged* known = raggedOf(*input.splitsOf)) {
      const std::vector<OutletId>& inputs = graph().inputs;
      splits.sameAs =
          static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), known->splits.outlet) - inputs.begin());
    } else {
      ragged_[input.splitsOf->index] = {0, tensor, input.rows};
    }
    model_.inputSplits.push_back(splits);
  }
  std::vector<Value> arguments;
  std::size_t next = 0;
  for (TypeId parameter : entry_.parameters) arguments.push_back(rebuild(parameter, tensors, next));
  return arguments;
}

bool Lowerer::addOutputs(const std::vector<Tensor>& outputs) {
  Span span = program_[entry_.function].span;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const EntryPort& port = entry_.outputs[i];
    std::size_t rows = model_.outputNames.size(), level = 0;
    graph().outputs.push_back(here(outputs[i]));
    model_.outputNames.push_back(port.name);
    for (DimVar length : raggedLengths(port.type)) {
      const Ragged* ragged = raggedOf(length);
      if (!ragged) {
        unexpected("its result has lengths that nothing found", span);
        return false;
      }
      model_.outputSplits.push_back({model_.outputNames.size(), rows, ragged->rows, std::nullopt});
      graph().outputs.push_back(here(ragged->splits));
      model_.outputNames.push_back(splitsName(port.name, level++));
    }
  }
  return true;
}

}  // namespace axle::ir
