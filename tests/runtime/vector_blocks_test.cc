// Tests the kernels of blocks in every instruction set that this machine has: products and convolutions, with guarded
// edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/vector/depthwise.h"
#include "runtime/vector/groups.h"
#include "runtime/vector/product.h"
#include "tests/runtime/drawn_elements.h"
#include "tests/runtime/instruction_sets.h"

namespace axle::runtime::test {
namespace {

// An epilogue with some of its parts, and its expected result for a sum.
struct DrawnEpilogue {
  std::vector<float> scale, bias, residual;
  ProductEpilogue parts;

  DrawnEpilogue(Draws& draws, std::int64_t rows, std::int64_t columns) {
    if (draws.below(2) == 0) scale = draws.numbers(columns, drawElement), parts.scale = scale.data();
    if (draws.below(2) == 0) bias = draws.numbers(columns, drawElement), parts.bias = bias.data();
    if (draws.below(2) == 0) {
      parts.residualPitch = columns + draws.below(3);
      residual = draws.numbers(rows * parts.residualPitch, drawElement);
      parts.residual = residual.data();
    }
    if (draws.below(2) == 0) parts.low = -1;
    if (draws.below(2) == 0) parts.high = 6;
  }

  float of(float sum, std::int64_t row, std::int64_t column) const {
    const auto c = static_cast<std::size_t>(column);
    if (!scale.empty()) sum *= scale[c];
    if (!bias.empty()) sum += bias[c];
    if (!residual.empty()) sum += residual[static_cast<std::size_t>(row * parts.residualPitch) + c];
    return std::min(parts.high, std::max(parts.low, sum));
  }
};

struct BlockSizes {
  std::int64_t rows, taps, depth, blocks, columns;
  bool isNarrow = false;
};

void checkProduct(Draws& draws, const ProductShape& shape, const BlockSizes& sizes) {
  const std::int64_t rowsOfBlock = sizes.rows, taps = sizes.taps, depth = sizes.depth, k = taps * depth,
                     blocks = sizes.blocks, rows = blocks * rowsOfBlock, columns = sizes.columns;
  const std::vector<float> left = draws.numbers(rows * k + 1, drawElement),
                           right = draws.numbers(k * columns + 1, drawElement);
  std::vector<float> packed(
      static_cast<std::size_t>(sizes.isNarrow ? narrowColumns * narrowPitch(k) : shape.panels * panelWidth * k), guard);
  (sizes.isNarrow ? packColumns : packPanels)(right.data(), columns, k, columns, packed.data());
  // Ordered by block and tap; the pieces of a row are in another order than the taps.
  std::vector<const float*> table;
  const auto pieceAt = [&](std::int64_t tap, std::int64_t row) {
    return left.data() + ((taps - 1 - tap) * rows + row) * depth;
  };
  for (std::int64_t first = 0; first < rows; first += rowsOfBlock)
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t row = 0; row < rowsOfBlock; ++row) table.push_back(pieceAt(tap, first + row));
  const DrawnEpilogue epilogue(draws, rows, columns);
  const std::int64_t pitch = columns + draws.below(4);
  std::vector<float> out(static_cast<std::size_t>((rows + 1) * pitch), guard);
  ProductBlock block;
  block.rows = table.data();
  block.blocks = blocks;
  block.taps = taps, block.depth = depth;
  block.right = packed.data(), block.panelPitch = k * panelWidth;
  if (sizes.isNarrow) block.rightPitch = narrowPitch(k);
  block.out = out.data(), block.outPitch = pitch, block.columns = columns;
  block.epilogue = epilogue.parts;
  shape.kernels[rowsOfBlock - 1](block);
  expectBlock(out, pitch, rows, columns, [&](std::int64_t row, std::int64_t column) {
    float sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t p = 0; p < depth; ++p)
        sum += pieceAt(tap, row)[p] * right[static_cast<std::size_t>((tap * depth + p) * columns + column)];
    return epilogue.of(sum, row, column);
  });
}

TEST(Vector, BlocksOfProducts) {
  Draws draws(7);
  inEachInstructionSet([&](std::string_view) {
    const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
    for (std::int64_t i = 0; i < kernels.count; ++i)
      for (std::int64_t rows = 1; rows <= kernels.shapes[i].rows; ++rows)
        for (int round = 0; round < 30; ++round) {
          const std::int64_t missing = draws.below(2) == 0 ? draws.below(panelWidth) : 0;
          checkProduct(draws, kernels.shapes[i],
                       {rows, 1 + draws.below(3), draws.below(20), 1 + draws.below(3),
                        kernels.shapes[i].panels * panelWidth - missing});
          if (testing::Test::HasFailure()) return;
        }
    EXPECT_EQ(kernels.shapes[kernels.count - 1].panels, 1);
    const ProductShape& narrow = AXLE_KERNELS_IN_USE(narrowProducts).shape;
    for (std::int64_t rows = 1; rows <= narrow.rows; ++rows)
      for (int round = 0; round < 60; ++round) {
        checkProduct(draws, narrow,
                     {rows, 1, panelWidth + draws.below(40), 1 + draws.below(3), 1 + draws.below(narrowColumns), true});
        if (testing::Test::HasFailure()) return;
      }
  });
}

