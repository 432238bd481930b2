#include "typecheck/report/definitions.h"

#include <utility>

#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Walks through the definitions, depth first, and notes each variable that is met within its own one.
class CircularDefinitions {
 public:
  CircularDefinitions(Checked& c, Definitions& definitions) : c_(c), definitions_(definitions) {}

  void find() {
    for (const auto& [variable, definition] : definitions_.shapes) walkFrom({true, variable});
    for (const auto& [variable, definition] : definitions_.dims) walkFrom({false, variable});
  }

 private:
  using Variable = std::pair<bool, std::uint32_t>;  // whether it is one of shapes, and its index
  enum class State : std::uint8_t { open, closed };
  struct Visit {
    Variable variable;
    OpenVariables inside;
  };

  void walkFrom(Variable root) {
    enter(root);
    while (!path_.empty()) {
      OpenVariables& inside = path_.back().inside;
      if (!inside.shapes.empty()) {
        const ShapeVar next = inside.shapes.back();
        inside.shapes.pop_back();
        enter({true, next.index});
      } else if (!inside.dims.empty()) {
        const DimVar next = inside.dims.back();
        inside.dims.pop_back();
        enter({false, next.index});
      } else {
        states_[path_.back().variable] = State::closed;
        path_.pop_back();
      }
    }
  }

  void enter(Variable variable) {
    const auto& [isShape, index] = variable;
    const auto& definitions = isShape ? definitions_.shapes : definitions_.dims;
    const auto definition = definitions.find(index);
    if (definition == definitions.end()) return;
    const auto [state, isNew] = states_.try_emplace(variable, State::open);
    if (!isNew && state->second == State::open)
      (isShape ? definitions_.statedShapes : definitions_.statedDims).insert(index);
    if (!isNew) return;
    OpenVariables inside;
    bool isResult = true;
    forEachOperand(*definition->second, [&](const auto& operand) {
      if (!isResult) collectVariables(c_.solver, operand, inside);
      isResult = false;
    });
    path_.push_back({variable, std::move(inside)});
  }

  Checked& c_;
  Definitions& definitions_;
  std::map<Variable, State> states_;
  std::vector<Visit> path_;
};

}  // namespace

Definitions definitionsAmong(Checked& c, const std::vector<Constraint>& constraints) {
  Definitions definitions;
  for (const Constraint& constraint : constraints) {
    if (roleOf(constraint) != ConstraintRole::function && !constraint.as<constraint::Broadcast>()) continue;
    if (const Dim* size = resultOf<Dim>(constraint))
      if (const auto v = c.solution.dims.asVariable(c.solution.resolve(*size)))
        definitions.dims.emplace(v->index, &constraint);
    if (const Shape* shape = resultOf<Shape>(constraint)) {
      const Shape result = c.solution.resolve(*shape);
      if (result.size() == 1 && result[0].isVar) definitions.shapes.emplace(result[0].var.index, &constraint);
    }
  }
  CircularDefinitions(c, definitions).find();
  for (const std::uint32_t variable : definitions.statedShapes) definitions.shapes.erase(variable);
  for (const std::uint32_t variable : definitions.statedDims) definitions.dims.erase(variable);
  return definitions;
}

}  // namespace axle
