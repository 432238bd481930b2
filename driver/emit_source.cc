#include "driver/emit_source.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "driver/check_program.h"
#include "driver/graph_hints.h"
#include "driver/output_code.h"
#include "driver/run/exit_codes.h"
#include "import/emit/emit.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/reader/port_zero.h"
#include "io/safetensors.h"
#include "io/whole_file.h"

namespace axle::codes {

const DiagnosticCode notEmitted{"E0603", Severity::error, "a graph that cannot be written as source"};

}  // namespace axle::codes

namespace axle::driver {

namespace {

constexpr std::string_view extension = ".ax";

// Returns all names that a user may give a port: its own, the requested one, `NODE:PORT`, and the signature's.
std::vector<std::string> portNames(const tensorflow::Model& model, const tensorflow::Port& port,
                                   const std::vector<std::string>& asked, bool isInput) {
  std::vector<std::string> names{port.name};
  auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const std::string tensor = tensorflow::outletName(model.main, port.outlet);
  for (const std::string& name : asked)
    if (tensorflow::withoutPortZero(name) == tensorflow::withoutPortZero(port.name) ||
        tensorflow::withoutPortZero(name) == tensorflow::withoutPortZero(tensor))
      add(name);
  if (port.outlet.node.index < model.main.nodes.size()) add(tensor);
  for (const tensorflow::Signature& signature : model.signatures)
    if (signature.key == model.signature)
      for (const auto& its : isInput ? signature.inputs : signature.outputs)
        if (its.key == port.name || tensorflow::withoutPortZero(its.tensor) == tensorflow::withoutPortZero(port.name)) {
          add(its.key);
          add(its.tensor);
        }
  return names;
}

// Returns the name in the source of each of the graph's inputs; empty if the source has none. Two names of one tensor
// are one input.
std::vector<std::string> emittedInputNames(const tensorflow::Model& model, const emit::Emitted& emitted) {
  std::vector<std::string> names(model.inputs.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = 0; k < names.size(); ++k)
      for (std::size_t of = 0; of < emitted.inputs.size(); ++of)
        if (model.inputs[k].outlet == model.inputs[i].outlet && emitted.inputNames[of] == model.inputs[k].name)
          names[i] = emitted.inputs[of];
  return names;
}

EmittedFiles::Names nameTable(const tensorflow::Model& model, const std::vector<std::string>& asked, bool isInput,
                              const std::vector<std::string>& names) {
  const std::vector<tensorflow::Port>& ports = isInput ? model.inputs : model.outputs;
  EmittedFiles::Names table;
  auto add = [&](const std::string& name, const std::string& here) {
    auto isIt = [&](const auto& row) { return row.first == name; };
    if (!here.empty() && std::none_of(table.begin(), table.end(), isIt)) table.emplace_back(name, here);
  };
  // One tensor may be several results, so each port's own name comes first.
  for (std::size_t i = 0; i < ports.size() && i < names.size(); ++i) add(ports[i].name, names[i]);
  for (std::size_t i = 0; i < ports.size() && i < names.size(); ++i)
    for (const std::string& name : portNames(model, ports[i], asked, isInput)) add(name, names[i]);
  return table;
}

FileResult<void> writeWeights(const std::string& path, const emit::Emitted& emitted, Checked& checked,
                              tensorflow::Analysis& analysis) {
  std::vector<TensorBytes> bytes;  // the tensors point into them
  std::vector<TensorToWrite> tensors;
  const TypedProgram& typed = program(checked);
  for (const emit::EmittedWeight& weight : emitted.weights) {
    auto its = tensorflow::weightBytes(analysis, weight.weight);
    if (!its) return tl::unexpected(its.error());
    bytes.push_back(std::move(*its));
    const TypeId type = solution(checked).resolve(typed[typed.weights[weight.weight].binding].type);
    const TypeTerm& term = solution(checked).types[type];
    TensorToWrite tensor{weight.name, term.elem.elem, {}, bytes.back().bytes};
    for (const ShapePart& part : term.shape)
      tensor.shape.push_back(static_cast<std::uint64_t>(solution(checked).dims.asConstant(part.dim).value_or(0)));
    tensors.push_back(std::move(tensor));
  }
  return writeSafetensors(path, tensors);
}

// Writes the source and its weights, or neither: the weights are renamed after the source is written.
FileResult<void> writeBoth(const std::string& source, const std::string& weights, const emit::Emitted& emitted,
                           tensorflow::Analysis& analysis) {
  namespace fs = std::filesystem;
  const std::span<const std::byte> text = std::as_bytes(std::span(emitted.text));
  if (weights.empty()) return writeWholeFile(source, {&text, 1});
  std::error_code failed;
  const fs::path place = fs::weakly_canonical(weights, failed);
  if (failed || fs::is_directory(place, failed)) return tl::unexpected(FileError{weights, {}, "there is a folder"});
  const std::string waiting = place.string() + ".new";
  auto written = writeWeights(waiting, emitted, analysis.checked(), analysis);
  if (!written) return tl::unexpected(FileError{weights, written.error().tensor, written.error().what});
  written = writeWholeFile(source, {&text, 1});
  if (written) {
    fs::rename(waiting, place, failed);
    if (!failed) return {};
    written = tl::unexpected(FileError{weights, {}, failed.message()});
  }
  fs::remove(waiting, failed);
  return written;
}

bool isFunction(const TypedProgram& typed, const TypedBinding& binding) {
  return binding.value && std::holds_alternative<TypedLambda>(typed[binding.value].node);
}

TypedId functionNamed(Checked& checked, const std::string& name) {
  const TypedProgram& typed = program(checked);
  auto its = std::find_if(typed.bindings.begin(), typed.bindings.end(), [&](const TypedBinding& binding) {
    return binding.name == name && isFunction(typed, binding);
  });
  return its == typed.bindings.end() ? TypedId() : its->value;
}

constexpr Message<arg::Cause> graphNotEmitted{codes::notEmitted, "the graph cannot be written as source: {}",
                                              "needed here"};
constexpr Message<arg::Cause> sourceNotWritten{codes::outputFile, "the source cannot be written: {}"};

}  // namespace

std::string wrongTarget(const std::string& file) {
  if (file.empty()) return "--emit wants a place for what it writes: -o FILE.ax";
  if (!file.ends_with(extension) || file.size() == extension.size())
    return fmt::format("`{}` is no name of a source file: it must end in .ax", file);
  return {};
}

std::optional<EmittedFiles> emitGraph(ReadGraph& graph, tensorflow::Analysis& analysis,
                                      const tensorflow::Choice& choice, const std::string& file) {
  const tensorflow::Model& model = *graph.model;
  std::optional<Entry> entry;
  std::optional<OpenEntry> open;  // the rank stays open: the source's user gives it
  std::vector<std::string> equal;
  if (tensorflow::defineMain(analysis)) {
    equal = emit::equateOpenSizes(analysis.checked(), false);
    entry = prepareEntry(analysis.checked(), {}, graph.diagnostics, &open);
  }
  if (!entry && open) {
    entry.emplace();
    entry->function = functionNamed(analysis.checked(), "main");
    entry->type = open->type;
  }
  if (!entry || hasErrors(graph.diagnostics)) {
    graph.exitCode = exitErrors;
    return std::nullopt;
  }
  emit::Request request;
  for (const tensorflow::Port& port : model.outputs) request.outputNames.push_back(port.name);
  request.doc = {fmt::format("From {}.", std::filesystem::path(model.path).filename().string())};
  for (const tensorflow::Hint& sound : hintsForSound(model))
    request.doc.push_back(fmt::format("`{}` is sound of {} samples a second.", sound.tensor, *sound.sampleRate));
  for (const std::string& size : equal)
    request.doc.push_back(fmt::format("Of sizes that broadcast {}: the graph takes 1 for either, too.", size));
  request.weight = [&](std::uint32_t weight) { return tensorflow::weightBytes(analysis, weight); };
  request.check = [](const std::string& text) { return checkText("emitted", text); };
  auto emitted = emit::emit(analysis.checked(), *entry, request);
  if (!emitted) {
    LabelPlace at = ArtifactPlace{model.path, emitted.error().node};
    if (emitted.error().place) at = *emitted.error().place;
    report(graph.diagnostics, graphNotEmitted, std::move(at), arg::Cause{emitted.error().why});
    graph.exitCode = exitErrors;
    return std::nullopt;
  }
  EmittedFiles files{file, {}, entry->type, {}, {}};
  std::vector<std::string> askedInputs;
  for (const auto& input : choice.inputs) askedInputs.push_back(input.name);
  files.inputs = nameTable(model, askedInputs, true, emittedInputNames(model, *emitted));
  files.outputs = nameTable(model, choice.outputs, false, emitted->outputs);

  if (!emitted->weights.empty()) files.weights = file.substr(0, file.size() - extension.size()) + ".safetensors";
  auto written = writeBoth(file, files.weights, *emitted, analysis);
  if (written) return files;
  const FileError& error = written.error();
  report(graph.diagnostics, sourceNotWritten, ArtifactPlace{error.path, error.tensor}, arg::Cause{error.what});
  graph.exitCode = exitUsage;
  return std::nullopt;
}

}  // namespace axle::driver
