// Operators that compare elements and return positions. They compare keys: unsigned integers in the order of the
// elements, where NaN is the largest and both zeros are equal.
#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

using Key = std::uint64_t;
constexpr std::int64_t keysPerTile = 256;

// Keys of elements narrower than a key are in its upper bits.
template <class T>
Key keyOf(T element) {
  using W = Wide<T>;
  const W x = widen(element);
  if constexpr (std::is_same_v<W, bool>) {
    return x ? Key{1} << 63 : 0;
  } else {
    using Bits =
        std::conditional_t<sizeof(W) == 8, std::uint64_t,
                           std::conditional_t<sizeof(W) == 4, std::uint32_t,
                                              std::conditional_t<sizeof(W) == 2, std::uint16_t, std::uint8_t>>>;
    constexpr int unused = 64 - 8 * static_cast<int>(sizeof(W));
    constexpr auto top = static_cast<Bits>(Bits{1} << (8 * sizeof(W) - 1));
    if constexpr (std::is_floating_point_v<W>) {
      const Bits bits = bitsAs<Bits>(x + W{0}), sign = bits & top ? ~Bits{0} : top;  // the sum has no -0
      const Bits ordered = x != x ? ~Bits{0} : bits ^ sign;
      return static_cast<Key>(ordered) << unused | ((Key{1} << unused) - 1);  // so that NaN's key is the largest
    } else {
      return static_cast<Key>(static_cast<Bits>(static_cast<Bits>(x) ^ (std::is_signed_v<W> ? top : Bits{0})))
             << unused;
    }
  }
}

// How the elements of a type are compared.
struct Comparing {
  // Sets the keys of `count` elements from `from` on, `stride` apart.
  void (*keys)(const void* x, std::int64_t from, std::int64_t stride, std::int64_t count, Key* keys);
  // Whether some of `count` elements from `from` on may be less (or, if `descending`, greater) than element `than`. NaN
  // may be.
  bool (*mayPrecede)(const void* x, std::int64_t from, std::int64_t count, std::int64_t than, bool descending);
};

