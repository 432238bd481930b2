#include "import/tensorflow/operators/node_formula.h"

#include <algorithm>
#include <iterator>

namespace axle::tensorflow {
namespace {

Type typeWith(Elem elem) {
  for (int i = 0; i < typeCount; ++i)
    if (info(static_cast<Type>(i)).element == elem) return static_cast<Type>(i);
  return Type::invalid;
}

std::shared_ptr<const Tensor> tensorOf(ConstantData data) {
  auto tensor = std::make_shared<Tensor>();
  tensor->type = typeWith(data.elem);
  tensor->count = countOf(data.shape);
  tensor->shape = std::move(data.shape);
  tensor->bytes = std::move(data.bytes);
  return tensor;
}

}  // namespace

NodeFormula::NodeFormula(RuleNode node, const std::vector<OutletFact>& outlets, const std::vector<DimVar>& inputSizes,
                         MakeConstant makeConstant)
    : FormulaBuilder(node.t, node.node.name, node.places.op, node.subject(), inputSizes,
                     [makeConstant = std::move(makeConstant)](ConstantData data) {
                       return makeConstant(tensorOf(std::move(data)));
                     }),
      n(std::move(node)),
      outlets_(outlets) {}

Expr NodeFormula::valueOf(std::size_t port) {
  return {this, port < outlets_.size() ? outlets_[port].value : TypedId()};
}

Expr NodeFormula::contentOf(std::size_t port) {
  return {this, port < outlets_.size() ? outlets_[port].content : TypedId()};
}

std::optional<Sizes> NodeFormula::outletSizes(std::size_t port) { return sizes(valueOf(port)); }
std::optional<Dims> NodeFormula::outletDims(std::size_t port) { return dims(valueOf(port)); }
std::optional<Sizes> NodeFormula::contentSizes(std::size_t port) { return sizes(contentOf(port)); }
std::optional<Dims> NodeFormula::contentDims(std::size_t port) { return dims(contentOf(port)); }

Expr NodeFormula::converted(Expr value, Elem to) {
  const std::size_t bytes = axle::info(to).bytes;
  if (!axle::info(elem(value)).isFloat || !axle::info(to).isInt || to == Elem::u64) return cast(value, to);
  // Narrow integers take the low bits of a 32-bit integer.
  Elem wide = bytes == 8 || to == Elem::u32 ? Elem::i64 : Elem::i32;
  const double limit = wide == Elem::i64 ? 0x1p63 : 0x1p31;
  Expr x = axle::info(elem(value)).bytes < 4 ? cast(value, Elem::f32) : value;
  return cast(choose(x >= -limit && x < limit, cast(x, wide), number(-limit, wide)), to);
}

std::optional<Dims> NodeFormula::sizesBy(std::size_t port, std::size_t input, std::size_t axis) {
  auto sizes = outletDims(port);
  if (!sizes) return std::nullopt;
  auto known = n.known(input);
  auto shape = this->sizes(input);
  const std::size_t said = !shape || shape->size() > 1 ? sizes->size()
                           : shape->empty()            ? 1
                                                       : static_cast<std::size_t>(shape->front());
  auto isFound = [&](std::size_t i) {
    if (i < axis || i - axis >= said) return false;
    const bool isSaid = known && i - axis < known->elements.size() && known->elements[i - axis] == (*sizes)[i];
    return !isSaid && isOpen((*sizes)[i]);
  };
  std::size_t open = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) open += isFound(i);
  if (open == 0) return sizes;
  if (!shape || shape->size() > 1) return std::nullopt;
  for (std::size_t i = axis; i < sizes->size(); ++i) {
    const std::size_t at = i - axis;
    if (!isFound(i)) continue;
    Expr number = shape->empty() ? in(input) : this->at(in(input), 0, static_cast<std::int64_t>(at));
    auto size = found(number, dim(mostFound(open)));
    if (!size) return std::nullopt;
    (*sizes)[i] = *size;
  }
  return sizes;
}

}  // namespace axle::tensorflow
