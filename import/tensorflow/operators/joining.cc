// Operators that join tensors along an axis.
#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::joining {
namespace {

Outcome packType(RuleNode& n, std::string_view) {
  return n.give(n.op("stack", n.ins(), {{"axis", n.t.integer(n.integer("axis"))}}));
}

Outcome joined(RuleNode& n, std::size_t from, std::size_t to, std::optional<std::int64_t> axis) {
  if (!axis) {
    std::optional<std::size_t> rank;
    for (std::size_t i = from; i < to && !rank; ++i) rank = n.rank(i);
    if (rank) giveDims(n, unknownSizes(n, *rank));
    return Outcome::waits;
  }
  std::vector<TypedId> parts;
  for (std::size_t i = from; i < to; ++i) parts.push_back(n.in(i));
  if (parts.size() == 1) return n.give(std::move(parts));
  return n.give(n.op("concat", std::move(parts), {{"axis", n.t.integer(*axis)}}));
}

Outcome concatType(RuleNode& n, std::string_view) { return joined(n, 1, n.count(), n.number(0)); }
Outcome concatV2Type(RuleNode& n, std::string_view) { return joined(n, 0, n.count() - 1, n.number(n.count() - 1)); }
Outcome parallelConcatType(RuleNode& n, std::string_view) { return joined(n, 0, n.count(), 0); }

// Gives the start of each part in the whole: a vector for each, as long as its shape.
Outcome concatOffsetType(RuleNode& n, std::string_view) {
  for (std::size_t i = 1; i < n.count(); ++i) {
    auto dims = n.dims(i);
    if (!dims) return Outcome::waits;
    if (Outcome made = giveDims(n, *dims, i - 1); made != Outcome::done) return made;
  }
  return Outcome::done;
}

// ---- values

std::optional<Known> concatenated(const RuleNode& n, std::size_t from, std::size_t to,
                                  std::optional<std::int64_t> along) {
  if (!along) return std::nullopt;
  std::vector<Known> parts;
  for (std::size_t i = from; i < to; ++i) {
    auto part = n.knownVector(i);
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
      std::int64_t length = elementsFrom(part.shape, *axis);
      auto begin = part.elements.begin() + row * length;
      out.elements.insert(out.elements.end(), begin, begin + length);
    }
  return out;
}

std::optional<Known> concatValue(const RuleNode& n) { return concatenated(n, 1, n.count(), n.number(0)); }
std::optional<Known> concatV2Value(const RuleNode& n) {
  return concatenated(n, 0, n.count() - 1, n.number(n.count() - 1));
}

std::optional<Known> parallelConcatValue(const RuleNode& n) { return concatenated(n, 0, n.count(), 0); }

std::optional<Known> packValue(const RuleNode& n) {
  std::vector<Known> items;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto item = n.knownVector(i);
    // A scalar of unknown value is an open number.
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
  std::int64_t length = elementsFrom(shape, *axis);
  std::int64_t rows = length ? countOf(shape) / length : 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const Known& item : items)
      out.elements.insert(out.elements.end(), item.elements.begin() + row * length,
                          item.elements.begin() + (row + 1) * length);
  return out;
}

// Computes the offset of each part: 0, and along the axis the sum of the sizes before it.
KnownValues concatOffsetValue(const RuleNode& n) {
  KnownValues parts;
  auto axis = n.number(0);
  Dim at = n.t.constant(0);
  for (std::size_t i = 1; axis && i < n.count(); ++i) {
    auto shape = n.knownVector(i);
    auto along = shape ? axisIn(*axis, shape->elements.size()) : std::nullopt;
    if (!along) return {};
    Dims offsets(shape->elements.size(), n.t.constant(0));
    offsets[*along] = at;
    at = n.t.solution().dims.add(at, shape->elements[*along]);
    parts.emplace_back(Known::vector(std::move(offsets)));
  }
  return parts;
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name             type                 value                 formula
    {"Pack",            packType,            packValue,            byPartsFormula},
    {"Concat",          concatType,          concatValue,          byPartsFormula},
    {"ConcatV2",        concatV2Type,        concatV2Value,        byPartsFormula},
    {"ParallelConcat",  parallelConcatType,  parallelConcatValue},
    {"ConcatOffset",    concatOffsetType,    concatOffsetValue},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::joining
