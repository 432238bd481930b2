// Patterns over expressions such as `(a + b) * a`: one letter is a leaf, operators are `+`, `*`, `-`.
#include "patterns/pattern.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace axle::patterns {
namespace {

using CharPattern = Pattern<char>;

// A value is 1 + an index into `nodes`, so that no value is 0 (false).
struct Expressions {
  struct Node {
    char op;
    std::vector<std::size_t> inputs;
    int readers = 1;
  };
  std::vector<Node> nodes;

  std::size_t add(char op, std::vector<std::size_t> inputs = {}, int readers = 1) {
    nodes.push_back({op, std::move(inputs), readers});
    return nodes.size();
  }
  const Node& at(std::size_t value) const { return nodes[value - 1]; }

  bool bind(const CharPattern& hole, std::size_t value, Bound<std::size_t>& bound) const {
    if (hole.kind == CharPattern::Kind::constantHole && at(value).op < 'u') return false;  // u to z are constants
    return bound.bind(hole, value);
  }
  const std::vector<std::size_t>* enter(const CharPattern& term, std::size_t value, Bound<std::size_t>& bound) const {
    if (at(value).op != term.op || (term.isOnce && at(value).readers != 1)) return nullptr;
    if (term.isNamed) bound.ofName[term.index] = value;
    return &at(value).inputs;
  }
  bool commutes(const CharPattern& term) const { return term.op != '-'; }
};

const CharPattern x{CharPattern::Kind::hole, 0}, y{CharPattern::Kind::hole, 1}, c{CharPattern::Kind::constantHole, 2};

std::optional<Bound<std::size_t>> match(const Expressions& graph, const CharPattern& pattern, std::size_t value) {
  Bound<std::size_t> bound;
  if (matches(graph, pattern, value, bound)) return bound;
  EXPECT_EQ(bound.ofHole, (Bound<std::size_t>{}.ofHole));
  EXPECT_EQ(bound.ofName, (Bound<std::size_t>{}.ofName));
  return std::nullopt;
}

TEST(Pattern, AHoleStandsForOneValue) {
  Expressions e;
  const std::size_t a = e.add('a'), b = e.add('b');
  EXPECT_TRUE(match(e, on('-', x, x), e.add('-', {a, a})));
  EXPECT_FALSE(match(e, on('-', x, x), e.add('-', {a, b})));
  EXPECT_FALSE(match(e, on('+', x, y), e.add('-', {a, b})));
  EXPECT_FALSE(match(e, on('-', x), e.add('-', {a, b})));
}

TEST(Pattern, OperandsOfCommutativeOperatorsMatchInBothOrders) {
  Expressions e;
  const std::size_t a = e.add('a'), u = e.add('u'), product = e.add('*', {u, a});
  for (const std::size_t sum : {e.add('+', {product, a}), e.add('+', {a, product})}) {
    const auto found = match(e, on('+', on('*', x, c).as(1), x), sum);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->ofHole[0], a);
    EXPECT_EQ(found->ofHole[2], u);
    EXPECT_EQ(found->ofName[1], product);
  }
  EXPECT_TRUE(match(e, on('-', x, on('*', y, c)), e.add('-', {a, product})));
  EXPECT_FALSE(match(e, on('-', x, on('*', y, c)), e.add('-', {product, a})));
}

TEST(Pattern, WhatDoesNotMatchBindsNothing) {
  Expressions e;
  const std::size_t a = e.add('a'), b = e.add('b');
  const std::size_t product = e.add('*', {a, b});
  EXPECT_FALSE(match(e, on('-', on('*', x, y).as(0), on('+', x, y)), e.add('-', {product, a})));
  EXPECT_FALSE(match(e, on('-', x, on('*', y, c).as(0)), e.add('-', {a, product})));
}

TEST(Pattern, OnceAsksForASingleReader) {
  Expressions e;
  const std::size_t a = e.add('a'), shared = e.add('-', {a, a}, 2), single = e.add('-', {a, a});
  EXPECT_TRUE(match(e, on('*', x, once(onAny('-'))), e.add('*', {a, single})));
  EXPECT_FALSE(match(e, on('*', x, once(onAny('-'))), e.add('*', {a, shared})));
}

}  // namespace
}  // namespace axle::patterns
