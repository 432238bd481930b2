// Tests the transformations of Winograd's algorithm in every instruction set: of one channel at a time, the transformed
// result of transformed pixels times a transformed filter is the convolution.
#include "runtime/vector/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/runtime/draws.h"
#include "tests/runtime/instruction_sets.h"

namespace axle::runtime::test {
namespace {

constexpr float untouched = -12345.0f;

float drawNumber(Draws& draws) { return static_cast<float>(draws.fraction()); }

// A tile of as many convolutions as channels, each of one channel.
class TileOfChannels {
 public:
  TileOfChannels(Draws& draws, std::int64_t tile)
      : tile_(tile),
        channels_(1 + draws.below(40)),
        pitch_(panelsOf(channels_) * panelWidth + draws.below(5)),
        pixels_(draws.numbers(winogradElements(tile) * channels_, drawNumber)),
        taps_(draws.numbers(winogradTaps * pitch_, drawNumber)),
        bias_(draws.numbers(channels_, drawNumber)),
        residual_(draws.numbers(tile * tile * channels_, drawNumber)) {}

  // Computes the first rows and columns of the results.
  void check(const WinogradKernels& kernels, std::int64_t rows, std::int64_t columns) const {
    const std::vector<float> products = transformed(kernels);
    const std::int64_t outPitch = channels_ + 2, outRowPitch = (tile_ + 1) * outPitch;
    std::vector<float> out(static_cast<std::size_t>(tile_ * outRowPitch), untouched);
    WinogradOutput output;
    output.from = products.data(), output.pitch = pitch_;
    output.channels = channels_, output.rows = rows, output.columns = columns;
    output.out = out.data(), output.outPitch = outPitch, output.outRowPitch = outRowPitch;
    output.epilogue.bias = bias_.data();
    output.epilogue.residual = residual_.data(), output.epilogue.residualPitch = channels_;
    output.residualRowPitch = tile_ * channels_;
    kernels.output(output);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t row = at / outRowPitch, column = at % outRowPitch / outPitch, channel = at % outPitch;
      if (row < rows && column < columns && channel < channels_)
        ASSERT_NEAR(out[i], expected(row, column, channel), 5e-5) << row << ", " << column << ", " << channel;
      else
        ASSERT_EQ(out[i], untouched) << row << ", " << column << ", " << channel;
    }
  }

 private:
  static float at(const std::vector<float>& from, std::int64_t i) { return from[static_cast<std::size_t>(i)]; }

  // The transformed elements of the pixels, multiplied by those of the filter.
  std::vector<float> transformed(const WinogradKernels& kernels) const {
    const std::int64_t elements = winogradElements(tile_);
    std::vector<float> image(static_cast<std::size_t>(elements * pitch_), untouched), filter = image;
    std::vector<const float*> table;
    for (std::int64_t i = 0; i < elements; ++i) table.push_back(pixels_.data() + i * channels_);
    const std::int64_t first = channels_ / 2;  // transformed in two pieces
    kernels.input({table.data(), 0, first, image.data(), pitch_});
    kernels.input({table.data(), first, channels_ - first, image.data() + first, pitch_});
    kernels.filter({taps_.data(), pitch_, panelsOf(channels_), filter.data(), pitch_});
    for (std::int64_t i = 0; i < elements; ++i)
      for (std::int64_t c = 0; c < channels_; ++c)
        image[static_cast<std::size_t>(i * pitch_ + c)] *= at(filter, i * pitch_ + c);
    return image;
  }

  double expected(std::int64_t row, std::int64_t column, std::int64_t channel) const {
    double sum = at(bias_, channel);
    for (std::int64_t tap = 0; tap < winogradTaps; ++tap) {
      const std::int64_t pixel = (row + tap / winogradWindow) * winogradSize(tile_) + column + tap % winogradWindow;
      sum += static_cast<double>(at(pixels_, pixel * channels_ + channel)) * at(taps_, tap * pitch_ + channel);
    }
    return sum + at(residual_, (row * tile_ + column) * channels_ + channel);
  }

  const std::int64_t tile_, channels_, pitch_;
  const std::vector<float> pixels_, taps_, bias_, residual_;
};

TEST(Winograd, TilesOfEachForm) {
  Draws draws(15);
  inEachInstructionSet([&](std::string_view) {
    const WinogradKernels* const forms[] = {&AXLE_KERNELS_IN_USE(winogradF2), &AXLE_KERNELS_IN_USE(winogradF4),
                                            &AXLE_KERNELS_IN_USE(winogradF6)};
    for (std::int64_t form = 0; form < 3; ++form)
      for (int round = 0; round < 40; ++round) {
        const std::int64_t tile = 2 * form + 2;
        const TileOfChannels channels(draws, tile);
        const bool isWhole = draws.below(2) == 0;
        channels.check(*forms[form], isWhole ? tile : 1 + draws.below(tile), isWhole ? tile : 1 + draws.below(tile));
        if (HasFailure()) return;
      }
  });
}

}  // namespace
}  // namespace axle::runtime::test
