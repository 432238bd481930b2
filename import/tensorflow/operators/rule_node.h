// A node as rules see it: its inputs, its attributes, and how a rule says what the node gives.
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

  arg::Name opName() const { return arg::Name{node.op}; }
  // What messages of the solver call the node: "`MatMul`".
  std::string subject() const { return "`" + node.op + "`"; }

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
  // The same; where the value of a vector is not known, but its length is, open numbers.
  std::optional<Known> knownVector(std::size_t i) const;
  std::optional<std::vector<std::int64_t>> numbers(std::size_t i) const;
  std::optional<std::int64_t> number(std::size_t i) const;  // of one element
  std::optional<double> real(std::size_t i) const;          // of one element, of f32 or f64
  // As sizes of a shape: what may be -1 is a size of its own.
  std::optional<std::vector<Dim>> sizes(std::size_t i) const;

  // ---- what the operator requires. False after an error, which marks the operator where no other place is given.
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
  // Complex inputs lose their last axis, and what is given are types only: no core operator computes with complex
  // numbers.
  void dropComplexAxes();
  // A value of nothing with the input's shape, of any element.
  TypedId opaqueLike(TypedId value, ElemTerm elem);
  // Where the core operator does not take the elements (it has floats only, and the node's are whole numbers), it is
  // asked for its type only.
  std::optional<TypedId> op(std::string_view name, std::vector<TypedId> arguments, Statics statics = {});
  // Reports an error of the node's own, which no core operator's signature covers.
  template <class... Args>
  Outcome fail(const Message<Args...>& message, const std::type_identity_t<Args>&... arguments) {
    t.tell(Diagnostic(message, places.op, arguments...));
    return Outcome::failed;
  }
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
  bool typesOnly_ = false;
  std::deque<OutletFact> parts_;  // of complex inputs
  std::vector<const OutletFact*> inputs_;
  const std::vector<Attribute>& fromCall_;
};

}  // namespace axle::tensorflow
