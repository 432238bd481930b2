// Checks that convolutions which run row by row compute the same as separate calls, with any number of threads, and
// that the rows between them stay inside their memory.
#include "runtime/by_rows.h"

#include <gtest/gtest.h>

#include "runtime/vector/product.h"
#include "tests/runtime/draws.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/network_maker.h"

namespace axle::runtime::test {
namespace {

// Sums of a few such elements, multiplied by weights, are exact.
float drawElement(Draws& draws) { return static_cast<float>(draws.below(5) - 2) / 4; }
float drawWeight(Draws& draws) { return draws.below(6) == 0 ? static_cast<float>(2 * draws.below(2) - 1) : 0.0f; }

// A chain of convolutions of an image; each may be depthwise, and have a bias, limits, and a sum with another input.
class Network : public NetworkMaker {
 public:
  explicit Network(unsigned seed) : draws_(seed) {
    image_ = {draws_.oneOf({1, 1, 2, 3}), 1 + draws_.below(12), 1 + draws_.below(12), draws_.oneOf({1, 3, 16, 17, 24})};
    if (draws_.below(8) == 0) image_[2] = 30, image_[3] = 400;  // the depth of products is divided into pieces
    value_ = drawnInput("x", image_);
    const std::int64_t count = 2 + draws_.below(4);
    for (std::int64_t i = 0; i < count; ++i) convolve();
    output(value_, image_);
  }

 private:
  std::uint32_t drawnInput(const std::string& name, const Sizes& sizes) {
    return input(name, sizes, draws_.numbers(elementsOf(sizes), drawElement));
  }
  std::uint32_t drawnConstant(const Sizes& sizes) {
    return constant(sizes, draws_.numbers(elementsOf(sizes), drawWeight));
  }

  struct Axis {
    std::int64_t size, stride, before, after, dilation;
  };
  // Draws an axis of a window for which there are results.
  Axis axisOver(std::int64_t pixels) {
    Axis axis{draws_.oneOf({1, 2, 3, 3, 5}), draws_.oneOf({1, 1, 2, 3}), draws_.below(4) - 1, draws_.below(4) - 1,
              draws_.oneOf({1, 1, 2})};
    const std::int64_t extent = (axis.size - 1) * axis.dilation + 1, missing = extent - pixels - axis.before;
    axis.after = std::max(axis.after, missing);
    return axis;
  }

  void convolve() {
    const std::int64_t channels = image_[3], kind = draws_.below(3);
    Axis axes[2] = {axisOver(image_[1]), axisOver(image_[2])};
    if (kind == 0) axes[0] = axes[1] = {1, 1, 0, 0, 1};
    const bool isDepthwise = kind == 1;
    const std::int64_t columns = isDepthwise ? channels : draws_.oneOf({1, 8, 16, 33});
    const std::uint32_t filter =
        isDepthwise ? drawnConstant({axes[0].size, axes[1].size, 1, channels})
                    : drawnConstant({panelsOf(columns), axes[0].size, axes[1].size, channels, panelWidth});
    Sizes result{image_[0], 0, 0, columns};
    for (int i = 0; i < 2; ++i)
      result[static_cast<std::size_t>(i) + 1] = (image_[static_cast<std::size_t>(i) + 1] + axes[i].before +
                                                 axes[i].after - ((axes[i].size - 1) * axes[i].dilation + 1)) /
                                                    axes[i].stride +
                                                1;
    value_ = add(isDepthwise ? op::convDepthwise : op::convPanels, {value_, filter}, result,
                 {axes[0].stride, axes[1].stride, axes[0].before, axes[0].after, axes[1].before, axes[1].after,
                  axes[0].dilation, axes[1].dilation, 1, 1, isDepthwise ? channels : 1});
    addEpilogue(last(), result);
    image_ = result;
  }

  void addEpilogue(manifest::Node& node, const Sizes& result) {
    std::vector<std::uint32_t> operators, operands;
    if (draws_.below(2) == 0) operators.push_back(op::add), operands.push_back(drawnConstant({result[3]}));
    if (draws_.below(3) == 0)
      operators.push_back(op::add), operands.push_back(drawnInput("r" + std::to_string(inputs.size()), result));
    const bool isRelu = draws_.below(3) == 0;
    for (std::uint32_t operand : operands) node.inputs.push_back(operand);
    const auto own = static_cast<std::uint32_t>(node.inputs.size());
    constexpr auto f32 = static_cast<std::uint32_t>(Elem::f32);
    for (std::uint32_t i = 0; i < operators.size(); ++i)
      node.epilogue.push_back({operators[i], f32, {own + i, 2 + i}, 0});
    node.epilogueInputs = static_cast<std::uint32_t>(operands.size());
    if (isRelu) node.epilogue.push_back({op::relu, f32, {own + static_cast<std::uint32_t>(operators.size())}, 0});
  }

  Draws draws_;
  Sizes image_;
  std::uint32_t value_ = 0;
};

TEST(ByRows, GivesTheSameElements) {
  std::uint64_t whole = 0, inRows = 0;
  inEachInstructionSet([&](std::string_view name) {
    for (unsigned seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
      Network network(seed);
      const Ran expected = network.run(false, 1), one = network.run(true, 1);
      EXPECT_EQ(expected.out, one.out) << seed << " " << name;
      EXPECT_EQ(expected.macs, one.macs) << seed;
      EXPECT_EQ(one.out, network.run(true, 3).out) << seed << " " << name;
      whole += expected.arenaBytes, inRows += one.arenaBytes;
    }
  });
  EXPECT_LT(inRows, whole);  // less memory
}

}  // namespace
}  // namespace axle::runtime::test
