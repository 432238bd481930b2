// The attributes of a node: a struct for each row of ATTRIBUTES in `runtime/ops.def`. Axes, counts and choices are
// numbers; sizes are dimensions, which may be symbolic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "dims/dim.h"

namespace axle::ir {

using Dims = std::vector<Dim>;
using Axes = std::vector<std::size_t>;

// `fields` calls `v` for each field, in the order of the bundle's integers: `number`, `size`, `sizes` and `axes` (one
// for each axis), `pairs` (two for each axis: before and after), `elements` (any number).

struct NoAttributes {
  static void fields(auto&, auto&) {}
  bool operator==(const NoAttributes&) const = default;
};

struct AxisAttributes {
  std::size_t axis = 0;
  static void fields(auto& a, auto& v) { v.number(a.axis); }
  bool operator==(const AxisAttributes&) const = default;
};

struct PermAttributes {
  Axes perm;  // for each axis of the result, the axis of the input
  static void fields(auto& a, auto& v) { v.axes(a.perm); }
  bool operator==(const PermAttributes&) const = default;
};

// Lists have one item for each spatial axis. A spread of s inserts s - 1 zeros between the elements of the input.
struct ConvAttributes {
  Dims strides, before, after, dilations, spreads;
  Dim groups;
  static void fields(auto& a, auto& v) {
    v.sizes(a.strides);
    v.pairs(a.before, a.after);
    v.sizes(a.dilations);
    v.sizes(a.spreads);
    v.size(a.groups);
  }
  bool operator==(const ConvAttributes&) const = default;
};

struct PoolAttributes {
  Dims sizes, strides, before, after;  // one for each spatial axis
  static void fields(auto& a, auto& v) {
    v.sizes(a.sizes);
    v.sizes(a.strides);
    v.pairs(a.before, a.after);
  }
  bool operator==(const PoolAttributes&) const = default;
};

struct SliceAttributes {
  std::size_t axis = 0;
  Dim start, step;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.size(a.start);
    v.size(a.step);
  }
  bool operator==(const SliceAttributes&) const = default;
};

struct PadAttributes {
  Dims before, after;
  static void fields(auto& a, auto& v) { v.pairs(a.before, a.after); }
  bool operator==(const PadAttributes&) const = default;
};

struct UpsampleAttributes {
  Dim height, width;  // how often each element is repeated
  static void fields(auto& a, auto& v) {
    v.size(a.height);
    v.size(a.width);
  }
  bool operator==(const UpsampleAttributes&) const = default;
};

struct DimsAttributes {
  Dims elements;
  static void fields(auto& a, auto& v) { v.elements(a.elements); }
  bool operator==(const DimsAttributes&) const = default;
};

struct ScanAttributes {
  std::size_t axis = 0;
  bool exclusive = false, reverse = false;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.number(a.exclusive);
    v.number(a.reverse);
  }
  bool operator==(const ScanAttributes&) const = default;
};

struct OrderAttributes {
  std::size_t axis = 0;
  bool descending = false;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.number(a.descending);
  }
  bool operator==(const OrderAttributes&) const = default;
};

struct TopAttributes {
  std::size_t axis = 0;
  bool descending = false, ordered = false;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.number(a.descending);
    v.number(a.ordered);
  }
  bool operator==(const TopAttributes&) const = default;
};

struct SearchAttributes {
  bool right = false;
  static void fields(auto& a, auto& v) { v.number(a.right); }
  bool operator==(const SearchAttributes&) const = default;
};

// The operators that combine a written element with the old one. Numbered as in the bundle.
enum class ScatterMode : std::uint8_t { put, add, multiply, max, min };

struct ScatterAttributes {
  std::size_t axis = 0;
  ScatterMode mode = ScatterMode::put;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.number(a.mode);
  }
  bool operator==(const ScatterAttributes&) const = default;
};

struct ModeAttributes {
  ScatterMode mode = ScatterMode::put;
  static void fields(auto& a, auto& v) { v.number(a.mode); }
  bool operator==(const ModeAttributes&) const = default;
};

struct StreamAttributes {
  std::int64_t stream = 0;
  static void fields(auto& a, auto& v) { v.number(a.stream); }
  bool operator==(const StreamAttributes&) const = default;
};

