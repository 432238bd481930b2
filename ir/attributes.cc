#include "ir/attributes.h"

#include "runtime/ops.h"

namespace axle::ir {

namespace {

constexpr ops::IntegerList lists[] = {
#define ATTRIBUTES(name, ...) ops::attributes::name,
#include "runtime/ops.def"
};

struct IntegerWriter {
  DimStore& dims;
  Dims out;

  void number(auto n) { out.push_back(dims.constant(static_cast<std::int64_t>(n))); }
  void size(Dim d) { out.push_back(d); }
  void sizes(const Dims& all) { out.insert(out.end(), all.begin(), all.end()); }
  void elements(const Dims& all) { sizes(all); }
  void axes(const Axes& all) {
    for (std::size_t axis : all) number(axis);
  }
  void pairs(const Dims& before, const Dims& after) {
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) out.insert(out.end(), {before[i], after[i]});
  }
};

struct IntegerReader {
  const DimStore& dims;
  std::span<const Dim> in;
  std::size_t axisCount;
  bool fits = true;

  Dim next() {
    fits = fits && !in.empty();
    if (!fits) return {};
    const Dim d = in.front();
    in = in.subspan(1);
    return d;
  }
  template <class T>
  void number(T& n) {
    const std::optional<std::int64_t> value = dims.asConstant(next());
    fits = fits && value && *value >= 0 && static_cast<std::int64_t>(static_cast<T>(*value)) == *value;
    n = static_cast<T>(value.value_or(0));
  }
  void size(Dim& d) { d = next(); }
  void sizes(Dims& all) {
    for (std::size_t i = 0; fits && i < axisCount; ++i) all.push_back(next());
  }
  void elements(Dims& all) {
    all.assign(in.begin(), in.end());
    in = {};
  }
  void axes(Axes& all) {
    for (std::size_t i = 0; fits && i < axisCount; ++i) number(all.emplace_back());
  }
  void pairs(Dims& before, Dims& after) {
    for (std::size_t i = 0; fits && i < axisCount; ++i) {
      before.push_back(next());
      after.push_back(next());
    }
  }
};

struct LengthChecker {
  std::size_t axisCount;
  bool fits = true;

  void number(auto) {}
  void size(Dim) {}
  void elements(const Dims&) {}
  void sizes(const Dims& all) { fits = fits && all.size() == axisCount; }
  void axes(const Axes& all) { fits = fits && all.size() == axisCount; }
  void pairs(const Dims& before, const Dims& after) {
    sizes(before);
    sizes(after);
  }
};

template <std::size_t index = 0>
Attributes emptyOf(std::size_t kind) {
  if constexpr (index + 1 < std::variant_size_v<Attributes>)
    if (kind != index) return emptyOf<index + 1>(kind);
  return Attributes(std::in_place_index<index>);
}

}  // namespace

Dims integersOf(DimStore& dims, const Attributes& attributes) {
  IntegerWriter writer{dims, {}};
  std::visit([&](const auto& a) { a.fields(a, writer); }, attributes);
  return std::move(writer.out);
}

std::optional<Attributes> attributesOf(const DimStore& dims, AttributesKind kind, std::span<const Dim> integers) {
  const ops::IntegerList list = lists[static_cast<std::size_t>(kind)];
  std::size_t axes = 0;
  if (list.perAxis != 0 && integers.size() >= static_cast<std::size_t>(list.fixed))
    axes = (integers.size() - static_cast<std::size_t>(list.fixed)) / static_cast<std::size_t>(list.perAxis);
  Attributes attributes = emptyOf(static_cast<std::size_t>(kind));
  IntegerReader reader{dims, integers, axes};
  std::visit([&](auto& a) { a.fields(a, reader); }, attributes);
  if (!reader.fits || !reader.in.empty()) return std::nullopt;
  return attributes;
}

PadAttributes padsOf(std::span<const Dim> pairs) {
  PadAttributes pads;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    pads.before.push_back(pairs[i]);
    pads.after.push_back(pairs[i + 1]);
  }
  return pads;
}

bool listsHaveLength(const Attributes& attributes, std::size_t axes) {
  LengthChecker checker{axes};
  std::visit([&](const auto& a) { a.fields(a, checker); }, attributes);
  return checker.fits;
}

}  // namespace axle::ir
