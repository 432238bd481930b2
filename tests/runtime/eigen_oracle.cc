#include "tests/runtime/eigen_oracle.h"

#include <algorithm>
#include <limits>

namespace axle::runtime::test {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix>;
using Table = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t outside = -1;

// Returns, along one axis, the input's element under each tap (column) at each position (row), or `outside`.
Table tapsAlong(std::int64_t input, const WindowAxis& axis) {
  std::vector<std::int64_t> spread;
  for (std::int64_t i = 0; i < input; ++i) {
    if (i > 0) spread.insert(spread.end(), static_cast<std::size_t>(axis.spread - 1), outside);
    spread.push_back(i);
  }
  const auto extent = static_cast<std::int64_t>(spread.size());
  const std::int64_t padded = extent + axis.before + axis.after, reach = axis.dilation * (axis.size - 1) + 1;
  std::vector<std::int64_t> starts;
  for (std::int64_t start = 0; start + reach <= padded; start += axis.stride) starts.push_back(start);
  Table table(static_cast<Index>(starts.size()), axis.size);
  for (Index position = 0; position < table.rows(); ++position)
    for (Index tap = 0; tap < table.cols(); ++tap) {
      const std::int64_t at = starts[static_cast<std::size_t>(position)] + tap * axis.dilation - axis.before;
      table(position, tap) = at >= 0 && at < extent ? spread[static_cast<std::size_t>(at)] : outside;
    }
  return table;
}

// The pixels under all taps at all positions, both row-major over the spatial axes, and the shape of a result with
// `channels` channels.
struct Pixels {
  Shape result;
  Table table;
};

Pixels pixelsOf(const Shape& image, const std::vector<WindowAxis>& axes, std::int64_t channels) {
  Pixels pixels{{image[0]}, Table::Zero(1, 1)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t input = image[static_cast<int>(i) + 1];
    const Table outer = std::move(pixels.table), inner = tapsAlong(input, axes[i]);
    pixels.table.resize(outer.rows() * inner.rows(), outer.cols() * inner.cols());
    for (Index row = 0; row < pixels.table.rows(); ++row)
      for (Index column = 0; column < pixels.table.cols(); ++column) {
        const std::int64_t a = outer(row / inner.rows(), column / inner.cols());
        const std::int64_t b = inner(row % inner.rows(), column % inner.cols());
        pixels.table(row, column) = a == outside || b == outside ? outside : a * input + b;
      }
    pixels.result.push(inner.rows());
  }
  pixels.result.push(channels);
  return pixels;
}

Index product(const Shape& shape, int begin, int end) {
  Index result = 1;
  for (int i = begin; i < end; ++i) result *= shape[i];
  return result;
}

// Returns image number `n` of [n, ..sizes, c], with a row for each pixel.
Rows imageRows(const Array& image, Index n) {
  const int rank = image.shape.rank();
  const Index pixels = product(image.shape, 1, rank - 1), channels = image.shape[rank - 1];
  return {image.elements.data() + n * pixels * channels, pixels, channels};
}

Expected zeros(const Shape& shape, Index terms) {
  return {shape, ArrayXd::Zero(shape.elements()), ArrayXd::Zero(shape.elements()), terms};
}

// Calls pool(the pixels inside the window as rows, index of the result's first channel) for each position.
template <class Pool>
void forWindows(const Array& image, const Pixels& pixels, Pool pool) {
  const Index channels = image.shape[image.shape.rank() - 1];
  for (Index n = 0; n < image.shape[0]; ++n)
    for (Index position = 0; position < pixels.table.rows(); ++position) {
      std::vector<Index> inside;
      for (Index tap = 0; tap < pixels.table.cols(); ++tap)
        if (pixels.table(position, tap) != outside) inside.push_back(pixels.table(position, tap));
      Matrix window(static_cast<Index>(inside.size()), channels);
      for (Index row = 0; row < window.rows(); ++row)
        window.row(row) = imageRows(image, n).row(inside[static_cast<std::size_t>(row)]);
      pool(window, (n * pixels.table.rows() + position) * channels);
    }
}

}  // namespace

