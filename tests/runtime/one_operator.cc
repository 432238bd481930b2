#include "tests/runtime/one_operator.h"

#include <array>
#include <cstring>
#include <string>

#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

// One of this many calls is repeated with several threads, which an emulator takes long to start.
#ifdef __x86_64__
constexpr std::size_t dividedEach = 1;
#else
constexpr std::size_t dividedEach = 10;
#endif

// Checks that the bound session gives the same bits for the same inputs at other addresses.
Result<void> runMoved(Session& session, const std::vector<TensorView>& inputs, const Result<Tensor>& expected) {
  std::vector<Tensor> copies;
  for (const TensorView& input : inputs) {
    auto copy = Tensor::copyOf(input);
    if (!copy) return tl::unexpected(copy.error());
    copies.push_back(std::move(*copy));
  }
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (const auto set = session.setData(i, copies[i].view().data); !set) return set;
  if (const auto ran = session.run(); !ran) return ran;
  const TensorView moved = session.output(0);
  if (expected && moved.bytes() > 0 && std::memcmp(expected->bytes().data(), moved.data, moved.bytes()) != 0)
    return failure(ErrorCode::inconsistent, "other bits for inputs that have moved");
  return {};
}

}  // namespace

Result<Tensor> runOperator(std::uint32_t op, const std::vector<TensorView>& inputs,
                           const std::vector<std::int64_t>& ints, Elem elem, const Shape& shape,
                           const Epilogue& epilogue) {
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
  graph.nodes.back().epilogue = epilogue.links;
  graph.nodes.back().epilogueInputs = epilogue.inputs;
  maker.output("out", "", result);

  auto session = load(maker.bundle());
  if (!session) return tl::unexpected(session.error());
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({names[i], inputs[i]});
  if (const auto bound = session->bind(tensors); !bound) return tl::unexpected(bound.error());
  if (const auto ran = session->run(); !ran) return tl::unexpected(ran.error());
  auto whole = Tensor::copyOf(session->output(0));
  if (const auto moved = runMoved(*session, inputs, whole); !moved) return tl::unexpected(moved.error());
  static std::size_t calls = 0;
  if (calls++ % dividedEach != 0) return whole;
  const std::int64_t threads = std::array{2, 3, 7}[calls / dividedEach % 3];
  if (const auto set = session->setThreads({threads, threads, 0, 0}); !set) return tl::unexpected(set.error());
  if (const auto bound = session->bind(tensors); !bound) return tl::unexpected(bound.error());
  if (const auto ran = session->run(); !ran) return tl::unexpected(ran.error());
  const TensorView divided = session->output(0);
  if (whole && divided.bytes() > 0 && std::memcmp(whole->bytes().data(), divided.data, divided.bytes()) != 0)
    return failure(ErrorCode::inconsistent, "other bits with " + std::to_string(threads) + " threads");
  return whole;
}

}  // namespace axle::runtime::test
