#include "driver/graph.h"

#include <algorithm>
#include <filesystem>

#include "driver/run/exit_codes.h"
#include "driver/run/options.h"
#include "import/tensorflow/problems.h"
#include "import/tensorflow/reader/port_zero.h"

namespace axle::driver {

namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool isCheckpoint(const std::string& prefix) { return exists(prefix + ".meta") || exists(prefix + ".index"); }

bool isSameTensor(const std::string& a, const std::string& b) {
  return tensorflow::withoutPortZero(a) == tensorflow::withoutPortZero(b);
}

// NAME of `NAME=...`.
std::string nameIn(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

bool isGraph(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;  // a SavedModel, or nothing that can be read
  for (std::string_view ending : {".pb", ".pbtxt", ".pb.txt", ".meta", ".index"})
    if (path.ends_with(ending)) return true;
  return isCheckpoint(path);
}

bool isUsageError(const Diagnostic& d, const std::string& path, const tensorflow::Choice& choice) {
  if (d.code->severity != Severity::error) return false;
  if (!exists(path) && !isCheckpoint(path)) return true;
  if (d.code == &codes::graphChoice) return !choice.tags.empty() || !choice.signature.empty();
  return d.code == &codes::noSuchTensor && (!choice.inputs.empty() || !choice.outputs.empty());
}

ReadGraph readGraph(const std::string& path, const tensorflow::Choice& choice) {
  ReadGraph graph;
  graph.model = tensorflow::readModel(path, choice, graph.sources, graph.diagnostics);
  for (const Diagnostic& d : graph.diagnostics)
    if (d.code->severity == Severity::error && graph.exitCode == exitDone)
      graph.exitCode = isUsageError(d, path, choice) ? exitUsage : exitErrors;
  return graph;
}

std::string withPortZero(const std::string& tensor) {
  const std::size_t colon = tensor.rfind(':');
  const bool hasPort = colon != tensor.npos && colon + 1 < tensor.size() &&
                       tensor.find_first_not_of("0123456789", colon + 1) == tensor.npos;
  return hasPort ? tensor : tensor + ":0";
}

std::string portNamed(const tensorflow::Model& model, const std::string& name, bool isInput) {
  const std::vector<tensorflow::Port>& ports = isInput ? model.inputs : model.outputs;
  for (const tensorflow::Port& port : ports)
    if (isSameTensor(port.name, name)) return port.name;
  for (const tensorflow::Signature& signature : model.signatures)
    if (signature.key == model.signature)
      for (const auto& tensor : isInput ? signature.inputs : signature.outputs)
        if (isSameTensor(tensor.tensor, name)) return tensor.key;
  return name;
}

GraphRequest requestFor(tensorflow::Choice choice, const run::RunOptions& options) {
  GraphRequest request{std::move(choice), {}};
  for (const std::string& word : options.inputs) {
    const std::string name = nameIn(word);
    auto& inputs = request.choice.inputs;
    if (std::none_of(inputs.begin(), inputs.end(), [&](const auto& input) { return isSameTensor(input.name, name); }))
      inputs.push_back({name, {}});
    request.files.emplace_back(name, word.substr(std::min(word.size(), name.size() + 1)));
  }
  auto ask = [&](const std::string& name) {
    auto& outputs = request.choice.outputs;
    if (std::none_of(outputs.begin(), outputs.end(), [&](const auto& other) { return isSameTensor(other, name); }))
      outputs.push_back(name);
  };
  for (const std::string& name : options.outputs) ask(name);
  for (const std::string& word : options.expects) ask(nameIn(word));
  return request;
}

void usePortNames(const tensorflow::Model& model, run::RunOptions& options) {
  auto rename = [&](std::string& word, bool isInput) {
    const std::string name = nameIn(word);
    word = portNamed(model, name, isInput) + word.substr(name.size());
  };
  for (std::string& word : options.inputs) rename(word, true);
  for (std::string& word : options.expects) rename(word, false);
  for (std::string& word : options.outputs) rename(word, false);
}

}  // namespace axle::driver
