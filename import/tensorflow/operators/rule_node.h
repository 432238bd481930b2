// The view of a node that rules get: its inputs, its attributes, and functions that set its results.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/builder/graph_typer.h"
#include "import/tensorflow/analysis/listing.h"
#include "import/tensorflow/operators/argument_types.h"
#include "import/tensorflow/operators/outlet_fact.h"

namespace axle::tensorflow {

enum class Outcome : std::uint8_t {
  done,
  waits,    // for a rank or a value that a later node may determine; results so far hold
  failed,   // after an error, which is reported
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
  bool runsAlways = false;  // no branch or loop skips it, so values that it does not accept are an error

  // Returns the same node with other inputs.
  RuleNode withInputs(std::vector<const OutletFact*> inputs) const {
    return RuleNode(t, node, places, std::move(inputs), fromCall_);
  }

  arg::Name opName() const { return arg::Name{node.op}; }
  // Returns the node's name in messages of the solver: "`MatMul`".
  std::string subject() const { return "`" + node.op + "`"; }

  // ---- inputs
  std::size_t count() const { return inputs_.size(); }
  const OutletFact& fact(std::size_t i) const { return *inputs_[i]; }
  bool isTensor(std::size_t i) const { return i < count() && inputs_[i]->value; }
  TypedId in(std::size_t i) const { return inputs_[i]->value; }
  std::vector<TypedId> ins(std::size_t from = 0) const;
  // Returns the sizes if the rank is known; for a complex tensor without the last axis.
  std::optional<std::vector<Dim>> dims(std::size_t i) const;
  std::optional<std::size_t> rank(std::size_t i) const;
  std::optional<Known> known(std::size_t i) const;
  // The same; for a vector of unknown value but known length, open numbers.
  std::optional<Known> knownVector(std::size_t i) const;
  std::optional<std::vector<std::int64_t>> numbers(std::size_t i) const;
  std::optional<std::int64_t> number(std::size_t i) const;  // of one element
  std::optional<double> real(std::size_t i) const;          // of one element, of f32 or f64
  // Returns the value as sizes of a shape: an element that may be -1 becomes a new size.
  std::optional<std::vector<Dim>> sizes(std::size_t i) const;

  // ---- requirements of the operator. False after an error, which marks the operator if no other place is given.
  bool equate(TypeId a, TypeId b, std::optional<Span> at = {});
  bool equate(Dim a, Dim b);
  // Requires an input to have this type.
  bool requireInput(std::size_t i, TypeId wanted, std::optional<Span> at = {});

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
  // Removes the last axis of complex inputs and restricts the results to types: no core operator computes with complex
  // numbers.
  void dropComplexAxes();
  // Returns an opaque value with the input's shape and this element type.
  TypedId opaqueLike(TypedId value, ElemTerm elem);
  // Applies a core operator. If it does not accept the element types (such as integers for an operator on floats), only
  // its type is used.
  std::optional<TypedId> op(std::string_view name, std::vector<TypedId> arguments, Statics statics = {});
  // Reports an error of the node that no core operator's signature covers.
  template <class... Args>
  Outcome fail(const Message<Args...>& message, const std::type_identity_t<Args>&... arguments) {
    t.tell(Diagnostic(message, places.op, arguments...));
    return Outcome::failed;
  }
  Outcome give(std::optional<TypedId> value);
  Outcome give(std::vector<TypedId> values);
  // Gives a tensor of the declared type and this shape, for an operator whose values are not computed yet. Call it for
  // one outlet after another, from the first.
  Outcome giveShape(Shape shape, std::size_t port = 0);
  std::vector<TypedId> results;
  // From here on, `give` uses only the types of its arguments.
  void giveTypesOnly() { typesOnly_ = true; }
  bool isTypesOnly() const { return typesOnly_; }

 private:
  bool typesOnly_ = false;
  std::deque<OutletFact> parts_;  // of complex inputs
  std::vector<const OutletFact*> inputs_;
  const std::vector<Attribute>& fromCall_;
};

}  // namespace axle::tensorflow
