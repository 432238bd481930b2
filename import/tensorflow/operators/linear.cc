// Products of matrices, and sums of products by an equation.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::linear {
namespace {

std::optional<TypedId> transposed(RuleNode& n, TypedId value, bool wanted) {
  if (!wanted) return value;
  return n.op("swap_axes", {value}, {{"a", n.t.integer(-1)}, {"b", n.t.integer(-2)}});
}

// Returns an input cast to the element type of the product.
std::optional<TypedId> factor(RuleNode& n, std::size_t input) {
  auto to = n.type("Tout");
  auto elem = to ? elementOf(*to) : std::nullopt;
  if (!elem || elementOf(n.fact(input).type) == elem) return n.in(input);
  return castTo(n, n.in(input), *elem);
}

std::optional<TypedId> multiplied(RuleNode& n) {
  auto a = transposed(n, n.in(0), n.flag("transpose_a")), b = transposed(n, n.in(1), n.flag("transpose_b"));
  if (!a || !b) return std::nullopt;
  for (TypedId matrix : {*a, *b}) {
    TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("m"), n.t.unknownSize("k")}), {});
    if (!n.equate(wanted, n.t.typeOf(matrix))) return std::nullopt;
  }
  return n.op("matmul", {*a, *b});
}

Outcome matMulType(RuleNode& n, std::string_view) { return n.give(multiplied(n)); }

// SparseMatMul: the two matrices may have different element types.
Outcome sparseMatMulType(RuleNode& n, std::string_view) {
  n.giveTypesOnly();
  return matMulType(n, {});
}

// BatchMatMul: stacks of matrices; only its later versions broadcast.
Outcome batchMatMulType(RuleNode& n, std::string_view core) {
  auto a = factor(n, 0), b = factor(n, 1);
  if (a) a = transposed(n, *a, n.flag("adj_x"));
  if (b) b = transposed(n, *b, n.flag("adj_y"));
  return n.give(a && b ? n.op(core, {*a, *b}) : std::nullopt);
}

// A product, a bias along its columns, and an activation.
Outcome fusedMatMulType(RuleNode& n, std::string_view) {
  auto value = multiplied(n);
  const Value* list = n.attribute("fused_ops");
  const auto* fused = list ? std::get_if<Values>(list) : nullptr;
  std::size_t argument = 2;
  for (std::size_t i = 0; fused && value && i < fused->size(); ++i) {
    const auto* name = std::get_if<std::string>(&(*fused)[i]);
    if (!name) return Outcome::unknown;
    if (*name == "BiasAdd" && n.isTensor(argument)) {
      Dim columns = n.t.unknownSize("n");
      TypeId whole = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("m"), columns}), {});
      if (!n.equate(whole, n.t.typeOf(*value)) || !requireDims(n, argument, {columns})) return Outcome::failed;
      value = n.op("+", {*value, n.in(argument++)});
      continue;
    }
    static constexpr std::pair<std::string_view, std::string_view> activations[] = {
        {"Relu", "relu"}, {"Relu6", "relu6"}, {"Elu", "elu"}, {"Tanh", "tanh"}, {"Sigmoid", "sigmoid"}};
    auto row =
        std::find_if(std::begin(activations), std::end(activations), [&](const auto& a) { return a.first == *name; });
    if (row != std::end(activations))
      value = n.op(row->second, {*value});
    else
      n.giveTypesOnly();
  }
  return n.give(value);
}

Outcome einsumType(RuleNode& n, std::string_view core) {
  std::string equation = n.text("equation");
  std::erase(equation, ' ');
  return n.give(n.op(core, n.ins(), {{"equation", n.t.word(std::move(equation))}}));
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name            type                                value  formula
    {"MatMul",         matMulType,                         {},    bilinearFormula},
    {"BatchMatMul",    {batchMatMulType, "matmul"},        {},    bilinearFormula},
    {"BatchMatMulV2",  {batchMatMulType, "batch_matmul"},  {},    bilinearFormula},
    {"BatchMatMulV3",  {batchMatMulType, "batch_matmul"}},
    {"SparseMatMul",   sparseMatMulType},
    {"_FusedMatMul",   fusedMatMulType},
    {"Einsum",         {einsumType, "einsum"},             {},    bilinearFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::linear
