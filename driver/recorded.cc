#include "driver/recorded.h"

#include <filesystem>
#include <fstream>

#include "driver/run/report.h"
#include "io/npz.h"

namespace axle::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view npyEnding = ".npy", firstPort = ":0";

std::string pathOf(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name + std::string(npyEnding);
}

run::Outcome<std::set<std::string>> namesIn(const std::string& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(npyEnding)) names.insert(name.substr(0, name.size() - npyEnding.size()));
  }
  if (error) return run::fail(exitErrors, folder + ": cannot be read: " + error.message());
  return names;
}

// Returns the name of the file that `-o` and `--dump-all` write for a tensor, without its ending.
std::string asFileName(const std::string& name) {
  const std::string path = run::outputPath("/", name);
  return path.substr(1, path.size() - 1 - npyEnding.size());
}

}  // namespace

run::Outcome<Recorded> Recorded::open(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return run::fail(exitUsage, "there is no " + path + " to compare with");
  Recorded recorded;
  recorded.path_ = path;
  if (fs::is_directory(path, error)) {
    auto names = namesIn(path);
    if (!names) return tl::unexpected(std::move(names.error()));
    recorded.names_ = std::move(*names);
    if (recorded.names_.empty()) return run::fail(exitUsage, path + " holds no .npy file to compare with");
    return recorded;
  }
  auto file = openTensorFile(path, allFormats());
  if (!file) return run::fail(exitErrors, describe(file.error()));
  for (const TensorInfo& tensor : file->tensors) recorded.names_.insert(tensor.name);
  for (const UnreadableTensor& tensor : file->unreadable) recorded.names_.insert(tensor.name);
  if (recorded.names_.empty()) return run::fail(exitUsage, path + " holds no tensor to compare with");
  recorded.file_ = std::move(*file);
  return recorded;
}

void Recorded::addNamesOf(const std::string& sourcePath) {
  static constexpr std::string_view heads[] = {"/// input `", "/// output `"}, separator = "`: ";
  std::ifstream file(sourcePath);
  for (std::string line; std::getline(file, line);)
    for (std::string_view head : heads) {
      const std::size_t end = line.find(separator, head.size());
      if (!line.starts_with(head) || end == line.npos) continue;
      addName(line.substr(head.size(), end - head.size()), line.substr(end + separator.size()));
    }
}

std::optional<std::string> Recorded::find(const std::string& port) const {
  if (auto name = findSpelled(port)) return name;
  const auto other = otherNames_.find(port);
  return other == otherNames_.end() ? std::nullopt : findSpelled(other->second);
}

std::optional<std::string> Recorded::findSpelled(const std::string& port) const {
  std::vector<std::string> spellings{port};
  if (port.ends_with(firstPort))
    spellings.push_back(port.substr(0, port.size() - firstPort.size()));
  else
    spellings.push_back(port + std::string(firstPort));
  for (std::size_t i = 0; i < 2; ++i) spellings.push_back(asFileName(spellings[i]));
  for (const std::string& name : spellings)
    if (names_.count(name)) return name;
  return std::nullopt;
}

std::optional<Recorded::Place> Recorded::fileOf(const std::string& port) const {
  const auto name = find(port);
  if (!name) return std::nullopt;
  if (!file_) {
    auto single = openTensorFile(pathOf(path_, *name), plainFormats());
    return single && single->tensors.size() == 1 ? std::optional(Place{std::move(*single), 0}) : std::nullopt;
  }
  for (std::size_t i = 0; i < file_->tensors.size(); ++i)
    if (file_->tensors[i].name == *name) return Place{*file_, i};
  return std::nullopt;
}

run::Outcome<std::optional<run::PortValue>> Recorded::read(const std::string& name, std::size_t port) const {
  const std::string path = file_ ? path_ : pathOf(path_, name);
  auto unreadable = [](const FileError& error) { return run::fail(exitErrors, describe(error)); };
  std::optional<TensorFile> single;
  if (!file_) {
    auto opened = openTensorFile(path, plainFormats());
    if (!opened) return unreadable(opened.error());
    single = std::move(*opened);
  }
  const TensorFile& file = file_ ? *file_ : *single;
  std::size_t index = 0;
  while (index < file.tensors.size() && file_ && file.tensors[index].name != name) ++index;
  if (index >= file.tensors.size()) return std::optional<run::PortValue>();
  const TensorInfo& tensor = file.tensors[index];
  if (tensor.elem == Elem::string) return std::optional<run::PortValue>();
  auto bytes = file.readAt(index);
  if (!bytes) return unreadable(bytes.error());
  auto value = run::portValue(port, name, path, tensor.elem, tensor.shape, *bytes);
  if (!value) return tl::unexpected(std::move(value.error()));
  return std::optional(std::move(*value));
}

}  // namespace axle::driver
