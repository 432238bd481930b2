// `axrun stream`: a sequence from files, or samples from stdin, in pushes.
#pragma once

#include "driver/run/streaming.h"

namespace axle::run {

// As the members of Streaming.
std::vector<Option> streamOptions(StreamRunOptions& options);
int runStream(const runtime::Session& session, const StreamRunOptions& options, std::FILE* in, std::FILE* out,
              std::FILE* err);
Outcome<std::string> describeStream(const runtime::Session& session);
Outcome<void> writeStreamJson(const runtime::Session& session, JsonWriter& json);

}  // namespace axle::run
