// Values of operators that slice tensors.
#include <algorithm>

#include "import/tensorflow/operators/slicing.h"

namespace axle::tensorflow::slicing {
namespace {

// `count` indices of an axis, `step` apart from `start`.
struct IndexRange {
  std::int64_t start = 0, count = 0, step = 1;
};

Known taken(const Known& from, const std::vector<IndexRange>& cuts, Sizes shape) {
  Known out{std::move(shape), {}};
  std::int64_t count = 1;
  for (const IndexRange& cut : cuts) count *= cut.count;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0, stride = 1;
    for (std::size_t axis = cuts.size(); axis-- > 0;) {
      const IndexRange& cut = cuts[axis];
      offset += (cut.start + rest % cut.count * cut.step) * stride;
      rest /= cut.count;
      stride *= from.shape[axis];
    }
    out.elements.push_back(from.elements[static_cast<std::size_t>(offset)]);
  }
  return out;
}

// Returns the indices of a range; a missing bound is an end of the axis.
IndexRange rangeOf(std::int64_t length, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                   std::int64_t step) {
  auto clamped = [&](std::int64_t at) {
    if (at < 0) at += length;
    return step > 0 ? std::clamp<std::int64_t>(at, 0, length) : std::clamp<std::int64_t>(at, -1, length - 1);
  };
  std::int64_t from = begin ? clamped(*begin) : step > 0 ? 0 : length - 1;
  std::int64_t to = end ? clamped(*end) : step > 0 ? length : -1;
  std::int64_t distance = step > 0 ? to - from : from - to, by = step > 0 ? step : -std::max(step, -INT64_MAX);
  return {from, distance > 0 ? (distance - 1) / by + 1 : 0, step};
}

}  // namespace

std::optional<Known> stridedSliceValue(const RuleNode& n) {
  auto a = n.knownVector(0);
  auto begin = n.numbers(1), end = n.numbers(2), step = n.numbers(3);
  if (!a || !begin || !end || !step) return std::nullopt;
  std::size_t count = step->size(), axis = 0, used = 0;
  if (begin->size() != count || end->size() != count) return std::nullopt;
  std::int64_t ellipsis = n.integer("ellipsis_mask"), added = n.integer("new_axis_mask");
  for (std::size_t i = 0; i < count; ++i)
    if (!isSet(ellipsis, i) && !isSet(added, i)) ++used;
  if (used > a->shape.size()) return std::nullopt;
  std::vector<IndexRange> cuts;
  Sizes shape;
  auto whole = [&] {
    cuts.push_back({0, a->shape[axis], 1});
    shape.push_back(a->shape[axis++]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (isSet(ellipsis, i)) {
      for (std::size_t k = used; k < a->shape.size(); ++k) whole();
    } else if (isSet(added, i)) {
      shape.push_back(1);
    } else if ((*step)[i] == 0) {
      return std::nullopt;
    } else if (isSet(n.integer("shrink_axis_mask"), i)) {
      std::int64_t length = a->shape[axis++], at = (*begin)[i] < 0 ? (*begin)[i] + length : (*begin)[i];
      if (at < 0 || at >= length) return std::nullopt;
      cuts.push_back({at, 1, 1});
    } else {
      auto bound = [&](const Sizes& bounds, std::string_view mask) {
        return isSet(n.integer(mask), i) ? std::nullopt : std::optional(bounds[i]);
      };
      cuts.push_back(rangeOf(a->shape[axis++], bound(*begin, "begin_mask"), bound(*end, "end_mask"), (*step)[i]));
      shape.push_back(cuts.back().count);
    }
  }
  while (axis < a->shape.size()) whole();
  return taken(*a, cuts, std::move(shape));
}

std::optional<Known> sliceValue(const RuleNode& n) {
  auto a = n.knownVector(0);
  auto begin = n.numbers(1), size = n.numbers(2);
  if (!a || !begin || !size || begin->size() != a->shape.size() || size->size() != a->shape.size()) return std::nullopt;
  std::vector<IndexRange> cuts;
  Sizes shape;
  for (std::size_t i = 0; i < a->shape.size(); ++i) {
    std::int64_t at = (*begin)[i], count = (*size)[i] == -1 ? a->shape[i] - at : (*size)[i];
    if (at < 0 || count < 0 || count > a->shape[i] - at) return std::nullopt;
    cuts.push_back({at, count, 1});
    shape.push_back(count);
  }
  return taken(*a, cuts, std::move(shape));
}

namespace {

// Cuts an axis into consecutive parts.
KnownValues cutAlong(const Known& whole, std::size_t axis, const Sizes& lengths, bool drop) {
  KnownValues parts;
  std::int64_t at = 0;
  for (std::int64_t length : lengths) {
    if (length < 0 || length > whole.shape[axis] - at) return {};
    std::vector<IndexRange> cuts;
    Sizes shape = whole.shape;
    for (std::int64_t size : whole.shape) cuts.push_back({0, size, 1});
    cuts[axis] = {at, length, 1};
    if (drop)
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    else
      shape[axis] = length;
    parts.emplace_back(taken(whole, cuts, std::move(shape)));
    at += length;
  }
  return parts;
}

}  // namespace

KnownValues unpackValue(const RuleNode& n) {
  auto a = n.knownVector(0);
  auto axis = a ? axisIn(n.integer("axis"), a->shape.size()) : std::nullopt;
  if (!axis) return {};
  return cutAlong(*a, *axis, Sizes(static_cast<std::size_t>(a->shape[*axis]), 1), true);
}

KnownValues splitValue(const RuleNode& n) {
  auto a = n.knownVector(1);
  auto along = n.number(0);
  if (!a || !along) return {};
  auto axis = axisIn(*along, a->shape.size());
  std::int64_t count = n.integer("num_split");
  if (!axis || count <= 0 || a->shape[*axis] % count != 0) return {};
  return cutAlong(*a, *axis, Sizes(static_cast<std::size_t>(count), a->shape[*axis] / count), false);
}

KnownValues splitVValue(const RuleNode& n) {
  auto a = n.knownVector(0);
  auto lengths = n.numbers(1);
  auto along = n.number(2);
  if (!a || !along || !lengths) return {};
  auto axis = axisIn(*along, a->shape.size());
  if (!axis) return {};
  std::int64_t rest = a->shape[*axis];
  for (std::int64_t length : *lengths)
    if (length >= 0) rest -= length;
  for (std::int64_t& length : *lengths)
    if (length == -1) length = rest;
  return cutAlong(*a, *axis, *lengths, false);
}

}  // namespace axle::tensorflow::slicing
