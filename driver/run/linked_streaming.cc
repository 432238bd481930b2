#include "driver/run/stream.h"
#include "driver/run/streaming.h"

namespace axle::run {
namespace {

constexpr Streaming streaming{streamOptions, runStream, describeStream, writeStreamJson, checkRates};

}  // namespace

const Streaming* const linkedStreaming = &streaming;

}  // namespace axle::run
