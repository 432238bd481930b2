#include "driver/run/stream_results.h"

#include <cstring>

#include "driver/run/report.h"
#include "io/joined.h"

namespace axle::run {
namespace {

std::optional<double> workRatio(const runtime::StreamCounts& counts) {
  if (!counts.multiplyAdds || counts.batchMultiplyAdds.value_or(0) == 0) return std::nullopt;
  return static_cast<double>(*counts.multiplyAdds) / static_cast<double>(*counts.batchMultiplyAdds);
}

}  // namespace

void Collected::add(const runtime::TensorView& view, int axis) {
  if (counts.empty()) elem = view.elem, shape = view.shape, shape[axis] = 0;
  counts.push_back(view.shape[axis]);
  shape[axis] += view.shape[axis];
  const auto* data = view.as<std::byte>();
  if (view.bytes() > 0) frames.insert(frames.end(), data, data + view.bytes());
}

std::vector<std::byte> Collected::whole(int axis) const {
  std::size_t outer = 1, inner = info(elem).bytes, at = 0;
  for (int i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  if (outer == 1) return frames;
  std::vector<std::byte> all(frames.size());
  const std::size_t row = static_cast<std::size_t>(shape[axis]) * inner;
  std::size_t column = 0;
  for (const std::int64_t count : counts) {
    const std::size_t bytes = static_cast<std::size_t>(count) * inner;
    for (std::size_t r = 0; r < outer && bytes > 0; ++r, at += bytes)
      std::memcpy(all.data() + r * row + column, frames.data() + at, bytes);
    column += bytes;
  }
  return all;
}

std::string nansText(const StreamResults& results, const runtime::StreamInfo& info) {
  std::string text;
  for (std::size_t i = 0; i < results.outputs.size(); ++i) {
    const OutputResults& output = results.outputs[i];
    if (output.nans > 0)
      text += (text.empty() ? "" : ", ") + nanText(info.outputs[i].port.name, output.nans, output.elements);
  }
  return text;
}

std::string streamJson(const StreamResults& results, const runtime::StreamInfo& info) {
  const runtime::StreamCounts& counts = results.counts;
  JsonWriter json;
  json.openObject();
  json.key("stream");
  json.openObject();
  json.add("frames_in", results.framesIn);
  json.add("frames_out", results.outputs.front().frames);
  json.add("pushes", results.pushes);
  json.add("delay", results.outputs.front().delay);
  json.key("outputs");
  json.openList();
  for (std::size_t i = 0; i < results.outputs.size(); ++i) {
    json.openObject();
    json.add("name", info.outputs[i].port.name);
    json.add("frames_out", results.outputs[i].frames);
    json.add("delay", results.outputs[i].delay);
    json.close();
  }
  json.close();
  json.add("state_bytes", results.stateBytes);
  json.add("least_state_bytes", counts.leastStateBytes);
  json.add("arena_bytes", results.arenaBytes);
  if (counts.multiplyAdds) json.add("multiply_adds", *counts.multiplyAdds);
  if (counts.batchMultiplyAdds) json.add("batch_multiply_adds", *counts.batchMultiplyAdds);
  json.add("p50_us", results.times.quantile(0.5));
  json.add("p99_us", results.times.quantile(0.99));
  json.add("max_us", results.times.quantile(1));
  if (results.realTime) json.add("real_time_factor", *results.realTime);
  json.close();
  json.close();
  return json.text() + "\n";
}

std::string streamText(const StreamResults& results, const runtime::StreamInfo& info, const StreamRunOptions& options) {
  const runtime::StreamCounts& counts = results.counts;
  const OutputResults& first = results.outputs.front();
  std::string text = joined(
      {results.framesIn, " frames in, ", first.frames, " out, ", results.pushes, " pushes, delay ", first.delay, "\n"});
  for (std::size_t i = 1; i < results.outputs.size(); ++i)
    text += joined({info.outputs[i].port.name, ": ", results.outputs[i].frames, " frames out, delay ",
                    results.outputs[i].delay, "\n"});
  text += joined({"state ", results.stateBytes, " bytes (at least ", counts.leastStateBytes, "), arena ",
                  results.arenaBytes, " bytes\n"});
  char line[128];
  if (const auto ratio = workRatio(counts)) {
    text += joined({"multiply-adds: ", *counts.multiplyAdds, ", in a batch run ", *counts.batchMultiplyAdds});
    std::snprintf(line, sizeof line, ", ratio %.3f\n", *ratio);
    text += line;
  }
  std::snprintf(line, sizeof line, "push: p50 %.4g us, p99 %.4g us, max %.4g us\n", results.times.quantile(0.5),
                results.times.quantile(0.99), results.times.quantile(1));
  text += line;
  if (results.realTime) {
    std::snprintf(line, sizeof line, "%.4g times faster than real time\n", *results.realTime);
    text += line;
  }
  for (std::size_t i = 0; i < info.outputs.size() && !options.run.folder.empty(); ++i) {
    const Collected& output = results.outputs[i].collected;
    text += joined({info.outputs[i].port.name, " : ", runtime::typeText(output.elem, output.shape), ", written to ",
                    outputPath(options.run.folder, info.outputs[i].port.name), "\n"});
  }
  return text;
}

}  // namespace axle::run
