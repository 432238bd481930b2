// Matches expressions of the program against functions of the library, as patterns.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/emit/layer_pattern.h"
#include "import/emit/shapes.h"

namespace axle::emit {

// The arguments of a library function at one place of the program.
struct Match {
  std::vector<NodeId> values, settings;  // by hole of the layer
  std::vector<SymbolId> symbols;
  std::set<std::uint32_t> throughNames;  // nodes that are names and were matched by their definitions

  // Checked against the types of parameters after everything else matches.
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
  Matcher(Program& program, Checked& checked, Library& library, const Layer& layer, const Definitions& definitions)
      : p_(program), shapes_(checked), library_(library), layer_(layer), definitions_(definitions) {}

  // Whether the value has the same operators with the same attributes on the same values. Only the operands of `+` and
  // `*` may be exchanged.
  bool matches(const LayerPattern& pattern, NodeId value, Match& match) {
    return patterns::matches(*this, pattern, value, match);
  }
  // Whether the types fit the signatures of all matched functions.
  bool typesMatch(const Match& match);

  // The interface that patterns match against (patterns/pattern.h).
  bool bind(const LayerPattern& hole, NodeId value, Match& match);
  std::optional<std::vector<NodeId>> enter(const LayerPattern& term, NodeId value, Match& match);
  bool commutes(const LayerPattern& term) const { return term.op->name == "+" || term.op->name == "*"; }

 private:
  using Operands = std::optional<std::vector<NodeId>>;
  bool bindValue(std::size_t hole, NodeId value, Match& match) const;
  bool bindSetting(std::size_t hole, NodeId value, Match& match) const;
  Operands enterOp(const LayerTerm& term, NodeId value, Match& match);
  Operands enterPart(const LayerTerm& term, NodeId value, Match& match);
  Operands enterSlice(const LayerTerm& split, NodeId value, Match& match);
  Operands enterFunction(const LayerTerm& term, NodeId value, Match& match) const;
  bool isAt(const LayerTerm& index, NodeId value) const;
  bool matchAttributes(const LayerTerm& term, NodeId value, Match& match);
  bool areEqual(NodeId a, NodeId b) const;
  NodeId throughNames(NodeId id, Match& match) const;

  // Return a static argument in a canonical spelling, for comparison.
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
  const Layer& layer_;
  const Definitions& definitions_;
};

}  // namespace axle::emit
