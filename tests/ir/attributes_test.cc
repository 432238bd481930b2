// Converts attributes to the integers of a bundle, and back.
#include "ir/attributes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/ops.h"

namespace axle::ir {
namespace {

struct Kind {
  AttributesKind kind;
  ops::IntegerList list;
  const char* name;
};

constexpr Kind kinds[] = {
#define ATTRIBUTES(name, ...) {AttributesKind::name, ops::attributes::name, #name},
#include "runtime/ops.def"
};

// Returns small numbers, which are valid axes, flags and choices too.
Dims integers(DimStore& dims, std::size_t count) {
  Dims all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(dims.constant(static_cast<std::int64_t>((i + 1) % 2)));
  return all;
}

TEST(Attributes, AreReadAndWrittenAsTheirIntegers) {
  DimStore dims;
  for (const Kind& kind : kinds)
    for (std::size_t axes : {1, 2, 3}) {
      const bool isOpen = kind.list.fixed == ops::any;
      const std::size_t fixed = isOpen ? 3 : static_cast<std::size_t>(kind.list.fixed);
      const Dims given = integers(dims, fixed + axes * static_cast<std::size_t>(kind.list.perAxis));
      const auto attributes = attributesOf(dims, kind.kind, given);
      ASSERT_TRUE(attributes) << kind.name;
      EXPECT_EQ(kindOf(*attributes), kind.kind) << kind.name;
      EXPECT_EQ(integersOf(dims, *attributes), given) << kind.name;
      if (kind.list.perAxis != 0) {
        EXPECT_TRUE(listsHaveLength(*attributes, axes)) << kind.name;
        EXPECT_FALSE(listsHaveLength(*attributes, axes + 1)) << kind.name;
      }
      if (isOpen || kind.list.perAxis == 1) continue;  // any number of integers fits
      Dims more = given;
      more.push_back(dims.constant(0));
      EXPECT_FALSE(attributesOf(dims, kind.kind, more)) << kind.name;
      const std::span<const Dim> fewer = std::span(given).first(given.size() - std::min<std::size_t>(given.size(), 1));
      EXPECT_EQ(attributesOf(dims, kind.kind, fewer).has_value(), given.empty()) << kind.name;
    }
}

TEST(Attributes, OnlySizesMayBeSymbolic) {
  DimStore dims;
  const Dim n = dims.variable(dims.newVariable("n")), zero = dims.constant(0);
  EXPECT_TRUE(attributesOf(dims, AttributesKind::Slice, Dims{zero, n, n}));
  EXPECT_FALSE(attributesOf(dims, AttributesKind::Slice, Dims{n, zero, zero}));
  EXPECT_FALSE(attributesOf(dims, AttributesKind::Axis, Dims{dims.constant(-1)}));
  EXPECT_FALSE(attributesOf(dims, AttributesKind::Search, Dims{dims.constant(2)}));
}

}  // namespace
}  // namespace axle::ir
