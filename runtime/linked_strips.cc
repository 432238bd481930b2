// Products that run in strips of rows, in a program that does not say otherwise (strips.h).
#include "runtime/strips.h"

namespace axle::runtime {
namespace {
constexpr RunningInStrips running{joinStrips, runStripOfProduct, runStripOfRows};
}  // namespace

const RunningInStrips* const linkedStrips = &running;

}  // namespace axle::runtime
