#include "ir/lower/formula_rules.h"

#include "ir/lower/facts.h"
#include "ir/lower/formula.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"
#include "ir/ops/table.h"

namespace axle::ir::lowering {

namespace {

// Returns the tensor as a value with the shape of the result: a splat if the tensor lacks dimensions of the result,
// which then only literals have.
std::optional<Value> stretchToResult(Context& c, Tensor computed, Fact result, Span span) {
  DimStore& dims = c.dims();
  const std::vector<Dim>& shape = fact(c, computed).shape;
  if (shape.size() > result.shape.size()) return reportBug(c, "its shape differs from its operands'", span);
  std::size_t lead = result.shape.size() - shape.size();
  bool complete = lead == 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    bool one = dims.asConstant(shape[i]) == 1 && dims.asConstant(result.shape[lead + i]) != 1;
    if (!one && alwaysDiffer(dims, shape[i], result.shape[lead + i]))
      return reportBug(c, "its shape differs from its type's", span);
    complete = complete && !one;
  }
  if (!complete) computed.splat = std::move(result.shape);
  return Value{std::move(computed)};
}

// Casts floats to the result's element type; the formula may have computed in a wider one.
Operand asResultElem(Formula& formula, const Operand& x, Elem elem) {
  return info(elem).isFloat && info(formula.elem(x)).isFloat ? formula.cast(x, elem) : x;
}

}  // namespace

std::optional<Value> emitElementwiseFormula(Context& c, const Application& a, const CoreOperator& core,
                                            std::vector<Tensor> inputs) {
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!result) return std::nullopt;
  for (Tensor& input : inputs) input.splat.reset();
  Elem elem = result->elem;
  Formula formula(c, a, std::move(inputs), {*result});
  Operand made = core.formula(formula).all.front();
  if (formula.failed()) return std::nullopt;
  made = asResultElem(formula, made, elem);
  if (formula.elem(made) != elem) made = formula.fail("its element type differs from its type's");
  if (formula.failed()) return std::nullopt;
  return stretchToResult(c, made.tensor, std::move(*result), a.span());
}

std::optional<Value> lowerFormula(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  std::vector<Fact> results;
  if (inputs) declareResultSizes(c, a, *inputs);
  if (!inputs || !factsOf(c, a.type, results, a.span(), "a result")) return std::nullopt;
  auto ragged = c.anyRagged && !inputs->empty() ? raggedDimension(c, argumentType(c, a, 0)) : std::nullopt;
  RaggedReduction reduction;
  if (ragged) reduction.axis = ragged->axis, reduction.rank = c.type(argumentType(c, a, 0)).shape.size();
  Formula formula(c, a, std::move(*inputs), results, ragged ? &reduction : nullptr);
  Results made = core.formula(formula);
  if (!formula.failed() && made.all.size() != results.size()) formula.fail("its results differ from its type's");
  std::vector<Tensor> flat;
  for (std::size_t i = 0; i < made.all.size() && !formula.failed(); ++i) {
    Operand one = asResultElem(formula, made.all[i], results[i].elem);
    if (formula.elem(one) != results[i].elem || alwaysDiffer(c.dims(), formula.shape(one), results[i].shape))
      formula.fail("its result differs from its type's");
    flat.push_back(one.tensor);
  }
  if (formula.failed()) return std::nullopt;
  std::size_t next = 0;
  return rebuildValue(c, a.type, flat, next);
}

std::optional<Value> lowerRaggedFormula(Context& c, const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(c, a, 0);
  auto ragged = raggedDimension(c, type);
  auto inputs = ragged ? arguments(c, a) : std::nullopt;
  std::vector<Fact> results;
  if (!inputs || !factsOf(c, a.type, results, a.span(), "a result"))
    return c.failed ? std::nullopt : failRagged(c, a, core, "its operand is not ragged");
  std::size_t rank = c.type(type).shape.size();
  auto reduction = reductionOver(c, type, *ragged, Formula(c, a, {}, {}).writtenAxes(rank));
  if (!reduction) return failRagged(c, a, core, "it reduces a dimension before the ragged one");
  Formula formula(c, a, std::move(*inputs), results, &*reduction);
  Results made = core.formula(formula);
  if (!formula.failed() && (made.all.size() != 1 || results.size() != 1))
    formula.fail("its results differ from its type's");
  if (formula.failed()) return std::nullopt;
  Operand one = asResultElem(formula, made.all.front(), results[0].elem);
  return toValue(formula.reshape(one, results[0].shape).tensor);
}

}  // namespace axle::ir::lowering
