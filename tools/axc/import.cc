// axc import: TensorFlow graphs.
#include "tools/axc/import.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "io/npz.h"
#include "io/tensor_file.h"
#include "io/wav.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"
#include "import/tensorflow/dump.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "driver/compile.h"
#include "tools/axc/emit.h"
#include "driver/recorded.h"
#include "tools/axc/terminal.h"
#include "driver/run/options.h"

namespace axle::axc {

namespace {

using Json = nlohmann::ordered_json;

bool exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

struct ImportArguments {
  GraphArguments graph;
  std::vector<std::string> hints;  // as given: NAME=FACT
  std::string emit;                // `ax`
  std::string output;              // what is emitted goes there
  bool facts = false;
  bool json = false;
};

std::string factsText(const std::vector<tensorflow::Analysis::Line>& facts) {
  std::string out;
  for (const auto& line : facts)
    out += line.node + ":" + std::to_string(line.port) + "  " + line.elem + "  " + line.shape +
           (line.value.empty() ? "" : "  = " + line.value) + "\n";
  return out;
}

std::vector<std::string> unknownOperators(const tensorflow::Analysis& analysis) {
  std::vector<std::string> notes;
  for (const auto& [op, count] : analysis.unknownOperators())
    notes.push_back(fmt::format("`{}` ({} node{}) has no rule: shapes of what it gives are unknown", op, count,
                                count == 1 ? "" : "s"));
  return notes;
}

std::string guardText(const tensorflow::Analysis::Guard& guard, const SourceMap& sources) {
  std::string out = "checked in the run: " + guard.text + "\n";
  for (const Label& label : guard.sources)
    if (const Span* span = std::get_if<Span>(&label.place))
      out += fmt::format("  at \"{}\": {}\n", sources.node(span->source, span->begin), label.text);
  return out;
}

// What `--input` and `--hint` say; none, told on stderr, where one cannot be read.
std::optional<std::vector<tensorflow::Hint>> readHints(const ImportArguments& arguments) {
  std::vector<tensorflow::Hint> hints;
  auto read = [&](const std::string& option, const std::string& tensor, const std::string& fact) {
    auto hint = tensorflow::parseHint(option, tensor, fact);
    if (!hint) std::fprintf(stderr, "error: `%s`: %s\n", option.c_str(), hint.error().c_str());
    if (hint) hints.push_back(std::move(*hint));
    return hint.has_value();
  };
  for (const auto& input : arguments.graph.choice.inputs)
    if (!input.shape.empty() && !read(fmt::format("--input {}={}", input.name, input.shape), input.name, input.shape))
      return std::nullopt;
  hints.clear();  // the model hands on those of its inputs
  for (const std::string& given : arguments.hints) {
    const std::size_t equals = given.find('=');
    if (!read("--hint " + given, given.substr(0, equals), equals == given.npos ? "" : given.substr(equals + 1)))
      return std::nullopt;
  }
  return hints;
}

// A graph in one of its uses, and what is to be said of it.
struct Imported {
  ReadGraph graph;
  std::optional<tensorflow::Analysis> analysis;
  std::string signature;  // where it is one of several that are looked at
};

Json guardJson(const tensorflow::Analysis::Guard& guard, const Imported& imported) {
  Json places = Json::array();
  for (const Label& label : guard.sources) places.push_back(Json::parse(renderJson(label, imported.graph.sources)));
  Json json{{"text", guard.text}};
  if (!imported.signature.empty()) json["entry"] = imported.signature;
  json["sources"] = std::move(places);
  return json;
}

// What is said of several signatures alike, as of a checkpoint that is not there, is said once.
using Told = std::set<std::string>;

Diagnostics untold(const ReadGraph& graph, Told& told) {
  Diagnostics fresh;
  for (const Diagnostic& d : graph.diagnostics)
    if (told.insert(renderJson(d, graph.sources)).second) fresh.push_back(d);
  return fresh;
}

void addTo(Json& json, Imported& imported, Told& told) {
  auto add = [&](const char* list, Json item) { json[list].push_back(std::move(item)); };
  for (const Diagnostic& d : untold(imported.graph, told))
    add("diagnostics", Json::parse(renderJson(d, imported.graph.sources)));
  if (!imported.analysis) return;
  for (const auto& line : imported.analysis->facts()) {
    Json fact{{"node", line.node}, {"port", line.port}, {"elem", line.elem}, {"shape", line.shape}};
    if (!imported.signature.empty()) fact["signature"] = imported.signature;
    if (!line.value.empty()) fact["value"] = line.value;
    add("facts", std::move(fact));
  }
  for (const auto& guard : imported.analysis->guards()) add("guards", guardJson(guard, imported));
  for (const std::string& note : unknownOperators(*imported.analysis)) add("notes", note);
}

void print(Imported& imported, const ImportArguments& arguments, Told& told) {
  const ReadGraph& graph = imported.graph;
  printDiagnostics(stderr, untold(graph, told), graph.sources);
  if (!imported.analysis) return;
  if (arguments.facts && !imported.signature.empty()) std::printf("signature %s\n", imported.signature.c_str());
  if (arguments.facts) std::fputs(factsText(imported.analysis->facts()).c_str(), stdout);
  if (!arguments.facts && arguments.emit.empty()) std::fputs(tensorflow::summary(*graph.model).c_str(), stdout);
}

void printGuards(Imported& imported) {
  const ReadGraph& graph = imported.graph;
  if (!imported.analysis || hasErrors(graph.diagnostics)) return;  // what follows an error says little
  for (const auto& guard : imported.analysis->guards()) std::fputs(guardText(guard, graph.sources).c_str(), stderr);
  for (const std::string& note : unknownOperators(*imported.analysis)) std::fprintf(stderr, "note: %s\n", note.c_str());
}

void analyse(Imported& imported, std::vector<tensorflow::Hint> hints, bool emits) {
  ReadGraph& graph = imported.graph;
  if (!graph.model) return;
  if (emits)
    for (tensorflow::Hint& hint : soundHints(*graph.model)) hints.push_back(std::move(hint));
  tensorflow::analyse(imported.analysis, *graph.model, graph.sources, graph.diagnostics, hints);
  for (const Diagnostic& d : graph.diagnostics)
    if (d.code == &codes::noSuchTensor) graph.exitCode = exitUsage;
  if (graph.exitCode == exitDone && hasErrors(graph.diagnostics)) graph.exitCode = exitErrors;
}

// The signatures that are looked at one after the other: all, where nothing says which is meant.
std::vector<std::string> signaturesOf(const ImportArguments& arguments, const ReadGraph& graph) {
  const tensorflow::Choice& choice = arguments.graph.choice;
  if (graph.model || !choice.inputs.empty() || !choice.outputs.empty() || !arguments.hints.empty()) return {};
  return tensorflow::openSignatures(arguments.graph.path, choice);
}

Json namesJson(const EmittedFiles::Names& names) {
  Json json = Json::object();
  for (const auto& [tensor, name] : names) json[tensor] = name;
  return json;
}

// After all else is said of the graph. What is wrong with it is said here.
void emitTo(Json& json, Imported& imported, const ImportArguments& arguments) {
  ReadGraph& graph = imported.graph;
  if (graph.exitCode != exitDone || !imported.analysis) return;
  const std::size_t told = graph.diagnostics.size();
  auto files = emitGraph(graph, *imported.analysis, arguments.graph.choice, arguments.output);
  for (std::size_t i = told; i < graph.diagnostics.size(); ++i)
    if (arguments.json)
      json["diagnostics"].push_back(Json::parse(renderJson(graph.diagnostics[i], graph.sources)));
    else
      printDiagnostics(stderr, {graph.diagnostics[i]}, graph.sources);
  if (!files) return;
  Json emitted{{"file", files->file}};
  if (!files->weights.empty()) emitted["weights"] = files->weights;
  emitted["inputs"] = namesJson(files->inputs);
  emitted["outputs"] = namesJson(files->outputs);
  json["emitted"] = std::move(emitted);
  if (arguments.json) return;
  std::printf("%s: main : %s\n", files->file.c_str(), files->type.c_str());
  if (!files->weights.empty()) std::printf("%s: its weights\n", files->weights.c_str());
}

// What is wrong with the command line; empty where nothing is.
std::string refusedEmit(const ImportArguments& arguments) {
  if (!arguments.emit.empty()) return refusedTarget(arguments.output);
  return arguments.output.empty() ? "" : "-o is for --emit ax: there is nothing else to write";
}

int importCommand(const ImportArguments& arguments) {
  auto hints = readHints(arguments);
  if (!hints) return exitUsage;
  if (std::string why = refusedEmit(arguments); !why.empty()) {
    std::fprintf(stderr, "error: %s\n", why.c_str());
    return exitUsage;
  }
  Json json{
      {"facts", Json::array()}, {"guards", Json::array()}, {"diagnostics", Json::array()}, {"notes", Json::array()}};
  int exitCode = exitDone;
  Told told;
  auto say = [&](Imported& imported) {
    analyse(imported, *hints, !arguments.emit.empty());
    if (arguments.json)
      addTo(json, imported, told);
    else
      print(imported, arguments, told);
    if (!arguments.emit.empty()) emitTo(json, imported, arguments);
    if (!arguments.json) printGuards(imported);
    exitCode = std::max(exitCode, imported.graph.exitCode);
  };
  Imported whole{readGraph(arguments.graph), std::nullopt, {}};
  const std::vector<std::string> signatures = signaturesOf(arguments, whole.graph);
  if (!arguments.emit.empty() && !signatures.empty()) {
    std::fprintf(stderr, "error: the graph has %zu signatures, a source file is of one: --signature %s\n",
                 signatures.size(), signatures.front().c_str());
    return exitUsage;
  }
  if (signatures.empty()) say(whole);
  for (const std::string& signature : signatures) {
    GraphArguments one = arguments.graph;
    one.choice.signature = signature;
    Imported imported{readGraph(one), std::nullopt, signature};
    say(imported);
  }
  if (arguments.json) std::fputs((json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n").c_str(), stdout);
  return exitCode;
}

}  // namespace

namespace {

std::string withoutPortZero(const std::string& name) {
  return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
}

bool sameTensor(const std::string& a, const std::string& b) { return withoutPortZero(a) == withoutPortZero(b); }

std::string nameIn(const std::string& word) { return word.substr(0, word.find('=')); }

// NAME of a tensor of the signature as its key.
std::string portNamed(const tensorflow::Model& model, const std::string& name, bool isInput) {
  const std::vector<tensorflow::Port>& ports = isInput ? model.inputs : model.outputs;
  for (const tensorflow::Port& port : ports)
    if (sameTensor(port.name, name)) return port.name;
  for (const tensorflow::Signature& signature : model.signatures)
    if (signature.key == model.signature)
      for (const auto& tensor : isInput ? signature.inputs : signature.outputs)
        if (sameTensor(tensor.tensor, name)) return tensor.key;
  return name;
}

}  // namespace

std::string outletName(const std::string& tensor) {
  const std::size_t colon = tensor.rfind(':');
  const bool hasPort = colon != tensor.npos && colon + 1 < tensor.size() &&
                       tensor.find_first_not_of("0123456789", colon + 1) == tensor.npos;
  return hasPort ? tensor : tensor + ":0";
}

GraphRequest requestOf(const GraphArguments& arguments, const run::RunOptions& options) {
  GraphRequest request{arguments.choice, {}};
  for (const std::string& word : options.inputs) {
    const std::string name = nameIn(word);
    auto& inputs = request.choice.inputs;
    if (std::none_of(inputs.begin(), inputs.end(), [&](const auto& input) { return sameTensor(input.name, name); }))
      inputs.push_back({name, {}});
    request.files.emplace_back(name, word.substr(std::min(word.size(), name.size() + 1)));
  }
  auto ask = [&](const std::string& name) {
    auto& outputs = request.choice.outputs;
    if (std::none_of(outputs.begin(), outputs.end(), [&](const auto& other) { return sameTensor(other, name); }))
      outputs.push_back(name);
  };
  for (const std::string& name : options.outputs) ask(name);
  for (const std::string& word : options.expects) ask(nameIn(word));
  return request;
}

void namePorts(const tensorflow::Model& model, run::RunOptions& options) {
  auto rename = [&](std::string& word, bool isInput) {
    const std::string name = nameIn(word);
    word = portNamed(model, name, isInput) + word.substr(name.size());
  };
  for (std::string& word : options.inputs) rename(word, true);
  for (std::string& word : options.expects) rename(word, false);
  for (std::string& word : options.outputs) rename(word, false);
}

namespace {

// What a tensor is, where sizes may follow from it.
std::shared_ptr<const tensorflow::Tensor> smallValue(const TensorFile& file, std::size_t index, tensorflow::Type type) {
  constexpr std::int64_t most = 1024;
  const TensorInfo& its = file.tensors[index];
  auto tensor = std::make_shared<tensorflow::Tensor>();
  tensor->type = type;
  for (std::uint64_t size : its.shape) tensor->shape.push_back(static_cast<std::int64_t>(size));
  auto count = tensorflow::elementCount(type, tensor->shape);
  const bool isFloat = info(its.elem).isFloat;
  if (!count || *count > (isFloat ? 1 : most) || tensorflow::info(type).element != its.elem) return nullptr;
  auto bytes = file.readAt(index);
  if (!bytes) return nullptr;
  tensor->count = *count;
  tensor->bytes.assign(reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size());
  return tensor;
}

std::optional<tensorflow::Type> typeOf(Elem elem) {
  for (int type = 1; type < tensorflow::typeCount; ++type)
    if (tensorflow::info(static_cast<tensorflow::Type>(type)).element == elem)
      return static_cast<tensorflow::Type>(type);
  return std::nullopt;
}

bool fits(const tensorflow::PartialShape& declared, const std::vector<std::uint64_t>& shape) {
  bool fits = !declared.knownRank || declared.sizes.size() == shape.size();
  for (std::size_t i = 0; fits && declared.knownRank && i < shape.size(); ++i)
    fits = declared.sizes[i] < 0 || declared.sizes[i] == static_cast<std::int64_t>(shape[i]);
  return fits;
}

std::vector<tensorflow::HintSize> sizesOf(const std::vector<std::uint64_t>& shape) {
  std::vector<tensorflow::HintSize> sizes;
  for (std::uint64_t size : shape) sizes.push_back({static_cast<std::int64_t>(size), {}});
  return sizes;
}

// What a tensor in a file says of the input that it is for; none where it does not fit.
std::optional<tensorflow::Hint> hintOf(const tensorflow::Port& input, const TensorFile& file, std::size_t index,
                                       std::string option) {
  const TensorInfo& tensor = file.tensors[index];
  if (!fits(input.shape, tensor.shape)) return std::nullopt;
  tensorflow::Hint hint{std::move(option), input.name, std::nullopt, sizesOf(tensor.shape)};
  // Of an operator that nobody knows the file says of what type its tensor is.
  if (input.type == tensorflow::Type::invalid) hint.type = typeOf(tensor.elem);
  hint.value = smallValue(file, index, hint.type.value_or(input.type));
  return hint;
}

}  // namespace

std::vector<tensorflow::Hint> hintsOf(const tensorflow::Model& model, const GraphRequest& request) {
  std::vector<tensorflow::Hint> hints;
  std::set<std::string> given;
  for (const auto& [name, path] : request.files) {
    const std::string port = portNamed(model, name, true);
    given.insert(port);
    auto input = std::find_if(model.inputs.begin(), model.inputs.end(),
                              [&](const tensorflow::Port& p) { return p.name == port; });
    if (input == model.inputs.end()) continue;
    if (path.ends_with(".wav") && input->type == tensorflow::Type::string) {
      auto wav = readWav(path);
      if (!wav) continue;  // what is wrong with it is said later
      hints.push_back({"-i " + name, port, std::nullopt, sizesOf({wav->frames, wav->channels})});
      hints.back().sampleRate = wav->rate;
      continue;
    }
    auto file = openTensorFile(path, plainFormats());
    if (!file || file->tensors.size() != 1) continue;
    if (auto hint = hintOf(*input, *file, 0, "-i " + name)) hints.push_back(std::move(*hint));
  }
  for (const tensorflow::Port& input : model.inputs) {
    auto found = request.recorded && !given.count(input.name) ? request.recorded->fileOf(input.name) : std::nullopt;
    if (!found) continue;
    if (auto hint = hintOf(input, found->file, found->index, "--against " + request.recorded->path()))
      hints.push_back(std::move(*hint));
  }
  return hints;
}

bool isGraph(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return true;  // a SavedModel's, or nothing that can be read
  for (std::string_view ending : {".pb", ".pbtxt", ".pb.txt", ".meta", ".index"})
    if (path.ends_with(ending)) return true;
  return exists(path + ".meta") || exists(path + ".index");
}

void addGraphChoice(CLI::App& app, GraphArguments& arguments) {
  app.add_option("--tag", arguments.choice.tags, "a tag of the SavedModel's graph (`serve`); may be given again")
      ->type_name("T")
      ->allow_extra_args(false);
  app.add_option("--signature", arguments.choice.signature, "a signature of the graph (`serving_default`)")
      ->type_name("S");
}

void addGraphOptions(CLI::App& app, GraphArguments& arguments) {
  addGraphChoice(app, arguments);
  app.add_option_function<std::vector<std::string>>(
         "--input",
         [&arguments](const std::vector<std::string>& values) {
           for (const std::string& value : values) {
             const std::size_t equals = value.find('=');
             arguments.choice.inputs.push_back(
                 {value.substr(0, equals), equals == value.npos ? std::string() : value.substr(equals + 1)});
           }
         },
         "a tensor that is given from outside, perhaps with its shape; may be given again")
      ->type_name("NAME[=SHAPE]")
      ->allow_extra_args(false);
  app.add_option("--output", arguments.choice.outputs, "a tensor that is asked for; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

// A choice that the file does not have is the command line's fault.
bool isUsage(const Diagnostic& d, const std::string& path, const tensorflow::Choice& choice) {
  if (d.code->severity != Severity::error) return false;
  if (!exists(path) && !exists(path + ".meta") && !exists(path + ".index")) return true;
  if (d.code == &codes::graphChoice) return !choice.tags.empty() || !choice.signature.empty();
  return d.code == &codes::noSuchTensor && (!choice.inputs.empty() || !choice.outputs.empty());
}

ReadGraph readGraph(const GraphArguments& arguments) {
  ReadGraph graph;
  graph.model = tensorflow::readModel(arguments.path, arguments.choice, graph.sources, graph.diagnostics);
  for (const Diagnostic& d : graph.diagnostics)
    if (d.code->severity == Severity::error && graph.exitCode == exitDone)
      graph.exitCode = isUsage(d, arguments.path, arguments.choice) ? exitUsage : exitErrors;
  return graph;
}

int dumpGraph(const GraphArguments& arguments) {
  ReadGraph graph = readGraph(arguments);
  printDiagnostics(stderr, graph.diagnostics, graph.sources);
  if (graph.model) std::fputs(tensorflow::dump(*graph.model).c_str(), stdout);
  return graph.exitCode;
}

Action addImport(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  app.add_option("GRAPH", arguments->graph.path,
                 "a GraphDef (.pb, .pbtxt), a SavedModel's folder, or a checkpoint's prefix")
      ->required()
      ->type_name("");
  addGraphOptions(app, arguments->graph);
  app.add_option("--hint", arguments->hints,
                 "what is known of a tensor: `conv/Relu=f32 [n, 28, 28, 8]`; may be given again")
      ->type_name("NAME=FACT")
      ->allow_extra_args(false);
  app.add_flag("--facts", arguments->facts, "print a line for each outlet: NODE:PORT ELEM SHAPE [= VALUE]");
  app.add_option("--emit", arguments->emit, "write the graph as source: ax, with its weights beside it")
      ->type_name("ax")
      ->check(CLI::IsMember({"ax"}));
  app.add_option("-o", arguments->output, "the source to write")->type_name("FILE.ax");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return importCommand(*arguments); };
}

}  // namespace axle::axc
