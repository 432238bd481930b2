#include "tests/runtime/one_operator.h"

#include <string>

#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {

Result<Tensor> runOperator(std::uint32_t op, const std::vector<TensorView>& inputs,
                           const std::vector<std::int64_t>& ints, Elem elem, const Shape& shape) {
  Maker maker;
  std::vector<std::string> names;
  std::vector<std::uint32_t> values;
  for (const TensorView& tensor : inputs) {
    names.push_back("in" + std::to_string(names.size()));
    const Shape& sizes = tensor.shape;
    values.push_back(maker.input(names.back(), "", tensor.elem, maker.constantDims({sizes.begin(), sizes.end()})));
  }
  auto& graph = maker.manifest.graph;
  const std::uint32_t result = Maker::value(graph, elem, maker.constantDims({shape.begin(), shape.end()}));
  Maker::node(graph, op, values, {result}, maker.constantDims(ints));
  maker.output("out", "", result);

  auto session = load(maker.bundle());
  if (!session) return tl::unexpected(session.error());
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({names[i], inputs[i]});
  if (const auto bound = session->bind(tensors); !bound) return tl::unexpected(bound.error());
  if (const auto ran = session->run(); !ran) return tl::unexpected(ran.error());
  return Tensor::copyOf(session->output(0));
}

}  // namespace axle::runtime::test
