// Operators that slice tensors: ranges of axes, single indices, equal and unequal parts.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/operators/slicing.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::slicing {
namespace {

// Returns a bound as an index from the front. None if its sign is not known.
std::optional<Dim> fromFront(RuleNode& n, Dim bound, Dim length) {
  DimStore& dims = n.t.solution().dims;
  if (auto value = dims.asConstant(bound)) return *value < 0 ? dims.add(length, bound) : bound;
  if (!isSize(n, bound)) return std::nullopt;
  // A length is never negative, even if its formula could be.
  if (isAtLeast(n, bound, n.t.constant(0)) || isAtLeast(n, bound, length)) return bound;
  if (isAtLeast(n, n.t.constant(-1), bound)) return dims.add(length, bound);
  return std::nullopt;
}

// The same for a reversed axis: 0 is the last element.
std::optional<Dim> fromBack(RuleNode& n, Dim bound, Dim length) {
  DimStore& dims = n.t.solution().dims;
  auto front = fromFront(n, bound, length);
  if (!front) return std::nullopt;
  return dims.sub(dims.sub(length, n.t.constant(1)), *front);
}

struct Strided {
  std::optional<Known> begin, end;
  std::vector<std::int64_t> steps;

  static std::optional<Dim> at(const std::optional<Known>& bounds, std::size_t i) {
    return bounds && i < bounds->elements.size() ? std::optional(bounds->elements[i]) : std::nullopt;
  }
};

constexpr Message<arg::Name, arg::Number> singleIndexStride{
    codes::nodeMisfit, "{} takes single indices with stride {}, but it must be positive there", "this stride"};

constexpr Message<arg::Name, arg::Size, Phrase> indexBeyondAxis{
    codes::nodeMisfit, "{} takes index {} of an axis that has {}", "this index is out of bounds"};

// Returns the cut of a single index. None after an error.
std::optional<Cut> shrink(RuleNode& n, const Strided& s, std::size_t i, Dim length) {
  DimStore& dims = n.t.solution().dims;
  Cut cut;
  cut.shrunk = true;
  if (s.steps[i] < 1) {
    n.fail(singleIndexStride, n.opName(), arg::Number{s.steps[i]});
    return std::nullopt;
  }
  auto bound = Strided::at(s.begin, i);
  auto index = bound ? fromFront(n, *bound, length) : std::nullopt;
  cut.open = !index;
  if (!index) return cut;
  auto value = dims.asConstant(*index), size = dims.asConstant(length);
  if ((value && *value < 0) || (value && size && *value >= *size)) {
    n.fail(indexBeyondAxis, n.opName(), arg::Size{dims.print(*bound)},
           size ? Phrase("{} elements", arg::Number{*size}) : Phrase("fewer elements"));
    return std::nullopt;
  }
  cut.start = *index;
  cut.stop = dims.add(*index, n.t.constant(1));
  return cut;
}

Cut range(RuleNode& n, const Strided& s, std::size_t i, Dim length) {
  Dim zero = n.t.constant(0);
  Cut cut;
  cut.turned = s.steps[i] < 0;
  cut.step = cut.turned ? -std::max(s.steps[i], -INT64_MAX) : s.steps[i];
  auto clamped = [&](const std::optional<Known>& bounds, std::string_view mask, Dim masked) -> std::optional<Dim> {
    if (isSet(n.integer(mask), i)) return masked;
    auto bound = Strided::at(bounds, i);
    auto index = !bound ? bound : cut.turned ? fromBack(n, *bound, length) : fromFront(n, *bound, length);
    return index ? std::optional(smaller(n, larger(n, *index, zero), length)) : std::nullopt;
  };
  auto start = clamped(s.begin, "begin_mask", zero), stop = clamped(s.end, "end_mask", length);
  cut.open = !start || !stop;
  if (cut.open) return cut;
  cut.start = *start;
  cut.stop = larger(n, *stop, *start);
  cut.whole = cut.step == 1 && cut.start == zero && cut.stop == length;
  return cut;
}

}  // namespace

constexpr Message<arg::Name, arg::Number, arg::Number> tooManyIndices{
    codes::nodeMisfit, "{} has indices for {} axes, but its tensor has rank {}", "here"};

constexpr Message<arg::Name> strideZero{codes::nodeMisfit, "{} has stride 0", "this stride"};

std::optional<std::vector<Cut>> cutsOf(RuleNode& n, const Dims& dims) {
  auto steps = n.numbers(3);
  if (!steps) return std::nullopt;
  const Strided s{n.known(1), n.known(2), std::move(*steps)};
  std::int64_t ellipsis = n.integer("ellipsis_mask"), added = n.integer("new_axis_mask");
  std::size_t used = 0, count = s.steps.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!isSet(ellipsis, i) && !isSet(added, i)) ++used;
  if (used > dims.size()) {
    n.fail(tooManyIndices, n.opName(), arg::Number{used}, arg::Number{dims.size()});
    return std::nullopt;
  }
  std::vector<Cut> cuts;
  std::size_t axis = 0;
  Cut whole;
  whole.whole = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (isSet(ellipsis, i)) {
      for (std::size_t k = used; k < dims.size(); ++k, ++axis) cuts.push_back(whole);
    } else if (isSet(added, i)) {
      cuts.emplace_back().added = true;
    } else if (s.steps[i] == 0) {
      n.fail(strideZero, n.opName());
      return std::nullopt;
    } else if (isSet(n.integer("shrink_axis_mask"), i)) {
      auto cut = shrink(n, s, i, dims[axis++]);
      if (!cut) return std::nullopt;
      cuts.push_back(*cut);
      cuts.back().place = i;
    } else {
      cuts.push_back(range(n, s, i, dims[axis++]));
      cuts.back().place = i;
    }
  }
  for (; axis < dims.size(); ++axis) cuts.push_back(whole);
  return cuts;
}

