#include "driver/run/bench.h"
#include "driver/run/measuring.h"
#include "driver/run/profile.h"

namespace axle::run {
namespace {

constexpr Measuring measuring{profileOptionOf, benchOptions, profileOf, serveBenchmark};

}  // namespace

const Measuring* const linkedMeasuring = &measuring;

}  // namespace axle::run
