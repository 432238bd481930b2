// Values of array operators, as far as they are followed.
#include <algorithm>

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

using Sizes = std::vector<std::int64_t>;
using Dims = std::vector<Dim>;
using Maybe = std::optional<Known>;
using Parts = std::vector<Maybe>;

// A vector of known length is a list of open numbers where its value is not followed.
Maybe vectorOf(const RuleNode& n, std::size_t i) {
  if (auto known = n.known(i)) return known;
  auto dims = n.dims(i);
  if (!dims || dims->size() != 1) return std::nullopt;
  auto length = n.t.solution().dims.asConstant(dims->front());
  if (!length || *length > mostKnown) return std::nullopt;
  Known out{{*length}, {}};
  for (std::int64_t k = 0; k < *length; ++k) out.elements.push_back(n.t.unknownInteger("k"));
  return out;
}

Maybe reshaped(const RuleNode& n) {
  auto a = n.known(0);
  auto shape = n.numbers(1);
  if (!a || !shape) return std::nullopt;
  Sizes given = *shape, had = a->shape;
  std::erase(given, -1);
  // What is inferred leaves out zeros that stand on both sides.
  if (std::erase(given, 0) > 0) std::erase(had, 0);
  for (std::int64_t& size : *shape)
    if (size == -1) size = countOf(had) / countOf(given);
  if (countOf(*shape) != a->count()) return std::nullopt;
  a->shape = *shape;
  return a;
}

Maybe expanded(const RuleNode& n) {
  auto a = n.known(0);
  auto axis = n.number(1);
  if (!a || !axis) return std::nullopt;
  std::int64_t rank = static_cast<std::int64_t>(a->shape.size());
  if (*axis < 0) *axis += rank + 1;
  if (*axis < 0 || *axis > rank) return std::nullopt;
  a->shape.insert(a->shape.begin() + *axis, 1);
  return a;
}

Maybe squeezed(const RuleNode& n) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  if (n.integers("squeeze_dims").empty())
    std::erase(a->shape, 1);
  else if (a->count() == 1 && a->shape.size() == n.integers("squeeze_dims").size())
    a->shape.clear();
  else
    return std::nullopt;
  return a;
}

Maybe range(const RuleNode& n) {
  auto start = n.number(0), limit = n.number(1), delta = n.number(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Known out{{0}, {}};
  for (std::int64_t k = *start; *delta > 0 ? k < *limit : k > *limit; k += *delta) {
    if (out.count() >= mostKnown) return std::nullopt;
    out.elements.push_back(n.t.constant(k));
  }
  out.shape[0] = out.count();
  return out;
}

Maybe filled(const RuleNode& n) {
  auto shape = n.numbers(0);
  auto value = n.known(1);
  if (!shape || !value || value->count() != 1) return std::nullopt;
  for (std::int64_t size : *shape)
    if (size < 0 || size > mostKnown) return std::nullopt;
  if (countOf(*shape) > mostKnown) return std::nullopt;
  return Known{*shape, std::vector<Dim>(static_cast<std::size_t>(countOf(*shape)), value->elements[0])};
}

Maybe likeNumber(const RuleNode& n, std::int64_t value) {
  auto a = n.known(0);
  DimStore& dims = n.t.solution().dims;
  const Type type = n.fact(0).type;
  Dim element = isReal(type) ? realElement(static_cast<double>(value), type, dims) : dims.constant(value);
  if (a) std::fill(a->elements.begin(), a->elements.end(), element);
  return a;
}
Maybe zerosLike(const RuleNode& n) { return likeNumber(n, 0); }
Maybe onesLike(const RuleNode& n) { return likeNumber(n, 1); }

Maybe gathered(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto indices = n.known(1);
  auto at = n.numbers(1);
  if (!a || a->shape.size() != 1 || !at || n.integer("batch_dims") != 0) return std::nullopt;
  if (n.count() > 2 && n.number(2) != 0) return std::nullopt;
  Known out{indices->shape, {}};
  for (std::int64_t i : *at) {
    if (i < 0 || i >= a->count()) return std::nullopt;
    out.elements.push_back(a->elements[static_cast<std::size_t>(i)]);
  }
  return out;
}

Maybe reversed(const RuleNode& n) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() != 1) return std::nullopt;
  if (!axes->empty()) std::reverse(a->elements.begin(), a->elements.end());
  return a;
}

Maybe tiled(const RuleNode& n) {
  auto a = n.known(0);
  auto times = n.number(1);
  if (!a || !times || a->shape.size() != 1 || *times < 0 || a->count() * *times > mostKnown) return std::nullopt;
  Dims out;
  for (std::int64_t i = 0; i < *times; ++i) out.insert(out.end(), a->elements.begin(), a->elements.end());
  return Known::vector(std::move(out));
}

