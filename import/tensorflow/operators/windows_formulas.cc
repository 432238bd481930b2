// Formulas of windows that no core operator computes: patches, dilations, indices of the largest elements, gradients.
#include <cmath>

#include "dims/windows.h"
#include "import/tensorflow/operators/windows.h"

namespace axle::tensorflow::windows {
namespace {

struct Windows {
  std::int64_t height = 0, width = 0;  // of the image
  std::int64_t rows = 0, columns = 0;  // of the window
  Sizes top, left;                     // starts of the windows, perhaps outside of the image
  std::int64_t rowRate = 1, columnRate = 1;

  Dim along(NodeFormula& f, std::size_t axis) const { return f.dim(std::ssize(axis == 1 ? top : left)); }
};

// Returns the starts of the windows along one axis. None if the padding is not known.
std::optional<Sizes> starts(NodeFormula& f, std::size_t axis, std::int64_t size, std::int64_t extent,
                            std::int64_t stride) {
  const auto windows = windowsAlong(f.n, axis, size, extent, stride);
  if (!windows) return std::nullopt;
  Sizes out;
  for (std::int64_t i = 0; i < windows->count; ++i) out.push_back(i * stride - windows->before);
  return out;
}

// Returns the windows of images [n, h, w, c]; n may be open.
std::optional<Windows> windowsOf(NodeFormula& f, const Dims& image, const Sizes& size, const Sizes& stride,
                                 const Sizes& rates) {
  if (image.size() != 4 || size.size() != 4 || stride.size() != 4 || rates.size() != 4) return std::nullopt;
  auto height = f.number(image[1]), width = f.number(image[2]);
  if (!height || !width || stride[1] < 1 || stride[2] < 1 || size[1] < 1 || size[2] < 1) return std::nullopt;
  constexpr PlainSizes sizes;
  auto top = starts(f, 1, *height, windowExtent(sizes, size[1], rates[1]), stride[1]);
  auto left = starts(f, 2, *width, windowExtent(sizes, size[2], rates[2]), stride[2]);
  if (!top || !left) return std::nullopt;
  return Windows{*height, *width, size[1], size[2], std::move(*top), std::move(*left), rates[1], rates[2]};
}

// Returns, for each position in a window, the pixels there of all windows, [n, oh, ow, c]; `outside` beyond the image.
std::vector<Expr> places(NodeFormula& f, Expr image, const Windows& w, Expr outside) {
  Expr padded = f.padWith(image, outside, {0, 0, 0, 1, 0, 1, 0, 0});
  auto along = [&](const Sizes& begins, std::int64_t step, std::int64_t size) {
    Sizes out;
    for (std::int64_t begin : begins) out.push_back(begin + step >= 0 && begin + step < size ? begin + step : size);
    return f.integers(Elem::i64, {static_cast<std::int64_t>(out.size())}, out);
  };
  std::vector<Expr> all;
  for (std::int64_t r = 0; r < w.rows; ++r) {
    Expr row = f.gather(padded, along(w.top, r * w.rowRate, w.height), 1);
    for (std::int64_t c = 0; c < w.columns; ++c)
      all.push_back(f.gather(row, along(w.left, c * w.columnRate, w.width), 2));
  }
  return all;
}

}  // namespace

FormulaResults imagePatchesFormula(NodeFormula& f) {
  auto image = f.dims(0);
  if (!image) return {};
  auto w = windowsOf(f, *image, f.n.integers("ksizes"), f.n.integers("strides"), f.n.integers("rates"));
  if (!w) return {};
  return {f.concat(places(f, f.in(0), *w, f.like(0, f.in(0))), 3)};
}

FormulaResults dilationFormula(NodeFormula& f) {
  auto image = f.dims(0);
  auto filter = f.sizes(1);
  if (!image || !filter || filter->size() != 3) return {};
  Sizes size{1, (*filter)[0], (*filter)[1], 1};
  auto w = windowsOf(f, *image, size, f.n.integers("strides"), f.n.integers("rates"));
  if (!w || !info(f.elem(f.in(0))).isFloat) return {};
  std::vector<Expr> pixels = places(f, f.in(0), *w, f.like(-INFINITY, f.in(0)));
  Expr best;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    auto at = static_cast<std::int64_t>(i);
    Expr sum = pixels[i] + f.at(f.at(f.in(1), 0, at / w->columns), 0, at % w->columns);
    best = i ? apply("maximum", best, sum) : sum;
  }
  return {best};
}

