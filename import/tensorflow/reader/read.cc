#include "import/tensorflow/reader/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "import/tensorflow/reader/convert.h"
#include "import/tensorflow/reader/default_outputs.h"
#include "import/tensorflow/reader/detect.h"
#include "import/tensorflow/reader/port_zero.h"
#include "import/tensorflow/reader/resolve.h"
#include "import/tensorflow/reader/variables.h"

namespace axle::tensorflow {

namespace {

constexpr Message<arg::Name, arg::Name, arg::Cause> brokenSignature{codes::graphFile, "{} of signature {} {}"};
constexpr Message<> graphWithoutOutputs{codes::graphFile,
                                        "the graph has no outputs: no node has an output that no other takes"};
constexpr Message<> severalSignatures{codes::graphChoice,
                                      "the graph has several signatures, none of them `serving_default`"};
constexpr Message<arg::Name> noSuchSignature{codes::graphChoice, "the graph has no signature {}"};
constexpr Message<Phrase, arg::Name, Phrase> portWithoutTensor{codes::noSuchTensor, "the {} is {}, but {}"};
constexpr Message<arg::Name, arg::Name, Phrase> missingResult{codes::badFunction,
                                                              "the result {} of the function {} is missing: {}"};
constexpr Message<arg::Name, arg::Name, Phrase> missingEffect{codes::badFunction,
                                                              "`control_ret` of the function {} names {}, but {}"};

// Signatures that TensorFlow adds for its own use.
constexpr std::string_view internalSignatures[] = {"__saved_model_init_op", "__saved_model_train_op"};

constexpr std::size_t mostNamed = 10;  // inputs or outputs that a message lists

class Reader {
 public:
  Reader(GraphFiles files, const Choice& choice, Problems& problems)
      : files_(std::move(files)),
        choice_(choice),
        problems_(problems),
        library_(*files_.meta->mutable_graph_def()->mutable_library()),
        main_(*files_.meta->mutable_graph_def()->mutable_node(), library_, problems) {}

  std::optional<Model> read();
  // Returns the keys to choose among; empty if the choice is clear.
  std::vector<std::string> openSignatures();

 private:
  struct Asked {
    Port port;
    Resolver::Source source;
  };

  void readSignatures();
  std::vector<const Signature*> callableSignatures() const;
  // Sets `signature_` to the signature to use. Returns false if the user must choose one.
  bool findSignature(const std::vector<const Signature*>& candidates);
  bool chooseSignature();
  void chooseInputs();
  void chooseOutputs();
  std::optional<Resolver::Source> sourceOf(const std::string& name, std::string_view what, std::string_view key = {});
  std::string portNames(bool areInputs);
  void askFor(std::vector<Asked>& list, Port port, const std::string& tensor, std::string_view what);
  void askForDefaultOutputs();
  void addPlaceholders();
  void describeInputs();
  void readFunctions();
  void readFunction(FunctionId id);
  std::optional<std::vector<Resolver::Source>> resultsOf(const wire::FunctionDef& definition, Resolver& resolver);
  std::vector<std::uint32_t> effectsOf(const wire::FunctionDef& definition, const Resolver& resolver);

