#include "import/tensorflow/reader/saver.h"

#include <charconv>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "import/tensorflow/reader/convert.h"

namespace axle::tensorflow {

namespace {

using Nodes = google::protobuf::RepeatedPtrField<wire::NodeDef>;

// The nodes of the main graph, or of a function's body, by name.
class View {
 public:
  explicit View(const Nodes& nodes) {
    for (const wire::NodeDef& node : nodes) byName_.emplace(node.name(), &node);
  }
  // Returns the node that an input names; ignores its port.
  const wire::NodeDef* find(std::string_view input) const {
    if (input.starts_with('^')) input.remove_prefix(1);
    const auto found = byName_.find(input.substr(0, input.find(':')));
    return found == byName_.end() ? nullptr : found->second;
  }

  // Returns an element of a constant list of strings; empty if there is none. A checkpoint of n variables has lists of
  // n strings, which are read n times, so each list is converted only once.
  std::string stringAt(std::string_view constant, std::size_t index) {
    const wire::NodeDef* node = find(constant);
    if (!node) return {};
    auto [known, isNew] = strings_.try_emplace(node);
    if (isNew) known->second = stringsOf(*node);
    const auto& strings = known->second;
    if (!strings || index >= static_cast<std::size_t>(strings->count)) return {};
    return std::string(strings->element(static_cast<std::int64_t>(index)));
  }

 private:
  static std::optional<Tensor> stringsOf(const wire::NodeDef& node) {
    const auto value = node.attr().find("value");
    if (value == node.attr().end()) return std::nullopt;
    wire::TensorProto copy = value->second.tensor();
    auto tensor = takeTensor(copy);
    if (!tensor || tensor->type != Type::string) return std::nullopt;
    return std::move(*tensor);
  }

  std::unordered_map<std::string_view, const wire::NodeDef*> byName_;
  std::unordered_map<const wire::NodeDef*, std::optional<Tensor>> strings_;  // of constants that were read
};

bool assigns(const wire::NodeDef& node) {
  return (node.op() == "Assign" || node.op() == "AssignVariableOp") && node.input_size() >= 2;
}

// Returns the port of an input: 3 of `x:3` and `x:tensors:3`, 0 of `x`.
std::size_t portOf(std::string_view input) {
  std::size_t port = 0;
  const std::size_t colon = input.rfind(':');
  if (colon != input.npos) std::from_chars(input.data() + colon + 1, input.data() + input.size(), port);
  return port;
}

// Follows the value that a variable is assigned back to the RestoreV2 that reads it.
std::optional<Restored> restoredFrom(View& view, std::string_view input) {
  constexpr int longest = 16;  // nodes in between: Identity, Reshape, a cast
  for (int step = 0; step < longest; ++step) {
    const wire::NodeDef* node = view.find(input);
    if (!node || node->input_size() == 0) return std::nullopt;
    if (node->op() != "RestoreV2") {
      input = node->input(0);
      continue;
    }
    if (node->input_size() < 3) return std::nullopt;
    Restored restored{view.stringAt(node->input(1), portOf(input)), view.stringAt(node->input(2), portOf(input))};
    if (restored.key.empty()) return std::nullopt;
    return restored;
  }
  return std::nullopt;
}

class Saver {
 public:
  explicit Saver(const wire::MetaGraphDef& meta) : meta_(meta), main_(meta.graph_def().node()) {
    for (const wire::FunctionDef& function : meta.graph_def().library().function())
      functions_.emplace(function.signature().name(), &function);
  }

  SavedVariables read() {
    if (const wire::NodeDef* restore = main_.find(meta_.saver_def().restore_op_name())) followRestore(restore);
    bindObjects();
    return std::move(found_);
  }

 private:
  // Finds the assignments among the nodes that the restore operation depends on.
  void followRestore(const wire::NodeDef* restore) {
    std::vector<const wire::NodeDef*> open{restore};
    std::unordered_set<const wire::NodeDef*> seen{restore};
    while (!open.empty()) {
      const wire::NodeDef* node = open.back();
      open.pop_back();
      if (assigns(*node)) {
        const wire::NodeDef* variable = main_.find(node->input(0));
        auto restored = restoredFrom(main_, node->input(1));
        if (variable && restored) found_.restored.emplace(variable->name(), std::move(*restored));
      }
      if (const auto f = node->attr().find("f"); f != node->attr().end())
        followFunction(*node, f->second.func().name());
      for (const std::string& input : node->input())
        if (const wire::NodeDef* next = main_.find(input); next && seen.insert(next).second) open.push_back(next);
    }
  }

  // Finds the assignments in a called function: an assignment to a parameter assigns the variable that the call passes.
  void followFunction(const wire::NodeDef& call, const std::string& name) {
    const auto function = functions_.find(name);
    if (function == functions_.end()) return;
    std::unordered_map<std::string_view, int> parameters;
    for (int i = 0; i < function->second->signature().input_arg_size(); ++i)
      parameters.emplace(function->second->signature().input_arg(i).name(), i);
    View body(function->second->node_def());
    for (const wire::NodeDef& node : function->second->node_def()) {
      if (!assigns(node)) continue;
      const auto parameter = parameters.find(node.input(0));
      if (parameter == parameters.end() || parameter->second >= call.input_size()) continue;
      const wire::NodeDef* variable = main_.find(call.input(parameter->second));
      auto restored = restoredFrom(body, node.input(1));
      if (variable && restored) found_.restored.emplace(variable->name(), std::move(*restored));
    }
  }

  // The last inputs of a call of an object graph's function are its bound variables.
  void bindObjects() {
    const auto& concrete = meta_.object_graph_def().concrete_functions();
    for (const wire::NodeDef& call : meta_.graph_def().node()) {
      const auto f = call.attr().find("f");
      if (f == call.attr().end()) continue;
      const auto function = concrete.find(f->second.func().name());
      if (function == concrete.end()) continue;
      int given = 0;
      for (const std::string& input : call.input()) given += !input.starts_with('^');
      const auto& bound = function->second.bound_inputs();
      for (int i = 0; i < bound.size() && bound.size() <= given; ++i)
        if (const wire::NodeDef* variable = main_.find(call.input(given - bound.size() + i)))
          found_.objects.emplace(variable->name(), bound[i]);
    }
  }

  const wire::MetaGraphDef& meta_;
  View main_;
  std::unordered_map<std::string_view, const wire::FunctionDef*> functions_;
  SavedVariables found_;
};

}  // namespace

SavedVariables savedVariables(const wire::MetaGraphDef& meta) { return Saver(meta).read(); }

}  // namespace axle::tensorflow
