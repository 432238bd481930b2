// x : f32 [n, 3], d : i64 [] where n >= 2;  out.0 = x + x, out.1 = 4 / d.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/runtime/bundle_maker.h"

namespace axle {

inline std::vector<std::byte> smallBundle() {
  using runtime::test::Maker;
  Maker maker;
  maker.manifest.producer = "a test";
  maker.manifest.entry = "main";
  maker.manifest.entryType = "(f32 [n, 3], i64 []) -> (f32 [n, 3], i64 [])";
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = maker.symbol("n", 0, 0), two = maker.constantDim(2), three = maker.constantDim(3);
  const std::uint32_t x = maker.input("x", "f32 [n, 3]", Elem::f32, {n, three});
  const std::uint32_t d = maker.input("d", "i64 []", Elem::i64, {});
  const std::int64_t dividend = 4;
  const std::uint32_t four = maker.constant(graph, Elem::i64, {}, &dividend);
  const std::uint32_t sum = Maker::value(graph, Elem::f32, {n, three}), quotient = Maker::value(graph, Elem::i64, {});
  Maker::node(graph, op::add, {x, x}, {sum});
  maker.name("sum");
  Maker::node(graph, op::div, {four, d}, {quotient});
  maker.name("quotient");
  maker.guard(n, FactRelation::ge, two, "n >= 2");
  maker.output("out.0", "f32 [n, 3]", sum);
  maker.output("out.1", "i64 []", quotient);
  return maker.bundle();
}

}  // namespace axle
