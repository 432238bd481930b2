#include "driver/run/report.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>

#include "driver/run/numbers.h"
#include "io/joined.h"
#include "io/npy.h"
#include "io/sorting.h"
#include "io/whole_file.h"
#include "runtime/bundle_format.h"

namespace axle::run {
namespace {

constexpr std::size_t fewValues = 100;
constexpr std::size_t longestFile = 200;  // bytes of a file's name, without suffixes; file systems allow 255 in total
constexpr const char* namesFile = "names.tsv";

Number valueAt(const runtime::TensorView& tensor, std::size_t index) {
  return numberAt(tensor.elem, tensor.as<std::byte>() + index * info(tensor.elem).bytes);
}

// Prints brackets as NumPy does: one line per innermost row, with rows aligned.
void appendNested(std::string& text, const runtime::TensorView& tensor, int axis, std::size_t& next) {
  if (axis == tensor.shape.rank()) {
    text += numberText(tensor.elem, valueAt(tensor, next++));
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < tensor.shape[axis]; ++i) {
    if (i > 0)
      text += axis + 1 == tensor.shape.rank() ? ", " : ",\n" + std::string(static_cast<std::size_t>(axis) + 3, ' ');
    appendNested(text, tensor, axis + 1, next);
  }
  text += ']';
}

std::string rangeText(const runtime::TensorView& tensor, std::size_t count) {
  std::size_t nans = 0;
  bool any = false;
  Number least, most;
  for (std::size_t i = 0; i < count; ++i) {
    const Number value = valueAt(tensor, i);
    if (std::isnan(value.real)) {
      ++nans;
      continue;
    }
    if (!any || value.real < least.real) least = value;
    if (!any || value.real > most.real) most = value;
    any = true;
  }
  std::string text = joined({count, " values"});
  if (any) text += joined({", ", numberText(tensor.elem, least), " to ", numberText(tensor.elem, most)});
  if (nans > 0) text += joined({", ", nans, " of them nan"});
  return text;
}

// Makes a folder and its missing parents.
bool makeFolders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  if (::mkdir(path.c_str(), 0777) == 0) return true;
  struct stat status{};
  if (errno != EEXIST || ::stat(path.c_str(), &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) errno = ENOTDIR;
  return S_ISDIR(status.st_mode);
}

// Formats four digits, without an exponent.
std::string timeText(double milliseconds) {
  char text[64];
  const char* format = milliseconds < 0.001 ? "%.6f ms" : milliseconds < 9999 ? "%.4g ms" : "%.0f ms";
  std::snprintf(text, sizeof text, format, milliseconds);
  return text;
}

}  // namespace

std::string outputText(const std::string& name, const runtime::TensorView& tensor) {
  std::string text = joined({name, " : ", runtime::typeText(tensor.elem, tensor.shape), "\n  "});
  const auto count = static_cast<std::size_t>(tensor.shape.elements());
  if (count > fewValues) return joined({text, rangeText(tensor, count), "\n"});
  if (count == 0) return text + "no values\n";
  std::size_t next = 0;
  appendNested(text, tensor, 0, next);
  return text + "\n";
}

std::size_t nanCount(const runtime::TensorView& tensor) {
  if (!info(tensor.elem).isFloat) return 0;
  const auto count = static_cast<std::size_t>(tensor.shape.elements());
  std::size_t nans = 0;
  for (std::size_t i = 0; i < count; ++i) nans += std::isnan(valueAt(tensor, i).real);
  return nans;
}

std::string nanText(const std::string& output, std::uint64_t nans, std::uint64_t elements) {
  return joined({"`", output, "` has NaN in ", nans, " of ", elements, " elements"});
}

std::string timesText(std::vector<double> milliseconds) {
  sortItems(std::span(milliseconds));
  const std::size_t count = milliseconds.size();
  const double median = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2;
  const double p99 = milliseconds[(count * 99 + 99) / 100 - 1];
  return joined({"time: min ", timeText(milliseconds.front()), ", median ", timeText(median), ", p99 ", timeText(p99),
                 " over ", count, count == 1 ? " run\n" : " runs\n"});
}

std::string outputPath(const std::string& folder, const std::string& name) {
  std::string file = name;
  for (char& c : file)
    if (c == '/' || c == ':') c = '.';
  if (file.size() > longestFile) {
    char sum[16];
    std::snprintf(sum, sizeof sum, "~%08x~", runtime::crc32(std::as_bytes(std::span(name))));
    file = file.substr(0, longestFile / 2) + sum + file.substr(file.size() - longestFile / 2);
  }
  return joined({folder, folder.ends_with('/') ? "" : "/", file, ".npy"});
}

namespace {

// Writes `names.tsv`: a line FILE TAB NAME for each tensor whose name is too long for a file.
Outcome<void> writeNames(const std::string& folder, const std::vector<NamedView>& outputs) {
  std::string text;
  for (const NamedView& output : outputs)
    if (output.name.size() > longestFile) {
      const std::string path = outputPath(folder, output.name);
      text += joined({path.substr(path.rfind('/') + 1), "\t", output.name, "\n"});
    }
  if (text.empty()) return {};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  const auto wrote = writeWholeFile(joined({folder, "/", namesFile}), {&bytes, 1});
  if (!wrote) return fail(exitUsage, describe(wrote.error()));
  return {};
}

}  // namespace

Outcome<void> writeOutputs(const std::string& folder, const std::vector<NamedView>& outputs) {
  std::vector<std::string> paths;
  for (const NamedView& output : outputs) paths.push_back(outputPath(folder, output.name));
  sortItems(std::span(paths));
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end())
    return fail(exitUsage, joined({"two outputs would be written to ", *twice, "; choose one with --output"}));
  if (!makeFolders(folder))
    return fail(exitUsage, joined({folder, ": cannot make the folder: ", std::strerror(errno)}));
  for (const NamedView& output : outputs) {
    const std::vector<std::uint64_t> shape(output.view.shape.begin(), output.view.shape.end());
    const std::span<const std::byte> bytes(output.view.as<const std::byte>(), output.view.bytes());
    const auto wrote = writeNpy(outputPath(folder, output.name), output.view.elem, shape, bytes);
    if (!wrote) return fail(exitUsage, joined({"output ", output.name, ": ", describe(wrote.error())}));
  }
  return writeNames(folder, outputs);
}

}  // namespace axle::run
