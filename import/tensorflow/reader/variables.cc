#include "import/tensorflow/reader/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "checkpoint.pb.h"
#include "import/tensorflow/reader/checkpoint.h"
#include "import/tensorflow/registry.h"

namespace axle::codes {

const DiagnosticCode checkpointFile{"E0914", Severity::error, "a checkpoint that cannot be read"};
const DiagnosticCode variableValue{"E0915", Severity::error, "a variable without its value"};

}  // namespace axle::codes

namespace axle::tensorflow {

namespace {

constexpr Message<arg::Counted, arg::Cause> unreadableCheckpoint{codes::checkpointFile,
                                                                 "the checkpoint of {} cannot be read: {}"};
constexpr Message<arg::Name, arg::Cause> unreadableVariable{codes::checkpointFile,
                                                            "the variable {} cannot be read: {}"};
constexpr Message<arg::Name, arg::Name, arg::Name> keysContradict{
    codes::variableValue, "the saver restores the variable {} from the key {}, but the graph of objects says {}"};
constexpr Message<arg::Name, arg::Name> noSuchKey{codes::variableValue,
                                                  "the variable {} has no value: the checkpoint has no key {}"};
constexpr Message<arg::Name, arg::Type, arg::Type> valueTypeDiffers{
    codes::variableValue, "the variable {} is {}, but its value in the checkpoint is {}"};

constexpr std::size_t mostFailed = 10;  // variables that a message lists

template <std::size_t count>
bool isOneOf(std::string_view word, const std::string_view (&words)[count]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view tables[] = {"HashTable",
                                       "HashTableV2",
                                       "MutableHashTable",
                                       "MutableHashTableV2",
                                       "MutableDenseHashTableV2",
                                       "MutableHashTableOfTensorsV2"};

using Set = std::set<std::uint32_t>;  // of variables

// Finds which variables may reach which outlets, over all calls together, and which nodes assign them.
class Mutability {
 public:
  explicit Mutability(Model& model)
      : model_(model), known_(model.functions.size() + 1), returned_(model.functions.size()) {}

  void run() {
    // Sets only grow, so this terminates. Arguments flow from callers to callees, results from callees to callers.
    do {
      changed_ = false;
      for (std::size_t g = 0; g < known_.size(); ++g) visit(g);
      for (std::size_t g = known_.size(); g-- > 0;) visit(g);
    } while (changed_);
  }

 private:
  using Sets = std::map<Outlet, Set>;  // an outlet that no variable reaches has no entry

  const Graph& graph(std::size_t g) const { return g ? model_.functions[g - 1].body : model_.main; }

  void add(Sets& sets, Outlet outlet, const Set& more) {
    if (more.empty()) return;
    Set& set = sets[outlet];
    const std::size_t before = set.size();
    set.insert(more.begin(), more.end());
    changed_ = changed_ || set.size() != before;
  }

  const Set& at(std::size_t g, Outlet outlet) const {
    static const Set none;
    const auto found = known_[g].find(outlet);
    return found == known_[g].end() ? none : found->second;
  }

  void visit(std::size_t g) {
    const Graph& in = graph(g);
    for (std::uint32_t i = 0; i < in.nodes.size(); ++i) {
      const Node& node = in.nodes[i];
      if (node.variable) add(known_[g], {NodeId{i}, 0}, {node.variable->index});
      const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Outlet o) { return !at(g, o).empty(); });
      if (any) visitTaker(g, NodeId{i});
    }
    if (g == 0) return;
    const Function& function = model_.functions[g - 1];
    for (std::uint32_t r = 0; r < function.results.size(); ++r)
      add(returned_[g - 1], {NodeId{0}, r}, at(g, function.results[r].outlet));
  }

  void visitTaker(std::size_t g, NodeId id) {
    const Node& node = graph(g)[id];
    if (passesVariables(node.op)) return visitPassing(g, id);
    if (readsVariables(node.op)) return;
    bool calls = false;
    if (node.callee) calls = visitCall(g, id, *node.callee, 0);
    for (const Attribute& attribute : node.attributes) {
      if (const auto* function = std::get_if<FunctionName>(&attribute.value)) {
        if (function->id) calls = visitCall(g, id, *function->id, inputsBeforeArguments(node.op)) || calls;
      } else if (const auto* list = std::get_if<Values>(&attribute.value)) {
        for (const Value& value : *list)
          if (const auto* each = std::get_if<FunctionName>(&value); each && each->id)
            calls = visitCall(g, id, *each->id, inputsBeforeArguments(node.op)) || calls;
      }
    }
    if (!calls) visitWriter(g, node);
  }

