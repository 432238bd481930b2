// Gathers and scatters: elements at computed indices. The element type matters only in modes that combine elements.
#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/indices.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/reductions.h"
#include "runtime/kernels/strided.h"

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

// Modes: 0 replace, 1 add, 2 multiply, 3 maximum, 4 minimum.
Combine combineOf(std::int64_t mode, Elem elem) {
  static constexpr Combine puts[] = {put<1>, put<2>, put<4>, put<8>};
  const std::size_t width = info(elem).bytes;
  switch (mode) {
    case 0:
      return puts[width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3];
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

// Calls each(position in a tensor of `shape`, position in the ids) for all elements of ids p@[k]@s; an id is a position
// along the axis of p@[n]@s.
template <class Each>
bool alongAxis(const Shape& shape, const TensorView& ids, int axis, Fault& fault, Each each) {
  const std::int64_t outer = product(shape, 0, axis), n = shape[axis], k = ids.shape[axis],
                     inner = product(shape, axis + 1, shape.rank());
  std::int64_t tile[idsPerTile];
  for (std::int64_t o = 0, at = 0; o < outer; ++o)
    for (std::int64_t j = 0; j < k; ++j)
      for (std::int64_t i = 0; i < inner; ++i, ++at) {
        if (at % idsPerTile == 0 && !readIds(ids, at, std::min(idsPerTile, outer * k * inner - at), n, tile, fault))
          return false;
        each((o * n + tile[at % idsPerTile]) * inner + i, at);
      }
  return true;
}

bool runGatherElements(Step& step, Fault& fault) {
  const std::size_t width = info(step.out(0).elem).bytes;
  const auto* from = step.in(0).as<std::byte>();
  auto* to = step.out(0).as<std::byte>();
  return alongAxis(
      step.in(0).shape, step.in(1), static_cast<int>(step.integer(0)), fault, [&](std::int64_t place, std::int64_t at) {
        std::memcpy(to + static_cast<std::size_t>(at) * width, from + static_cast<std::size_t>(place) * width, width);
      });
}

// ints: axis, mode
bool runScatterElements(Step& step, Fault& fault) {
  const std::size_t width = info(step.out(0).elem).bytes;
  const Combine combine = combineOf(step.integer(1), step.out(0).elem);
  const auto* from = step.in(2).as<std::byte>();
  auto* to = step.out(0).as<std::byte>();
  std::memcpy(to, step.in(0).data, step.out(0).bytes());
  return alongAxis(
      step.in(0).shape, step.in(1), static_cast<int>(step.integer(0)), fault, [&](std::int64_t place, std::int64_t at) {
        combine(to + static_cast<std::size_t>(place) * width, from + static_cast<std::size_t>(at) * width, 1);
      });
}

// Calls each(position of the block, row of the ids): the rows of ids q@[r] select blocks of the trailing axes of
// `shape`.
template <class Each>
bool blocks(const Shape& shape, const TensorView& ids, Fault& fault, Each each) {
  const int r = static_cast<int>(ids.shape[ids.shape.rank() - 1]);
  const std::int64_t rows = product(ids.shape, 0, ids.shape.rank() - 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t place = 0, id = 0;
    for (int axis = 0; axis < r; ++axis) {
      if (!readIds(ids, row * r + axis, 1, shape[axis], &id, fault)) return false;
      place = place * shape[axis] + id;
    }
    each(place, row);
  }
  return true;
}

std::int64_t blockSize(const Step& step) {
  const TensorView& ids = step.in(1);
  return product(step.in(0).shape, static_cast<int>(ids.shape[ids.shape.rank() - 1]), step.in(0).shape.rank());
}

bool runGatherNd(Step& step, Fault& fault) {
  const std::size_t bytes = static_cast<std::size_t>(blockSize(step)) * info(step.out(0).elem).bytes;
  const auto* from = step.in(0).as<std::byte>();
  auto* to = step.out(0).as<std::byte>();
  return blocks(step.in(0).shape, step.in(1), fault, [&](std::int64_t place, std::int64_t row) {
    std::memcpy(to + static_cast<std::size_t>(row) * bytes, from + static_cast<std::size_t>(place) * bytes, bytes);
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
  return blocks(step.in(0).shape, step.in(1), fault, [&](std::int64_t place, std::int64_t row) {
    combine(to + static_cast<std::size_t>(place) * bytes, from + static_cast<std::size_t>(row) * bytes, block);
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

}  // namespace

const char* prepareGatherElements(Step& step) {
  step.kernel = runGatherElements;
  if (!(step.out(0).shape == step.in(1).shape)) return "the result has another shape";
  return alongAxisProblem(step);
}

const char* prepareScatterElements(Step& step) {
  step.kernel = runScatterElements;
  if (!(step.in(2).shape == step.in(1).shape)) return "the updates have another shape";
  const char* problem = alongAxisProblem(step);
  return problem == nullptr ? updatesProblem(step, step.integer(1)) : problem;
}

const char* prepareGatherNd(Step& step) {
  step.kernel = runGatherNd;
  return blocksProblem(step, step.out(0).shape);
}

const char* prepareScatterNd(Step& step) {
  step.kernel = runScatterNd;
  const char* problem = blocksProblem(step, step.in(2).shape);
  return problem == nullptr ? updatesProblem(step, step.integer(0)) : problem;
}

}  // namespace axle::runtime