namespace {

double leastOf(Elem elem) {
  const ElemInfo& its = info(elem);
  if (its.isFloat) return -INFINITY;
  return its.isSigned ? -std::ldexp(1, static_cast<int>(8 * its.bytes) - 1) : 0;
}

// The largest element of each window, the first of several, and its index in the image or in the batch of images.
struct Largest {
  Expr value, place;
};

std::optional<Largest> largestOf(NodeFormula& f, const Dims& image, bool isOfBatch) {
  auto w = windowsOf(f, image, f.n.integers("ksize"), f.n.integers("strides"), {1, 1, 1, 1});
  if (!w) return std::nullopt;
  const Dim each = f.productOf(image, 1);
  const Dims made{image[0], w->along(f, 1), w->along(f, 2), image[3]};
  Expr number = f.shaped(f.countTo(each), {f.dim(1), image[1], image[2], image[3]});
  std::vector<Expr> pixels = places(f, f.in(0), *w, f.like(leastOf(f.elem(f.in(0))), f.in(0)));
  std::vector<Expr> at = places(f, number, *w, f.number(-1, Elem::i64));
  Expr best = pixels[0], place = f.stretched(at[0], made);
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    Expr larger = pixels[i] > best || (place < 0.0 && at[i] >= 0.0);
    place = choose(larger, at[i], place);
    best = choose(larger, pixels[i], best);
  }
  if (isOfBatch)
    place = place + f.shaped(f.countTo(image[0]) * f.numberOf(each), {image[0], f.dim(1), f.dim(1), f.dim(1)});
  return Largest{best, place};
}

}  // namespace

FormulaResults poolWithPlacesFormula(NodeFormula& f) {
  auto image = f.dims(0);
  auto found = image ? largestOf(f, *image, f.n.flag("include_batch_in_index")) : std::nullopt;
  if (!found) return {};
  return {found->value, f.cast(found->place, f.elemOf(f.n.type("Targmax").value_or(Type::i64)))};
}

// Computes, for each pixel, the sum of the gradients of the windows in which it is the largest.
FormulaResults maxPoolGradFormula(NodeFormula& f) {
  auto image = f.dims(0), made = f.dims(2);
  if (!image || !made || f.n.text("data_format") == "NCHW") return {};
  auto found = largestOf(f, *image, true);
  if (!found) return {};
  const Dims flat{f.productOf(*made)};
  Expr back = f.op("segment_sum", {f.shaped(f.in(2), flat), f.shaped(found->place, flat)},
                   {{"count", f.n.t.integer(f.productOf(*image))}});
  return {f.shaped(back, *image)};
}

// Computes the product of the patches of all images and the gradients of their windows.
FormulaResults convolutionFilterGradFormula(NodeFormula& f) {
  auto image = f.dims(0), back = f.dims(2);
  auto filter = f.outletSizes(0);
  if (!image || !back || !filter || filter->size() != 4 || back->size() != 4 || f.n.text("data_format") == "NCHW")
    return {};
  auto w = windowsOf(f, *image, {1, (*filter)[0], (*filter)[1], 1}, f.n.integers("strides"), f.n.integers("dilations"));
  if (!w || f.number((*image)[3]) != (*filter)[2]) return {};
  const Dim windows = f.productOf(*back, 0, 3), size = f.dim((*filter)[0] * (*filter)[1] * (*filter)[2]);
  Expr patches = f.shaped(f.concat(places(f, f.in(0), *w, f.like(0, f.in(0))), 3), {windows, size});
  return {f.reshape(f.op("matmul_tn", {patches, f.shaped(f.in(2), {windows, (*back)[3]})}), *filter)};
}

}  // namespace axle::tensorflow::windows
