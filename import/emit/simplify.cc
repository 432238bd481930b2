#include "import/emit/simplify.h"

#include <algorithm>

#include "import/emit/operator_syntax.h"
#include "import/emit/passes.h"
#include "import/emit/scalar_folding.h"
#include "import/emit/simplify_rules.h"

namespace axle::emit {

NodeId operandBehind(const Simplification& s, NodeId id, std::size_t argument) {
  return s.definitions.meant(s.program, s.program[id].parts[argument]);
}

NodeId operandCall(const Simplification& s, NodeId id, std::string_view op) {
  const NodeId operand = operandBehind(s, id);
  return s.program.isCall(operand, op) ? operand : NodeId();
}

bool isReshape(const Simplification& s, NodeId id) {
  return s.program.isCall(id, "reshape") || s.program.isCall(id, "squeeze") || s.program.isCall(id, "expand");
}

bool becomes(Simplification& s, NodeId id, NodeId other) {
  Node node = s.program[copied(s.program, other)];
  if (!node.type) node.type = s.program[id].type;
  s.program[id] = std::move(node);
  return true;
}

bool becomesCall(Simplification& s, NodeId id, std::string op, std::vector<NodeId> parts) {
  Node call;
  call.kind = NodeKind::call;
  call.text = std::move(op);
  call.type = s.program[id].type;
  call.parts = std::move(parts);
  s.program[id] = std::move(call);
  return true;
}

bool becomesIndex(Simplification& s, NodeId id, NodeId part, std::vector<IndexItem> items) {
  Node index;
  index.kind = NodeKind::index;
  index.type = s.program[id].type;
  index.items = std::move(items);
  index.parts = {copied(s.program, part)};
  s.program[id] = std::move(index);
  return true;
}

bool becomesReshapeOf(Simplification& s, NodeId id, NodeId source) {
  auto sizes = s.shapes.sizes(s.program[id].type);
  auto shape = sizes ? s.shapes.list(s.program, *sizes) : std::nullopt;
  if (!shape) return false;
  return becomesCall(s, id, "reshape", {source, *shape});
}

bool dropIdentity(Simplification& s, NodeId id) {
  const NodeId source = s.program[id].parts[0];
  return s.shapes.areSame(s.program[id].type, s.program[source].type) && becomes(s, id, source);
}

namespace {

bool rewrite(Simplification& s, NodeId id) {
  const Node& node = s.program[id];
  if (node.kind != NodeKind::call) return false;
  if (node.parts.size() == 2 && isInfix(node.text) && broadcastReshaped(s, id)) return true;
  if ((isInfix(node.text) || node.text == "rsqrt" || node.text == "sqrt") && reshapeAfterwards(s, id)) return true;
  if (node.symbol) return isCast(s.program, node) && dropIdentity(s, id);
  const std::string op = node.text;
  for (std::span<const SimplifyRule> rules : {layoutRules(), arithmeticRules()})
    for (const SimplifyRule& rule : rules)
      if (rule.op == op && rule.rewrite(s, id)) return true;
  return false;
}

// Applies all rules once to all statements. Returns false if none applied.
bool applyRules(Program& program, Checked& checked) {
  Simplification s{program, Shapes(checked), Definitions(program)};
  bool changed = false;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (std::size_t i = 0; i < program.bodyOf(f).statements.size(); ++i) {
      const Statement& statement = program.bodyOf(f).statements[i];
      if (statement.names.size() == 1)
        changed |= rewrite(s, statement.value);
      else
        changed |= unstackTransposed(s, statement.value) || indexUnstacked(s, program.bodyOf(f), i);
    }
  return changed;
}

}  // namespace

void simplify(Program& program, Checked& checked, const Request& request) {
  constexpr int maxRounds = 16;
  for (int round = 0; round < maxRounds; ++round) {
    bool changed = foldScalars(program, checked, request);
    changed |= applyRules(program, checked);
    flatten(program);
    tidy(program);
    if (!changed) return;
  }
}

void dropPlainTypes(Program& program, Checked& checked) {
  const Shapes shapes(checked);
  for (Function& function : program.functions)
    for (Statement& statement : function.body.statements) {
      if (statement.names.size() != 1 || !statement.names[0]) continue;
      const Node& value = program[statement.value];
      Symbol& name = program[statement.names[0]];
      auto isPlain = [&](NodeId part) {
        const Node& operand = program[part];
        const bool isWeight = operand.kind == NodeKind::symbol && program[operand.symbol].kind == SymbolKind::weight;
        return !isWeight && shapes.haveSameShape(operand.type, name.type);
      };
      if (std::any_of(value.parts.begin(), value.parts.end(), isPlain)) name.typeText.clear();
    }
}

}  // namespace axle::emit
