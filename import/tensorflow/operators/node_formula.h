// Formulas of nodes: the computation of a node whose rule gives only types, as a composition of core operators. They
// are built after the analysis. A formula returns nothing if it needs a size as a number and the size is open; one that
// supports open sizes takes them as dimensions (`Dims`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "import/builder/formula_builder.h"
#include "import/tensorflow/operators/rule_node.h"

namespace axle::tensorflow {

class NodeFormula : public FormulaBuilder {
 public:
  using MakeConstant = std::function<TypedId(std::shared_ptr<const Tensor>)>;
  // `outlets` are the facts about the node's outlets, `inputSizes` the sizes that the graph's inputs determine.
  NodeFormula(RuleNode node, const std::vector<OutletFact>& outlets, const std::vector<DimVar>& inputSizes,
              MakeConstant makeConstant);

  RuleNode n;

  // ---- inputs
  std::size_t count() const { return n.count(); }
  using FormulaBuilder::count;
  // Returns an input; the parts of a complex tensor are a last axis.
  Expr in(std::size_t i) { return {this, i < n.count() ? n.fact(i).value : TypedId()}; }
  // Returns the elements of a list or an array along a first axis.
  Expr content(std::size_t i) { return {this, i < n.count() ? n.fact(i).content : TypedId()}; }
  std::optional<Sizes> sizes(std::size_t input) { return sizes(in(input)); }
  std::optional<Dims> dims(std::size_t input) { return dims(in(input)); }
  using FormulaBuilder::dims;
  using FormulaBuilder::sizes;

  // ---- outlets
  std::optional<Sizes> outletSizes(std::size_t port);
  std::optional<Dims> outletDims(std::size_t port);
  std::optional<Sizes> contentSizes(std::size_t port);
  std::optional<Dims> contentDims(std::size_t port);
  const std::optional<Known>& outletKnown(std::size_t port) const { return outlets_[port].known; }
  // Returns the sizes of an outlet. Those from `axis` on are the elements of an input: the run determines the open
  // ones.
  std::optional<Dims> sizesBy(std::size_t port, std::size_t input, std::size_t axis = 0);

  // ---- values
  Elem elemOf(Type type) { return elementOf(type).value_or(Elem::f32); }
  // Casts as TensorFlow does: a value that is out of range, infinite or NaN becomes the lowest number.
  Expr converted(Expr value, Elem to);

  // ---- complex numbers by their parts
  Expr re(Expr z) { return at(z, -1, 0); }
  Expr im(Expr z) { return at(z, -1, 1); }
  Expr complexOf(Expr a, Expr b) { return stack({a, b}, -1); }

 private:
  Expr valueOf(std::size_t port);
  Expr contentOf(std::size_t port);

  const std::vector<OutletFact>& outlets_;
};

// The result for each outlet, from the first; for a list its content. An outlet without a result keeps only its type.
using FormulaResults = std::vector<Expr>;

}  // namespace axle::tensorflow
