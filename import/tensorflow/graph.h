// A TensorFlow graph as values: inputs are ids of nodes, functions are resolved, constants are checked. Nothing here
// knows what an operator means, or mentions a protobuf class.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "import/tensorflow/tensor.h"
#include "import/tensorflow/types.h"

namespace axle::tensorflow {

// Indices into the vectors of the graph or model that gave them.
struct NodeId {
  std::uint32_t index = 0;
  friend auto operator<=>(NodeId, NodeId) = default;
};
struct FunctionId {
  std::uint32_t index = 0;
  friend auto operator<=>(FunctionId, FunctionId) = default;
};
struct VariableId {
  std::uint32_t index = 0;
  friend auto operator<=>(VariableId, VariableId) = default;
};

struct Outlet {
  NodeId node;
  std::uint32_t port = 0;
  friend auto operator<=>(Outlet, Outlet) = default;
};

// A shape that a file declares. A size of -1 is unknown.
struct PartialShape {
  bool knownRank = false;
  std::vector<std::int64_t> sizes;
  friend bool operator==(const PartialShape&, const PartialShape&) = default;
};

// ---- attributes

struct Attribute;

// The value of `f`, `body`, `then_branch`: a function, and the attributes that instantiate it.
struct FunctionName {
  std::string name;
  std::optional<FunctionId> id;  // none if the file has no such function: it may name a gradient
  std::vector<Attribute> attributes;
};

// The value of `T` inside a function's body: the attribute of that name in the call.
struct FromCall {
  std::string attribute;
};

struct Value;
using Values = std::vector<Value>;  // a list; an empty one has no known kind

// An attribute's value. A string is bytes. `std::monostate` means that the file gives no value of a known kind.
struct Value : std::variant<std::monostate, std::string, std::int64_t, float, bool, Type, PartialShape,
                            std::shared_ptr<const Tensor>, FunctionName, FromCall, Values> {
  using variant::variant;
};

struct Attribute {
  std::string name;
  Value value;
};

// ---- graphs

struct Node {
  std::string name;  // as in the file
  std::string op;    // the operator, or the function if there is a `callee`
  std::string device;
  std::vector<Outlet> inputs;
  std::vector<NodeId> controls;        // nodes that must run before this one, in the file's order
  std::vector<Attribute> attributes;   // as in the file (defaults are left out), sorted by name
  std::optional<FunctionId> callee;    // set if the operator is a function of the library (TF1's Defun)
  std::optional<VariableId> variable;  // of a VarHandleOp or Variable
  // Ports whose value comes from outside. If these are all the ports in use, the node has no inputs, and its operator
  // does not matter.
  std::vector<std::uint32_t> fed;

  const Value* find(std::string_view attribute) const;
  // Returns the attribute's value if it exists and has that type.
  template <class T>
  const T* get(std::string_view attribute) const {
    const Value* value = find(attribute);
    return value ? std::get_if<T>(value) : nullptr;
  }
};

// The nodes that the results depend on. Each node follows its inputs, except a Merge, whose input may be a later
// NextIteration that closes a loop. A function's parameters are nodes of the operator `_Arg`.
struct Graph {
  std::vector<Node> nodes;
  const Node& operator[](NodeId id) const { return nodes[id.index]; }
  Node& operator[](NodeId id) { return nodes[id.index]; }
};

struct Parameter {
  std::string name;
  Type type = Type::invalid;  // invalid: the call's attribute `typeAttribute` determines it
  std::string typeAttribute;
  NodeId node;                        // its `_Arg`
  std::vector<Attribute> attributes;  // `_user_specified_name`, `_output_shapes`, ...
};

struct Result {
  std::string name;
  Type type = Type::invalid;
  std::string typeAttribute;
  Outlet outlet;
};

struct Function {
  std::string name;
  Graph body;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  std::vector<NodeId> effects;        // nodes that run although no result depends on them
  std::vector<Attribute> attributes;  // `_implements`, `api_implements`, `_noinline`, ...
};

// ---- models

// An argument or a result of a signature.
struct SignatureTensor {
  std::string key;
  std::string tensor;  // `x:0`; empty for a sparse tensor, which consists of three tensors
  Type type = Type::invalid;
  PartialShape shape;
};

struct Signature {
  std::string key;
  std::string method;
  std::vector<SignatureTensor> inputs, outputs;  // sorted by key
};

// An input or an output of the model.
struct Port {
  std::string name;  // the signature's key, or the tensor as requested, or `NODE:PORT` without the `:0`
  Outlet outlet;
  Type type = Type::invalid;                    // the placeholder's; the signature's if the graph declares none
  PartialShape shape;                           // likewise
  std::string asked;                            // of an input: the SHAPE of `--input NAME=SHAPE`, as written
  PartialShape ofSignature = {}, ofGraph = {};  // the sources of `shape`
  Type typeOfSignature = Type::invalid;
};

enum class Access : std::uint8_t {
  frozen,  // no node that the outputs depend on assigns it: its value is a constant
  state,   // some node assigns it
};

struct Variable {
  std::string name;  // of the node
  Type type = Type::invalid;
  PartialShape shape;  // as the node declares it
  Access access = Access::frozen;
  std::vector<NodeId> nodes;         // its handles in the main graph
  std::vector<std::string> writers;  // names of the nodes that assign it
  std::string key;                   // in the checkpoint, if it has a value there
  std::vector<std::int64_t> stored;  // the value's shape
  // Reads the elements from the checkpoint and verifies their checksums; none if it has no value.
  std::function<FileResult<TensorBytes>()> read;
};

struct Table {
  std::string name, op;
};

struct Model {
  std::string path;
  std::string kind;  // `GraphDef`, `SavedModel` or `MetaGraph`, for messages
  Graph main;
  std::vector<Function> functions;  // the called ones, in the order in which they were found
  std::vector<Signature> signatures;
  std::string signature;  // the chosen one's key, if any
  std::vector<Port> inputs, outputs;
  std::vector<Variable> variables;
  std::vector<Table> tables;

  const Function& operator[](FunctionId id) const { return functions[id.index]; }
};

// `NODE:PORT`
std::string outletName(const Graph& graph, Outlet outlet);
std::string toText(const PartialShape& shape);  // `[?, 3]`, `..`
std::string toText(const Value& value);

}  // namespace axle::tensorflow