namespace {

Dims cutSizes(RuleNode& n, const std::vector<Cut>& cuts, const Dims& dims) {
  DimStore& store = n.t.solution().dims;
  Dims sizes;
  std::size_t axis = 0;
  for (const Cut& cut : cuts) {
    Dim length = cut.added ? n.t.constant(1) : dims[axis++];
    if (cut.shrunk) continue;
    if (cut.open)
      sizes.push_back(n.t.unknownSize("d"));
    else if (cut.added || cut.whole)
      sizes.push_back(length);
    else
      sizes.push_back(store.ceildiv(store.sub(cut.stop, cut.start), n.t.constant(cut.step)));
  }
  return sizes;
}

Outcome cutAll(RuleNode& n, std::size_t input, const std::vector<Cut>& cuts, const Dims& dims) {
  if (std::any_of(cuts.begin(), cuts.end(), [](const Cut& c) { return c.open; }))
    return giveDims(n, cutSizes(n, cuts, dims));
  std::optional<TypedId> value = n.in(input);
  std::int64_t axis = 0;
  for (const Cut& cut : cuts) {
    if (cut.added) continue;
    StaticId at = n.t.integer(axis++);
    if (cut.turned && value) value = n.op("reverse", {*value}, {{"axis", at}});
    if (!cut.whole && value)
      value = n.op("slice", {*value},
                   {{"axis", at},
                    {"start", n.t.integer(cut.start)},
                    {"stop", n.t.integer(cut.stop)},
                    {"step", n.t.integer(cut.step)}});
  }
  axis = 0;
  for (const Cut& cut : cuts) {
    if (cut.shrunk && value) value = n.op("squeeze", {*value}, {{"axis", n.t.integer(axis)}});
    if (cut.added && value) value = n.op("expand", {*value}, {{"axis", n.t.integer(axis)}});
    if (!cut.shrunk) ++axis;
  }
  return n.give(value);
}

Outcome stridedSliceType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims || !n.numbers(3)) return Outcome::waits;
  auto begin = n.dims(1);
  for (std::size_t input : {2, 3})
    if (auto other = n.dims(input); begin && other && begin->size() == 1 && other->size() == 1)
      if (!n.equate(begin->front(), other->front())) return Outcome::failed;
  auto cuts = cutsOf(n, *dims);
  return cuts ? cutAll(n, 0, *cuts, *dims) : Outcome::failed;
}

constexpr Message<arg::Number, Phrase, arg::Number> sliceBoundsOfOtherRank{
    codes::nodeMisfit, "`Slice` has {} {} for a tensor of rank {}", "one is needed for each axis"};

// A size of -1 takes the rest. Bounds are not clamped.
Outcome sliceType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  DimStore& store = n.t.solution().dims;
  auto begin = n.known(1), size = n.known(2);
  if (!dims) {
    // The input has an axis for each size.
    auto sizes = n.sizes(2);
    for (std::size_t i = 0; sizes && size && i < sizes->size(); ++i)
      if (store.asConstant(size->elements[i]) == -1) (*sizes)[i] = n.t.unknownSize("d");
    if (sizes) giveDims(n, *sizes);
    return Outcome::waits;
  }
  for (std::size_t input : {1, 2})
    if (auto bounds = n.dims(input); bounds && bounds->size() == 1)
      if (auto count = store.asConstant(bounds->front()); count && *count != static_cast<std::int64_t>(dims->size()))
        return n.fail(sliceBoundsOfOtherRank, arg::Number{*count}, input == 1 ? Phrase("starts") : Phrase("sizes"),
                      arg::Number{dims->size()});
  Dims sizes;
  std::vector<Cut> cuts;
  bool open = false;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    auto from = Strided::at(begin, i), taken = Strided::at(size, i);
    bool rest = taken && store.asConstant(*taken) == -1;
    if (from && !isSize(n, *from)) from.reset();
    if (taken && !isSize(n, *taken)) taken.reset();
    open |= !from || !taken;
    Cut& cut = cuts.emplace_back();
    if (from) cut.start = *from;
    if (from && taken) cut.stop = rest ? (*dims)[i] : store.add(*from, *taken);
    cut.whole = from && taken && store.asConstant(*from) == 0 && cut.stop == (*dims)[i];
    bool known = taken && (!rest || from);
    sizes.push_back(!known ? n.t.unknownSize("d") : rest ? store.sub((*dims)[i], *from) : *taken);
  }
  return open ? giveDims(n, sizes) : cutAll(n, 0, cuts, *dims);
}