  // Returns the number of inputs before a function's arguments: a condition, or the index of a branch.
  static std::size_t inputsBeforeArguments(std::string_view op) {
    constexpr std::string_view conditional[] = {"If", "StatelessIf", "_If", "Case", "StatelessCase"};
    return isOneOf(op, conditional) ? 1 : 0;
  }

  // An output may be any of the inputs, because a Merge has several.
  void visitPassing(std::size_t g, NodeId id) {
    const Node& node = graph(g)[id];
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
      const Set set = at(g, node.inputs[i]);
      if (node.op == "IdentityN") {
        add(known_[g], {id, i}, set);
        continue;
      }
      const std::uint32_t ports = node.op == "Switch" || node.op == "RefSwitch" ? 2 : 1;
      for (std::uint32_t port = 0; port < ports; ++port) add(known_[g], {id, port}, set);
    }
  }

  bool visitCall(std::size_t g, NodeId id, FunctionId callee, std::size_t skip) {
    const Node& node = graph(g)[id];
    const Function& function = model_[callee];
    for (std::size_t i = 0; i < function.parameters.size() && i + skip < node.inputs.size(); ++i) {
      const Set set = at(g, node.inputs[i + skip]);
      add(known_[callee.index + 1], {function.parameters[i].node, 0}, set);
    }
    for (std::uint32_t r = 0; r < function.results.size(); ++r)
      if (const auto found = returned_[callee.index].find({NodeId{0}, r}); found != returned_[callee.index].end())
        add(known_[g], {id, r}, Set(found->second));
    // The body of a loop may pass its arguments on unchanged.
    const bool loops = node.op == "While" || node.op == "StatelessWhile";
    for (std::uint32_t i = 0; loops && i < node.inputs.size(); ++i) add(known_[g], {id, i}, Set(at(g, node.inputs[i])));
    return true;
  }

  void visitWriter(std::size_t g, const Node& node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!mayAssign(node, i)) continue;
      for (std::uint32_t v : at(g, node.inputs[i])) {
        Variable& variable = model_.variables[v];
        variable.access = Access::state;
        if (std::find(variable.writers.begin(), variable.writers.end(), node.name) == variable.writers.end())
          variable.writers.push_back(node.name);
      }
    }
  }

  Model& model_;
  std::vector<Sets> known_;  // of the main graph, then of the functions
  std::vector<Sets> returned_;
  bool changed_ = false;
};

// ---- keys

// Returns the key of each object's value, from the object graph in the checkpoint.
std::map<int, std::string> keysOfObjects(const Checkpoint& checkpoint) {
  std::map<int, std::string> keys;
  constexpr std::string_view graphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";
  if (!checkpoint.find(graphKey)) return keys;
  auto tensor = checkpoint.read(std::string(graphKey));
  wire::TrackableObjectGraph graph;
  google::protobuf::LogSilencer silent;
  if (!tensor || tensor->count != 1 || !graph.ParseFromString(std::string(tensor->element(0)))) return keys;
  for (int i = 0; i < graph.nodes_size(); ++i)
    for (const auto& attribute : graph.nodes(i).attributes())
      if (attribute.name() == "VARIABLE_VALUE") keys.emplace(i, attribute.checkpoint_key());
  return keys;
}

class Binder {
 public:
  Binder(Model& model, const SavedVariables& saved, std::shared_ptr<const Checkpoint> checkpoint, Problems& problems)
      : model_(model),
        saved_(saved),
        checkpoint_(std::move(checkpoint)),
        objects_(keysOfObjects(*checkpoint_)),
        problems_(problems) {}

