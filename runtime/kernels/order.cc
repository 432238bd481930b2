// Operators that compare elements and return positions. They compare keys: unsigned integers in the order of the
// elements, where NaN is the largest and both zeros are equal.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

using Key = std::uint64_t;
constexpr Key nanKey = ~Key{0}, topBit = Key{1} << 63;
constexpr std::int64_t keysPerTile = 64;

template <class T>
Key keyOf(T element) {
  const Wide<T> x = widen(element);
  if constexpr (std::is_floating_point_v<Wide<T>>) {
    if (x != x) return nanKey;
    const Key bits = bitsAs<Key>(x == 0 ? 0.0 : static_cast<double>(x));
    return (bits & topBit) != 0 ? ~bits : bits | topBit;
  } else if constexpr (std::is_signed_v<Wide<T>>) {
    return static_cast<Key>(static_cast<std::int64_t>(x)) ^ topBit;
  } else {
    return static_cast<Key>(x);
  }
}

// Keys of `count` elements from `from` on, `stride` apart.
using KeysOf = void (*)(const void* x, std::int64_t from, std::int64_t stride, std::int64_t count, Key* keys);

template <class T>
void keysOf(const void* x, std::int64_t from, std::int64_t stride, std::int64_t count, Key* keys) {
  const T* element = static_cast<const T*>(x) + from;
  for (std::int64_t i = 0; i < count; ++i) keys[i] = keyOf(element[i * stride]);
}

KeysOf keysFor(Elem elem) {
  return forElem<allElems>(elem, []<class T>() -> KeysOf { return &keysOf<T>; });
}

// The lines of elements along an axis.
struct Lines {
  std::int64_t outer, n, inner;
  Lines(const Shape& shape, int axis)
      : outer(product(shape, 0, axis)), n(shape[axis]), inner(product(shape, axis + 1, shape.rank())) {}
  std::int64_t start(std::int64_t o, std::int64_t i) const { return o * n * inner + i; }
};

struct Entry {
  Key key;
  std::int64_t index;
};

bool before(const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; }

// Keeps the first `kept` (> 0) of all entries that are added, in the order given by `order`.
class First {
 public:
  First(Entry* room, std::int64_t kept) : entries_(room), kept_(kept) {}

  // Once more than `kept` entries were added, the entries are a heap with the last one in front. Unordered results have
  // the order of this heap, which is TensorFlow's: its first heap has `kept` + 1 entries, so `room` holds as many.
  void add(const Entry& entry) {
    if (count_ > kept_) {
      if (before(entry, entries_[0])) replaceFront(entry);
      return;
    }
    entries_[count_++] = entry;
    if (count_ <= kept_) return;
    std::make_heap(entries_, entries_ + count_, before);
    std::pop_heap(entries_, entries_ + count_, before);
  }
  void order() { std::sort(entries_, entries_ + kept_, before); }

 private:
  void replaceFront(const Entry& entry) {
    std::int64_t hole = 0;
    for (std::int64_t child = 1; child < kept_; child = 2 * hole + 1) {
      if (child + 1 < kept_ && before(entries_[child], entries_[child + 1])) ++child;
      if (!before(entry, entries_[child])) break;
      entries_[hole] = entries_[child];
      hole = child;
    }
    entries_[hole] = entry;
  }

  Entry* entries_;
  std::int64_t kept_, count_ = 0;
};

// ints: axis, descending, and, for TOP_PLACES, ordered. The result's size along the axis is the number of positions
// kept.
bool runPlaces(Step& step, Fault&) {
  const TensorView& x = step.in(0);
  const int axis = static_cast<int>(step.integer(0));
  const Lines lines(x.shape, axis), made(step.out(0).shape, axis);
  if (made.n == 0) return true;
  const Key turn = step.integer(1) != 0 ? ~Key{0} : Key{0};
  const bool ordered = made.n == lines.n || step.integer(2) != 0;
  const KeysOf keys = keysFor(x.elem);
  auto* entries = reinterpret_cast<Entry*>(step.workspace);
  auto* to = step.out(0).as<std::int64_t>();
  for (std::int64_t o = 0; o < lines.outer; ++o)
    for (std::int64_t i = 0; i < lines.inner; ++i) {
      First first(entries, made.n);
      Key tile[keysPerTile];
      for (std::int64_t k0 = 0; k0 < lines.n; k0 += keysPerTile) {
        const std::int64_t count = std::min(keysPerTile, lines.n - k0);
        keys(x.data, lines.start(o, i) + k0 * lines.inner, lines.inner, count, tile);
        for (std::int64_t k = 0; k < count; ++k) first.add({tile[k] ^ turn, k0 + k});
      }
      if (ordered) first.order();
      for (std::int64_t k = 0; k < made.n; ++k) to[made.start(o, i) + k * made.inner] = entries[k].index;
    }
  return true;
}

