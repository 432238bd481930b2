// Lists the tensors that give an entry's inputs: for a ragged input its rows and its row splits.
#include <algorithm>

#include "typecheck/check.h"

namespace axle {

std::optional<DimVar> raggedLength(Solution& solution, Dim size) {
  auto v = solution.dims.asVariable(solution.resolve(size));
  if (!v || solution.dimVars[v->index].kind != DimKind::ragged) return std::nullopt;
  return v;
}

std::vector<Dim> dimensionsBefore(Solution& solution, DimVar length) {
  std::vector<Dim> before;
  for (const ShapePart& part : solution.resolve(solution.dimVars[length.index].over))
    if (!part.isVar) before.push_back(part.dim);
  return before;
}

std::string splitsName(const std::string& port, std::size_t level) {
  return port + ".splits" + (level == 0 ? "" : "." + std::to_string(level));
}

std::vector<InputTensor> inputTensors(Solution& solution, const Entry& entry, bool named) {
  std::vector<InputTensor> all;
  for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
    const EntryPort& port = entry.inputs[i];
    std::vector<InputTensor> splits;
    InputTensor rows{port.name, i, {}, {}, {}};
    const Shape shape = solution.types[port.type].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      Dim size = shape[axis].dim;
      for (const auto& [at, symbol] : port.named)
        if (named && at == axis) size = symbol;
      auto length = raggedLength(solution, size);
      auto known = std::find_if(entry.lengths.begin(), entry.lengths.end(),
                                [&](const RaggedLength& r) { return length && r.length == *length; });
      if (known == entry.lengths.end()) {
        rows.shape.push_back(size);
        continue;
      }
      // The dimensions so far are merged into one; each of its positions has a length.
      Dim places = solution.dims.constant(1);
      for (Dim d : rows.shape) places = solution.dims.mul(places, d);
      Dim total = solution.dims.variable(known->rows);
      splits.push_back({splitsName(port.name, splits.size()),
                        i,
                        {solution.dims.add(places, solution.dims.constant(1))},
                        length,
                        total});
      rows.shape = {total};
    }
    all.push_back(std::move(rows));
    all.insert(all.end(), splits.begin(), splits.end());
  }
  return all;
}

}  // namespace axle
