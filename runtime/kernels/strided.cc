#include "runtime/kernels/strided.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace axle::runtime {
namespace {

constexpr std::size_t maxCopyAxes = 20;

template <class T>
void copyRow(std::byte* to, const std::byte* from, const CopyAxis& axis) {
  auto* t = reinterpret_cast<T*>(to);
  const auto* f = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < axis.size; ++i) t[i * axis.to] = f[i * axis.from];
}

using CopyRow = void (*)(std::byte*, const std::byte*, const CopyAxis&);

using FourHalves = std::uint16_t __attribute__((vector_size(8)));
using FourWords = std::uint32_t __attribute__((vector_size(16)));

// Stores the columns of a tile as rows that are `pitch` elements apart.
template <class T, std::int64_t width>
void storeTurned(const T (&tile)[width][width], T* to, std::int64_t pitch) {
  if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {  // four by four elements in vectors
    using Four = std::conditional_t<sizeof(T) == 2, FourHalves, FourWords>;
    for (std::int64_t c = 0; c < width; c += 4)
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < width; r += 4) {
        Four rows[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) std::memcpy(&rows[i], &tile[r + i][c], sizeof(Four));
        const Four evenLow = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),
                   oddLow = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),
                   evenHigh = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
                   oddHigh = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
        const Four columns[] = {__builtin_shufflevector(evenLow, oddLow, 0, 1, 4, 5),
                                __builtin_shufflevector(evenLow, oddLow, 2, 3, 6, 7),
                                __builtin_shufflevector(evenHigh, oddHigh, 0, 1, 4, 5),
                                __builtin_shufflevector(evenHigh, oddHigh, 2, 3, 6, 7)};
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) std::memcpy(to + (c + i) * pitch + r, &columns[i], sizeof(Four));
      }
  } else {
    for (std::int64_t c = 0; c < width; ++c)
      for (std::int64_t r = 0; r < width; ++r) to[c * pitch + r] = tile[r][c];
  }
}

// Transposes a matrix: `rows.to` and `columns.from` are 1. Copies tiles as wide as a cache line, so that each line is
// read, and written, at once: lines far apart may evict each other.
template <class T>
void copyTurned(std::byte* to, const std::byte* from, const CopyAxis& rows, const CopyAxis& columns) {
  constexpr auto width = static_cast<std::int64_t>(tensorAlignment / sizeof(T));
  auto* t = reinterpret_cast<T*>(to);
  const auto* f = reinterpret_cast<const T*>(from);
  T tile[width][width];
  for (std::int64_t j = 0; j < columns.size; j += width)
    for (std::int64_t i = 0; i < rows.size; i += width) {
      const std::int64_t high = std::min(width, rows.size - i), wide = std::min(width, columns.size - j);
      T* const first = t + j * columns.to + i;
      if (high == width && wide == width) {
#pragma GCC unroll 4
        for (std::int64_t r = 0; r < width; ++r) std::memcpy(tile[r], f + (i + r) * rows.from + j, sizeof tile[r]);
        storeTurned(tile, first, columns.to);
        continue;
      }
      for (std::int64_t r = 0; r < high; ++r)
        std::memcpy(tile[r], f + (i + r) * rows.from + j, static_cast<std::size_t>(wide) * sizeof(T));
      for (std::int64_t c = 0; c < wide; ++c)
        for (std::int64_t r = 0; r < high; ++r) first[c * columns.to + r] = tile[r][c];
    }
}

using CopyTurned = void (*)(std::byte*, const std::byte*, const CopyAxis&, const CopyAxis&);

// With fewer rows or columns, elements are copied one by one.
constexpr std::int64_t fewestTurned = 8;

}  // namespace

std::array<std::int64_t, maxRank> denseStrides(const Shape& shape) {
  std::array<std::int64_t, maxRank> strides{};
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<std::size_t>(i)] = stride;
    stride *= shape[i] == 0 ? 1 : shape[i];
  }
  return strides;
}