// Numbered as in the bundle.
enum class ResizeMethod : std::uint8_t { nearest, bilinear, bicubic };
enum class ResizeCoordinates : std::uint8_t { halfPixel, alignedCorners, asymmetric };

struct ResizeAttributes {
  ResizeMethod method = ResizeMethod::nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::halfPixel;
  static void fields(auto& a, auto& v) {
    v.number(a.method);
    v.number(a.coordinates);
  }
  bool operator==(const ResizeAttributes&) const = default;
};

struct FrameAttributes {
  std::size_t axis = 0;
  Dim step;
  static void fields(auto& a, auto& v) {
    v.number(a.axis);
    v.size(a.step);
  }
  bool operator==(const FrameAttributes&) const = default;
};

// Numbered as in the bundle.
enum class Transform : std::uint8_t { fft, ifft, rfft, irfft, dct, idct };

struct FourierAttributes {
  Transform transform = Transform::fft;
  static void fields(auto& a, auto& v) { v.number(a.transform); }
  bool operator==(const FourierAttributes&) const = default;
};

// A condition that two operands must meet. Numbered as in the bundle.
enum class Requirement : std::uint8_t { equalSplits, lengthsUpTo };

struct RequireAttributes {
  Requirement how = Requirement::equalSplits;
  static void fields(auto& a, auto& v) { v.number(a.how); }
  bool operator==(const RequireAttributes&) const = default;
};

struct MapAttributes {
  std::size_t sequences = 0;
  static void fields(auto& a, auto& v) { v.number(a.sequences); }
  bool operator==(const MapAttributes&) const = default;
};

struct LoopAttributes {
  std::size_t states = 0, sequences = 0;
  static void fields(auto& a, auto& v) {
    v.number(a.states);
    v.number(a.sequences);
  }
  bool operator==(const LoopAttributes&) const = default;
};

struct WhileAttributes {
  std::size_t states = 0;
  static void fields(auto& a, auto& v) { v.number(a.states); }
  bool operator==(const WhileAttributes&) const = default;
};

// In the order of `runtime/ops.def`.
using Attributes =
    std::variant<NoAttributes, AxisAttributes, PermAttributes, ConvAttributes, PoolAttributes, SliceAttributes,
                 PadAttributes, UpsampleAttributes, DimsAttributes, ScanAttributes, OrderAttributes, TopAttributes,
                 SearchAttributes, ScatterAttributes, ModeAttributes, StreamAttributes, ResizeAttributes,
                 FrameAttributes, FourierAttributes, RequireAttributes, MapAttributes, LoopAttributes, WhileAttributes>;

enum class AttributesKind : std::uint8_t {
#define ATTRIBUTES(name, ...) name,
#include "runtime/ops.def"
};

#define ATTRIBUTES(name, ...)                                                                                          \
  static_assert(std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(AttributesKind::name), Attributes>, \
                               name##Attributes>);
#include "runtime/ops.def"

inline AttributesKind kindOf(const Attributes& attributes) { return static_cast<AttributesKind>(attributes.index()); }

template <class Change>
struct SizeChanger {
  Change& change;

  void number(auto&) {}
  void axes(Axes&) {}
  void size(Dim& d) { change(d); }
  void sizes(Dims& all) {
    for (Dim& d : all) change(d);
  }
  void elements(Dims& all) { sizes(all); }
  void pairs(Dims& before, Dims& after) {
    sizes(before);
    sizes(after);
  }
};

// Calls `change(Dim&)` for each size.
template <class Change>
void changeSizes(Attributes& attributes, Change change) {
  SizeChanger<Change> changer{change};
  std::visit([&](auto& a) { a.fields(a, changer); }, attributes);
}

// Returns the attributes as the integers of a bundle's node.
Dims integersOf(DimStore& dims, const Attributes& attributes);

// Reads attributes from integers. Returns nothing if their count does not fit, or if an axis, count or choice is
// symbolic.
std::optional<Attributes> attributesOf(const DimStore& dims, AttributesKind kind, std::span<const Dim> integers);

// Splits pairs into the amounts before and after each axis.
PadAttributes padsOf(std::span<const Dim> pairs);

// Whether all lists with one item for each axis have `axes` items.
bool listsHaveLength(const Attributes& attributes, std::size_t axes);

}  // namespace axle::ir
