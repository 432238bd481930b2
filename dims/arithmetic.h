// The operators of sizes and their checked arithmetic, shared by the normal form, the evaluators and the runtime.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace axle {

// Numbered as in `bundle.proto`. `constant` and `symbol` are the leaves of an expression; the others are operators.
// Division and remainder round down, `ceildiv` rounds up.
enum class DimOp : std::uint8_t { constant, symbol, add, sub, mul, div, mod, max, min, ceildiv };
inline constexpr std::uint32_t dimOpCount = 10;

// The operator as users write it; infix up to `%`, functions after it.
constexpr const char* spelling(DimOp op) {
  constexpr const char* spellings[] = {"", "", "+", "-", "*", "/", "%", "max", "min", "ceildiv"};
  return spellings[static_cast<int>(op)];
}
constexpr bool divides(DimOp op) { return op == DimOp::div || op == DimOp::mod || op == DimOp::ceildiv; }

// unbound: a symbol has no value yet; undefined: a divisor was 0; overflow: the result does not fit the integer type.
// An expression takes the state of its operands: undefined wins over overflow, overflow over unbound.
enum class DimState : std::uint8_t { known, unbound, overflow, undefined };

template <class Integer>
struct SizeValue {
  Integer value = 0;
  DimState state = DimState::unbound;

  constexpr bool known() const { return state == DimState::known; }
};

using DimValue = SizeValue<std::int64_t>;

// The quotients and the remainder for b != 0. The result must fit the type.
template <class Integer>
constexpr Integer floorDiv(Integer a, Integer b) {
  return static_cast<Integer>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
}
template <class Integer>
constexpr Integer ceilDiv(Integer a, Integer b) {
  return static_cast<Integer>(a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0));
}
template <class Integer>
constexpr Integer floorMod(Integer a, Integer b) {
  if (b == -1) return 0;  // the least integer % -1 traps
  const Integer rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<Integer>(rest + b) : rest;
}

// Returns a / b for b != 0; none if b does not divide a or the quotient does not fit the type.
template <class Integer>
constexpr std::optional<Integer> exactQuotient(Integer a, Integer b) {
  Integer quotient = 0;
  if (floorMod(a, b) != 0 || (b == -1 && __builtin_sub_overflow(Integer{0}, a, &quotient))) return std::nullopt;
  return b == -1 ? quotient : static_cast<Integer>(a / b);
}

// Returns `a op b`; `op` must be an operator, not a leaf.
template <class Integer>
constexpr SizeValue<Integer> apply(DimOp op, Integer a, Integer b) {
  const SizeValue<Integer> undefined{0, DimState::undefined};
  const auto unless = [](bool overflows, Integer result) {
    return overflows ? SizeValue<Integer>{0, DimState::overflow} : SizeValue<Integer>{result, DimState::known};
  };
  Integer result = 0;
  switch (op) {
    case DimOp::add: {
      const bool overflows = __builtin_add_overflow(a, b, &result);
      return unless(overflows, result);
    }
    case DimOp::sub: {
      const bool overflows = __builtin_sub_overflow(a, b, &result);
      return unless(overflows, result);
    }
    case DimOp::mul: {
      const bool overflows = __builtin_mul_overflow(a, b, &result);
      return unless(overflows, result);
    }
    case DimOp::div:
    case DimOp::ceildiv:
      if (b == 0) return undefined;
      if (b == -1) return apply(DimOp::sub, Integer{0}, a);
      return unless(false, op == DimOp::div ? floorDiv(a, b) : ceilDiv(a, b));
    case DimOp::mod:
      return b == 0 ? undefined : unless(false, floorMod(a, b));
    case DimOp::max:
      return unless(false, std::max(a, b));
    case DimOp::min:
      return unless(false, std::min(a, b));
    case DimOp::constant:
    case DimOp::symbol:
      break;
  }
  return undefined;
}

// As above for operands that may have no value.
template <class Integer>
constexpr SizeValue<Integer> apply(DimOp op, SizeValue<Integer> a, SizeValue<Integer> b) {
  if (!a.known() || !b.known()) return {0, std::max(a.state, b.state)};
  return apply(op, a.value, b.value);
}

}  // namespace axle
