// The operations with which reductions and scans combine elements.
#pragma once

#include "runtime/kernels/elements.h"

namespace axle::runtime {

// Each has the type of its accumulator, its identity and its step.
template <class T>
struct SumOf {
  using Kept = Sum<T>;
  static Kept of(T x) { return toSum(x); }
  static Kept identity() { return Kept{0}; }
  static Kept combine(Kept a, Kept b) { return a + b; }
  static T finish(Kept a) { return fromSum<T>(a); }
};
template <class T>
struct ProductOf : SumOf<T> {
  using Kept = Sum<T>;
  static Kept identity() { return Kept{1}; }
  static Kept combine(Kept a, Kept b) { return a * b; }
};
template <class T>
struct MaxOf {
  using Kept = Wide<T>;
  static Kept of(T x) { return widen(x); }
  static Kept identity() { return lowestOf<Kept>(); }
  static Kept combine(Kept a, Kept b) { return greaterOf(a, b); }
  static T finish(Kept a) { return narrow<T>(a); }
};
template <class T>
struct MinOf : MaxOf<T> {
  using Kept = Wide<T>;
  static Kept identity() { return highestOf<Kept>(); }
  static Kept combine(Kept a, Kept b) { return lesserOf(a, b); }
};

}  // namespace axle::runtime