  void bind(Variable& variable) {
    const auto bySaver = restored(variable);
    const auto byObjects = objectKey(variable);
    if (bySaver && byObjects && contradict(bySaver->key, *byObjects)) {
      problems_.add(keysContradict, placeOf(variable), arg::Name{variable.name}, arg::Name{bySaver->key},
                    arg::Name{*byObjects});
      return;
    }
    const Restored from = bySaver ? *bySaver : Restored{byObjects.value_or(variable.name), {}};
    const Checkpoint::Entry* entry = checkpoint_->find(from.key);
    if (!entry) {
      if (variable.access == Access::state) return;  // the run may assign it before it reads it
      addClosest(problems_.add(noSuchKey, placeOf(variable), arg::Name{variable.name}, arg::Name{from.key}), from.key);
      return;
    }
    const auto slice = parseSlice(checkpoint_->indexFile(), from.slice);
    if (!slice) return fail(variable, slice.error());
    if (auto there = checkpoint_->check(from.key); !there) return fail(variable, there.error());
    variable.key = from.key;
    variable.stored = *slice ? sizesOf(**slice, entry->shape) : entry->shape;
    checkType(variable, *entry);
    variable.read = [checkpoint = checkpoint_, key = from.key, slice = *slice]() -> FileResult<TensorBytes> {
      if (!slice) return checkpoint->bytes(key);
      auto part = checkpoint->read(key, *slice);
      if (!part) return tl::unexpected(part.error());
      return bytesOf(std::make_shared<const Tensor>(std::move(*part)));
    };
  }

  // Reports what `bind` could not read: one error for all variables that fail for the same reason.
  void reportFailures() {
    for (const Failed& failed : failed_)
      if (!problems_.tooMany()) report(failed);
  }

 private:
  struct Failed {
    FileError error;  // of the first variable
    std::vector<std::string> variables;
  };

  // Whether two keys have different values. Keras 3 writes each weight under two keys.
  bool contradict(const std::string& a, const std::string& b) const {
    const Checkpoint::Entry* one = checkpoint_->find(a);
    const Checkpoint::Entry* other = checkpoint_->find(b);
    return one && other && (one->type != other->type || one->shape != other->shape || one->crc != other->crc);
  }

  // Returns the source from which the saver restores the variable.
  std::optional<Restored> restored(const Variable& variable) const {
    for (NodeId id : variable.nodes) {
      const auto found = saved_.restored.find(model_.main[id].name);
      if (found != saved_.restored.end()) return found->second;
    }
    return std::nullopt;
  }

  // Returns the key of the variable's object.
  std::optional<std::string> objectKey(const Variable& variable) const {
    for (NodeId id : variable.nodes) {
      const auto object = saved_.objects.find(model_.main[id].name);
      const auto key = object == saved_.objects.end() ? objects_.end() : objects_.find(object->second);
      if (key != objects_.end()) return key->second;
    }
    return std::nullopt;
  }

  static std::vector<std::int64_t> sizesOf(const Checkpoint::Slice& slice, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < slice.size(); ++i)
      sizes.push_back(slice[i].length < 0 && i < shape.size() ? shape[i] : slice[i].length);
    return sizes;
  }

  void checkType(const Variable& variable, const Checkpoint::Entry& entry) {
    bool fits = variable.type == Type::invalid || variable.type == entry.type;
    if (variable.shape.knownRank) {
      fits = fits && variable.shape.sizes.size() == variable.stored.size();
      for (std::size_t i = 0; fits && i < variable.stored.size(); ++i)
        fits = variable.shape.sizes[i] < 0 || variable.shape.sizes[i] == variable.stored[i];
    }
    if (fits) return;
    const PartialShape stored{true, variable.stored};
    const auto type = [](Type element, const PartialShape& shape) {
      return arg::Type{spelling(element) + " " + toText(shape)};
    };
    problems_
        .add(valueTypeDiffers, placeOf(variable), arg::Name{variable.name}, type(variable.type, variable.shape),
             type(entry.type, stored))
        .addLabel(ArtifactPlace{checkpoint_->indexFile(), variable.key}, "its value");
  }

  GraphPlace placeOf(const Variable& variable) const {
    return {variable.nodes.empty() ? variable.name : model_.main[variable.nodes[0]].name, {}};
  }

  void fail(const Variable& variable, const FileError& error) {
    const auto isSame = [&](const Failed& other) {
      return other.error.path == error.path && other.error.what == error.what;
    };
    auto failed = std::find_if(failed_.begin(), failed_.end(), isSame);
    if (failed == failed_.end()) failed = failed_.insert(failed_.end(), {error, {}});
    failed->variables.push_back(variable.name);
  }

  void report(const Failed& failed) {
    const std::vector<std::string>& names = failed.variables;
    const arg::Cause cause{failed.error.what};
    if (names.size() == 1) {
      problems_.add(unreadableVariable, {}, arg::Name{names[0]}, cause).primary.place =
          ArtifactPlace{failed.error.path, failed.error.tensor};
      return;
    }
    Diagnostic& d = problems_.add(unreadableCheckpoint, {}, arg::Counted{names.size(), "variable"}, cause);
    d.primary.place = ArtifactPlace{failed.error.path, {}};
    Phrase listed("{}", arg::Name{names[0]});
    for (std::size_t i = 1; i < std::min(names.size(), mostFailed); ++i)
      listed = Phrase("{}, {}", listed, arg::Name{names[i]});
    if (names.size() > mostFailed) listed = Phrase("{} and {} more", listed, arg::Number{names.size() - mostFailed});
    d.addNote("the variables are {}", listed);
  }

  void addClosest(Diagnostic& problem, const std::string& key) const {
    std::vector<std::string_view> known;
    for (const auto& [name, _] : checkpoint_->entries())
      if (!name.starts_with('\0')) known.push_back(name);
    for (const std::string& close : closestNames(key, known)) problem.addHelp("did you mean {}?", arg::Name{close});
  }

  Model& model_;
  const SavedVariables& saved_;
  std::shared_ptr<const Checkpoint> checkpoint_;
  std::map<int, std::string> objects_;
  Problems& problems_;
  std::vector<Failed> failed_;  // not reported yet
};

}  // namespace

