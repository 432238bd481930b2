// Rewrites convolutions as dense ones, which targets run much faster: transposed ones, most of whose taps are zeros
// between elements, and depthwise ones with several results for each channel.
#include <algorithm>

#include "dims/arithmetic.h"
#include "ir/passes/attributes.h"
#include "ir/passes/match.h"
#include "runtime/vector/groups.h"

namespace axle::ir {

using namespace pattern;

namespace {

// Targets run dense convolutions of other types no faster.
bool isShortFloat(const Found& f) {
  const ElemInfo& elem = info(f.fact(x).elem);
  return elem.isFloat && elem.bytes <= sizeof(float);
}

// ---- transposed convolutions

// Neighbouring phases whose results are sums of so many taps.
struct PhaseGroup {
  std::int64_t first = 0, count = 0, taps = 0;
};

// An axis of a convolution with s - 1 zeros between the elements of its image. The result at place `before + s*v - p`,
// for a phase p in [0, s), is the sum of filter[s*t + p] * image[v + t] over t: a convolution of the image itself,
// which computes phases as neighbouring channels. Phase number i is p = s - 1 - i, so that places are in order.
struct SpreadAxis {
  std::size_t axis = 0;                     // of the filter
  std::int64_t spread = 1;                  // s
  std::int64_t firstPlace = 0, places = 0;  // of v
  std::int64_t start = 0;                   // of the results among those of all v and p
  std::vector<PhaseGroup> groups;           // in order of their numbers
};

// Returns an axis that is spread; nothing if a size is not constant or a phase has no tap. Streamed axes have no
// constant size.
std::optional<SpreadAxis> spreadAxis(const Found& f, const ConvAttributes& conv, std::size_t i) {
  constexpr std::int64_t most = std::int64_t{1} << 30, mostPhases = 512;
  const auto constant = [&](Dim size) { return f.dims().asConstant(size); };
  const auto spread = constant(conv.spreads[i]), before = constant(conv.before[i]),
             image = constant(f.fact(x).shape[i + 1]), filter = constant(f.fact(w).shape[i]),
             results = constant(f.resultFact().shape[i + 1]);
  if (!spread || !before || !image || !filter || !results || constant(conv.strides[i]) != 1 ||
      constant(conv.dilations[i]) != 1)
    return std::nullopt;
  if (*spread > mostPhases || *filter < *spread || *results < 1 ||
      std::max({std::abs(*before), *image, *filter, *results}) > most)
    return std::nullopt;
  SpreadAxis made;
  made.axis = i, made.spread = *spread;
  made.firstPlace = ceilDiv(-*before, *spread);
  made.places = ceilDiv(*results - 1 - *before, *spread) - made.firstPlace + 1;
  made.start = *spread - 1 - *before - *spread * made.firstPlace;
  const std::int64_t taps = ceilDiv(*filter, *spread), fewer = taps * *spread - *filter;  // phases with a tap less
  if (fewer > 0) made.groups.push_back({0, fewer, taps - 1});
  made.groups.push_back({fewer, *spread - fewer, taps});
  return made;
}

// A transposed convolution that becomes a convolution for each choice of a group of phases of each spread axis.
class PhaseConvolutions {
 public:
  PhaseConvolutions(const Found& f, PatchBuilder& p, std::vector<SpreadAxis> axes)
      : f_(f), p_(p), dims_(f.dims()), axes_(std::move(axes)) {}

  // Returns the results in the order of the convolution's own.
  OutletId result() {
    const Dims& results = f_.resultFact().shape;
    const OutletId phases = joined({});
    Dims whole = results;
    Axes perm;
    for (std::size_t axis = 0, phase = results.size() - 1; axis < results.size(); ++axis) {
      perm.push_back(axis + 1 == results.size() ? phase : axis);
      for (const SpreadAxis& spread : axes_) {
        if (spread.axis + 1 != axis) continue;
        perm.push_back(phase++);
        whole[axis] = dims_.constant(spread.places * spread.spread);
      }
    }
    const OutletId ordered =
        std::is_sorted(perm.begin(), perm.end()) ? phases : p_.wire(Op::transpose, {phases}, PermAttributes{perm});
    OutletId made = p_.wireReshape(ordered, whole);
    for (const SpreadAxis& spread : axes_) made = slice(made, spread.axis + 1, spread.start, results[spread.axis + 1]);
    return made;
  }

 private:
  OutletId slice(OutletId from, std::size_t axis, std::int64_t start, Dim length) {
    Fact part{p_.tap(from).elem, p_.tap(from).shape, {}};
    if (part.shape[axis] == length) return from;
    part.shape[axis] = length;
    return p_.wire(Op::slice, {from}, SliceAttributes{axis, dims_.constant(start), dims_.constant(1)}, &part);
  }

  // [n, ..places, ..phases, k], of all groups of the axes that have none in `chosen`.
  OutletId joined(const std::vector<PhaseGroup>& chosen) {
    if (chosen.size() == axes_.size()) return convolution(chosen);
    std::vector<OutletId> parts;
    for (const PhaseGroup& group : axes_[chosen.size()].groups) {
      std::vector<PhaseGroup> more = chosen;
      more.push_back(group);
      parts.push_back(joined(more));
    }
    const std::size_t axis = f_.resultFact().shape.size() - 1 + chosen.size();
    return parts.size() == 1 ? parts[0] : p_.wire(Op::concat, parts, AxisAttributes{axis});
  }

