// Gathers and scatters: elements at computed indices. The element type matters only in modes that combine elements.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "runtime/kernels/copy_blocks.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/indices.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/reductions.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {

bool readIds(const TensorView& ids, std::int64_t from, std::int64_t count, std::int64_t size, std::int64_t* to,
             Fault& fault) {
  return forElem<ints>(ids.elem, [&]<class Id>() {
           const Id* id = ids.as<Id>() + from;
           for (std::int64_t i = 0; i < count; ++i) {
             to[i] = static_cast<std::int64_t>(id[i]);
             if (id[i] >= Id{0} && static_cast<std::uint64_t>(id[i]) < static_cast<std::uint64_t>(size)) continue;
             fault.code = ErrorCode::indexOutOfRange;
             fault.message =
                 "index " + std::to_string(id[i]) + " is out of range for an axis of size " + std::to_string(size);
             return 0.0F;
           }
           return 1.0F;
         }) != 0;
}

namespace {

constexpr std::int64_t idsPerTile = 64;

// Combines `count` elements of an update with those of the result, in order.
using Combine = void (*)(std::byte* to, const std::byte* from, std::int64_t count);

template <int width>
void put(std::byte* to, const std::byte* from, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * width);
}

template <class T, template <class> class Reduction>
void take(std::byte* to, const std::byte* from, std::int64_t count) {
  using R = Reduction<T>;
  T* y = reinterpret_cast<T*>(to);
  const T* x = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < count; ++i) y[i] = R::finish(R::combine(R::of(y[i]), R::of(x[i])));
}

template <template <class> class Reduction>
Combine reducing(Elem elem) {
  return forElem<numbers>(kernelElem<Reduction>(elem), []<class T>() -> Combine { return &take<T, Reduction>; });
}

// Of an element: of 1, 2, 4 or 8 bytes.
std::size_t indexOfWidth(Elem elem) {
  const std::size_t width = info(elem).bytes;
  return width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
}

// Modes: 0 replace, 1 add, 2 multiply, 3 maximum, 4 minimum.
Combine combineOf(std::int64_t mode, Elem elem) {
  static constexpr Combine puts[] = {put<1>, put<2>, put<4>, put<8>};
  switch (mode) {
    case 0:
      return puts[indexOfWidth(elem)];
    case 1:
      return reducing<SumOf>(elem);
    case 2:
      return reducing<ProductOf>(elem);
    case 3:
      return reducing<MaxOf>(elem);
    case 4:
      return reducing<MinOf>(elem);
    default:
      return nullptr;
  }
}

// (data p@[n]@s, ids q) -> p@q@s. Parts divide p, or q if p is smaller than their number.
bool runGather(Step& step, Part part, Fault& fault) {
  constexpr std::int64_t mostIds = 512;
  const TensorView &data = step.in(0), &ids = step.in(1);
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t outer = product(data.shape, 0, axis), n = data.shape[axis], count = ids.shape.elements();
  const std::size_t bytes =
      static_cast<std::size_t>(product(data.shape, axis + 1, data.shape.rank())) * info(data.elem).bytes;
  const bool dividesIds = outer < part.count;
  const Part rows = dividesIds ? Part() : part, columns = dividesIds ? part : Part();
  std::int64_t id[mostIds];
  for (std::int64_t i = columns.begin(count), end = columns.end(count); i < end; i += mostIds) {
    const std::int64_t tile = std::min(mostIds, end - i);
    if (!readIds(ids, i, tile, n, id, fault)) return false;
    for (std::int64_t o = rows.begin(outer); o < rows.end(outer); ++o)
      copyBlocks(step.out(0).as<std::byte>() + static_cast<std::size_t>(o * count + i) * bytes,
                 data.as<std::byte>() + static_cast<std::size_t>(o * n) * bytes, id, tile, bytes);
  }
  return true;
}

// Calls each(position in a tensor of `shape`, position in the ids) for the elements of a part of ids p@[k]@s; an id is
// a position along the axis of p@[n]@s.
template <class Each>
bool alongAxis(const Shape& shape, const TensorView& ids, int axis, Part part, Fault& fault, Each each) {
  const std::int64_t all = ids.shape.elements(), n = shape[axis], k = ids.shape[axis],
                     inner = product(shape, axis + 1, shape.rank()), begin = part.begin(all), end = part.end(all);
  if (begin == end) return true;
  std::int64_t tile[idsPerTile];
  std::int64_t i = begin % inner, j = begin / inner % k, line = begin / inner / k * n * inner;
  for (std::int64_t first = begin; first < end; first += idsPerTile) {
    const std::int64_t count = std::min(idsPerTile, end - first);
    if (!readIds(ids, first, count, n, tile, fault)) return false;
    for (std::int64_t at = 0; at < count; ++at) {
      each(line + tile[at] * inner + i, first + at);
      if (++i < inner) continue;
      i = 0;
      if (++j < k) continue;
      j = 0, line += n * inner;
    }
  }
  return true;
}

