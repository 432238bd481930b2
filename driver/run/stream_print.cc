#include "driver/run/stream_print.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/joined.h"

namespace axle::run {
namespace {

using runtime::StreamOutputInfo;
using runtime::TensorView;

Outcome<std::vector<std::string>> readLines(const std::string& path) {
  const auto refuse = [&](int number) {
    return fail(exitUsage, joined({"--labels ", path, ": ", std::strerror(number)}));
  };
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return refuse(errno);
  std::string text;
  char part[4096];
  errno = 0;
  for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, got);
  const int failed = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (failed != 0) return refuse(failed);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    at = end + 1;
  }
  return lines;
}

// The number of elements of one frame of a view, before and after the axis of frames.
struct FrameSizes {
  std::int64_t outer = 1, inner = 1;
};

FrameSizes frameSizes(const TensorView& view, int axis) {
  FrameSizes sizes;
  for (int i = 0; i < axis; ++i) sizes.outer *= view.shape[i];
  for (int i = axis + 1; i < view.shape.rank(); ++i) sizes.inner *= view.shape[i];
  return sizes;
}

std::vector<Number> frameValues(const TensorView& view, int axis, std::int64_t frame) {
  const auto [outer, inner] = frameSizes(view, axis);
  const std::size_t width = info(view.elem).bytes;
  std::vector<Number> values;
  for (std::int64_t row = 0; row < outer; ++row)
    for (std::int64_t i = 0; i < inner; ++i)
      values.push_back(numberAt(
          view.elem,
          view.as<std::byte>() + static_cast<std::size_t>((row * view.shape[axis] + frame) * inner + i) * width));
  return values;
}

}  // namespace

Outcome<FramePrinter> FramePrinter::make(const StreamRunOptions& options, const StreamOutputInfo& output,
                                         const TensorView& type, std::optional<double> rate, std::FILE* out) {
  FramePrinter printer;
  printer.isOn_ = options.print;
  printer.every_ = options.every.value_or(1);
  printer.output_ = output;
  printer.elem_ = type.elem;
  printer.rate_ = rate;
  printer.out_ = out;
  if (options.labels.empty()) return printer;
  auto lines = readLines(options.labels);
  if (!lines) return tl::unexpected(std::move(lines.error()));
  const auto [outer, inner] = frameSizes(type, output.axis);
  if (static_cast<std::int64_t>(lines->size()) != outer * inner)
    return fail(exitUsage, joined({"--labels ", options.labels, " has ", lines->size(), " lines, but a frame of ",
                                   output.port.name, " has ", outer * inner, " elements"}));
  printer.labels_ = std::move(*lines);
  return printer;
}

Outcome<void> FramePrinter::print(const TensorView& view, std::uint64_t first) {
  if (!isOn_) return {};
  std::string text;
  for (std::int64_t frame = 0; frame < view.shape[output_.axis]; ++frame) {
    const std::uint64_t number = first + static_cast<std::uint64_t>(frame);
    if (!labels_.empty())
      text += lineOfLabel(number, frameValues(view, output_.axis, frame));
    else if (number % every_ == 0)
      text += lineOfAll(number, frameValues(view, output_.axis, frame));
  }
  if (text.empty()) return {};
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), out_) != text.size() || std::fflush(out_) != 0)
    return fail(exitUsage, joined({"cannot write to standard output: ", std::strerror(errno)}));
  return {};
}

// Returns `12:` or `0.120 s:`.
std::string FramePrinter::place(std::uint64_t frame) const {
  if (!rate_) return joined({frame, ":"});
  char seconds[32];
  std::snprintf(
      seconds, sizeof seconds, "%.3f s:",
      static_cast<double>(frame) * static_cast<double>(output_.stride) / static_cast<double>(output_.frames) / *rate_);
  return seconds;
}

std::string FramePrinter::lineOfAll(std::uint64_t frame, const std::vector<Number>& values) const {
  std::string text = place(frame);
  for (const Number& value : values) text += " " + numberText(elem_, value);
  return text + "\n";
}

// Returns an empty text if there is no line yet.
std::string FramePrinter::lineOfLabel(std::uint64_t frame, const std::vector<Number>& values) {
  std::size_t best = 0;  // labels_.size() for a frame with NaN
  for (std::size_t i = 0; i < values.size() && best < labels_.size(); ++i) {
    if (values[i].real > values[best].real) best = i;
    if (std::isnan(values[i].real)) best = labels_.size();
  }
  Number value;
  value.real = std::numeric_limits<double>::infinity();  // NaN counts as the largest element
  if (best < labels_.size()) value = values[best];
  if (best != shown_ && (!waiting_ || value.real > waiting_->value.real)) waiting_ = Labelled{frame, best, value};
  if (!waiting_ || frame < nextLine_) return "";
  const Labelled line = *waiting_;
  waiting_.reset();
  shown_ = line.label;
  nextLine_ = frame + every_;
  if (line.label == labels_.size()) return place(line.frame) + " nan\n";
  return joined({place(line.frame), " ", labels_[line.label], " ", numberText(elem_, line.value), "\n"});
}

}  // namespace axle::run