  // The taps of a group's phases, which become an axis before the last. Slices, because larger constants stay unfolded.
  OutletId filterOf(OutletId filter, const SpreadAxis& spread, const PhaseGroup& group) {
    Fact part{p_.tap(filter).elem, p_.tap(filter).shape, {}};
    part.shape[spread.axis] = dims_.constant(group.taps);
    Dims apart = part.shape;
    apart.insert(apart.end() - 1, dims_.constant(1));
    std::vector<OutletId> parts;
    for (std::int64_t number = group.first; number < group.first + group.count; ++number) {
      const SliceAttributes taps{spread.axis, dims_.constant(spread.spread - 1 - number),
                                 dims_.constant(spread.spread)};
      parts.push_back(p_.wireReshape(p_.wire(Op::slice, {filter}, taps, &part), apart));
    }
    return parts.size() == 1 ? parts[0] : p_.wire(Op::concat, parts, AxisAttributes{apart.size() - 2});
  }

  // The convolution of one group of each axis.
  OutletId convolution(const std::vector<PhaseGroup>& chosen) {
    auto conv = as<ConvAttributes>(f_.rootNode());
    Fact declared{f_.resultFact().elem, f_.resultFact().shape, {}};
    Dims split = declared.shape, window = f_.fact(w).shape;
    OutletId filter = f_[w];
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const SpreadAxis& spread = axes_[i];
      const PhaseGroup& group = chosen[i];
      const Dim count = dims_.constant(group.count);
      filter = filterOf(filter, spread, group);
      window[spread.axis] = dims_.constant(group.taps), window.back() = dims_.mul(window.back(), count);
      conv.spreads[spread.axis] = dims_.constant(1);
      conv.before[spread.axis] = dims_.constant(-spread.firstPlace);
      conv.after[spread.axis] = dims_.sub(dims_.constant(spread.firstPlace + spread.places - 1 + group.taps),
                                          f_.fact(x).shape[spread.axis + 1]);
      split[spread.axis + 1] = declared.shape[spread.axis + 1] = dims_.constant(spread.places);
      split.insert(split.end() - 1, count);
    }
    declared.shape.back() = window.back();
    const OutletId made = p_.wire(Op::conv, {f_[x], p_.wireReshape(filter, window)}, conv, &declared);
    return p_.wireReshape(made, split);
  }

  const Found& f_;
  PatchBuilder& p_;
  DimStore& dims_;
  std::vector<SpreadAxis> axes_;
};

OutletId convByPhases(const Found& f, PatchBuilder& p) {
  const auto& conv = as<ConvAttributes>(f.rootNode());
  std::vector<SpreadAxis> axes;
  for (std::size_t i = 0; i < conv.spreads.size(); ++i) {
    if (f.dims().asConstant(conv.spreads[i]) == 1) continue;
    auto axis = spreadAxis(f, conv, i);
    if (!axis) return {};
    axes.push_back(std::move(*axis));
  }
  return axes.empty() ? OutletId() : PhaseConvolutions(f, p, std::move(axes)).result();
}

bool isOneGroup(const Found& f) {
  return isShortFloat(f) && f.dims().asConstant(as<ConvAttributes>(f.rootNode()).groups) == 1;
}

// ---- depthwise convolutions with several results for each channel

// Returns the number of results for each channel; nothing if it is not constant, or one.
std::optional<std::int64_t> resultsOfChannel(const Found& f) {
  const auto groups = f.dims().asConstant(as<ConvAttributes>(f.rootNode()).groups);
  const Dims& filter = f.fact(y).shape;
  const auto depth = f.dims().asConstant(filter[filter.size() - 2]), columns = f.dims().asConstant(filter.back());
  if (!groups || *groups < 2 || depth != 1 || !columns || *columns <= *groups) return std::nullopt;
  return *columns / *groups;
}

// Whether a kernel computes so many results for each channel itself.
bool hasKernelOfSeveral(const Found& f) {
  const auto channels = f.dims().asConstant(f.fact(x).shape.back());
  return channels && *channels % runtime::groupedChannels == 0 &&
         runtime::groupFormOf(1, *resultsOfChannel(f)) < std::size(runtime::groupForms);
}

bool isDepthwiseOfSeveral(const Found& f) {
  const auto& conv = as<ConvAttributes>(f.rootNode());
  const auto isOne = [&](Dim size) { return f.dims().asConstant(size) == 1; };
  return isShortFloat(f) && std::all_of(conv.spreads.begin(), conv.spreads.end(), isOne) &&
         resultsOfChannel(f).has_value() && !hasKernelOfSeveral(f);
}

OutletId convOfRepeatedChannels(const Found& f, PatchBuilder& p) {
  auto conv = as<ConvAttributes>(f.rootNode());
  const Fact& image = f.fact(x);
  const Dim times = f.dims().constant(*resultsOfChannel(f));
  Fact apart{image.elem, image.shape, {}};
  apart.shape.push_back(f.dims().constant(1));
  const OutletId single = p.wireReshape(f[x], apart.shape);
  apart.shape.back() = times;
  const OutletId several = p.wire(Op::broadcast, {single}, {}, &apart);
  Dims joined = image.shape;
  joined.back() = conv.groups = f.resultFact().shape.back();
  return p.wire(Op::conv, {p.wireReshape(several, joined), f[y]}, conv, &f.resultFact());
}

}  // namespace

std::span<const Rule> denseWindowRules() {
  // clang-format off
  static const Rule rules[] = {
      {"transposed convolution by phases",         on(Op::conv, x, w), convByPhases,           isOneGroup},
      {"depthwise convolution of several results", on(Op::conv, x, y), convOfRepeatedChannels, isDepthwiseOfSeveral},
  };
  // clang-format on
  return rules;
}

}  // namespace axle::ir