template <class T>
bool runGatherElements(Step& step, Part part, Fault& fault) {
  const T* const from = step.in(0).as<T>();
  T* const to = step.out(0).as<T>();
  return alongAxis(step.in(0).shape, step.in(1), static_cast<int>(step.integer(0)), part, fault,
                   [&](std::int64_t place, std::int64_t at) { to[at] = from[place]; });
}

// ints: axis, mode
bool runScatterElements(Step& step, Fault& fault) {
  const std::size_t width = info(step.out(0).elem).bytes;
  const Combine combine = combineOf(step.integer(1), step.out(0).elem);
  const auto* from = step.in(2).as<std::byte>();
  auto* to = step.out(0).as<std::byte>();
  std::memcpy(to, step.in(0).data, step.out(0).bytes());
  return alongAxis(step.in(0).shape, step.in(1), static_cast<int>(step.integer(0)), {}, fault,
                   [&](std::int64_t place, std::int64_t at) {
                     combine(to + static_cast<std::size_t>(place) * width, from + static_cast<std::size_t>(at) * width,
                             1);
                   });
}

// Reads whole rows of ids, each a position in `shape`. Returns false and sets the fault if an id is out of range.
bool readPositions(const Shape& shape, const TensorView& ids, std::int64_t from, std::int64_t count, std::int64_t* to,
                   Fault& fault) {
  const auto r = ids.shape[ids.shape.rank() - 1];
  Fault ofAny;
  bool isInside = readIds(ids, from, count, std::numeric_limits<std::int64_t>::max(), to, ofAny);
  for (std::int64_t i = 0; i < count && isInside; ++i) isInside = to[i] < shape[static_cast<int>(i % r)];
  for (std::int64_t i = 0; i < count && !isInside; ++i)  // finds the first one outside
    if (!readIds(ids, from + i, 1, shape[static_cast<int>(i % r)], to + i, fault)) return false;
  return true;
}

// Calls each(positions of blocks, first row of the ids, number of rows) for a part of the rows of ids q@[r], which
// select blocks of the trailing axes of `shape`.
template <class Each>
bool blocks(const Shape& shape, const TensorView& ids, Part part, Fault& fault, Each each) {
  const std::int64_t r = ids.shape[ids.shape.rank() - 1], rows = product(ids.shape, 0, ids.shape.rank() - 1),
                     end = part.end(rows);
  std::int64_t tile[idsPerTile], places[idsPerTile];
  const std::int64_t most = idsPerTile / std::max<std::int64_t>(r, 1);
  for (std::int64_t row = part.begin(rows); row < end; row += most) {
    const std::int64_t count = std::min(most, end - row);
    if (!readPositions(shape, ids, row * r, count * r, tile, fault)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
      places[i] = 0;
      for (int axis = 0; axis < static_cast<int>(r); ++axis) places[i] = places[i] * shape[axis] + tile[i * r + axis];
    }
    each(places, row, count);
  }
  return true;
}

std::int64_t blockSize(const Step& step) {
  const TensorView& ids = step.in(1);
  return product(step.in(0).shape, static_cast<int>(ids.shape[ids.shape.rank() - 1]), step.in(0).shape.rank());
}

bool runGatherNd(Step& step, Part part, Fault& fault) {
  const std::size_t bytes = static_cast<std::size_t>(blockSize(step)) * info(step.out(0).elem).bytes;
  return blocks(step.in(0).shape, step.in(1), part, fault,
                [&](const std::int64_t* places, std::int64_t row, std::int64_t count) {
                  copyBlocks(step.out(0).as<std::byte>() + static_cast<std::size_t>(row) * bytes,
                             step.in(0).as<std::byte>(), places, count, bytes);
                });
}

// ints: mode
bool runScatterNd(Step& step, Fault& fault) {
  const std::int64_t block = blockSize(step);
  const std::size_t bytes = static_cast<std::size_t>(block) * info(step.out(0).elem).bytes;
  const Combine combine = combineOf(step.integer(0), step.out(0).elem);
  const auto* from = step.in(2).as<std::byte>();
  auto* to = step.out(0).as<std::byte>();
  std::memcpy(to, step.in(0).data, step.out(0).bytes());
  return blocks(step.in(0).shape, step.in(1), {}, fault,
                [&](const std::int64_t* places, std::int64_t row, std::int64_t count) {
                  for (std::int64_t i = 0; i < count; ++i)
                    combine(to + static_cast<std::size_t>(places[i]) * bytes,
                            from + static_cast<std::size_t>(row + i) * bytes, block);
                });
}