template <class T>
void keysOf(const void* x, std::int64_t from, std::int64_t stride, std::int64_t count, Key* keys) {
  const T* element = static_cast<const T*>(x) + from;
  if (stride == 1)
    for (std::int64_t i = 0; i < count; ++i) keys[i] = keyOf(element[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) keys[i] = keyOf(element[i * stride]);
}

template <class T>
bool mayPrecede(const void* x, std::int64_t from, std::int64_t count, std::int64_t than, bool descending) {
  if constexpr (std::is_arithmetic_v<T>) {
    const T* const element = static_cast<const T*>(x) + from;
    const T limit = static_cast<const T*>(x)[than];
    int found = 0;
    if (descending)
      for (std::int64_t i = 0; i < count; ++i) found |= !(element[i] <= limit);
    else
      for (std::int64_t i = 0; i < count; ++i) found |= !(element[i] >= limit);
    return found != 0;
  }
  return true;
}

const Comparing* comparingOf(Elem elem) {
  return forElem<allElems>(elem, []<class T>() -> const Comparing* {
    static constexpr Comparing comparing{keysOf<T>, mayPrecede<T>};
    return &comparing;
  });
}

// The lines of elements along an axis.
struct Lines {
  std::int64_t outer, n, inner;
  Lines(const Shape& shape, int axis)
      : outer(product(shape, 0, axis)), n(shape[axis]), inner(product(shape, axis + 1, shape.rank())) {}
  std::int64_t count() const { return outer * inner; }
  std::int64_t start(std::int64_t o, std::int64_t i) const { return o * n * inner + i; }
};

// An element's key and its position along the line.
template <class K, class Index>
struct EntryOf {
  K key;
  Index index;
};
using Entry = EntryOf<Key, std::int64_t>;
using SmallEntry = EntryOf<std::uint32_t, std::uint32_t>;  // of elements of at most 32 bits

template <class E>
bool before(const E& a, const E& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

// Orders entries by the bytes of their keys, the lowest first (least significant digit radix sort), which keeps the
// order of equal ones. Bytes in which no keys differ are skipped.
template <class E>
void orderByBytes(E* entries, E* room, std::int64_t count) {
  constexpr int bits = 8, digits = 1 << bits;
  decltype(E::key) differing = 0;
  for (std::int64_t i = 1; i < count; ++i) differing |= entries[i].key ^ entries[0].key;
  E *from = entries, *to = room;
  for (int shift = 0; shift < static_cast<int>(8 * sizeof differing); shift += bits) {
    if ((differing >> shift) % digits == 0) continue;
    std::int64_t places[digits] = {};
    for (std::int64_t i = 0; i < count; ++i) ++places[(from[i].key >> shift) % digits];
    std::int64_t place = 0;
    for (std::int64_t& each : places) place += std::exchange(each, place);
    for (std::int64_t i = 0; i < count; ++i) to[places[(from[i].key >> shift) % digits]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries) std::copy_n(from, count, entries);
}

// Keeps the first `kept` (> 0) of all entries that are added, in order of their positions.
class First {
 public:
  First(Entry* room, std::int64_t kept) : entries_(room), kept_(kept) {}

  bool isFull() const { return count_ > kept_; }
  // The last one of those kept, once it is full.
  const Entry& last() const { return entries_[0]; }

  // Once more than `kept` entries were added, the entries are a heap with the last one in front. Unordered results have
  // the order of this heap, which is that of TensorFlow 1: its first heap has `kept` + 1 entries, so `room` holds as
  // many. TensorFlow 2.21 takes the front away before it adds a better entry, which leaves another order.
  void add(const Entry& entry) {
    if (isFull()) {
      if (entry.key < entries_[0].key) replaceFront(entry);
      return;
    }
    entries_[count_++] = entry;
    if (count_ <= kept_) return;
    std::make_heap(entries_, entries_ + count_, before<Entry>);
    std::pop_heap(entries_, entries_ + count_, before<Entry>);
  }

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
struct Places {
  Lines lines, made;
  bool descending, ordered, areSmall;

  explicit Places(const Step& step)
      : lines(step.in(0).shape, static_cast<int>(step.integer(0))),
        made(step.out(0).shape, static_cast<int>(step.integer(0))),
        descending(step.integer(1) != 0),
        ordered(made.n == lines.n || step.integer(2) != 0),
        areSmall(info(step.in(0).elem).bytes <= 4 && lines.n <= std::numeric_limits<std::uint32_t>::max()) {}

  // A heap of more entries takes longer than to order all elements.
  bool ordersAll() const { return ordered && made.n > lines.n / 4; }
  // Returns false if they are too many.
  bool workspaceBytes(std::uint64_t& bytes) const {
    const std::uint64_t entries =
        ordersAll() ? 2 * static_cast<std::uint64_t>(lines.n) : static_cast<std::uint64_t>(made.n) + 1;
    return !__builtin_mul_overflow(entries, ordersAll() && areSmall ? sizeof(SmallEntry) : sizeof(Entry), &bytes);
  }
};

// A line of elements, `stride` apart, whose order is wanted.
struct Line {
  const void* x;
  std::int64_t start, stride, n;
  const Comparing& comparing;
  bool descending;

  // Calls visit(key, position) for all elements, except of tiles and their pieces for which `mayMatter`(first element,
  // number) is false.
  template <class MayMatter, class Visit>
  void forKeys(MayMatter mayMatter, Visit visit) const {
    constexpr std::int64_t piece = 32;
    const Key turn = descending ? ~Key{0} : Key{0};
    Key keys[piece];
    for (std::int64_t k0 = 0; k0 < n; k0 += keysPerTile) {
      const std::int64_t end = std::min(n, k0 + keysPerTile);
      if (!mayMatter(start + k0 * stride, end - k0)) continue;
      for (std::int64_t k1 = k0; k1 < end; k1 += piece) {
        const std::int64_t count = std::min(piece, end - k1), from = start + k1 * stride;
        if (!mayMatter(from, count)) continue;
        comparing.keys(x, from, stride, count, keys);
        for (std::int64_t k = 0; k < count; ++k) visit(keys[k] ^ turn, k1 + k);
      }
    }
  }
};

// Writes the positions of the first `kept` entries, `stride` apart.
template <class E>
void writePositions(const E* entries, std::int64_t kept, std::int64_t* to, std::int64_t stride) {
  for (std::int64_t k = 0; k < kept; ++k) to[k * stride] = static_cast<std::int64_t>(entries[k].index);
}

// Orders all elements; `room` is for two entries of each.
template <class E>
void orderAll(const Line& line, std::byte* room, std::int64_t kept, std::int64_t* to, std::int64_t stride) {
  constexpr std::int64_t fewestForBytes = 256;
  auto* const entries = reinterpret_cast<E*>(room);
  line.forKeys([](std::int64_t, std::int64_t) { return true; },
               [&](Key key, std::int64_t at) {
                 entries[at] = {static_cast<decltype(E::key)>(key >> (64 - 8 * sizeof(E::key))),
                                static_cast<decltype(E::index)>(at)};
               });
  if (line.n < fewestForBytes)
    std::sort(entries, entries + line.n, before<E>);
  else
    orderByBytes(entries, entries + line.n, line.n);
  writePositions(entries, kept, to, stride);
}

// Finds the first elements. Skips tiles whose elements are all behind those.
void orderFirst(const Line& line, bool ordered, Entry* entries, std::int64_t kept, std::int64_t* to,
                std::int64_t stride) {
  First first(entries, kept);
  line.forKeys(
      [&](std::int64_t from, std::int64_t count) {
        return line.stride != 1 || !first.isFull() ||
               line.comparing.mayPrecede(line.x, from, count, line.start + first.last().index, line.descending);
      },
      [&](Key key, std::int64_t at) { first.add({key, at}); });
  if (ordered) std::sort(entries, entries + kept, before<Entry>);
  writePositions(entries, kept, to, stride);
}

// ARGSORT and TOP_PLACES. Parts divide the lines.
bool runPlaces(Step& step, Part part, Fault&) {
  const TensorView& x = step.in(0);
  const Places places(step);
  const Lines &lines = places.lines, &made = places.made;
  const Comparing& comparing = *comparingOf(x.elem);
  std::byte* const room = workspaceOf(step, part);
  auto* const all = step.out(0).as<std::int64_t>();
  for (std::int64_t i = part.begin(lines.count()); i < part.end(lines.count()); ++i) {
    const std::int64_t outer = i / lines.inner, inner = i % lines.inner;
    const Line line{x.data, lines.start(outer, inner), lines.inner, lines.n, comparing, places.descending};
    std::int64_t* const to = all + made.start(outer, inner);
    if (!places.ordersAll())
      orderFirst(line, places.ordered, reinterpret_cast<Entry*>(room), made.n, to, made.inner);
    else if (places.areSmall)
      orderAll<SmallEntry>(line, room, made.n, to, made.inner);
    else
      orderAll<Entry>(line, room, made.n, to, made.inner);
  }
  return true;
}

// Finds the first position of the largest key, or of the smallest if `least`. NaN wins in both cases: for a minimum its
// key wraps to 0.
template <bool least>
class ArgExtreme {
 public:
  explicit ArgExtreme(const Step& step)
      : x_(step.in(0)),
        lines_(x_.shape, static_cast<int>(step.integer(0))),
        comparing_(*comparingOf(x_.elem)),
        nanWins_(info(x_.elem).isFloat ? 1 : 0) {}

  // Of a line whose elements are adjacent. Skips tiles without an element that wins.
  std::int64_t ofLine(std::int64_t start) const {
    Key best = 0, tile[keysPerTile];
    std::int64_t at = 0;
    for (std::int64_t k0 = 0; k0 < lines_.n; k0 += keysPerTile) {
      const std::int64_t count = std::min(keysPerTile, lines_.n - k0);
      if (k0 > 0 && !comparing_.mayPrecede(x_.data, start + k0, count, start + at, !least)) continue;
      comparing_.keys(x_.data, start + k0, 1, count, tile);
      if (k0 == 0) best = turned(tile[0]);
      for (std::int64_t k = 0; k < count; ++k)
        if (const Key key = turned(tile[k]); key > best) best = key, at = k0 + k;
    }
    return at;
  }

  // Of `columns` neighbouring lines, at most keysPerTile.
  void ofColumns(std::int64_t start, std::int64_t columns, std::int64_t* to) const {
    Key best[keysPerTile], tile[keysPerTile];
    std::fill_n(to, columns, 0);
    for (std::int64_t k = 0; k < lines_.n; ++k) {
      comparing_.keys(x_.data, start + k * lines_.inner, 1, columns, tile);
      if (k == 0)
        for (std::int64_t c = 0; c < columns; ++c) best[c] = turned(tile[c]);
      for (std::int64_t c = 0; c < columns; ++c)
        if (const Key key = turned(tile[c]); key > best[c]) best[c] = key, to[c] = k;
    }
  }

  // Parts divide the lines.
  void run(Part part, std::int64_t* to) const {
    const std::int64_t end = part.end(lines_.count());
    for (std::int64_t line = part.begin(lines_.count()), columns = 0; line < end; line += columns) {
      const std::int64_t i = line % lines_.inner, start = lines_.start(line / lines_.inner, i);
      columns = std::min({keysPerTile, lines_.inner - i, end - line});
      if (lines_.inner == 1)
        to[line] = ofLine(start);
      else
        ofColumns(start, columns, to + line);
    }
  }

 private:
  Key turned(Key key) const { return least ? ~(key + nanWins_) : key; }

  const TensorView& x_;
  const Lines lines_;
  const Comparing& comparing_;
  const Key nanWins_;
};

template <bool least>
bool runArgExtreme(Step& step, Part part, Fault&) {
  ArgExtreme<least>(step).run(part, step.out(0).as<std::int64_t>());
  return true;
}

// (sorted [n], values q) -> q; ints: right. Counts the elements less than each value, or with `right` those not
// greater.
bool runSearchSorted(Step& step, Part part, Fault&) {
  const TensorView &sorted = step.in(0), &values = step.in(1);
  const auto keys = comparingOf(sorted.elem)->keys;
  const bool right = step.integer(0) != 0;
  auto* to = step.out(0).as<std::int64_t>();
  const std::int64_t all = values.shape.elements();
  for (std::int64_t i = part.begin(all); i < part.end(all); ++i) {
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
  return comparingOf(step.in(0).elem) == nullptr ? "not for this element type" : nullptr;
}

std::uint64_t nanosecondsOf(const Shape& x, std::uint64_t ofElement) {
  return static_cast<std::uint64_t>(x.elements()) * ofElement;
}

const char* preparePlaces(Step& step) {
  const Places places(step);
  std::uint64_t bytes = 0;
  if (!places.workspaceBytes(bytes)) return "the axis is too long";
  return divideStep(step, runPlaces, nanosecondsOf(step.in(0).shape, places.ordersAll() ? 20 : 1), bytes);
}

const char* prepareArgExtreme(Step& step, PartKernel kernel) {
  if (const char* problem = axisProblem(step)) return problem;
  const int axis = static_cast<int>(step.integer(0));
  if (!(step.out(0).shape == step.in(0).shape.withoutAxis(axis))) return "the result has another shape";
  if (step.in(0).shape[axis] == 0) return "the axis is empty";
  return divideStep(step, kernel, nanosecondsOf(step.in(0).shape, 1));
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
  if (comparingOf(step.in(0).elem) == nullptr) return "not for this element type";
  return divideStep(step, runSearchSorted, nanosecondsOf(step.in(1).shape, 100));
}

}  // namespace axle::runtime
