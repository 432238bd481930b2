// The operations with which reductions and scans combine elements.
#pragma once

#include "runtime/kernels/elements.h"

namespace axle::runtime {

// Each has the type of its accumulator, its identity and its step. `signless`: its results are the same bits for signed
// and unsigned integers of a width.
template <class T>
struct SumOf {
  static constexpr bool signless = true;
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
  static constexpr bool signless = false;
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

// Returns the element type of the kernel for elements of this type: one kernel for all types with the same results.
template <template <class> class Reduction>
Elem kernelElem(Elem elem) {
  return Reduction<float>::signless ? unsignedOf(elem) : elem;
}

}  // namespace axle::runtime