const char* idsProblem(const Step& step) {
  if (!info(step.in(1).elem).isInt) return "the indices are no integers";
  return step.in(0).elem == step.out(0).elem ? nullptr : "input and output differ in element type";
}

// Checks that the ids are p@[k]@s for a tensor p@[n]@s and the axis. Returns the error, or null.
const char* alongAxisProblem(const Step& step) {
  const Shape &x = step.in(0).shape, &ids = step.in(1).shape;
  if (step.integer(0) < 0 || step.integer(0) >= x.rank() || ids.rank() != x.rank()) return "the axis is out of range";
  for (int i = 0; i < x.rank(); ++i)
    if (i != step.integer(0) && x[i] != ids[i]) return "the shapes differ off the axis";
  return idsProblem(step);
}

// Checks that ids q@[r] name blocks s of p@s, where `blocksShape` is q@s. Returns the error, or null.
const char* blocksProblem(const Step& step, const Shape& blocksShape) {
  const Shape &x = step.in(0).shape, &ids = step.in(1).shape;
  if (ids.rank() == 0 || ids[ids.rank() - 1] > x.rank()) return "an index is longer than the number of axes";
  Shape expected;
  bool fits = true;
  for (int i = 0; i + 1 < ids.rank(); ++i) fits = expected.push(ids[i]) && fits;
  for (int i = static_cast<int>(ids[ids.rank() - 1]); i < x.rank(); ++i) fits = expected.push(x[i]) && fits;
  return fits && expected == blocksShape ? idsProblem(step) : "the blocks have another shape";
}

const char* updatesProblem(const Step& step, std::int64_t mode) {
  if (step.in(2).elem != step.in(0).elem) return "the updates have another element type";
  if (!(step.out(0).shape == step.in(0).shape)) return "input and output differ in shape";
  return combineOf(mode, step.in(0).elem) == nullptr ? "not for this element type" : nullptr;
}

// Of a gather: each block takes the time of a few elements.
std::uint64_t nanosecondsOf(const Step& step) {
  return static_cast<std::uint64_t>(step.in(1).shape.elements()) + step.out(0).bytes() / 8;
}

}  // namespace

const char* prepareGather(Step& step) {
  const TensorView &data = step.in(0), &ids = step.in(1);
  if (step.integer(0) < 0 || step.integer(0) >= data.shape.rank()) return "the axis is out of range";
  Shape expected;
  bool fits = true;
  for (int i = 0; i < data.shape.rank(); ++i) {
    if (i != step.integer(0))
      fits = expected.push(data.shape[i]) && fits;
    else
      for (std::int64_t size : ids.shape) fits = expected.push(size) && fits;
  }
  if (!fits || !(expected == step.out(0).shape)) return "the result has another shape";
  if (const char* problem = idsProblem(step)) return problem;
  return divideStep(step, runGather, nanosecondsOf(step));
}

const char* prepareGatherElements(Step& step) {
  if (!(step.out(0).shape == step.in(1).shape)) return "the result has another shape";
  if (const char* problem = alongAxisProblem(step)) return problem;
  static constexpr PartKernel kernels[] = {runGatherElements<std::uint8_t>, runGatherElements<std::uint16_t>,
                                           runGatherElements<std::uint32_t>, runGatherElements<std::uint64_t>};
  return divideStep(step, kernels[indexOfWidth(step.in(0).elem)], 2 * nanosecondsOf(step));
}

const char* prepareScatterElements(Step& step) {
  step.kernel = runScatterElements;
  if (!(step.in(2).shape == step.in(1).shape)) return "the updates have another shape";
  const char* problem = alongAxisProblem(step);
  return problem == nullptr ? updatesProblem(step, step.integer(1)) : problem;
}

const char* prepareGatherNd(Step& step) {
  if (const char* problem = blocksProblem(step, step.out(0).shape)) return problem;
  return divideStep(step, runGatherNd, nanosecondsOf(step));
}

const char* prepareScatterNd(Step& step) {
  step.kernel = runScatterNd;
  const char* problem = blocksProblem(step, step.in(2).shape);
  return problem == nullptr ? updatesProblem(step, step.integer(0)) : problem;
}

}  // namespace axle::runtime
