#include "import/tensorflow/reader/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "import/tensorflow/reader/convert.h"
#include "import/tensorflow/reader/detect.h"
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

// Signatures that TensorFlow adds for itself.
constexpr std::string_view ownSignatures[] = {"__saved_model_init_op", "__saved_model_train_op"};

constexpr std::int64_t mostSinks = 10'000;  // `num_split` of a hostile file may be anything

constexpr std::size_t mostNamed = 10;  // inputs or outputs, where one is asked for that there is not

bool isPlaceholder(std::string_view op) { return op == "Placeholder" || op == "PlaceholderV2"; }

std::string withoutPortZero(std::string name) {
  if (name.ends_with(":0")) name.resize(name.size() - 2);
  return name;
}

class Reader {
 public:
  Reader(GraphFiles files, const Choice& choice, Problems& problems)
      : files_(std::move(files)),
        choice_(choice),
        problems_(problems),
        library_(*files_.meta->mutable_graph_def()->mutable_library()),
        main_(*files_.meta->mutable_graph_def()->mutable_node(), library_, problems) {}

  std::optional<Model> read();
  // Keys, where it is open which is meant.
  std::vector<std::string> openSignatures();

 private:
  struct Asked {
    Port port;
    Resolver::Source source;
  };

  void readSignatures();
  std::vector<const Signature*> peoplesSignatures() const;
  // False where none is meant and one must be.
  bool findSignature(const std::vector<const Signature*>& candidates);
  bool chooseSignature();
  bool choosePorts();
  std::optional<Resolver::Source> sourceOf(const std::string& name, std::string_view what, std::string_view key = {});
  std::string portsThere(bool areInputs);
  void askFor(std::vector<Asked>& list, Port port, const std::string& tensor, std::string_view what);
  void askForSinks();
  std::vector<std::uint32_t> findSinks();
  std::vector<bool> dependents();
  const wire::NodeDef* nodeBehind(std::string_view input);
  bool isResidue(const wire::NodeDef& node);
  bool isBranchMark(const wire::NodeDef* node);
  bool hasVariables();
  bool isReference(const wire::NodeDef& node);
  std::vector<std::string> outputsOf(const wire::NodeDef& node);
  void addPlaceholders();
  void describeInputs();
  void readFunctions();
  void readFunction(FunctionId id);

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
  if (problems_.any() || !chooseSignature() || !choosePorts()) return std::nullopt;
  const SavedVariables saved = savedVariables(*files_.meta);  // before messages are taken apart
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
      auto shape = shapeOf(message.tensor_shape());
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

// The graph's shape, where it leaves something open the signature's; where they contradict each other the graph's.
PartialShape met(const PartialShape& graphs, const PartialShape& signatures) {
  if (!graphs.knownRank) return signatures;
  if (!signatures.knownRank || signatures.sizes.size() != graphs.sizes.size()) return graphs;
  PartialShape shape = graphs;
  for (std::size_t i = 0; i < shape.sizes.size(); ++i) {
    if (shape.sizes[i] < 0) shape.sizes[i] = signatures.sizes[i];
  }
  return shape;
}

std::vector<const Signature*> Reader::peoplesSignatures() const {
  std::vector<const Signature*> found;
  for (const Signature& signature : model_.signatures)
    if (std::find(std::begin(ownSignatures), std::end(ownSignatures), signature.key) == std::end(ownSignatures))
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
  const std::vector<const Signature*> candidates = peoplesSignatures();
  std::vector<std::string> keys;
  if (!problems_.any() && choice_.signature.empty() && !findSignature(candidates))
    for (const Signature* candidate : candidates) keys.push_back(candidate->key);
  return keys;
}

bool Reader::chooseSignature() {
  const std::vector<const Signature*> candidates = peoplesSignatures();
  const bool found = findSignature(candidates);
  if (signature_) model_.signature = signature_->key;
  if (found) return true;
  const std::string& wanted = choice_.signature;
  Diagnostic& problem = wanted.empty() ? problems_.add(severalSignatures, {})
                                       : problems_.add(noSuchSignature, {}, arg::Name{wanted});
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
  Diagnostic& d = problems_.add(portWithoutTensor, {node, {}},
                                key.empty() ? Phrase("{}", kind)
                                            : Phrase("{} {} of signature {}", kind, arg::Name{key},
                                                     arg::Name{signature_->key}),
                                arg::Name{name}, source.error().what);
  if (const std::string there = portsThere(what == "input"); key.empty() && !there.empty())
    d.addNote("the graph's {}s: {}", kind, arg::Cause{there});
  return std::nullopt;
}

// The inputs or the outputs that there are where nobody asks for others.
std::string Reader::portsThere(bool areInputs) {
  std::vector<std::string> names;
  if (signature_) {
    for (const SignatureTensor& tensor : areInputs ? signature_->inputs : signature_->outputs)
      names.push_back(tensor.key);
  } else if (areInputs) {
    for (std::uint32_t i = 0; i < main_.size(); ++i)
      if (isPlaceholder(main_.message(i).op())) names.push_back(main_.message(i).name());
  } else {
    for (std::uint32_t sink : findSinks()) names.push_back(main_.message(sink).name());
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

bool Reader::choosePorts() {
  const auto keyed = [&](const std::vector<SignatureTensor>& tensors,
                         const std::string& name) -> const SignatureTensor* {
    for (const SignatureTensor& tensor : tensors)
      if (tensor.key == name || withoutPortZero(tensor.tensor) == withoutPortZero(name)) return &tensor;
    return nullptr;
  };
  const auto ofSignature = [](const SignatureTensor& tensor) {
    return Port{tensor.key, {}, tensor.type, tensor.shape, {}};
  };
  if (signature_) {
    for (const SignatureTensor& input : signature_->inputs)
      if (!input.tensor.empty()) askFor(inputs_, ofSignature(input), input.tensor, "input");
  }
  for (const Choice::Input& input : choice_.inputs) {
    if (const SignatureTensor* tensor = signature_ ? keyed(signature_->inputs, input.name) : nullptr) {
      for (Asked& asked : inputs_)
        if (asked.port.name == tensor->key) asked.port.asked = input.shape;
    } else {
      askFor(inputs_, {withoutPortZero(input.name), {}, Type::invalid, {}, input.shape}, withoutPortZero(input.name),
             "input");
    }
  }
  for (const std::string& output : choice_.outputs) {
    const SignatureTensor* tensor = signature_ ? keyed(signature_->outputs, output) : nullptr;
    if (tensor && !tensor->tensor.empty())
      askFor(outputs_, ofSignature(*tensor), tensor->tensor, "output");
    else
      askFor(outputs_, {withoutPortZero(output), {}, Type::invalid, {}, {}}, withoutPortZero(output), "output");
  }
  if (choice_.outputs.empty() && signature_) {
    for (const SignatureTensor& output : signature_->outputs)
      if (!output.tensor.empty()) askFor(outputs_, ofSignature(output), output.tensor, "output");
  } else if (choice_.outputs.empty()) {
    askForSinks();
  }
  return !problems_.any();
}

// Every output of the nodes that nothing takes from. Where there are variables, the graph was trained: then
// initialisers, savers and the like are no outputs, unless there are no others.
void Reader::askForSinks() {
  const std::vector<std::uint32_t> sinks = findSinks();
  std::vector<std::uint32_t> computed;
  if (hasVariables()) {
    const std::vector<bool> fromInputs = dependents();
    for (std::uint32_t sink : sinks)
      if (fromInputs[sink] && !isReference(main_.message(sink))) computed.push_back(sink);
  }
  for (std::uint32_t sink : computed.empty() ? sinks : computed) {
    const wire::NodeDef& node = main_.message(sink);
    for (const std::string& tensor : outputsOf(node))
      if (!problems_.tooMany() && std::ssize(outputs_) < mostSinks)
        askFor(outputs_, {tensor, {}, Type::invalid, {}, {}}, tensor, "output");
  }
  if (!outputs_.empty() || problems_.any()) return;
  for (std::uint32_t i = 0; i < main_.size(); ++i) main_.needNode(i);
  main_.take();  // all nodes take from each other: somewhere there is a cycle
  if (!problems_.any())
    problems_.add(graphWithoutOutputs, {});
}

std::vector<std::uint32_t> Reader::findSinks() {
  std::unordered_set<std::string_view> taken;
  for (std::uint32_t i = 0; i < main_.size(); ++i)
    for (std::string_view input : main_.message(i).input())
      if (!input.starts_with('^')) taken.insert(input.substr(0, input.find(':')));
  std::vector<std::uint32_t> sinks;
  for (std::uint32_t i = 0; i < main_.size(); ++i) {
    const wire::NodeDef& node = main_.message(i);
    const bool unused = node.op() == "Placeholder" && main_.size() > 1;  // an input that nothing takes
    const auto interface = library_.interfaceOf(node.op());
    const bool computes = !interface || !interface->outputs.empty();
    if (!taken.contains(node.name()) && !unused && computes) sinks.push_back(i);
  }
  // Not what lowering and freezing leave behind, unless there is nothing else.
  std::vector<std::uint32_t> results;
  for (std::uint32_t sink : sinks)
    if (!isResidue(main_.message(sink))) results.push_back(sink);
  return results.empty() ? sinks : results;
}

const wire::NodeDef* Reader::nodeBehind(std::string_view input) {
  const auto index = main_.nodeNamed(input.substr(0, input.find(':')));
  return index ? &main_.message(*index) : nullptr;
}

// A loop's last counters that nobody wants, the mark of its body, which is there for control alone, the mark that one
// of the branches was carried out, and the reads of variables that freezing made constants.
bool Reader::isResidue(const wire::NodeDef& node) {
  if (node.op() == "Exit" || node.op() == "RefExit") return true;
  if (node.op() == "Merge")
    return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
      return input.starts_with('^') || isBranchMark(nodeBehind(input));
    });
  if (node.op() != "Identity" || node.input_size() == 0) return false;
  const wire::NodeDef* source = nodeBehind(node.input(0));
  return source && (source->op() == "Switch" ||
                    (source->op() == "Const" && node.name().find("/ReadVariableOp") != std::string::npos));
}

// Whether it says no more than that its branch is taken: the condition, switched by itself.
bool Reader::isBranchMark(const wire::NodeDef* node) {
  if (node && node->op() == "Identity" && node->input_size() > 0) node = nodeBehind(node->input(0));
  return node && (node->op() == "Switch" || node->op() == "_SwitchN") && node->input_size() > 1 &&
         node->input(0) == node->input(1);
}

bool Reader::hasVariables() {
  for (std::uint32_t i = 0; i < main_.size(); ++i)
    if (isVariable(main_.message(i).op())) return true;
  return false;
}

// Which nodes a placeholder's value flows into.
std::vector<bool> Reader::dependents() {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> takers;
  std::vector<std::uint32_t> found;
  std::vector<bool> depends(main_.size());
  for (std::uint32_t i = 0; i < main_.size(); ++i) {
    const wire::NodeDef& node = main_.message(i);
    for (std::string_view input : node.input()) takers[input.substr(0, input.find(':'))].push_back(i);
    if (isPlaceholder(node.op())) found.push_back(i);
  }
  while (!found.empty()) {
    const std::uint32_t node = found.back();
    found.pop_back();
    if (depends[node]) continue;
    depends[node] = true;
    const auto next = takers.find(main_.message(node).name());
    if (next != takers.end()) found.insert(found.end(), next->second.begin(), next->second.end());
  }
  return depends;
}

// Whether a node's outputs are references, as those of Assign are.
bool Reader::isReference(const wire::NodeDef& node) {
  const auto interface = library_.interfaceOf(node.op());
  return interface && !interface->outputs.empty() && interface->outputs[0].isReference;
}

// Names of a node's outputs, without what only gradients want; the first one where nobody knows how many there are.
std::vector<std::string> Reader::outputsOf(const wire::NodeDef& node) {
  const auto interface = library_.interfaceOf(node.op());
  if (!interface) return {node.name()};
  std::vector<std::string> names;
  std::int64_t port = 0;
  for (const OperatorArgument& output : interface->outputs) {
    const auto times = multiplicity(output, node, interface->op);
    if (!times) return {node.name()};
    for (std::int64_t i = 0; i < *times && port < mostSinks; ++i, ++port)
      if (!output.name.starts_with("reserve_space"))
        names.push_back(port ? fmt::format("{}:{}", node.name(), port) : node.name());
  }
  return names;
}

// Placeholders that are reached are inputs, asked for or not.
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

// Where nobody has said more, a placeholder's own attributes say what it takes.
void Reader::describeInputs() {
  const int producer = files_.meta->graph_def().versions().producer();
  for (Port& input : model_.inputs) {
    Node& node = model_.main[input.outlet.node];
    for (Attribute& attribute : node.attributes) {
      auto* shape = std::get_if<PartialShape>(&attribute.value);
      // Graphs as old as this could not tell a scalar from an unknown shape (TensorFlow's Placeholder does the same).
      constexpr int couldNotTell = 21;
      if (node.op == "Placeholder" && attribute.name == "shape" && producer <= couldNotTell && shape &&
          shape->sizes.empty())
        *shape = PartialShape{};
    }
    const auto* type = node.get<Type>("dtype");
    const auto* shape = node.get<PartialShape>("shape");
    if (input.type == Type::invalid && type) input.type = *type;
    if (shape && input.outlet.port == 0) input.shape = met(*shape, input.shape);
  }
}

// ---- functions

void Reader::readFunctions() {
  // Reading one may reach others.
  for (std::uint32_t i = 0; i < library_.reached() && !problems_.tooMany(); ++i) readFunction(FunctionId{i});
}

void Reader::readFunction(FunctionId id) {
  wire::FunctionDef& definition = library_.definition(id);
  Function function;
  function.name = definition.signature().name();
  Resolver resolver(*definition.mutable_node_def(), library_, problems_, &definition);
  std::vector<Resolver::Source> results;
  for (const auto& output : definition.signature().output_arg()) {
    const auto returned = definition.ret().find(output.name());
    const auto source = returned == definition.ret().end()
                            ? tl::unexpected(Resolver::Fault{nullptr, Phrase("`ret` does not say what it is")})
                            : resolver.tensorNamed(returned->second);
    if (!source) {
      problems_.add(missingResult, {output.name(), function.name}, arg::Name{output.name()}, arg::Name{function.name},
                    source.error().what);
      return;
    }
    results.push_back(*source);
    resolver.need(*source);
  }
  std::vector<std::uint32_t> effects;
  for (const auto& [_, name] : definition.control_ret()) {
    const auto node = resolver.nodeNamed(name);
    if (node)
      effects.push_back(*node);
    else
      problems_.add(missingEffect, {name, function.name}, arg::Name{function.name}, arg::Name{name},
                    node.error().what);
  }
  std::sort(effects.begin(), effects.end());
  for (std::uint32_t node : effects) resolver.needNode(node);
  function.body = resolver.take();
  if (problems_.any()) return;
  for (std::uint32_t i = 0; i < resolver.parameters(); ++i) {
    const auto& parameter = definition.signature().input_arg(static_cast<int>(i));
    function.parameters.push_back(
        {parameter.name(), typeNumbered(parameter.type()), parameter.type_attr(), resolver.outlet({i, 0}).node, {}});
    const auto about = definition.mutable_arg_attr()->find(i);
    if (about == definition.mutable_arg_attr()->end()) continue;
    if (auto attributes = takeAttributes(*about->second.mutable_attr()))
      function.parameters.back().attributes = *attributes;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& output = definition.signature().output_arg(static_cast<int>(i));
    function.results.push_back(
        {output.name(), typeNumbered(output.type()), output.type_attr(), resolver.outlet(results[i])});
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
