// The C interface over Stream. No exception leaves this file.
#include <cstring>
#include <new>
#include <utility>

#include "runtime/axle_c.h"
#include "runtime/out_of_memory.h"
#include "runtime/stream.h"

using namespace axle;
using namespace axle::runtime;

struct axle_stream {
  std::optional<Stream> stream;
  StreamInfo info;
  std::string error;
};

namespace {

// Returns the axle_status of call(), which requires an open stream.
template <class Call>
axle_status guarded(axle_stream* stream, Call call) AXLE_TRY {
  if (stream == nullptr) return AXLE_ERROR_USAGE;
  if (!stream->stream)
    return c::failed(stream->error, ErrorCode::notBound, "the stream takes no frames: opening it failed");
  return call();
}
AXLE_WITHOUT_MEMORY(AXLE_ERROR_LIMIT)

// Returns the status of a call without a result, and stores its error.
axle_status finish(axle_stream* stream, const Result<void>& done) {
  return done ? AXLE_OK : c::failed(stream->error, done.error());
}

axle_status noSuch(axle_stream* stream, ErrorCode code, const char* what, size_t index) {
  return c::failed(stream->error, code, std::string("there is no ") + what + " " + std::to_string(index));
}

// Returns the type of a streamed input that was not set. All sizes except that along the stream must be known.
Result<TensorView> typeOf(const StreamInputInfo& input) {
  const PortInfo& port = input.port;
  Shape shape;
  for (std::size_t axis = 0; axis < port.sizes->size(); ++axis) {
    const bool isStreamed = static_cast<int>(axis) == *input.axis;
    if (!isStreamed && !(*port.sizes)[axis])
      return failure(ErrorCode::missingInput, "input `" + port.name + "` : " + port.type +
                                                  " has open sizes beside that along the stream: set it before the "
                                                  "stream is opened, with any number of frames");
    shape.push(isStreamed ? 0 : *(*port.sizes)[axis]);
  }
  return TensorView{port.elem, shape, nullptr};
}

Result<Stream> open(axle_session& session, int64_t maxFrames, StreamInfo& info) {
  if (!session.session) return failure(ErrorCode::notBound, "the session has no bundle: loading it failed");
  if (!session.streams) {
    auto model = readStreamModel(session.session->bundle());
    if (!model) return tl::unexpected(std::move(model.error()));
    session.streams = std::move(*model);
  }
  info = describeStream(*session.streams);
  std::vector<NamedTensor> inputs;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    if (session.inputs[i]) {
      inputs.push_back({info.inputs[i].port.name, *session.inputs[i]});
    } else if (info.inputs[i].axis) {
      auto type = typeOf(info.inputs[i]);
      if (!type) return tl::unexpected(std::move(type.error()));
      inputs.push_back({info.inputs[i].port.name, *type});
    }
  }
  return Stream::open(session.streams, inputs, {.maxFrames = maxFrames});
}

axle_status keep(axle_stream* stream, Result<Stream> made) {
  if (!made) return c::failed(stream->error, made.error());
  stream->stream.emplace(std::move(*made));
  return AXLE_OK;
}

}  // namespace

