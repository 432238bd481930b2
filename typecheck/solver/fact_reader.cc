#include "typecheck/solver/fact_reader.h"

#include "frontend/syntax_codes.h"
#include "typecheck/types/size_operators.h"

namespace axle::decide {

namespace {
constexpr Message<> notARelation{codes::badFact,
                                 "not a relation between sizes that are numbers, names and their arithmetic",
                                 "this has no size of its own"};
}

Dim FactReader::binary(const ast::Module& module, const ast::DimBinary& binary, std::vector<Dim>& divisors) {
  const Dim left = dim(module, binary.left, divisors), right = dim(module, binary.right, divisors);
  const DimOp op = dimOperator(binary.op);
  if (divides(op)) divisors.push_back(right);
  return store_.apply(op, left, right);
}

Dim FactReader::dim(const ast::Module& module, ast::DimId id, std::vector<Dim>& divisors) {
  const ast::Dim& d = module[id];
  if (auto* number = std::get_if<ast::DimInt>(&d.node))
    return number->value <= INT64_MAX ? store_.constant(static_cast<std::int64_t>(number->value)) : store_.undefined();
  if (auto* name = std::get_if<ast::DimName>(&d.node)) {
    auto it = names_.find(name->name);
    if (it == names_.end()) it = names_.emplace(name->name, store_.newVariable(name->name)).first;
    return store_.variable(it->second);
  }
  if (auto* negate = std::get_if<ast::DimNegate>(&d.node))
    return store_.mul(store_.constant(-1), dim(module, negate->operand, divisors));
  if (auto* both = std::get_if<ast::DimBinary>(&d.node)) return binary(module, *both, divisors);
  if (!refused_) refused_ = d.span;
  return store_.undefined();
}

std::optional<FactReader::Read> FactReader::read(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
  auto parsed = parseFact(sources, source, diagnostics);
  if (!parsed) return std::nullopt;
  Read out;
  refused_.reset();
  if (auto* relation = std::get_if<ast::FactRelation>(&parsed->fact.node)) {
    out.fact.left = dim(parsed->module, relation->left, out.divisors);
    out.fact.right = dim(parsed->module, relation->right, out.divisors);
    out.fact.relation = static_cast<FactRelation>(relation->relation);
    out.fact.places = {parsed->fact.span};
    out.fact.stated = true;
  } else {
    refused_ = parsed->fact.span;
  }
  if (!refused_) return out;
  report(diagnostics, notARelation, *refused_).addHelp("write a fact such as `d % h == 0` or `max(n, 1) >= m`");
  return std::nullopt;
}

}  // namespace axle::decide
