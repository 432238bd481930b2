// Matrix products.
#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

std::optional<TypedId> transposed(RuleNode& n, TypedId value, bool wanted) {
  if (!wanted) return value;
  return n.op("swap_axes", {value}, {{"a", n.t.integer(-1)}, {"b", n.t.integer(-2)}});
}

// Of matrices, and of stacks of them that broadcast.
Outcome product(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0) || !n.isTensor(1)) return Outcome::unknown;
  bool stacked = core == "batch_matmul";
  auto a = transposed(n, n.in(0), n.flag(stacked ? "adj_x" : "transpose_a"));
  auto b = transposed(n, n.in(1), n.flag(stacked ? "adj_y" : "transpose_b"));
  if (!a || !b) return Outcome::failed;
  if (!stacked)
    for (TypedId matrix : {*a, *b}) {
      TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("m"), n.t.unknownSize("k")}), {});
      if (!n.t.unify(wanted, n.t.typeOf(matrix), n.places.op, "`MatMul`")) return Outcome::failed;
    }
  return n.give(n.op(core, {*a, *b}));
}

constexpr Rule rows[] = {
    {"MatMul", product, "matmul"},
    {"BatchMatMul", product, "batch_matmul"},
    {"BatchMatMulV2", product, "batch_matmul"},
    {"BatchMatMulV3", product, "batch_matmul"},
};

}  // namespace

std::span<const Rule> linearRules() { return rows; }

}  // namespace axle::tensorflow
