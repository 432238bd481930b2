#include "tests/runtime/network_maker.h"

#include <gtest/gtest.h>

namespace axle::runtime::test {
namespace {

std::string typeOf(const NetworkMaker::Sizes& sizes) {
  std::string text = "f32 [";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

}  // namespace

std::int64_t elementsOf(const NetworkMaker::Sizes& sizes) {
  std::int64_t count = 1;
  for (std::int64_t size : sizes) count *= size;
  return count;
}

std::uint32_t NetworkMaker::input(const std::string& name, const Sizes& sizes, const std::vector<float>& elements) {
  Shape shape;
  for (std::int64_t size : sizes) shape.push(size);
  inputs.push_back(tensorOf(Elem::f32, shape, elements));
  return maker.input(name, typeOf(sizes), Elem::f32, maker.constantDims(sizes));
}

std::uint32_t NetworkMaker::constant(const Sizes& sizes, const std::vector<float>& elements) {
  return maker.constant(maker.manifest.graph, Elem::f32, sizes, elements.data());
}

std::uint32_t NetworkMaker::add(std::uint32_t op, const std::vector<std::uint32_t>& operands, const Sizes& sizes,
                                const Sizes& attributes, Elem elem) {
  auto& graph = maker.manifest.graph;
  const std::uint32_t to = Maker::value(graph, elem, maker.constantDims(sizes));
  Maker::node(graph, op, operands, {to}, maker.constantDims(attributes));
  return to;
}

void NetworkMaker::output(std::uint32_t value, const Sizes& sizes) { maker.output("out", typeOf(sizes), value); }

Ran NetworkMaker::run(bool byRows, std::int64_t threads) {
  auto& nodes = maker.manifest.graph.nodes;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i].byRows = byRows && !nodes[i].alias;
  auto session = load(maker.bundle());
  if (!session) return ADD_FAILURE() << session.error().text(), Ran();
  EXPECT_TRUE(session->setThreads({threads, threads}));
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({maker.manifest.inputs[i].name, inputs[i].view()});
  EXPECT_EQ(errorText(session->bind(std::span<const NamedTensor>(tensors))), "no error");
  EXPECT_EQ(errorText(session->run()), "no error");
  return {test::elementsOf<float>(session->output(0)), session->info().arenaBytes.value_or(0),
          session->info().macs.value_or(0)};
}

}  // namespace axle::runtime::test
