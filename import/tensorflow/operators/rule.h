// What a rule of an operator sees of one node, and how it says what the node gives.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "import/tensorflow/operators/known_value.h"
#include "import/tensorflow/analysis/listing.h"
#include "import/tensorflow/graph.h"
#include "import/tensorflow/registry.h"
#include "import/builder/graph_typer.h"

namespace axle::tensorflow {

using Dims = std::vector<Dim>;

// A list or array of tensors that loops write and read: all elements have one type.
struct ListFact {
  TypeId element;
  Dim length;
  bool grows = false;    // by writes past its end
  bool isShort = false;  // in the turns of a loop: it started with one element at most
};

// What the analysis knows of an outlet.
struct OutletFact {
  Type type = Type::invalid;
  TypedId value;  // none where it is no tensor: a resource, a variant. Of a complex one the parts are a last axis [2].
  std::optional<Known> known;
  std::optional<VariableId> variable;  // that a resource or a reference is
  std::shared_ptr<const Tensor> constant;
  std::optional<std::int64_t> sampleRate;  // of text that is a WAV file: its samples stand for it
  std::shared_ptr<const ListFact> list;    // that a variant, a handle or a flow stands for
  TypedId rankOf, axesOf;                  // the value whose rank, or all of whose axes in order, this is
  TypedId content;                         // of a list, but for a handle: its elements along a first axis
};

inline bool isComplex(Type type) { return type == Type::c64 || type == Type::c128; }
// The element that the typed program has for it; none for what is no tensor.
std::optional<Elem> elementOf(Type type);

// Of that element type; a complex one gets its parts.
TypeId tensorType(GraphTyper& t, Type type, Shape shape, Span at);
// With what a call instantiates its function with.
const Value* attributeIn(const Node& node, std::string_view name, const std::vector<Attribute>& fromCall);
// One tensor that an operator takes or gives, by the node's attributes; `invalid` where these do not tell its type.
struct TypedArgument {
  Type type = Type::invalid;
  const OperatorArgument* of = nullptr;
};
std::vector<TypedArgument> typedArguments(std::span<const OperatorArgument> arguments, const Node& node,
                                          const std::vector<Attribute>& fromCall);
// Of a node that calls no function: what its operator gives.
std::vector<Type> outletTypes(const Node& node, const std::vector<Attribute>& fromCall);

enum class Outcome : std::uint8_t {
  done,
  waits,    // for a rank or a value that a later node may tell; what it gives holds so far
  failed,   // told
  unknown,  // there is no rule for it
};

class RuleNode {
 public:
  RuleNode(GraphTyper& typer, const Node& node, const NodePlaces& places, std::vector<const OutletFact*> inputs,
           const std::vector<Attribute>& fromCall)
      : t(typer), node(node), places(places), inputs_(std::move(inputs)), fromCall_(fromCall) {}

  GraphTyper& t;
  const Node& node;
  const NodePlaces& places;
  bool runsAlways = false;  // no branch or loop leaves it out: values that it cannot take are an error

  // The same node of other inputs.
  RuleNode withInputs(std::vector<const OutletFact*> inputs) const {
    return RuleNode(t, node, places, std::move(inputs), fromCall_);
  }

  // ---- inputs
  std::size_t count() const { return inputs_.size(); }
  const OutletFact& fact(std::size_t i) const { return *inputs_[i]; }
  bool isTensor(std::size_t i) const { return i < count() && inputs_[i]->value; }
  TypedId in(std::size_t i) const { return inputs_[i]->value; }
  std::vector<TypedId> ins(std::size_t from = 0) const;
  // Its sizes where the rank is known; of a complex tensor without the last axis.
  std::optional<std::vector<Dim>> dims(std::size_t i) const;
  std::optional<std::size_t> rank(std::size_t i) const;
  std::optional<Known> known(std::size_t i) const;
  std::optional<std::vector<std::int64_t>> numbers(std::size_t i) const;
  std::optional<std::int64_t> number(std::size_t i) const;  // of one element
  std::optional<double> real(std::size_t i) const;          // of one element, of f32 or f64
  // As sizes of a shape: what may be -1 is a size of its own.
  std::optional<std::vector<Dim>> sizes(std::size_t i) const;

