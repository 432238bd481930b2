#include "runtime/stream/messages.h"

#include <algorithm>
#include <limits>
#include <string>

#include "bundle.nano.h"
#include "runtime/decode.h"

namespace axle::runtime::manifest {
namespace {

bool decodeBytes(pb_istream_t* stream, const pb_field_t*, void** arg) {
  auto& bytes = *static_cast<std::vector<std::byte>*>(*arg);
  if (stream->bytes_left > maxItems) return tooMany(stream);
  bytes.resize(stream->bytes_left);
  return pb_read(stream, reinterpret_cast<pb_byte_t*>(bytes.data()), bytes.size());
}

Source sourceOf(const axle_bundle_Source& message) {
  return {message.kind, message.index, message.stride, message.spread, message.first, message.last};
}

bool readSource(pb_istream_t* stream, Source& source) {
  axle_bundle_Source message = axle_bundle_Source_init_zero;
  if (!pb_decode(stream, axle_bundle_Source_fields, &message)) return false;
  source = sourceOf(message);
  return true;
}

bool readSink(pb_istream_t* stream, Sink& sink) {
  axle_bundle_Sink message = axle_bundle_Sink_init_zero;
  if (!pb_decode(stream, axle_bundle_Sink_fields, &message)) return false;
  const auto number = [](std::uint64_t value) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
  };
  sink = {message.kind,          message.index,           number(message.step), number(message.per), message.shift,
          number(message.count), number(message.spacing), number(message.run),  message.along};
  return true;
}

bool readStage(pb_istream_t* stream, Stage& stage) {
  axle_bundle_Stage message = axle_bundle_Stage_init_zero;
  bindField(message.sources, decodeItems<Source, readSource, maxStreamItems>, &stage.sources);
  bindField(message.sinks, decodeItems<Sink, readSink, maxStreamItems>, &stage.sinks);
  if (!pb_decode(stream, axle_bundle_Stage_fields, &message)) return false;
  stage.program = message.program, stage.scale = message.scale, stage.shift = message.shift;
  return true;
}

void bindSchedule(axle_bundle_Schedule& message, Schedule& schedule) {
  bindField(message.first, decodeNumbers<std::uint64_t>, &schedule.first);
}

bool readBuffer(pb_istream_t* stream, Buffer& buffer) {
  axle_bundle_Buffer message = axle_bundle_Buffer_init_zero;
  bindField(message.fill, decodeBytes, &buffer.fill);
  bindSchedule(message.sure, buffer.sure);
  bindSchedule(message.length, buffer.length);
  bindField(message.pieces, decodeItems<Source, readSource, maxStreamItems>, &buffer.pieces);
  if (!pb_decode_noinit(stream, axle_bundle_Buffer_fields, &message)) return false;
  buffer.axis = message.axis, buffer.history = message.history, buffer.input = message.input;
  buffer.sure.period = message.sure.period, buffer.sure.step = message.sure.step;
  buffer.length.period = message.length.period, buffer.length.step = message.length.step;
  return true;
}

bool readState(pb_istream_t* stream, CarriedState& state) {
  axle_bundle_State message = axle_bundle_State_init_zero;
  bindField(message.fill, decodeBytes, &state.fill);
  if (!pb_decode_noinit(stream, axle_bundle_State_fields, &message)) return false;
  state.initial = sourceOf(message.initial);
  return true;
}

bool readInput(pb_istream_t* stream, StreamInput& input) {
  axle_bundle_StreamInput message = axle_bundle_StreamInput_init_zero;
  if (!pb_decode(stream, axle_bundle_StreamInput_fields, &message)) return false;
  input = {message.streams, message.axis, message.rate, message.per};
  return true;
}

bool readOutput(pb_istream_t* stream, StreamOutput& output) {
  axle_bundle_StreamOutput message = axle_bundle_StreamOutput_init_zero;
  if (!pb_decode(stream, axle_bundle_StreamOutput_fields, &message)) return false;
  output = {message.buffer, message.delay, message.stride, message.frames};
  return true;
}

}  // namespace

std::uint64_t Schedule::at(std::uint64_t n) const {
  if (n < first.size()) return first[n];
  if (first.empty()) return 0;
  if (period == 0) return first.back();
  // n = first.size() - period + rest + rounds * period, with rest < period.
  const std::uint64_t base = first.size() - period, rounds = (n - base) / period, rest = (n - base) % period;
  std::uint64_t value = 0;
  if (__builtin_mul_overflow(rounds, step, &value) || __builtin_add_overflow(value, first[base + rest], &value))
    return std::numeric_limits<std::uint64_t>::max();
  return value;
}

bool Stage::makesFrames() const {
  return std::any_of(sinks.begin(), sinks.end(),
                     [](const Sink& sink) { return sink.is(SinkKind::append) || sink.is(SinkKind::add); });
}

Result<Stream> readStream(std::span<const std::byte> bytes, std::span<const std::byte> debug,
                          std::size_t programsBefore) {
  Stream stream;
  axle_bundle_Stream message = axle_bundle_Stream_init_zero;
  bindField(message.programs, decodeItems<Manifest, readProgram, maxStreamPrograms>, &stream.programs);
  bindField(message.inputs, decodeItems<StreamInput, readInput, maxStreamItems>, &stream.inputs);
  bindField(message.outputs, decodeItems<StreamOutput, readOutput, maxStreamItems>, &stream.outputs);
  bindField(message.buffers, decodeItems<Buffer, readBuffer, maxStreamItems>, &stream.buffers);
  bindField(message.stages, decodeItems<Stage, readStage, maxStreamItems>, &stream.stages);
  bindField(message.states, decodeItems<CarriedState, readState, maxStreamItems>, &stream.states);
  pb_istream_t input = pb_istream_from_buffer(reinterpret_cast<const pb_byte_t*>(bytes.data()), bytes.size());
  if (!pb_decode_noinit(&input, axle_bundle_Stream_fields, &message))
    return failure(ErrorCode::malformed, std::string("the bundle's stream cannot be decoded: ") + PB_GET_ERROR(&input));
  stream.slots = message.slots;
  stream.chunk = message.chunk;
  stream.sampleRate = message.sample_rate;
  for (std::size_t i = 0; i < stream.programs.size(); ++i)
    prepareDebug(stream.programs[i], {debug, programsBefore + i});
  return stream;
}

}  // namespace axle::runtime::manifest
