// Blocks of convolutions in groups of few channels: vectors hold the results of several groups.
#pragma once

#include <cstddef>
#include <iterator>

#include "runtime/vector/depthwise.h"

namespace axle::runtime {

// A group has `depth` channels, and `multiplier` times as many results.
struct GroupForm {
  std::int64_t depth, multiplier;
};

inline constexpr GroupForm groupForms[] = {{1, 2}, {1, 4}, {2, 1}, {4, 1}, {8, 1}};

// The number of channels of all groups is a multiple of this one: then they fill vectors of every instruction set.
inline constexpr std::int64_t groupedChannels = 16;

// Returns the place in groupForms of groups of `depth` channels and `width` results, or the number of forms.
constexpr std::size_t groupFormOf(std::int64_t depth, std::int64_t width) {
  std::size_t form = 0;
  while (form < std::size(groupForms) &&
         (groupForms[form].depth != depth || groupForms[form].depth * groupForms[form].multiplier != width))
    ++form;
  return form;
}

// The filter of their blocks is [taps, depth, filterPitch].
struct GroupKernels {
  DepthwiseKernels forms[std::size(groupForms)];
};

AXLE_KERNEL_SETS(GroupKernels, groups)

}  // namespace axle::runtime