// The shape that a broadcast of two shapes has, where it is visible.
Maybe broadcastArgs(const RuleNode& n) {
  auto a = n.known(0), b = n.known(1);
  if (!a || !b) return std::nullopt;
  if (a->count() < b->count()) std::swap(a, b);
  Dim one = n.t.constant(1);
  std::size_t missing = a->elements.size() - b->elements.size();
  for (std::size_t i = 0; i < b->elements.size(); ++i) {
    Dim& x = a->elements[missing + i];
    Dim y = b->elements[i];
    if (x == y || y == one) continue;
    if (x != one) return std::nullopt;
    x = y;
  }
  return a;
}

Maybe invertedPermutation(const RuleNode& n) {
  auto a = n.numbers(0);
  if (!a) return std::nullopt;
  Dims out(a->size(), n.t.constant(0));
  for (std::size_t i = 0; i < a->size(); ++i) {
    std::int64_t at = (*a)[i];
    if (at < 0 || at >= static_cast<std::int64_t>(a->size())) return std::nullopt;
    out[static_cast<std::size_t>(at)] = n.t.constant(static_cast<std::int64_t>(i));
  }
  return Known::vector(std::move(out));
}

// ---- along axes

std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axis >= 0 && axis < static_cast<std::int64_t>(rank) ? std::optional(static_cast<std::size_t>(axis))
                                                             : std::nullopt;
}

// How many elements lie together from `axis` on.
std::int64_t chunk(const Sizes& shape, std::size_t axis) {
  return countOf(Sizes(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()));
}

Maybe concatenated(const RuleNode& n, std::size_t from, std::size_t to, std::optional<std::int64_t> along) {
  if (!along) return std::nullopt;
  std::vector<Known> parts;
  for (std::size_t i = from; i < to; ++i) {
    auto part = vectorOf(n, i);
    if (!part || (!parts.empty() && part->shape.size() != parts[0].shape.size())) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  if (parts.empty()) return std::nullopt;
  auto axis = axisIn(*along, parts[0].shape.size());
  if (!axis) return std::nullopt;
  Known out{parts[0].shape, {}};
  out.shape[*axis] = 0;
  for (const Known& part : parts) {
    for (std::size_t i = 0; i < part.shape.size(); ++i)
      if (i != *axis && part.shape[i] != out.shape[i]) return std::nullopt;
    out.shape[*axis] += part.shape[*axis];
  }
  if (countOf(out.shape) > mostKnown) return std::nullopt;
  std::int64_t rows = countOf(Sizes(out.shape.begin(), out.shape.begin() + static_cast<std::ptrdiff_t>(*axis)));
  for (std::int64_t row = 0; row < rows; ++row)
    for (const Known& part : parts) {
      std::int64_t length = chunk(part.shape, *axis);
      auto begin = part.elements.begin() + row * length;
      out.elements.insert(out.elements.end(), begin, begin + length);
    }
  return out;
}
Maybe concat(const RuleNode& n) { return concatenated(n, 1, n.count(), n.number(0)); }
Maybe concatV2(const RuleNode& n) { return concatenated(n, 0, n.count() - 1, n.number(n.count() - 1)); }

Maybe pack(const RuleNode& n) {
  std::vector<Known> items;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto item = vectorOf(n, i);
    // An open scalar is a number all the same.
    if (!item && n.isTensor(i) && n.rank(i) == 0) item = Known::scalar(n.t.unknownInteger("k"));
    if (!item || (!items.empty() && item->shape != items[0].shape)) return std::nullopt;
    items.push_back(std::move(*item));
  }
  if (items.empty()) return std::nullopt;
  const Sizes& shape = items[0].shape;
  auto axis = axisIn(n.integer("axis"), shape.size() + 1);
  auto count = static_cast<std::int64_t>(items.size());
  if (!axis || countOf(shape) * count > mostKnown) return std::nullopt;
  Known out{shape, {}};
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(*axis), count);
  std::int64_t length = chunk(shape, *axis);
  std::int64_t rows = length ? countOf(shape) / length : 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const Known& item : items)
      out.elements.insert(out.elements.end(), item.elements.begin() + row * length,
                          item.elements.begin() + (row + 1) * length);
  return out;
}

// ---- cuts

// Of each axis `count` indices, `step` apart from `start`.
struct Cut {
  std::int64_t start = 0, count = 0, step = 1;
};

