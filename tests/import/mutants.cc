#include "tests/import/mutants.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace axle::test {
namespace {

namespace wire = tensorflow::wire;
using Nodes = google::protobuf::RepeatedPtrField<wire::NodeDef>;

constexpr std::int64_t numbers[] = {-1,
                                    0,
                                    1,
                                    2,
                                    3,
                                    5,
                                    7,
                                    64,
                                    100'000,
                                    -2,
                                    -7,
                                    std::numeric_limits<std::int32_t>::max(),
                                    std::int64_t{1} << 40,
                                    std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()};
constexpr wire::DataType types[] = {wire::DT_FLOAT,     wire::DT_HALF,   wire::DT_INT32,   wire::DT_INT64,
                                    wire::DT_BOOL,      wire::DT_STRING, wire::DT_UINT8,   wire::DT_RESOURCE,
                                    wire::DT_COMPLEX64, wire::DT_QINT8,  wire::DT_VARIANT, wire::DT_INVALID};
constexpr const char* words[] = {"SAME", "VALID", "EXPLICIT", "NHWC", "NCHW", "", "REFLECT", "ab,bc->ac"};

class Mutator {
 public:
  explicit Mutator(std::mt19937& random) : random_(random) {}

  void change(wire::GraphDef& graph) {
    Nodes* nodes = graph.mutable_node();
    const int functions = graph.library().function_size();
    if (functions > 0 && below(3) == 0)
      nodes = graph.mutable_library()->mutable_function(static_cast<int>(below(functions)))->mutable_node_def();
    if (nodes->empty()) return;
    wire::NodeDef& node = (*nodes)[static_cast<int>(below(nodes->size()))];
    static constexpr Change changes[] = {&Mutator::attribute, &Mutator::attribute, &Mutator::attribute,
                                         &Mutator::wiring,    &Mutator::wiring,    &Mutator::operation};
    (this->*changes[below(std::size(changes))])(node, *nodes);
  }

 private:
  using Change = void (Mutator::*)(wire::NodeDef&, const Nodes&);

  template <class Count>
  std::size_t below(Count count) {
    return random_() % static_cast<std::size_t>(count);
  }
  template <class T, std::size_t count>
  T one(const T (&of)[count]) {
    return of[below(count)];
  }
  std::int64_t number(std::int64_t was) {
    if (below(3) == 0 && was < numbers[6] && was > -numbers[6]) return was + (below(2) == 0 ? 1 : -1);
    return one(numbers);
  }

  void shape(wire::TensorShapeProto& shape) {
    switch (below(4)) {
      case 0:
        shape.add_dim()->set_size(one(numbers));
        return;
      case 1:
        shape.set_unknown_rank(!shape.unknown_rank());
        return;
      case 2:
        if (shape.dim_size() > 0) shape.mutable_dim()->RemoveLast();
        return;
      default:
        if (shape.dim_size() == 0) return;
        auto& dim = *shape.mutable_dim(static_cast<int>(below(shape.dim_size())));
        dim.set_size(number(dim.size()));
    }
  }

  void tensor(wire::TensorProto& tensor) {
    if (below(4) == 0) return shape(*tensor.mutable_tensor_shape());
    if (below(6) == 0) return tensor.set_dtype(one(types));
    if (tensor.int_val_size() > 0) {
      auto at = static_cast<int>(below(tensor.int_val_size()));
      tensor.set_int_val(at, static_cast<std::int32_t>(number(tensor.int_val(at))));
    } else if (tensor.int64_val_size() > 0) {
      auto at = static_cast<int>(below(tensor.int64_val_size()));
      tensor.set_int64_val(at, number(tensor.int64_val(at)));
    } else if (std::string* content = tensor.mutable_tensor_content(); !content->empty()) {
      (*content)[below(content->size())] = static_cast<char>(below(3) == 0 ? 0xff : below(9));
    } else {
      tensor.add_int_val(static_cast<std::int32_t>(one(numbers)));
    }
  }

  void list(wire::AttrValue::ListValue& list) {
    if (list.i_size() > 0) {
      auto at = static_cast<int>(below(list.i_size()));
      if (below(4) == 0) return list.add_i(one(numbers));
      if (below(5) == 0) return list.mutable_i()->RemoveLast();
      return list.set_i(at, number(list.i(at)));
    }
    if (list.shape_size() > 0) return shape(*list.mutable_shape(static_cast<int>(below(list.shape_size()))));
    if (list.type_size() > 0) return list.set_type(static_cast<int>(below(list.type_size())), one(types));
    list.add_i(one(numbers));
  }

  void value(wire::AttrValue& value) {
    switch (value.value_case()) {
      case wire::AttrValue::kList:
        return list(*value.mutable_list());
      case wire::AttrValue::kS:
        return value.set_s(one(words));
      case wire::AttrValue::kI:
        return value.set_i(number(value.i()));
      case wire::AttrValue::kF:
        return value.set_f(static_cast<float>(one(numbers)));
      case wire::AttrValue::kB:
        return value.set_b(!value.b());
      case wire::AttrValue::kType:
        return value.set_type(one(types));
      case wire::AttrValue::kShape:
        return shape(*value.mutable_shape());
      case wire::AttrValue::kTensor:
        return tensor(*value.mutable_tensor());
      default:
        return value.set_i(one(numbers));
    }
  }

  void attribute(wire::NodeDef& node, const Nodes&) {
    auto& attributes = *node.mutable_attr();
    if (attributes.empty()) return;
    // Sorted by name, since the order of the map differs between runs.
    std::vector<std::string> names;
    for (const auto& [name, given] : attributes) names.push_back(name);
    std::sort(names.begin(), names.end());
    const std::string& name = names[below(names.size())];
    if (below(12) == 0)
      attributes.erase(name);
    else
      value(attributes[name]);
  }

  void wiring(wire::NodeDef& node, const Nodes& nodes) {
    const std::string& other = nodes[static_cast<int>(below(nodes.size()))].name();
    if (node.input_size() == 0) return;
    auto at = static_cast<int>(below(node.input_size()));
    switch (below(5)) {
      case 0:
        return node.mutable_input()->SwapElements(at, static_cast<int>(below(node.input_size())));
      case 1:
        return node.add_input(node.input(at));
      case 2:
        return node.mutable_input()->RemoveLast();
      case 3:
        return node.set_input(at, node.input(at) + ":" + std::to_string(below(3)));
      default:
        return node.set_input(at, other);
    }
  }

  void operation(wire::NodeDef& node, const Nodes& nodes) {
    node.set_op(nodes[static_cast<int>(below(nodes.size()))].op());
  }

  std::mt19937& random_;
};

}  // namespace

tensorflow::wire::GraphDef mutant(tensorflow::wire::GraphDef graph, std::mt19937& random) {
  Mutator mutator(random);
  for (auto changes = 1 + random() % 4; changes > 0; --changes) mutator.change(graph);
  return graph;
}

}  // namespace axle::test