// Finds the first position of the largest key, or of the smallest if `least`. NaN wins in both cases: for a minimum its
// key wraps to 0.
template <bool least>
bool runArgExtreme(Step& step, Fault&) {
  const TensorView& x = step.in(0);
  const Lines lines(x.shape, static_cast<int>(step.integer(0)));
  const KeysOf keys = keysFor(x.elem);
  const Key nanWins = info(x.elem).isFloat ? 1 : 0;
  const auto turned = [&](Key key) { return least ? ~(key + nanWins) : key; };
  auto* to = step.out(0).as<std::int64_t>();
  for (std::int64_t o = 0; o < lines.outer; ++o)
    for (std::int64_t i = 0; i < lines.inner; i += keysPerTile) {
      // Reads one element of each of several neighbouring lines, or several elements of a single line.
      const bool isOne = lines.inner == 1;
      const std::int64_t columns = std::min(keysPerTile, lines.inner - i);
      Key best[keysPerTile], tile[keysPerTile];
      std::fill_n(to, columns, 0);
      for (std::int64_t k0 = 0; k0 < lines.n; k0 += isOne ? keysPerTile : 1) {
        const std::int64_t count = isOne ? std::min(keysPerTile, lines.n - k0) : columns;
        keys(x.data, lines.start(o, i) + k0 * lines.inner, 1, count, tile);
        if (k0 == 0)
          for (std::int64_t c = 0; c < columns; ++c) best[c] = turned(tile[c]);
        for (std::int64_t c = 0; c < count; ++c) {
          const std::int64_t line = isOne ? 0 : c;
          if (const Key key = turned(tile[c]); key > best[line]) best[line] = key, to[line] = isOne ? k0 + c : k0;
        }
      }
      to += columns;
    }
  return true;
}

// (sorted [n], values q) -> q; ints: right. Counts the elements less than each value, or with `right` those not
// greater.
bool runSearchSorted(Step& step, Fault&) {
  const TensorView &sorted = step.in(0), &values = step.in(1);
  const KeysOf keys = keysFor(sorted.elem);
  const bool right = step.integer(0) != 0;
  auto* to = step.out(0).as<std::int64_t>();
  for (std::int64_t i = 0; i < values.shape.elements(); ++i) {
    Key wanted = 0, found = 0;
    keys(values.data, i, 1, 1, &wanted);
    std::int64_t low = 0, high = sorted.shape[0];
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      keys(sorted.data, middle, 1, 1, &found);
      if (found < wanted || (right && found == wanted))
        low = middle + 1;
      else
        high = middle;
    }
    to[i] = low;
  }
  return true;
}

const char* axisProblem(const Step& step) {
  if (step.out(0).elem != Elem::i64) return "the result is not i64";
  if (step.integer(0) < 0 || step.integer(0) >= step.in(0).shape.rank()) return "the axis is out of range";
  return keysFor(step.in(0).elem) == nullptr ? "not for this element type" : nullptr;
}

const char* preparePlaces(Step& step) {
  const int axis = static_cast<int>(step.integer(0));
  const auto n = static_cast<std::uint64_t>(step.in(0).shape[axis]);
  const auto kept = static_cast<std::uint64_t>(step.out(0).shape[axis]);
  step.kernel = runPlaces;
  return __builtin_mul_overflow(std::min(n, kept + 1), sizeof(Entry), &step.workspaceBytes) ? "the axis is too long"
                                                                                            : nullptr;
}

const char* prepareArgExtreme(Step& step, Kernel kernel) {
  if (const char* problem = axisProblem(step)) return problem;
  const int axis = static_cast<int>(step.integer(0));
  if (!(step.out(0).shape == step.in(0).shape.withoutAxis(axis))) return "the result has another shape";
  if (step.in(0).shape[axis] == 0) return "the axis is empty";
  step.kernel = kernel;
  return nullptr;
}

}  // namespace

const char* prepareArgsort(Step& step) {
  if (const char* problem = axisProblem(step)) return problem;
  if (!(step.out(0).shape == step.in(0).shape)) return "input and output differ in shape";
  return preparePlaces(step);
}

const char* prepareTopPlaces(Step& step) {
  if (const char* problem = axisProblem(step)) return problem;
  const int axis = static_cast<int>(step.integer(0));
  const Shape &from = step.in(0).shape, &to = step.out(0).shape;
  if (to.rank() != from.rank() || !(to.withoutAxis(axis) == from.withoutAxis(axis)) || to[axis] > from[axis])
    return "the result has another shape";
  return preparePlaces(step);
}

const char* prepareArgMax(Step& step) { return prepareArgExtreme(step, runArgExtreme<false>); }
const char* prepareArgMin(Step& step) { return prepareArgExtreme(step, runArgExtreme<true>); }

const char* prepareSearchSorted(Step& step) {
  if (step.in(0).elem != step.in(1).elem) return "the operands differ in element type";
  if (step.in(0).shape.rank() != 1) return "the tensor to search is not a vector";
  if (step.out(0).elem != Elem::i64 || !(step.out(0).shape == step.in(1).shape)) return "the result has another type";
  step.kernel = keysFor(step.in(0).elem) == nullptr ? nullptr : runSearchSorted;
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