Known taken(const Known& from, const std::vector<Cut>& cuts, Sizes shape) {
  Known out{std::move(shape), {}};
  std::int64_t count = 1;
  for (const Cut& cut : cuts) count *= cut.count;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0, stride = 1;
    for (std::size_t axis = cuts.size(); axis-- > 0;) {
      const Cut& cut = cuts[axis];
      offset += (cut.start + rest % cut.count * cut.step) * stride;
      rest /= cut.count;
      stride *= from.shape[axis];
    }
    out.elements.push_back(from.elements[static_cast<std::size_t>(offset)]);
  }
  return out;
}

bool bit(std::int64_t mask, std::size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

// A bound that is not given is the near or the far end.
Cut rangeOf(std::int64_t length, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
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

Maybe strided(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto begin = n.numbers(1), end = n.numbers(2), step = n.numbers(3);
  if (!a || !begin || !end || !step) return std::nullopt;
  std::size_t count = step->size(), axis = 0, used = 0;
  if (begin->size() != count || end->size() != count) return std::nullopt;
  std::int64_t ellipsis = n.integer("ellipsis_mask"), added = n.integer("new_axis_mask");
  for (std::size_t i = 0; i < count; ++i)
    if (!bit(ellipsis, i) && !bit(added, i)) ++used;
  if (used > a->shape.size()) return std::nullopt;
  std::vector<Cut> cuts;
  Sizes shape;
  auto whole = [&] {
    cuts.push_back({0, a->shape[axis], 1});
    shape.push_back(a->shape[axis++]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (bit(ellipsis, i)) {
      for (std::size_t k = used; k < a->shape.size(); ++k) whole();
    } else if (bit(added, i)) {
      shape.push_back(1);
    } else if ((*step)[i] == 0) {
      return std::nullopt;
    } else if (bit(n.integer("shrink_axis_mask"), i)) {
      std::int64_t length = a->shape[axis++], at = (*begin)[i] < 0 ? (*begin)[i] + length : (*begin)[i];
      if (at < 0 || at >= length) return std::nullopt;
      cuts.push_back({at, 1, 1});
    } else {
      auto bound = [&](const Sizes& bounds, std::string_view mask) {
        return bit(n.integer(mask), i) ? std::nullopt : std::optional(bounds[i]);
      };
      cuts.push_back(rangeOf(a->shape[axis++], bound(*begin, "begin_mask"), bound(*end, "end_mask"), (*step)[i]));
      shape.push_back(cuts.back().count);
    }
  }
  while (axis < a->shape.size()) whole();
  return taken(*a, cuts, std::move(shape));
}

Maybe sliced(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto begin = n.numbers(1), size = n.numbers(2);
  if (!a || !begin || !size || begin->size() != a->shape.size() || size->size() != a->shape.size()) return std::nullopt;
  std::vector<Cut> cuts;
  Sizes shape;
  for (std::size_t i = 0; i < a->shape.size(); ++i) {
    std::int64_t at = (*begin)[i], count = (*size)[i] == -1 ? a->shape[i] - at : (*size)[i];
    if (at < 0 || count < 0 || count > a->shape[i] - at) return std::nullopt;
    cuts.push_back({at, count, 1});
    shape.push_back(count);
  }
  return taken(*a, cuts, std::move(shape));
}

// Consecutive parts of an axis.
Parts cutAlong(const Known& whole, std::size_t axis, const Sizes& lengths, bool drop) {
  Parts parts;
  std::int64_t at = 0;
  for (std::int64_t length : lengths) {
    if (length < 0 || length > whole.shape[axis] - at) return {};
    std::vector<Cut> cuts;
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

Parts unpacked(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto axis = a ? axisIn(n.integer("axis"), a->shape.size()) : std::nullopt;
  if (!axis) return {};
  return cutAlong(*a, *axis, Sizes(static_cast<std::size_t>(a->shape[*axis]), 1), true);
}

Parts split(const RuleNode& n) {
  auto a = vectorOf(n, 1);
  auto along = n.number(0);
  if (!a || !along) return {};
  auto axis = axisIn(*along, a->shape.size());
  std::int64_t count = n.integer("num_split");
  if (!axis || count <= 0 || a->shape[*axis] % count != 0) return {};
  return cutAlong(*a, *axis, Sizes(static_cast<std::size_t>(count), a->shape[*axis] / count), false);
}

Parts splitV(const RuleNode& n) {
  auto a = vectorOf(n, 0);
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

Parts shapes(const RuleNode& n) {
  Parts parts;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto dims = n.dims(i);
    parts.push_back(dims ? Maybe(Known::vector(*dims)) : std::nullopt);
  }
  return parts;
}

// Zeros, and along the axis what the parts before take.
Parts concatOffsets(const RuleNode& n) {
  Parts parts;
  auto axis = n.number(0);
  Dim at = n.t.constant(0);
  for (std::size_t i = 1; axis && i < n.count(); ++i) {
    auto shape = vectorOf(n, i);
    auto along = shape ? axisIn(*axis, shape->elements.size()) : std::nullopt;
    if (!along) return {};
    Dims offsets(shape->elements.size(), n.t.constant(0));
    offsets[*along] = at;
    at = n.t.solution().dims.add(at, shape->elements[*along]);
    parts.emplace_back(Known::vector(std::move(offsets)));
  }
  return parts;
}

Maybe transposed(const RuleNode& n) {
  auto a = n.known(0);
  auto perm = n.numbers(1);
  if (!a || a->shape.size() != 2 || perm != Sizes{1, 0}) return a && perm && a->shape.size() <= 1 ? a : std::nullopt;
  Known out{{a->shape[1], a->shape[0]}, {}};
  for (std::int64_t column = 0; column < a->shape[1]; ++column)
    for (std::int64_t row = 0; row < a->shape[0]; ++row)
      out.elements.push_back(a->elements[static_cast<std::size_t>(row * a->shape[1] + column)]);
  return out;
}

// Vectors of indices and of what stands there; each place is filled.
Maybe stitched(const RuleNode& n) {
  std::size_t parts = n.count() / 2;
  Dims out;
  std::vector<bool> filled;
  for (std::size_t i = 0; i < parts; ++i) {
    auto indices = n.numbers(i);
    auto data = vectorOf(n, parts + i);
    if (!indices || !data || indices->size() != data->elements.size()) return std::nullopt;
    for (std::size_t k = 0; k < indices->size(); ++k) {
      std::int64_t at = (*indices)[k];
      if (at < 0 || at >= mostKnown) return std::nullopt;
      auto place = static_cast<std::size_t>(at);
      if (place >= out.size()) {
        out.resize(place + 1, n.t.constant(0));
        filled.resize(place + 1, false);
      }
      out[place] = data->elements[k];
      filled[place] = true;
    }
  }
  if (std::find(filled.begin(), filled.end(), false) != filled.end()) return std::nullopt;
  return Known::vector(std::move(out));
}

// What of the first list the second has not, and where it stands.
Parts listDifference(const RuleNode& n) {
  auto a = n.numbers(0), b = n.numbers(1);
  if (!a || !b) return {};
  Dims kept, places;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (std::find(b->begin(), b->end(), (*a)[i]) != b->end()) continue;
    kept.push_back(n.t.constant((*a)[i]));
    places.push_back(n.t.constant(static_cast<std::int64_t>(i)));
  }
  return {Known::vector(std::move(kept)), Known::vector(std::move(places))};
}

std::vector<std::optional<Known>> sampleRate(const RuleNode& n) {
  if (n.count() < 1 || !n.fact(0).sampleRate) return {};
  return {std::nullopt, Known::scalar(n.t.constant(*n.fact(0).sampleRate))};
}

constexpr ValueRule rows[] = {
    {"Reshape", reshaped},
    {"ExpandDims", expanded},
    {"Squeeze", squeezed},
    {"Range", range},
    {"Fill", filled},
    {"ZerosLike", zerosLike},
    {"OnesLike", onesLike},
    {"Gather", gathered},
    {"GatherV2", gathered},
    {"ReverseV2", reversed},
    {"Tile", tiled},
    {"BroadcastArgs", broadcastArgs},
    {"InvertPermutation", invertedPermutation},
    {"Pack", pack},
    {"Concat", concat},
    {"ConcatV2", concatV2},
    {"ParallelConcat", [](const RuleNode& n) { return concatenated(n, 0, n.count(), 0); }},
    {"StridedSlice", strided},
    {"Slice", sliced},
    {"Transpose", transposed},
    {"EnsureShape", [](const RuleNode& n) { return n.known(0); }},
    {"DynamicStitch", stitched},
    {"ParallelDynamicStitch", stitched},
    {"Unpack", nullptr, unpacked},
    {"Split", nullptr, split},
    {"SplitV", nullptr, splitV},
    {"ShapeN", nullptr, shapes},
    {"ConcatOffset", nullptr, concatOffsets},
    {"DecodeWav", nullptr, sampleRate},
    {"ListDiff", nullptr, listDifference},
};

}  // namespace

std::span<const ValueRule> arrayValues() { return rows; }

}  // namespace axle::tensorflow