// Vectors of k may overlap, and no element may be added twice: infinity times 0 is NaN.
TEST(Vector, NarrowProductsOfInfinity) {
  inEachInstructionSet([](std::string_view) {
    for (std::int64_t depth = panelWidth; depth < 2 * panelWidth; ++depth)
      for (std::int64_t at = 0; at < depth; ++at) {
        std::vector<float> left(static_cast<std::size_t>(depth), 1.0f),
            right(static_cast<std::size_t>(depth * narrowColumns), 1.0f),
            packed(static_cast<std::size_t>(narrowColumns * narrowPitch(depth)));
        left[static_cast<std::size_t>(at)] = right[static_cast<std::size_t>(at * narrowColumns + 1)] =
            std::numeric_limits<float>::infinity();
        packColumns(right.data(), narrowColumns, depth, narrowColumns, packed.data());
        const float* row = left.data();
        float out[narrowColumns] = {};
        ProductBlock block;
        block.rows = &row;
        block.taps = 1, block.depth = depth;
        block.right = packed.data(), block.rightPitch = narrowPitch(depth);
        block.out = out, block.outPitch = block.columns = narrowColumns;
        AXLE_KERNELS_IN_USE(narrowProducts).shape.kernels[0](block);
        for (const float sum : out) ASSERT_EQ(sum, std::numeric_limits<float>::infinity()) << depth << ", " << at;
      }
  });
}

// `stride`: 0, or the stride of windows with three columns.
void checkDepthwise(Draws& draws, DepthwiseKernel kernel, std::int64_t pixels, std::int64_t stride) {
  const std::int64_t taps = stride == 0 ? draws.below(10) : 3 * draws.below(4), channels = 1 + draws.below(70);
  const std::int64_t columns = stride == 0 ? pixels : (pixels - 1) * stride + 3, rows = stride == 0 ? taps : taps / 3;
  const std::vector<float> image = draws.numbers((rows * columns + 1) * channels, drawElement),
                           filter = draws.numbers(taps * channels + 1, drawElement);
  std::vector<const float*> table;
  for (std::int64_t i = 0; i < rows * columns; ++i) table.push_back(image.data() + i * channels);
  const DrawnEpilogue epilogue(draws, pixels, channels);
  const std::int64_t pitch = channels + draws.below(4);
  std::vector<float> out(static_cast<std::size_t>((pixels + 1) * pitch), guard);
  DepthwiseBlock block;
  block.rows = table.data();
  block.filter = filter.data();
  block.taps = taps, block.channels = block.filterPitch = channels;
  block.out = out.data(), block.outPitch = pitch;
  block.epilogue = epilogue.parts;
  kernel(block);
  expectBlock(out, pitch, pixels, channels, [&](std::int64_t pixel, std::int64_t channel) {
    float sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t at = stride == 0 ? tap * pixels + pixel : tap / 3 * columns + pixel * stride + tap % 3;
      sum += table[static_cast<std::size_t>(at)][channel] * filter[static_cast<std::size_t>(tap * channels + channel)];
    }
    return epilogue.of(sum, pixel, channel);
  });
}

TEST(Vector, BlocksOfDepthwiseConvolutions) {
  Draws draws(7);
  inEachInstructionSet([&](std::string_view) {
    const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(depthwise);
    for (std::int64_t pixels = 1; pixels <= kernels.pixels; ++pixels)
      for (int round = 0; round < 60; ++round) {
        checkDepthwise(draws, kernels.kernels[pixels - 1], pixels, 0);
        for (std::int64_t stride : {1, 2})
          checkDepthwise(draws, kernels.ofThree[stride - 1][pixels - 1], pixels, stride);
        if (testing::Test::HasFailure()) return;
      }
  });
}

void checkGroups(Draws& draws, DepthwiseKernel kernel, std::int64_t pixels, const GroupForm& form) {
  const std::int64_t taps = draws.below(6), channels = groupedChannels * (1 + draws.below(3)), first = groupedChannels,
                     results = channels * form.multiplier, image = channels + first, pitch = results + draws.below(4);
  const std::int64_t filterPitch = image * form.multiplier;
  const std::vector<float> from = draws.numbers((taps * pixels + 1) * image, drawElement),
                           filter = draws.numbers((taps * form.depth + 1) * filterPitch, drawElement);
  std::vector<const float*> table;
  for (std::int64_t i = 0; i < taps * pixels; ++i) table.push_back(from.data() + i * image);
  const DrawnEpilogue epilogue(draws, pixels, results);
  std::vector<float> out(static_cast<std::size_t>((pixels + 1) * pitch), guard);
  DepthwiseBlock block;
  block.rows = table.data();
  block.filter = filter.data();
  block.taps = taps, block.channels = channels, block.firstChannel = first, block.filterPitch = filterPitch;
  block.out = out.data(), block.outPitch = pitch;
  block.epilogue = epilogue.parts;
  kernel(block);
  expectBlock(out, pitch, pixels, results, [&](std::int64_t pixel, std::int64_t column) {
    const std::int64_t group = column / (form.depth * form.multiplier);
    float sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t c = 0; c < form.depth; ++c)
        sum +=
            table[static_cast<std::size_t>(tap * pixels + pixel)][first + group * form.depth + c] *
            filter[static_cast<std::size_t>((tap * form.depth + c) * filterPitch + first * form.multiplier + column)];
    return epilogue.of(sum, pixel, column);
  });
}

TEST(Vector, BlocksOfConvolutionsInGroups) {
  Draws draws(8);
  inEachInstructionSet([&](std::string_view) {
    for (std::size_t form = 0; form < std::size(groupForms); ++form) {
      const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(groups).forms[form];
      for (int round = 0; round < 60; ++round)
        for (const std::int64_t pixels : {std::int64_t{1}, kernels.pixels}) {
          checkGroups(draws, kernels.kernelOf(kernels.kernels, pixels), pixels, groupForms[form]);
          if (testing::Test::HasFailure()) return;
        }
    }
  });
}

}  // namespace
}  // namespace axle::runtime::test