bool isVariable(std::string_view op) { return op == "VarHandleOp" || op == "VariableV2" || op == "Variable"; }

void addVariables(Model& model, const SavedVariables& saved) {
  // Nodes with the same shared name are one variable, unless the file restores them from different keys.
  std::map<std::string, std::uint32_t> known;
  const auto addNode = [&](Node& node, std::optional<NodeId> inMain) {
    const auto* shared = node.get<std::string>("shared_name");
    const std::string name = shared && !shared->empty() ? *shared : node.name;
    const auto restored = inMain ? saved.restored.find(node.name) : saved.restored.end();
    const bool hasOwnKey = restored != saved.restored.end();
    std::string identity = hasOwnKey ? "key " + restored->second.key + " " + restored->second.slice : "name " + name;
    const auto [found, isNew] = known.emplace(std::move(identity), static_cast<std::uint32_t>(model.variables.size()));
    if (isNew) {
      Variable variable;
      variable.name = name;
      if (const auto* type = node.get<Type>("dtype")) variable.type = *type;
      if (const auto* shape = node.get<PartialShape>("shape")) variable.shape = *shape;
      model.variables.push_back(std::move(variable));
      known.emplace("name " + name, found->second);
    }
    node.variable = VariableId{found->second};
    if (inMain) model.variables[found->second].nodes.push_back(*inMain);
  };
  for (std::uint32_t i = 0; i < model.main.nodes.size(); ++i) {
    Node& node = model.main.nodes[i];
    if (isVariable(node.op)) addNode(node, NodeId{i});
    if (isOneOf(node.op, tables)) model.tables.push_back({node.name, node.op});
  }
  for (Function& function : model.functions)
    for (Node& node : function.body.nodes)
      if (isVariable(node.op)) addNode(node, std::nullopt);
  if (!model.variables.empty()) Mutability(model).run();
}

void bindVariables(Model& model, const SavedVariables& saved, const std::string& prefix, Problems& problems) {
  if (model.variables.empty() || prefix.empty()) return;
  auto opened = Checkpoint::open(prefix);
  if (!opened) {
    const FileError& error = opened.error();
    problems.add(unreadableCheckpoint, {}, arg::Counted{model.variables.size(), "variable"}, arg::Cause{error.what})
        .primary.place = ArtifactPlace{error.path, error.tensor};
    return;
  }
  Binder binder(model, saved, std::make_shared<const Checkpoint>(std::move(*opened)), problems);
  for (Variable& variable : model.variables)
    if (!problems.tooMany()) binder.bind(variable);
  binder.reportFailures();
}

}  // namespace axle::tensorflow
