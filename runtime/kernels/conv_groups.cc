// Convolutions in groups of few channels, channels last: a filter [..window, depth, results], which stays as it is. Of
// f32, f16 and bf16.
#include "runtime/kernels/conv_depthwise.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/products.h"
#include "runtime/vector/groups.h"

namespace axle::runtime {
namespace {

std::size_t formOf(const Step& step) {
  const Shape& filter = step.in(1).shape;
  const int rank = filter.rank();
  return groupFormOf(filter[rank - 2], filter[rank - 1] / step.integer(5 * (rank - 2)));
}

bool runConvGroups(Step& step, Part part, Fault& fault) {
  const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(groups).forms[formOf(step)];
  return step.baseElem() == Elem::f32 ? runDepthwise(step, kernels, part, fault)
                                      : runDepthwiseHalf(step, kernels, part, fault);
}

// Checks image, filter and result. Returns the error, or null.
const char* checkGroups(const Step& step) {
  const TensorView &image = step.in(0), &filter = step.in(1);
  if (image.elem != filter.elem || image.elem != step.baseElem())
    return "image, filter and result must have one element type";
  if (image.elem != Elem::f32 && image.elem != Elem::f16 && image.elem != Elem::bf16)
    return "not for this element type";
  const Shape &x = image.shape, &f = filter.shape, &y = step.out(0).shape;
  const int rank = x.rank();
  if (f.rank() != rank) return "the ranks do not fit";
  if (const char* problem = checkGeometry(step, f.begin())) return problem;
  const std::int64_t groups = step.integer(5 * (rank - 2)), channels = x[rank - 1], results = y[rank - 1];
  if (groups < 1 || channels % groupedChannels != 0 || channels % groups != 0 || results % groups != 0 ||
      f[rank - 2] != channels / groups || f[rank - 1] != results || formOf(step) == std::size(groupForms))
    return "the channels do not fit";
  return nullptr;
}

}  // namespace

const char* prepareConvGroups(Step& step) {
  if (const char* problem = checkGroups(step)) return problem;
  const Geometry g = depthwiseGeometry(step);
  const std::int64_t depth = step.in(1).shape[step.in(1).shape.rank() - 2];
  step.macs = static_cast<std::uint64_t>(step.out(0).shape.elements()) * static_cast<std::uint64_t>(g.taps * depth);
  return divideStep(step, runConvGroups, 2 * productNanoseconds(*step.macs),
                    step.in(0).elem == Elem::f32 ? workspaceOfDepthwise(g) : workspaceOfDepthwiseHalf(step));
}

}  // namespace axle::runtime
