#include "typecheck/infer/used_weights.h"

#include <map>
#include <vector>

namespace axle {

namespace {

class Walk {
 public:
  explicit Walk(const TypedProgram& program) : program_(program), seen_(program.exprs.size()) {
    for (const TypedLet& let : program.lets) place(let.pattern, let.value);
  }

  void from(TypedId root) {
    add(root);
    while (!waiting_.empty()) {
      TypedId next = waiting_.back();
      waiting_.pop_back();
      std::visit([this](const auto& node) { visit(node); }, program_[next].node);
    }
  }

  std::set<std::uint32_t> weights;

 private:
  void place(const TypedPattern& pattern, TypedId value) {
    if (pattern.binding) values_[pattern.binding.index] = value;
    for (const TypedPattern& part : pattern.parts) place(part, value);
  }
  void add(TypedId id) {
    if (!id || seen_[id.index]) return;
    seen_[id.index] = true;
    waiting_.push_back(id);
  }
  void add(const std::vector<TypedId>& all) {
    for (TypedId id : all) add(id);
  }

  void visit(const TypedRef& ref) {
    if (program_[ref.binding].kind == BindingKind::weight) weights.insert(ref.binding.index);
    if (auto value = values_.find(ref.binding.index); value != values_.end()) add(value->second);
    add(program_[ref.binding].value);
  }
  void visit(const TypedLiteral&) {}
  void visit(const TypedDim&) {}
  void visit(const TypedStatic&) {}
  void visit(const TypedApply& apply) { add(apply.arguments); }
  void visit(const TypedCall& call) {
    add(call.callee);
    add(call.arguments);
  }
  void visit(const TypedLambda& lambda) { add(lambda.body); }
  void visit(const TypedBlock& block) {
    for (std::uint32_t let : block.lets) add(program_.lets[let].value);
    add(block.result);
  }
  void visit(const TypedTuple& tuple) { add(tuple.parts); }
  void visit(const TypedIf& branch) { add({branch.condition, branch.thenValue, branch.elseValue}); }
  void visit(const TypedMatch& match) {
    add(match.scrutinee);
    add(match.body);
  }

  const TypedProgram& program_;
  std::vector<bool> seen_;
  std::map<std::uint32_t, TypedId> values_;  // values of bindings
  std::vector<TypedId> waiting_;
};

}  // namespace

std::set<std::uint32_t> weightsUsed(const TypedProgram& program, TypedId root) {
  Walk walk(program);
  walk.from(root);
  return std::move(walk.weights);
}

}  // namespace axle
