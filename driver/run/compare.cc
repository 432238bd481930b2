#include "driver/run/compare.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "driver/run/numbers.h"
#include "io/joined.h"

namespace axle::run {
namespace {

std::string realText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

bool isWithin(double error, const Number& expected, const Tolerance& tolerance) {
  if (error == 0) return true;
  if (!std::isfinite(error)) return false;
  return error <= tolerance.absolute + tolerance.relative * std::fabs(expected.real);
}

}  // namespace

runtime::Shape indexAt(const runtime::Shape& shape, std::size_t flat) {
  runtime::Shape index = shape;
  for (int axis = shape.rank(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[axis]);
    index[axis] = static_cast<std::int64_t>(flat % size);
    flat /= size;
  }
  return index;
}

Comparison compare(const runtime::TensorView& actual, const runtime::TensorView& expected, const Tolerance& tolerance) {
  Comparison result;
  result.shapesMatch = actual.shape == expected.shape;
  if (!result.shapesMatch) {
    result.largest = std::numeric_limits<double>::infinity();
    return result;
  }
  result.elements = static_cast<std::size_t>(actual.shape.elements());
  const std::size_t actualBytes = info(actual.elem).bytes, expectedBytes = info(expected.elem).bytes;
  double worst = -1;
  for (std::size_t i = 0; i < result.elements; ++i) {
    const Number is = numberAt(actual.elem, actual.as<std::byte>() + i * actualBytes);
    const Number should = numberAt(expected.elem, expected.as<std::byte>() + i * expectedBytes);
    const double error = distance(is, should);
    if (error > result.largest) result.largest = error;
    if (isWithin(error, should, tolerance)) continue;
    ++result.beyond;
    if (error <= worst) continue;
    worst = error;
    result.worstAt = i;
    result.worst = joined({runtime::toText(indexAt(actual.shape, i)), " is ", numberText(actual.elem, is),
                           ", expected ", numberText(expected.elem, should)});
  }
  return result;
}

std::string comparisonText(const std::string& name, const Comparison& comparison, const runtime::TensorView& actual,
                           const runtime::TensorView& expected) {
  std::string text = joined({name, ": largest error ", realText(comparison.largest)});
  const std::string type = runtime::typeText(actual.elem, actual.shape);
  if (!comparison.shapesMatch)
    return joined({text, ", it is ", type, ", expected ", runtime::typeText(expected.elem, expected.shape)});
  text += joined({" (", type, ")"});
  if (comparison.beyond == 0) return text;
  return joined(
      {text, ", ", comparison.beyond, " of ", comparison.elements, " beyond the tolerance: ", comparison.worst});
}

}  // namespace axle::run