extern "C" {

axle_status axle_stream_open(axle_session* session, int64_t max_frames, axle_stream** stream) AXLE_TRY {
  if (stream == nullptr) return AXLE_ERROR_USAGE;
  *stream = new (std::nothrow) axle_stream;
  if (*stream == nullptr) return AXLE_ERROR_LIMIT;
  if (session == nullptr) return c::failed((*stream)->error, ErrorCode::notBound, "there is no session");
  return keep(*stream, open(*session, max_frames, (*stream)->info));
}
AXLE_WITHOUT_MEMORY(AXLE_ERROR_LIMIT)

void axle_stream_free(axle_stream* stream) { delete stream; }

const char* axle_stream_error(const axle_stream* stream) {
  return stream == nullptr ? "not enough memory for a stream" : stream->error.c_str();
}

axle_status axle_stream_input(axle_stream* stream, size_t input, axle_stream_port* port) {
  return guarded(stream, [=]() -> axle_status {
    if (port == nullptr || input >= stream->info.inputs.size())
      return noSuch(stream, ErrorCode::unknownInput, "input", input);
    const StreamInputInfo& info = stream->info.inputs[input];
    *port = {info.axis.value_or(-1), info.rate, info.per, 0, stream->stream->framesIn(input)};
    return AXLE_OK;
  });
}

axle_status axle_stream_output(axle_stream* stream, size_t output, axle_stream_port* port) {
  return guarded(stream, [=]() -> axle_status {
    if (port == nullptr || output >= stream->info.outputs.size())
      return noSuch(stream, ErrorCode::notBound, "output", output);
    const StreamOutputInfo& info = stream->info.outputs[output];
    *port = {info.axis, info.frames, info.stride, info.delay, stream->stream->framesOut(output)};
    return AXLE_OK;
  });
}

size_t axle_stream_state_bytes(const axle_stream* stream) {
  return stream == nullptr || !stream->stream ? 0 : static_cast<size_t>(stream->stream->stateBytes());
}

size_t axle_stream_arena_bytes(const axle_stream* stream) {
  return stream == nullptr || !stream->stream ? 0 : static_cast<size_t>(stream->stream->arenaBytes());
}

axle_status axle_stream_push(axle_stream* stream, size_t input, int32_t elem, int32_t rank, const int64_t* dims,
                             const void* data) {
  return guarded(stream, [=]() -> axle_status {
    const auto frames = c::viewOf("a push", elem, rank, dims, data);
    return frames ? finish(stream, stream->stream->push(input, *frames)) : c::failed(stream->error, frames.error());
  });
}

axle_status axle_stream_pull(axle_stream* stream, size_t output, axle_tensor* frames) {
  return guarded(stream, [=]() -> axle_status {
    if (frames == nullptr || output >= stream->info.outputs.size())
      return noSuch(stream, ErrorCode::notBound, "output", output);
    c::describe(stream->stream->pull(output), *frames);
    return AXLE_OK;
  });
}

axle_status axle_stream_flush(axle_stream* stream) {
  return guarded(stream, [=] { return finish(stream, stream->stream->flush()); });
}

axle_status axle_stream_reset(axle_stream* stream) {
  return guarded(stream, [=] { return finish(stream, stream->stream->reset()); });
}

axle_status axle_stream_save(axle_stream* stream, void* bytes, size_t capacity, size_t* size) {
  return guarded(stream, [=]() -> axle_status {
    if (size == nullptr) return c::failed(stream->error, ErrorCode::notBound, "nothing takes the size of the state");
    const std::vector<std::byte> saved = stream->stream->save();
    *size = saved.size();
    if (bytes == nullptr) return AXLE_OK;
    if (capacity < saved.size())
      return c::failed(stream->error, ErrorCode::notBound,
                       "the state has " + std::to_string(saved.size()) + " bytes, and there is room for " +
                           std::to_string(capacity));
    std::memcpy(bytes, saved.data(), saved.size());
    return AXLE_OK;
  });
}

axle_status axle_stream_restore(axle_stream* stream, const void* bytes, size_t size) {
  return guarded(stream, [=] {
    const auto* first = static_cast<const std::byte*>(bytes);
    return finish(stream, stream->stream->restore({first, bytes == nullptr ? 0 : size}));
  });
}

axle_status axle_stream_clone(axle_stream* stream, axle_stream** copy) {
  if (copy == nullptr) return AXLE_ERROR_USAGE;
  *copy = new (std::nothrow) axle_stream;
  if (*copy == nullptr) return AXLE_ERROR_LIMIT;
  const axle_status status = guarded(stream, [=]() -> axle_status {
    (*copy)->info = stream->info;
    return keep(*copy, stream->stream->clone());
  });
  if (status != AXLE_OK && stream != nullptr && (*copy)->error.empty()) (*copy)->error = stream->error;
  return status;
}

}  // extern "C"
