// What the types of nodes say, for passes that look at shapes.
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

  // Of a tensor whose rank is known.
  std::optional<std::vector<Dim>> sizes(std::optional<TypeId> type) const;
  std::optional<Elem> elem(std::optional<TypeId> type) const;
  // Tensors of one element type and one shape.
  bool areSame(std::optional<TypeId> a, std::optional<TypeId> b) const;
  bool haveSameShape(std::optional<TypeId> a, std::optional<TypeId> b) const;
  std::optional<std::int64_t> constant(Dim size) const { return solution_.dims.asConstant(size); }
  DimStore& dims() const { return solution_.dims; }
  // As the program writes it; none where it has a size without a name.
  std::optional<std::string> text(const Program& program, Dim size) const;
  // The static list of sizes; none where one has no name.
  std::optional<NodeId> list(Program& program, const std::vector<Dim>& sizes) const;
  // Of values that are a tensor with these sizes.
  TypeId tensor(Elem elem, const std::vector<Dim>& sizes) const;

 private:
  std::optional<Shape> shape(std::optional<TypeId> type) const;

  Solution& solution_;
};

// What symbols stand for.
class Definitions {
 public:
  explicit Definitions(Program& program);

  struct Definition {
    NodeId value;          // of the statement that binds it
    std::size_t part = 0;  // which of the statement's names it is
    bool isWhole = false;  // its only name
  };
  const Definition* find(SymbolId symbol) const;
  // The expression behind a name that stands for one alone, else the node itself.
  NodeId meant(const Program& program, NodeId id) const;

 private:
  std::vector<Definition> bySymbol_;
};

// A copy with all below it.
NodeId copied(Program& program, NodeId id);
// The number that a literal is, its element type aside; `scalar` and the like around it too.
std::optional<double> numberOf(const Program& program, NodeId id);
// Whether a literal is this number, in its own element type: f32 has fewer decimals.
bool isSameNumber(double number, const Program& program, NodeId literal);
// What stands under functions of one line that only tell types.
NodeId withoutAscription(const Program& program, NodeId id);
// The whole numbers of a static list, or of one number.
std::optional<std::vector<std::int64_t>> integersOf(const Program& program, NodeId id);
// A static argument by name; none where it is the default.
NodeId namedOf(const Program& program, NodeId call, std::string_view name);

}  // namespace axle::emit