  // ---- attributes, with the operator's defaults
  const Value* attribute(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const;
  bool flag(std::string_view name) const;
  float real(std::string_view name, float otherwise = 0) const;
  std::string text(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::optional<Type> type(std::string_view name) const;
  const PartialShape* shape(std::string_view name) const;

  // ---- results
  // Complex inputs lose their last axis, and what is given are types only: no core operator computes with complex
  // numbers.
  void dropComplexAxes();
  // A value of no content with the input's shape, of any element.
  TypedId twin(TypedId value, ElemTerm elem);
  // Where the core operator does not take the elements (it has floats only, and the node's are whole numbers), it is
  // asked for its type only.
  std::optional<TypedId> op(std::string_view name, std::vector<TypedId> arguments, Statics statics = {});
  // An error of the node's own: what the signature of no core operator says.
  Outcome fail(std::string message, std::string label, std::vector<std::string> notes = {});
  Outcome give(std::optional<TypedId> value);
  Outcome give(std::vector<TypedId> values);
  // A tensor of the declared type and this shape, of an operator whose values are not computed yet. Of several outlets
  // one after the other, from the first.
  Outcome giveShape(Shape shape, std::size_t port = 0);
  std::vector<TypedId> results;
  // From here on `give` gives the types of what it is given.
  void giveTypesOnly() { typesOnly_ = true; }
  bool isTypesOnly() const { return typesOnly_; }

 private:
  void fit(std::string_view core, std::vector<TypedId>& arguments);

  bool typesOnly_ = false;
  std::deque<OutletFact> parts_;  // of complex inputs
  std::vector<const OutletFact*> inputs_;
  const std::vector<Attribute>& fromCall_;
};

// A row of the mapping table: a TensorFlow operator as a core operator, or a small composition of them; or
// `bySignature`, with the signature.
struct Rule {
  std::string_view op;
  Outcome (*apply)(RuleNode&, std::string_view core);
  std::string_view core = {};
  bool takesHandles = false;  // where it has no signature: inputs that are no tensors are no reason to give up

  bool hasSignature() const { return core.starts_with("("); }
};
// Null where there is none.
const Rule* ruleNamed(std::string_view op);

// All inputs are arguments of the core operator.
Outcome same(RuleNode& n, std::string_view core);

// Whether the shapes of the two inputs are known not to fit, whatever sizes the run has.
bool areUnlike(const RuleNode& n);

// Types only, by a signature in the language of the core operators (stdlib/core.ax). A static argument is the value of
// the input, or the attribute, of its name; the other inputs are the parameters, but for handles of resources. A row
// `NAME/NC` is of nodes of NAME whose data_format has the channels first. What waits for a value gives the rank
// already.
Outcome bySignature(RuleNode& n, std::string_view signature);
// The core operators and, under their TensorFlow names, those that have a signature here.
std::span<const CoreOp> graphOperators();

// Families of rules, a file each.
std::span<const Rule> elementwiseRules();
std::span<const Rule> arrayRules();
std::span<const Rule> windowRules();
std::span<const Rule> linearRules();
std::span<const Rule> reductionRules();
std::span<const Rule> imageRules();
std::span<const Rule> signalRules();
std::span<const Rule> numericRules();
std::span<const Rule> hostRules();
std::span<const Rule> sparseRules();
std::span<const Rule> randomRules();
std::span<const Rule> gradientRules();
std::span<const Rule> quantizedRules();
std::span<const Rule> trainingRules();
std::span<const std::span<const Rule>> allRules();

// What an operator makes of values that are followed; none where an operand is open.
struct ValueRule {
  std::string_view op;
  std::optional<Known> (*apply)(const RuleNode&);
  std::vector<std::optional<Known>> (*applyAll)(const RuleNode&) = nullptr;  // of an operator of several outputs
};
std::span<const ValueRule> arrayValues();
const ValueRule* valueRuleNamed(std::string_view op);

}  // namespace axle::tensorflow
