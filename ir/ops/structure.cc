// Operators that rearrange elements.
#include <algorithm>

#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred transpose(const InferContext& c) {
  const std::vector<Dim>& x = c.inputs[0].shape;
  std::vector<bool> seen(x.size());
  std::vector<Dim> shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::optional<std::size_t> axis = axisOf(c, i);
    if (!axis || seen[*axis]) return doesNotFit("the axes are no permutation");
    seen[*axis] = true;
    shape.push_back(x[*axis]);
  }
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred reshape(const InferContext& c) {
  if (alwaysDiffer(c.dims, elementCount(c.dims, c.inputs[0].shape), elementCount(c.dims, c.declared[0].shape)))
    return doesNotFit("the number of elements changes");
  return one(c.inputs[0].elem, c.declared[0].shape);
}

Inferred concat(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis) return doesNotFit("the axis is out of range");
  std::vector<Dim> shape = c.inputs[0].shape;
  for (std::size_t k = 1; k < c.inputs.size(); ++k) {
    const std::vector<Dim>& x = c.inputs[k].shape;
    if (x.size() != shape.size() || c.inputs[k].elem != c.inputs[0].elem)
      return doesNotFit("the parts differ in rank or element");
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i != *axis && alwaysDiffer(c.dims, x[i], shape[i])) return doesNotFit("the parts differ outside of the axis");
    shape[*axis] = c.dims.add(shape[*axis], x[*axis]);
  }
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred slice(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis || c.declared[0].shape.size() != c.inputs[0].shape.size()) return doesNotFit("the axis is out of range");
  std::vector<Dim> shape = c.inputs[0].shape;
  shape[*axis] = c.declared[0].shape[*axis];
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred reverse(const InferContext& c) {
  if (!axisOf(c)) return doesNotFit("the axis is out of range");
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

Inferred pad(const InferContext& c) {
  std::vector<Dim> shape = c.inputs[0].shape;
  if (c.inputs.size() > 1 && (!c.inputs[1].shape.empty() || c.inputs[1].elem != c.inputs[0].elem))
    return doesNotFit("the value is not a scalar of the tensor's element type");
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = c.dims.add(shape[i], c.dims.add(c.ints[2 * i], c.ints[2 * i + 1]));
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred upsample(const InferContext& c) {
  std::vector<Dim> shape = c.inputs[0].shape;
  if (shape.size() != 4) return doesNotFit("the image is not of rank 4");
  shape[1] = c.dims.mul(shape[1], c.ints[0]);
  shape[2] = c.dims.mul(shape[2], c.ints[1]);
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred gather(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis) return doesNotFit("the axis is out of range");
  if (!info(c.inputs[1].elem).isInt) return doesNotFit("the indices are no integers");
  const std::vector<Dim>&x = c.inputs[0].shape, &q = c.inputs[1].shape;
  std::vector<Dim> shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), q.begin(), q.end());
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.end());
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred broadcast(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &to = c.declared[0].shape;
  if (x.size() > to.size()) return doesNotFit("the rank shrinks");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (c.dims.asConstant(x[i]) != 1 && alwaysDiffer(c.dims, x[i], to[to.size() - x.size() + i]))
      return doesNotFit("sizes do not broadcast");
  return one(c.inputs[0].elem, to);
}

Inferred dims(const InferContext& c) {
  const std::vector<Dim>& shape = c.declared[0].shape;
  if (alwaysDiffer(c.dims, elementCount(c.dims, shape), c.dims.constant(static_cast<std::int64_t>(c.ints.size()))))
    return doesNotFit("the shape does not hold the elements");
  return std::vector<Fact>{Fact{Elem::i64, shape, c.ints}};
}

Inferred copy(const InferContext& c) { return one(c.inputs[0].elem, c.inputs[0].shape); }

}  // namespace

constinit const Rules transposeRules{transpose, noFlops};
constinit const Rules reshapeRules{reshape, noFlops};
constinit const Rules concatRules{concat, noFlops};
constinit const Rules sliceRules{slice, noFlops};
constinit const Rules reverseRules{reverse, noFlops};
constinit const Rules padRules{pad, noFlops};
constinit const Rules upsampleRules{upsample, noFlops};
constinit const Rules gatherRules{gather, noFlops};
constinit const Rules broadcastRules{broadcast, noFlops};
constinit const Rules dimsRules{dims, noFlops};
constinit const Rules copyRules{copy, noFlops};

}  // namespace axle::ir