  GraphFiles files_;
  const Choice& choice_;
  Problems& problems_;
  Library library_;
  Resolver main_;
  Model model_;
  const Signature* signature_ = nullptr;
  std::vector<Asked> inputs_, outputs_;
};

std::optional<Model> Reader::read() {
  model_.kind = files_.kind;
  model_.path = problems_.file();
  readSignatures();
  if (problems_.any() || !chooseSignature()) return std::nullopt;
  chooseInputs();
  chooseOutputs();
  if (problems_.any()) return std::nullopt;
  const SavedVariables saved = savedVariables(*files_.meta);  // first: `take` empties the messages
  for (const Asked& input : inputs_) main_.feed(input.source);
  for (const Asked& output : outputs_) main_.need(output.source);
  model_.main = main_.take();
  if (problems_.any()) return std::nullopt;
  for (Asked& input : inputs_) input.port.outlet = main_.outlet(input.source);
  for (Asked& output : outputs_) output.port.outlet = main_.outlet(output.source);
  for (Asked& input : inputs_) model_.inputs.push_back(std::move(input.port));
  for (Asked& output : outputs_) model_.outputs.push_back(std::move(output.port));
  addPlaceholders();
  describeInputs();
  readFunctions();
  if (problems_.any()) return std::nullopt;
  addVariables(model_, saved);
  bindVariables(model_, saved, files_.checkpoint, problems_);
  if (problems_.any()) return std::nullopt;
  return std::move(model_);
}

// ---- signatures

void Reader::readSignatures() {
  const auto tensors = [&](const auto& messages, const std::string& key) {
    std::vector<SignatureTensor> list;
    for (const auto& [name, message] : messages) {
      // A scalar has a shape without sizes; a tensor without a shape may have any.
      auto shape = message.has_tensor_shape() ? shapeOf(message.tensor_shape()) : PartialShape{};
      if (!shape) problems_.add(brokenSignature, {}, arg::Name{name}, arg::Name{key}, arg::Cause{shape.error()});
      list.push_back({name, message.name(), typeNumbered(message.dtype()), shape ? *shape : PartialShape{}});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return list;
  };
  for (const auto& [key, message] : files_.meta->signature_def())
    model_.signatures.push_back(
        {key, message.method_name(), tensors(message.inputs(), key), tensors(message.outputs(), key)});
  std::sort(model_.signatures.begin(), model_.signatures.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
}

std::vector<const Signature*> Reader::callableSignatures() const {
  std::vector<const Signature*> found;
  for (const Signature& signature : model_.signatures)
    if (std::find(std::begin(internalSignatures), std::end(internalSignatures), signature.key) ==
        std::end(internalSignatures))
      found.push_back(&signature);
  return found;
}

bool Reader::findSignature(const std::vector<const Signature*>& candidates) {
  const std::string wanted = choice_.signature.empty() ? "serving_default" : choice_.signature;
  for (const Signature* candidate : candidates)
    if (candidate->key == wanted) signature_ = candidate;
  if (!signature_ && choice_.signature.empty() && candidates.size() == 1) signature_ = candidates[0];
  return signature_ || (choice_.signature.empty() && (candidates.empty() || !choice_.outputs.empty()));
}

std::vector<std::string> Reader::openSignatures() {
  readSignatures();
  const std::vector<const Signature*> candidates = callableSignatures();
  std::vector<std::string> keys;
  if (!problems_.any() && choice_.signature.empty() && !findSignature(candidates))
    for (const Signature* candidate : candidates) keys.push_back(candidate->key);
  return keys;
}

bool Reader::chooseSignature() {
  const std::vector<const Signature*> candidates = callableSignatures();
  const bool found = findSignature(candidates);
  if (signature_) model_.signature = signature_->key;
  if (found) return true;
  const std::string& wanted = choice_.signature;
  Diagnostic& problem =
      wanted.empty() ? problems_.add(severalSignatures, {}) : problems_.add(noSuchSignature, {}, arg::Name{wanted});
  for (const Signature* candidate : candidates) problem.addNote("there is {}", arg::Name{candidate->key});
  if (!candidates.empty()) problem.addHelp("choose one with `--signature`");
  return false;
}

// ---- inputs and outputs

std::optional<Resolver::Source> Reader::sourceOf(const std::string& name, std::string_view what, std::string_view key) {
  auto source = main_.tensorNamed(name);
  if (source) return *source;
  const std::string node = name.substr(0, name.find(':'));
  const arg::Cause kind{what};
  Diagnostic& d =
      problems_.add(portWithoutTensor, {node, {}},
                    key.empty() ? Phrase("{}", kind)
                                : Phrase("{} {} of signature {}", kind, arg::Name{key}, arg::Name{signature_->key}),
                    arg::Name{name}, source.error().what);
  if (const std::string names = portNames(what == "input"); key.empty() && !names.empty())
    d.addNote("the graph's {}s: {}", kind, arg::Cause{names});
  return std::nullopt;
}

// Returns the inputs or outputs that the model has by default, as a list for a message.
std::string Reader::portNames(bool areInputs) {
  std::vector<std::string> names;
  if (signature_) {
    for (const SignatureTensor& tensor : areInputs ? signature_->inputs : signature_->outputs)
      names.push_back(tensor.key);
  } else if (areInputs) {
    for (std::uint32_t i = 0; i < main_.size(); ++i)
      if (isPlaceholder(main_.message(i).op())) names.push_back(main_.message(i).name());
  } else {
    for (std::uint32_t sink : sinkNodes(main_, library_)) names.push_back(main_.message(sink).name());
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), mostNamed); ++i) text += (i ? ", `" : "`") + names[i] + "`";
  return names.size() > mostNamed ? fmt::format("{} and {} more", text, names.size() - mostNamed) : text;
}

void Reader::askFor(std::vector<Asked>& list, Port port, const std::string& tensor, std::string_view what) {
  const bool isKey = signature_ && port.name != tensor;
  if (auto source = sourceOf(tensor, what, isKey ? port.name : std::string_view()))
    list.push_back({std::move(port), *source});
}

Port portOf(const SignatureTensor& tensor) {
  return {tensor.key, {}, tensor.type, tensor.shape, {}, tensor.shape, {}, tensor.type};
}

// Returns the tensor of a signature that `name` means, by its key or as a tensor. Null if there is none.
const SignatureTensor* tensorOf(const std::vector<SignatureTensor>& tensors, const std::string& name) {
  for (const SignatureTensor& tensor : tensors)
    if (tensor.key == name || withoutPortZero(tensor.tensor) == withoutPortZero(name)) return &tensor;
  return nullptr;
}

// Chooses the inputs of the signature and of the command line, which may also give the shape of a signature's input.
void Reader::chooseInputs() {
  if (signature_) {
    for (const SignatureTensor& input : signature_->inputs)
      if (!input.tensor.empty()) askFor(inputs_, portOf(input), input.tensor, "input");
  }
  for (const Choice::Input& input : choice_.inputs) {
    if (const SignatureTensor* tensor = signature_ ? tensorOf(signature_->inputs, input.name) : nullptr) {
      for (Asked& asked : inputs_)
        if (asked.port.name == tensor->key) asked.port.asked = input.shape;
    } else {
      const std::string name = withoutPortZero(input.name);
      askFor(inputs_, {name, {}, Type::invalid, {}, input.shape}, name, "input");
    }
  }
}

// Chooses the outputs of the command line, or else of the signature, or else the graph's default ones.
void Reader::chooseOutputs() {
  for (const std::string& output : choice_.outputs) {
    const SignatureTensor* tensor = signature_ ? tensorOf(signature_->outputs, output) : nullptr;
    const std::string name = withoutPortZero(output);
    if (tensor && !tensor->tensor.empty())
      askFor(outputs_, portOf(*tensor), tensor->tensor, "output");
    else
      askFor(outputs_, {name, {}, Type::invalid, {}, {}}, name, "output");
  }
  if (!choice_.outputs.empty()) return;
  if (!signature_) return askForDefaultOutputs();
  for (const SignatureTensor& output : signature_->outputs)
    if (!output.tensor.empty()) askFor(outputs_, portOf(output), output.tensor, "output");
}

void Reader::askForDefaultOutputs() {
  for (const std::string& tensor : defaultOutputs(main_, library_))
    if (!problems_.tooMany()) askFor(outputs_, {tensor, {}, Type::invalid, {}, {}}, tensor, "output");
  if (!outputs_.empty() || problems_.any()) return;
  for (std::uint32_t i = 0; i < main_.size(); ++i) main_.needNode(i);
  main_.take();  // every node's output is taken, so there is a cycle
  if (!problems_.any()) problems_.add(graphWithoutOutputs, {});
}

// Makes every placeholder that the outputs depend on an input, even if the user did not name it.
void Reader::addPlaceholders() {
  std::set<Outlet> known;
  for (const Port& input : model_.inputs) known.insert(input.outlet);
  for (std::uint32_t i = 0; i < model_.main.nodes.size(); ++i) {
    Node& node = model_.main.nodes[i];
    const Outlet outlet{NodeId{i}, 0};
    if (!isPlaceholder(node.op) || known.contains(outlet)) continue;
    node.fed = {0};
    model_.inputs.push_back({node.name, outlet, Type::invalid, {}, {}});
  }
}

// Sets the types and shapes of inputs to those that their placeholders declare. The signature's stay where the
// placeholder declares none: TensorFlow ignores signatures.
void Reader::describeInputs() {
  const int producer = files_.meta->graph_def().versions().producer();
  for (Port& input : model_.inputs) {
    Node& node = model_.main[input.outlet.node];
    for (Attribute& attribute : node.attributes) {
      auto* shape = std::get_if<PartialShape>(&attribute.value);
      // Up to this version, graphs wrote an unknown shape like a scalar's. TensorFlow's Placeholder reads it as
      // unknown, too.
      constexpr int lastAmbiguousVersion = 21;
      if (node.op == "Placeholder" && attribute.name == "shape" && producer <= lastAmbiguousVersion && shape &&
          shape->sizes.empty())
        *shape = PartialShape{};
    }
    const auto* type = node.get<Type>("dtype");
    const auto* shape = node.get<PartialShape>("shape");
    if (type && input.outlet.port == 0) input.type = *type;
    if (!shape || input.outlet.port != 0) continue;
    input.ofGraph = *shape;
    if (shape->knownRank) input.shape = *shape;
  }
}

// ---- functions

void Reader::readFunctions() {
  // The body of a function may call others, which are added to the library's list.
  for (std::uint32_t i = 0; i < library_.reached() && !problems_.tooMany(); ++i) readFunction(FunctionId{i});
}

// Returns the tensors that a function returns. None after an error.
std::optional<std::vector<Resolver::Source>> Reader::resultsOf(const wire::FunctionDef& definition,
                                                               Resolver& resolver) {
  const std::string& function = definition.signature().name();
  std::vector<Resolver::Source> results;
  for (const auto& output : definition.signature().output_arg()) {
    const auto returned = definition.ret().find(output.name());
    const auto source = returned == definition.ret().end()
                            ? tl::unexpected(Resolver::Fault{nullptr, Phrase("`ret` does not say what it is")})
                            : resolver.tensorNamed(returned->second);
    if (!source) {
      problems_.add(missingResult, {output.name(), function}, arg::Name{output.name()}, arg::Name{function},
                    source.error().what);
      return std::nullopt;
    }
    results.push_back(*source);
  }
  return results;
}

// Returns the nodes that a function runs although no result depends on them, in the order of the file.
std::vector<std::uint32_t> Reader::effectsOf(const wire::FunctionDef& definition, const Resolver& resolver) {
  const std::string& function = definition.signature().name();
  std::vector<std::uint32_t> effects;
  for (const auto& [_, name] : definition.control_ret()) {
    const auto node = resolver.nodeNamed(name);
    if (node)
      effects.push_back(*node);
    else
      problems_.add(missingEffect, {name, function}, arg::Name{function}, arg::Name{name}, node.error().what);
  }
  std::sort(effects.begin(), effects.end());
  return effects;
}

std::vector<Parameter> takeParameters(wire::FunctionDef& definition, const Resolver& resolver) {
  std::vector<Parameter> parameters;
  for (std::uint32_t i = 0; i < resolver.parameters(); ++i) {
    const auto& message = definition.signature().input_arg(static_cast<int>(i));
    parameters.push_back(
        {message.name(), typeNumbered(message.type()), message.type_attr(), resolver.outlet({i, 0}).node, {}});
    const auto given = definition.mutable_arg_attr()->find(i);
    if (given == definition.mutable_arg_attr()->end()) continue;
    if (auto attributes = takeAttributes(*given->second.mutable_attr()))
      parameters.back().attributes = std::move(*attributes);
  }
  return parameters;
}

void Reader::readFunction(FunctionId id) {
  wire::FunctionDef& definition = library_.definition(id);
  Resolver resolver(*definition.mutable_node_def(), library_, problems_, &definition);
  const auto results = resultsOf(definition, resolver);
  if (!results) return;
  for (Resolver::Source result : *results) resolver.need(result);
  const std::vector<std::uint32_t> effects = effectsOf(definition, resolver);
  for (std::uint32_t node : effects) resolver.needNode(node);
  Function function;
  function.name = definition.signature().name();
  function.body = resolver.take();
  if (problems_.any()) return;
  function.parameters = takeParameters(definition, resolver);
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto& output = definition.signature().output_arg(static_cast<int>(i));
    function.results.push_back(
        {output.name(), typeNumbered(output.type()), output.type_attr(), resolver.outlet((*results)[i])});
  }
  for (std::uint32_t node : effects) function.effects.push_back(resolver.outlet({node, 0}).node);
  if (auto attributes = takeAttributes(*definition.mutable_attr())) function.attributes = std::move(*attributes);
  model_.functions.push_back(std::move(function));
}

}  // namespace

std::optional<Model> readModel(const std::string& path, const Choice& choice, SourceMap& sources,
                               Diagnostics& diagnostics) {
  Problems problems(path, diagnostics);
  auto files = openGraph(path, choice.tags, sources, problems);
  if (!files) return std::nullopt;
  return Reader(std::move(*files), choice, problems).read();
}

std::vector<std::string> openSignatures(const std::string& path, const Choice& choice) {
  SourceMap sources;
  Diagnostics diagnostics;
  Problems problems(path, diagnostics);
  auto files = openGraph(path, choice.tags, sources, problems);
  return files ? Reader(std::move(*files), choice, problems).openSignatures() : std::vector<std::string>();
}

}  // namespace axle::tensorflow
