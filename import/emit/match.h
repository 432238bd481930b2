// Matches expressions of the program against functions of the library.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/emit/library.h"
#include "import/emit/shapes.h"

namespace axle::emit {

// The arguments of the function at one place of the program.
struct Match {
  std::map<std::string, NodeId> values;  // by the parameter's name; a part of a tuple is `norm.0`
  std::map<std::string, NodeId> numbers;
  std::set<std::uint32_t> throughNames;  // nodes that are names, whose definitions were matched

  // Checked against the types of parameters when all else matches.
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
    ScopedExpr at;  // a static argument computed from sizes
    std::int64_t is = 0;
  };
  std::vector<Typed> typed;
  std::vector<Sized> sized;
  std::vector<Counted> counted;
};

class Matcher {
 public:
  Matcher(Program& program, Checked& checked, Library& library, const Definitions& definitions)
      : p_(program), shapes_(checked), library_(library), definitions_(definitions) {}

  // Whether the value has the same operators with the same attributes on the same values; only the operands of `+` and
  // `*` may be exchanged.
  bool matches(ScopedExpr pattern, NodeId value, Match& match);
  bool matches(const Head& head, NodeId value, Match& match);
  // Whether the types fit the signatures of all functions that were matched.
  bool typesMatch(const Match& match);

 private:
  bool matchVariable(const std::string& name, NodeId value, Match& match);
  bool matchNumber(const Head& head, NodeId value, Match& match) const;
  bool matchPart(const Head& head, NodeId value, Match& match);
  bool matchSlice(const Head& split, std::size_t part, NodeId value, Match& match);
  bool matchOp(const Head& head, NodeId value, Match& match);
  bool matchIndex(const Head& head, NodeId value, Match& match);
  bool matchFunction(const Head& head, NodeId value, Match& match);
  bool matchOperands(const Head& head, const std::vector<NodeId>& parts, const Match& before, Match& match);
  bool matchAttributes(const Head& head, NodeId value, Match& match);
  bool areEqual(NodeId a, NodeId b) const;
  NodeId throughNames(NodeId id, Match& match) const;

  // A static argument in a canonical spelling, to compare.
  std::string canonicalText(const std::string& text, ast::Sort sort, std::size_t rank) const;
  std::string canonicalText(NodeId id, ast::Sort sort, std::size_t rank) const;
  std::optional<std::string> canonicalText(ScopedExpr at, ast::Sort sort, std::size_t rank);

  using Sizes = std::map<std::string, Dim>;
  struct Signature {
    Sizes sizes;
    std::map<std::string, std::vector<Dim>> shapes;
    std::vector<std::pair<ast::DimId, Dim>> later;  // sizes that are expressions, checked last
  };
  bool matchType(const ast::Module& module, ast::TypeId type, NodeId value, Signature& signature) const;
  bool bindShape(const ast::Module& module, ast::ShapeId shape, const std::vector<Dim>& sizes,
                 Signature& signature) const;
  bool bindSize(const ast::Module& module, ast::DimId dim, Dim size, Signature& signature) const;
  std::optional<Dim> valueOf(const ast::Module& module, ast::DimId dim, const Sizes& sizes) const;
  std::optional<Dim> valueOf(const Scope& scope, ast::ExprId expr, const std::map<const Scope*, Signature>& all) const;

  Program& p_;
  Shapes shapes_;
  Library& library_;
  const Definitions& definitions_;
};

}  // namespace axle::emit
