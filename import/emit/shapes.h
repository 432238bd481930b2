// Shapes and definitions of nodes, for passes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/emit/tree.h"
#include "typecheck/check.h"

namespace axle::emit {

class Shapes {
 public:
  explicit Shapes(Checked& checked) : solution_(solution(checked)) {}

  // Returns the sizes of a tensor; none if its rank is not known.
  std::optional<std::vector<Dim>> sizes(std::optional<TypeId> type) const;
  std::optional<Elem> elem(std::optional<TypeId> type) const;
  // Whether both are tensors with the same element type and shape.
  bool areSame(std::optional<TypeId> a, std::optional<TypeId> b) const;
  bool haveSameShape(std::optional<TypeId> a, std::optional<TypeId> b) const;
  std::optional<std::int64_t> constant(Dim size) const { return solution_.dims.asConstant(size); }
  DimStore& dims() const { return solution_.dims; }
  // Returns the text of a size; none if it contains one without a name.
  std::optional<std::string> text(const Program& program, Dim size) const;
  // Returns sizes as a static list; none if one contains a size without a name.
  std::optional<NodeId> list(Program& program, const std::vector<Dim>& sizes) const;
  // Returns the type of a tensor.
  TypeId tensor(Elem elem, const std::vector<Dim>& sizes) const;

 private:
  std::optional<Shape> shape(std::optional<TypeId> type) const;

  Solution& solution_;
};

// The definitions of symbols.
class Definitions {
 public:
  explicit Definitions(Program& program);

  struct Definition {
    NodeId value;          // the right side of the statement that binds it
    std::size_t part = 0;  // the index of its name in the statement
    bool isWhole = false;  // whether the statement has only this name
  };
  const Definition* find(SymbolId symbol) const;
  // Follows names to the expression that defines them; returns any other node unchanged.
  NodeId meant(const Program& program, NodeId id) const;

 private:
  std::vector<Definition> bySymbol_;
};

// Returns a copy of the tree.
NodeId copied(Program& program, NodeId id);
// Returns the value of a number literal, also within `scalar(..)` and `as_f32(..)`.
std::optional<double> numberOf(const Program& program, NodeId id);
// Whether a literal is this number, rounded to the literal's element type.
bool isSameNumber(double number, const Program& program, NodeId literal);
// Returns the argument of `scalar` and `as_f32`, which only state types; returns any other node unchanged.
NodeId withoutAscription(const Program& program, NodeId id);
// Returns the integers of a static list, or one integer.
std::optional<std::vector<std::int64_t>> integersOf(const Program& program, NodeId id);
// Returns a named static argument; none if it has its default.
NodeId namedOf(const Program& program, NodeId call, std::string_view name);

}  // namespace axle::emit
