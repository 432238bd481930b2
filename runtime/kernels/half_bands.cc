#include "runtime/kernels/half_bands.h"

#include <algorithm>

namespace axle::runtime {

namespace {

// The first axis along which there are several lines.
int axisOf(const Geometry& g, int rank) {
  int axis = mostAxes - rank;
  while (axis + 1 < mostAxes && g.input[axis] == 1 && g.output[axis] == 1) ++axis;
  return axis;
}

}  // namespace

HalfBands::HalfBands(const Step& step, const Geometry& g, std::int64_t pixels)
    : whole_(g), axis_(axisOf(g, step.in(0).shape.rank() - 2)), channels_(step.in(0).columns()) {
  whole_.pitch = channels_;
  if (whole_.hasFewChannels()) whole_.reading = whole_.hasWholeRows() ? Reading::rows : Reading::copies;
  for (int i = axis_ + 1; i < mostAxes; ++i) pixelsOfLine_ *= g.output[i], inputPixelsOfLine_ *= g.input[i];
  const std::int64_t lines = (pixels + pixelsOfLine_ - 1) / std::max<std::int64_t>(pixelsOfLine_, 1);
  ofImage_ = std::max<std::int64_t>(g.output[axis_] / std::max<std::int64_t>(lines, 1), 1);
  mostLines_ = (g.output[axis_] + ofImage_ - 1) / ofImage_;
}

HalfBands::Band HalfBands::at(std::int64_t index) const {
  const std::int64_t image = index / ofImage_;
  const std::int64_t output = whole_.output[axis_], begin = index % ofImage_ * output / ofImage_,
                     end = (index % ofImage_ + 1) * output / ofImage_;
  Band band{whole_, 0, 0};
  Window& window = band.g.axis[axis_];
  const std::int64_t first = begin * window.stride - window.before,
                     reach = (end - 1 - begin) * window.stride + (window.size - 1) * window.dilation + 1,
                     from = std::clamp<std::int64_t>(first, 0, window.input),
                     to = std::clamp<std::int64_t>(first + reach, from, window.input);
  band.line = image * window.input + from;
  band.lines = to - from;
  band.firstPixel = (image * output + begin) * pixelsOfLine_;
  band.g.images = 1;
  band.g.input[axis_] = window.input = band.lines;
  band.g.output[axis_] = end - begin;
  window.before = from - first;
  window.after = 0;
  return band;
}

void HalfBands::widen(const Step& step, const Band& band, float* to) const {
  const TensorView& image = step.in(0);
  widenHalves(image.elem)({image.as<std::uint16_t>() + band.line * inputPixelsOfLine_ * image.rowPitch(),
                           image.rowPitch(), band.lines * inputPixelsOfLine_, channels_, to, channels_});
}

std::uint64_t HalfBands::inputBytes() const {
  const Window& window = whole_.axis[axis_];
  const std::int64_t lines =
      std::min(window.input, (mostLines_ - 1) * window.stride + (window.size - 1) * window.dilation + 1);
  return alignUp(static_cast<std::uint64_t>(std::max<std::int64_t>(lines, 0)) *
                 static_cast<std::uint64_t>(inputPixelsOfLine_) * static_cast<std::uint64_t>(channels_) *
                 sizeof(float));
}

}  // namespace axle::runtime