std::int64_t product(const Shape& shape, int from, int to) {
  std::int64_t result = 1;
  for (int i = from; i < to; ++i) result *= shape[i];
  return result;
}

void stridedCopy(void* to, const void* from, std::span<const CopyAxis> axes, std::size_t elemBytes) {
  std::array<CopyAxis, maxCopyAxes> loops;
  std::array<std::int64_t, maxCopyAxes> position{};
  int rank = 0;
  for (const CopyAxis& axis : axes) {
    if (axis.size == 0) return;
    if (axis.size == 1) continue;
    CopyAxis* outer = rank > 0 ? &loops[static_cast<std::size_t>(rank - 1)] : nullptr;
    if (outer != nullptr && outer->to == axis.size * axis.to && outer->from == axis.size * axis.from)
      *outer = {outer->size * axis.size, axis.to, axis.from};
    else
      loops[static_cast<std::size_t>(rank++)] = axis;
  }
  if (rank == 0) loops[static_cast<std::size_t>(rank++)] = {1, 1, 1};
  const CopyAxis inner = loops[static_cast<std::size_t>(rank - 1)];
  const bool dense = inner.to == 1 && inner.from == 1;
  const CopyRow copyRows[] = {copyRow<std::uint8_t>, copyRow<std::uint16_t>, copyRow<std::uint32_t>,
                              copyRow<std::uint64_t>};
  const CopyTurned copiesTurned[] = {copyTurned<std::uint8_t>, copyTurned<std::uint16_t>, copyTurned<std::uint32_t>,
                                     nullptr};
  const std::size_t ofElem = elemBytes == 1 ? 0 : elemBytes == 2 ? 1 : elemBytes == 4 ? 2 : 3;
  const CopyRow row = copyRows[ofElem];
  const CopyTurned turn = copiesTurned[ofElem];  // for the elements of images and of most networks
  CopyAxis columns{};                            // of a matrix to transpose; size 0: none
  if (turn != nullptr && inner.to == 1 && inner.from != 1 && inner.size >= fewestTurned)
    for (int axis = 0; axis + 1 < rank && columns.size == 0; ++axis) {
      CopyAxis& loop = loops[static_cast<std::size_t>(axis)];
      if (loop.from != 1 || loop.size < fewestTurned) continue;
      columns = loop;
      loop.size = 1;
    }
  const auto bytes = static_cast<std::ptrdiff_t>(elemBytes);
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
  while (true) {
    if (dense)
      std::memcpy(t, f, static_cast<std::size_t>(inner.size) * elemBytes);
    else if (columns.size > 0)
      turn(t, f, inner, columns);
    else
      row(t, f, inner);
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      const CopyAxis& loop = loops[static_cast<std::size_t>(axis)];
      t += loop.to * bytes, f += loop.from * bytes;
      if (++position[static_cast<std::size_t>(axis)] < loop.size) break;
      position[static_cast<std::size_t>(axis)] = 0;
      t -= loop.size * loop.to * bytes, f -= loop.size * loop.from * bytes;
    }
    if (axis < 0) return;
  }
}

void stridedCopyPart(void* to, const void* from, std::span<CopyAxis> axes, std::size_t elemBytes, Part part) {
  if (axes.empty() || part.count == 1) {
    if (part.index == 0) stridedCopy(to, from, axes, elemBytes);
    return;
  }
  auto divided = std::find_if(axes.begin(), axes.end(), [&](const CopyAxis& axis) { return axis.size >= part.count; });
  if (divided == axes.end())
    divided = std::max_element(axes.begin(), axes.end(),
                               [](const CopyAxis& a, const CopyAxis& b) { return a.size < b.size; });
  const std::int64_t begin = part.begin(divided->size), bytes = static_cast<std::int64_t>(elemBytes);
  divided->size = part.end(divided->size) - begin;
  stridedCopy(static_cast<std::byte*>(to) + begin * divided->to * bytes,
              static_cast<const std::byte*>(from) + begin * divided->from * bytes, axes, elemBytes);
}

