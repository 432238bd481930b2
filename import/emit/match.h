// Whether an expression of the program computes what a function of the library does.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/emit/library.h"
#include "import/emit/shapes.h"

namespace axle::emit {

// What the function's parameters are at one place.
struct Match {
  std::map<std::string, NodeId> values;  // by the parameter's name; of a tuple's part `norm.0`
  std::map<std::string, NodeId> numbers;
  std::set<std::uint32_t> followed;  // names in the program that the match went through, by node

  // To be held against types when all else fits.
  struct Typed {
    Scope* scope;
    std::size_t parameter;
    NodeId value;
  };
  struct Sized {
    Scope* scope;
    std::vector<ast::ExprId> sizes;
    TypeId type;
  };
  struct Counted {
    Closed at;  // a static argument over sizes
    std::int64_t is = 0;
  };
  std::vector<Typed> typed;
  std::vector<Sized> sized;
  std::vector<Counted> counted;
};

class Matcher {
 public:
  Matcher(Program& program, Checked& checked, Library& library)
      : p_(program), shapes_(checked), library_(library), definitions_(program) {}

  // Same operators with the same attributes over the same values; only `+` and `*` take their operands in either order.
  bool matches(Closed pattern, NodeId value, Match& match);
  bool matches(const Head& head, NodeId value, Match& match);
  // Whether types are what the functions on the way ask for.
  bool hasTypes(const Match& match);

 private:
  bool isVariable(const std::string& name, NodeId value, Match& match);
  bool isNumber(const Head& head, NodeId value, Match& match) const;
  bool isPart(const Head& head, NodeId value, Match& match);
  bool isSlice(const Head& split, std::size_t part, NodeId value, Match& match);
  bool isOp(const Head& head, NodeId value, Match& match);
  bool isIndex(const Head& head, NodeId value, Match& match);
  bool isFunction(const Head& head, NodeId value, Match& match);
  bool hasOperands(const Head& head, const std::vector<NodeId>& parts, const Match& before, Match& match);
  bool hasAttributes(const Head& head, NodeId value, Match& match);
  bool areEqual(NodeId a, NodeId b) const;
  NodeId followed(NodeId id, Match& match) const;

  // A static argument in one spelling for all.
  std::string spelled(const std::string& text, ast::Sort sort, std::size_t rank) const;
  std::string spelled(NodeId id, ast::Sort sort, std::size_t rank) const;
  std::optional<std::string> spelled(Closed at, ast::Sort sort, std::size_t rank);

  using Sizes = std::map<std::string, Dim>;
  struct Signature {
    Sizes sizes;
    std::map<std::string, std::vector<Dim>> shapes;
    std::vector<std::pair<ast::DimId, Dim>> later;  // sizes that are computed
  };
  bool hasType(const ast::Module& module, ast::TypeId type, NodeId value, Signature& signature) const;
  bool bindShape(const ast::Module& module, ast::ShapeId shape, const std::vector<Dim>& sizes,
                 Signature& signature) const;
  bool bindSize(const ast::Module& module, ast::DimId dim, Dim size, Signature& signature) const;
  std::optional<Dim> valueOf(const ast::Module& module, ast::DimId dim, const Sizes& sizes) const;
  std::optional<Dim> valueOf(const Scope& scope, ast::ExprId expr, const std::map<const Scope*, Signature>& all) const;

  Program& p_;
  Shapes shapes_;
  Library& library_;
  Definitions definitions_;
};

}  // namespace axle::emit