Outcome splitType(RuleNode& n, std::string_view) {
  auto axis = n.number(0);
  if (!axis) {
    auto rank = n.rank(1);
    for (std::size_t port = 0; rank && static_cast<std::int64_t>(port) < n.integer("num_split", 1); ++port)
      giveDims(n, unknownSizes(n, *rank), port);
    return Outcome::waits;
  }
  return n.give(
      n.op("split", {n.in(1)}, {{"axis", n.t.integer(*axis)}, {"parts", n.t.integer(n.integer("num_split", 1))}}));
}

constexpr Message<arg::Name, arg::Number, arg::Number> partsOfOtherCount{
    codes::nodeMisfit, "{} has {} sizes, but gives {} parts", "its attribute `num_split` says {2}"};

constexpr Message<arg::Number, arg::Number, arg::Number> partsOfOtherSize{
    codes::nodeMisfit, "`SplitV` cuts {} elements along axis {} into parts of {} elements in total",
    "{2} and not {0} elements"};

// One size may be -1: the rest.
Outcome splitVType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto given = n.number(2);
  if (!dims || !given) return Outcome::waits;
  auto axis = axisWithin(n, *given, dims->size());
  if (!axis) return Outcome::failed;
  auto sizes = n.known(1);
  auto count = static_cast<std::size_t>(std::max<std::int64_t>(n.integer("num_split"), 0));
  DimStore& store = n.t.solution().dims;
  if (sizes && sizes->elements.size() != count)
    return n.fail(partsOfOtherCount, n.opName(), arg::Number{sizes->elements.size()}, arg::Number{count});
  if (!sizes || !std::all_of(sizes->elements.begin(), sizes->elements.end(), [&](Dim d) { return isSize(n, d); })) {
    for (std::size_t port = 0; port < count; ++port) {
      (*dims)[*axis] = n.t.unknownSize("d");
      if (giveDims(n, *dims, port) != Outcome::done) return Outcome::unknown;
    }
    return Outcome::done;
  }
  Dim total = n.t.constant(0);
  Dim* rest = nullptr;
  for (Dim& size : sizes->elements) {
    if (store.asConstant(size) == -1)
      rest = &size;
    else
      total = store.add(total, size);
  }
  if (rest) *rest = store.sub((*dims)[*axis], total);
  auto whole = store.asConstant((*dims)[*axis]), cut = store.asConstant(total);
  if (!rest && whole && cut && *whole != *cut)
    return n.fail(partsOfOtherSize, arg::Number{*whole}, arg::Number{*axis}, arg::Number{*cut});
  if (!rest && !n.equate((*dims)[*axis], total)) return Outcome::failed;
  std::vector<TypedId> parts;
  Dim at = n.t.constant(0);
  for (Dim size : sizes->elements) {
    Dim stop = store.add(at, size);
    auto part = n.op("slice", {n.in(0)},
                     {{"axis", n.t.integer(static_cast<std::int64_t>(*axis))},
                      {"start", n.t.integer(at)},
                      {"stop", n.t.integer(stop)}});
    if (!part) return Outcome::failed;
    parts.push_back(*part);
    at = stop;
  }
  return n.give(std::move(parts));
}

constexpr Message<arg::Name, arg::Number, arg::Number, arg::Number> unpackedAxis{
    codes::nodeMisfit, "{} makes {} tensors of axis {}, which has {} elements", "num={1} for {3} elements"};

Outcome unpackType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  auto axis = axisWithin(n, n.integer("axis"), dims->size());
  if (!axis) return Outcome::failed;
  const std::int64_t parts = n.integer("num");
  if (auto size = n.t.solution().dims.asConstant((*dims)[*axis]); size && *size != parts)
    return n.fail(unpackedAxis, n.opName(), arg::Number{parts}, arg::Number{*axis}, arg::Number{*size});
  if (!n.equate((*dims)[*axis], n.t.constant(parts))) return Outcome::failed;
  return n.give(n.op("unstack", {n.in(0)}, {{"axis", n.t.integer(static_cast<std::int64_t>(*axis))}}));
}

// The gradient of a slice has the shape of the sliced tensor.
Outcome sliceGradientType(RuleNode& n, std::string_view) { return giveSizesOf(n, 0); }

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                       type               value               formula
    {"StridedSlice",              stridedSliceType,  stridedSliceValue,  {byPartsFormula, stridedSliceFormula}},
    {"Slice",                     sliceType,         sliceValue,         {byPartsFormula, sliceFormula}},
    {"Split",                     splitType,         splitValue,         byPartsFormula},
    {"SplitV",                    splitVType,        splitVValue,        byPartsFormula},
    {"Unpack",                    unpackType,        unpackValue,        byPartsFormula},
    {"StridedSliceGrad",          sliceGradientType},
    {"TensorStridedSliceUpdate",  likeFirstInput},
    {"StridedSliceAssign",        likeFirstInput},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::slicing