bool stretches(const Shape& shape, const Shape& target) {
  const int lead = target.rank() - shape.rank();
  if (lead < 0) return false;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && shape[i] != target[lead + i]) return false;
  return true;
}

std::array<std::int64_t, maxRank> stridesOf(const TensorView& view) {
  auto strides = denseStrides(view.shape);
  if (view.dense() || view.shape.rank() < 2) return strides;
  std::int64_t stride = view.pitch;
  for (int i = view.shape.rank() - 2; i >= 0; --i) {
    strides[static_cast<std::size_t>(i)] = stride;
    stride *= view.shape[i] == 0 ? 1 : view.shape[i];
  }
  return strides;
}

std::array<std::int64_t, maxRank> broadcastStrides(const TensorView& operand, const Shape& result) {
  std::array<std::int64_t, maxRank> strides{};
  const auto own = stridesOf(operand);
  const int lead = result.rank() - operand.shape.rank();
  for (int i = 0; i < operand.shape.rank(); ++i)
    if (operand.shape[i] != 1)
      strides[static_cast<std::size_t>(lead) + static_cast<std::size_t>(i)] = own[static_cast<std::size_t>(i)];
  return strides;
}

BroadcastLoop::BroadcastLoop(const TensorView& result, std::span<const TensorView* const> operands)
    : tensors_(operands.size() + 1) {
  std::array<std::array<std::int64_t, maxRank>, most> strides;
  strides[0] = stridesOf(result);
  for (std::size_t k = 0; k < operands.size(); ++k) strides[k + 1] = broadcastStrides(*operands[k], result.shape);
  for (int i = 0; i < result.shape.rank(); ++i) {
    if (result.shape[i] == 1) continue;
    Axis axis;
    axis.size = result.shape[i];
    axis.position = 0;
    for (std::size_t k = 0; k < tensors_; ++k) axis.stride[k] = strides[k][static_cast<std::size_t>(i)];
    bool merges = rank_ > 0;
    if (merges) {
      const Axis& outer = axes_[static_cast<std::size_t>(rank_ - 1)];
      for (std::size_t k = 0; k < tensors_; ++k) merges = merges && outer.stride[k] == axis.size * axis.stride[k];
      if (merges) axis.size *= outer.size;
    }
    Axis& to = axes_[static_cast<std::size_t>(merges ? rank_ - 1 : rank_++)];
    to.size = axis.size;
    to.position = 0;
    std::copy_n(axis.stride.begin(), tensors_, to.stride.begin());
  }
  std::fill_n(offset_.begin(), tensors_, 0);
  std::fill_n(innerStep_.begin(), tensors_, 1);
  if (rank_ == 0) return;
  const Axis& last = axes_[static_cast<std::size_t>(--rank_)];
  inner_ = last.size;
  std::copy_n(last.stride.begin(), tensors_, innerStep_.begin());
}

std::int64_t BroadcastLoop::rows() const {
  std::int64_t rows = 1;
  for (int i = 0; i < rank_; ++i) rows *= axes_[static_cast<std::size_t>(i)].size;
  return rows;
}

void BroadcastLoop::moveTo(std::int64_t row) {
  for (int i = rank_ - 1; i >= 0; --i) {
    Axis& axis = axes_[static_cast<std::size_t>(i)];
    axis.position = row % axis.size;
    row /= axis.size;
    for (std::size_t k = 0; k < tensors_; ++k) offset_[k] += axis.position * axis.stride[k];
  }
}

bool BroadcastLoop::next() {
  for (int i = rank_ - 1; i >= 0; --i) {
    Axis& axis = axes_[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < tensors_; ++k) offset_[k] += axis.stride[k];
    if (++axis.position < axis.size) return true;
    axis.position = 0;
    for (std::size_t k = 0; k < tensors_; ++k) offset_[k] -= axis.size * axis.stride[k];
  }
  return false;
}

}  // namespace axle::runtime
