// Implements `axrun stream`: pushes a sequence from files, or samples from stdin.
#pragma once

#include "driver/run/streaming.h"

namespace axle::run {

// Implement the members of Streaming, in order.
std::vector<Option> streamOptions(StreamRunOptions& options);
int runStream(const runtime::Session& session, const StreamRunOptions& options, std::FILE* in, std::FILE* out,
              std::FILE* err);
Outcome<std::string> describeStream(const runtime::Session& session);
Outcome<void> writeStreamJson(const runtime::Session& session, JsonWriter& json);
Outcome<void> checkRates(const runtime::Session& session, const std::vector<PortValue>& inputs);

}  // namespace axle::run