Array arrayOf(const TensorView& view) {
  const Index count = view.shape.elements();
  if (view.elem == Elem::f64) return {view.shape, Eigen::Map<const ArrayXd>(view.as<double>(), count)};
  return {view.shape, Eigen::Map<const Eigen::ArrayXf>(view.as<float>(), count).cast<double>()};
}

Expected matrixProduct(const Array& a, const Array& b) {
  const int rank = a.shape.rank();
  const Index m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  Shape shape = a.shape;
  shape[rank - 1] = n;
  Expected result = zeros(shape, k);
  for (Index batch = 0; batch < product(shape, 0, rank - 2); ++batch) {
    const Rows left(a.elements.data() + batch * m * k, m, k), right(b.elements.data() + batch * k * n, k, n);
    Eigen::Map<Matrix>(result.values.data() + batch * m * n, m, n) = left * right;
    Eigen::Map<Matrix>(result.magnitudes.data() + batch * m * n, m, n) = left.cwiseAbs() * right.cwiseAbs();
  }
  return result;
}

Expected convolution(const Array& image, const Array& filter, const std::vector<WindowAxis>& axes,
                     std::int64_t groups) {
  const int rank = image.shape.rank();
  const Index depth = filter.shape[rank - 2], results = filter.shape[rank - 1], width = results / groups;
  const auto [shape, table] = pixelsOf(image.shape, axes, results);
  const Index positions = table.rows(), taps = table.cols();
  const Rows weights(filter.elements.data(), taps * depth, results);
  Expected result = zeros(shape, taps * depth);
  for (Index n = 0; n < shape[0]; ++n) {
    const Rows rows = imageRows(image, n);
    Eigen::Map<Matrix> values(result.values.data() + n * positions * results, positions, results);
    Eigen::Map<Matrix> magnitudes(result.magnitudes.data() + n * positions * results, positions, results);
    for (Index group = 0; group < groups; ++group) {
      Matrix patches = Matrix::Zero(positions, taps * depth);
      for (Index position = 0; position < positions; ++position)
        for (Index tap = 0; tap < taps; ++tap)
          if (const std::int64_t pixel = table(position, tap); pixel != outside)
            patches.row(position).segment(tap * depth, depth) = rows.row(pixel).segment(group * depth, depth);
      const auto block = weights.middleCols(group * width, width);
      values.middleCols(group * width, width) = patches * block;
      magnitudes.middleCols(group * width, width) = patches.cwiseAbs() * block.cwiseAbs();
    }
  }
  return result;
}

Expected maxPool(const Array& image, const std::vector<WindowAxis>& axes) {
  const Pixels pixels = pixelsOf(image.shape, axes, image.shape[image.shape.rank() - 1]);
  Expected result = zeros(pixels.result, 0);
  forWindows(image, pixels, [&](const Matrix& window, Index at) {
    auto values = result.values.segment(at, window.cols());
    values.setConstant(-std::numeric_limits<double>::infinity());
    for (Index row = 0; row < window.rows(); ++row) values = values.max(window.row(row).transpose().array());
  });
  return result;
}

Expected averagePool(const Array& image, const std::vector<WindowAxis>& axes) {
  const Pixels pixels = pixelsOf(image.shape, axes, image.shape[image.shape.rank() - 1]);
  Expected result = zeros(pixels.result, pixels.table.cols());
  forWindows(image, pixels, [&](const Matrix& window, Index at) {
    if (window.size() == 0) return;
    result.values.segment(at, window.cols()) = window.colwise().mean().transpose();
    result.magnitudes.segment(at, window.cols()) = window.cwiseAbs().colwise().mean().transpose();
  });
  return result;
}

}  // namespace axle::runtime::test
