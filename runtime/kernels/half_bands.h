// Convolutions of f16 and bf16 run in bands: f32 kernels compute some lines of the result, which are positions along
// the first spatial axis with several of them, from a widened copy of the pixels under them.
#pragma once

#include "runtime/kernels/halves.h"
#include "runtime/kernels/windowed.h"

namespace axle::runtime {

class HalfBands {
 public:
  // `g`: of the step; `pixels`: the fewest of a band.
  HalfBands(const Step& step, const Geometry& g, std::int64_t pixels);

  struct Band {
    Geometry g;                   // of the copy; the result is one image of some lines
    std::int64_t line, lines;     // of the input, in all images
    std::int64_t firstPixel = 0;  // of the result
  };

  std::int64_t count() const { return whole_.images * ofImage_; }
  Band at(std::int64_t index) const;
  // Widens the pixels of a band.
  void widen(const Step& step, const Band& band, float* to) const;

  const Geometry& whole() const { return whole_; }  // as if the image were a widened copy
  std::int64_t mostPixels() const { return mostLines_ * pixelsOfLine_; }
  std::uint64_t inputBytes() const;  // of the largest copy

 private:
  Geometry whole_;
  const int axis_;                      // along which bands follow one another
  std::int64_t pixelsOfLine_ = 1;       // of the result
  std::int64_t inputPixelsOfLine_ = 1;  // of the image
  std::int64_t channels_, ofImage_, mostLines_;
};

}  // namespace axle::runtime
