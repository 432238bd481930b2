#include "import/emit/layer_recognition.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>

#include "import/emit/match.h"
#include "import/emit/passes.h"
#include "import/emit/spelling.h"

namespace axle::emit {

namespace {

// The usual names of weights, by the parameters of library functions.
struct WeightRole {
  std::string_view parameter, name;
};
constexpr std::array roles = {
    WeightRole{"w", "kernel"},  WeightRole{"r", "recurrent_kernel"}, WeightRole{"b", "bias"},
    WeightRole{"g", "gamma"},   WeightRole{"scale", "gamma"},        WeightRole{"shift", "beta"},
    WeightRole{"mean", "mean"}, WeightRole{"variance", "variance"},  WeightRole{"bias", "bias"}};

// A result of a function that is an output of a loop, possibly with its two leading dimensions exchanged.
struct LoopResult {
  std::size_t output = 0;
  bool isSwapped = false;
};

// The definitions of the program's names, and the number of reads of each.
struct Reads {
  explicit Reads(Program& program) : definitions(program), uses(countUses(program)) {}

  // Adds the reads below a node to the counts, or subtracts them.
  void count(Program& program, NodeId root, int sign) {
    uses.resize(program.symbols.size(), 0);
    walk(program, root, [&](NodeId id) {
      if (program[id].symbol) uses[program[id].symbol.index] += static_cast<std::uint32_t>(sign);
    });
  }

  Definitions definitions;
  std::vector<std::uint32_t> uses;  // by symbol
};

class LayerRecognizer {
 public:
  LayerRecognizer(Program& program, Checked& checked, Library& library, const LibraryFunction& function, Reads& reads)
      : p_(program),
        checked_(checked),
        shapes_(checked),
        library_(library),
        function_(function),
        layer_(layerOf(library, function)),
        reads_(reads) {}

  bool run() {
    findResults();
    const LayerPattern& pattern = layer_.pattern;
    if (pattern.op->kind == LayerTerm::Kind::tuple && results_.empty()) return replaceTuples();
    const std::string op = !results_.empty() ? "loop" : isOp(pattern) ? pattern.op->name : "";
    if (op.empty()) return false;
    bool changed = false;
    for (std::size_t f = 0; f < p_.functions.size(); ++f)
      for (std::size_t i = 0; i < p_.bodyOf(f).statements.size(); ++i) {
        const NodeId value = p_.bodyOf(f).statements[i].value;
        if (!hasRoot(value, op)) continue;
        if (op == "loop" ? !replaceLoop(f, i) : !replace(value)) continue;
        changed = true;
        nameByLayer(p_.bodyOf(f).statements[i]);
      }
    return changed;
  }

 private:
  static bool isOp(const LayerPattern& pattern) { return pattern.op->kind == LayerTerm::Kind::op; }

  bool hasRoot(NodeId id, const std::string& op) const {
    const Node& node = p_[id];
    if (node.kind != NodeKind::call) return false;
    return node.symbol ? op == "cast" && p_[node.symbol].origin.starts_with("to_") : node.text == op;
  }

  // Names results by the scope that they share with their weights.
  void nameByLayer(const Statement& statement) {
    for (SymbolId name : statement.names) {
      if (!name) continue;
      std::string_view scope = p_[name].origin;
      bool hasWeights = false;
      walk(p_, statement.value, [&](NodeId id) {
        const Node& node = p_[id];
        if (node.kind != NodeKind::symbol || p_[node.symbol].kind != SymbolKind::weight) return;
        scope = commonScope(scope, p_[node.symbol].origin);
        hasWeights = true;
      });
      if (hasWeights && !scope.empty()) p_[name].origin = std::string(scope) + "/Call";
    }
  }

  // ---- loops

  // Finds the results of a function whose results are all outputs of one loop.
  void findResults() {
    const LayerPattern& pattern = layer_.pattern;
    if (pattern.op->kind != LayerTerm::Kind::tuple) return;
    std::vector<LoopResult> results;
    for (const LayerPattern& part : pattern.inputs) {
      const bool isSwapped = isOp(part) && part.op->name == "swap_axes";
      const LayerPattern& its = isSwapped ? part.inputs[0] : part;
      const bool isOfLoop =
          its.op->kind == LayerTerm::Kind::part && isOp(its.inputs[0]) && its.inputs[0].op->name == "loop";
      if (!isOfLoop) return;
      loop_ = &its.inputs[0];
      results.push_back({its.op->part, isSwapped});
    }
    results_ = std::move(results);
  }

  bool replaceLoop(std::size_t f, std::size_t at) {
    const Statement statement = p_.bodyOf(f).statements[at];
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      auto gives = [&](const LoopResult& result) { return result.output == k; };
      if (statement.names[k] && std::none_of(results_.begin(), results_.end(), gives)) return false;
    }
    Match match;
    Matcher matcher(p_, checked_, library_, layer_, reads_.definitions);
    // The operands of the loop; the time axis of a sequence comes first.
    if (!matchesLoop(matcher, statement.value, match)) return false;
    auto call = callOf(matcher, match);
    if (!call) return false;
    std::vector<Statement> made{{{}, *call}};
    for (const LoopResult& result : results_) {
      const SymbolId name = result.output < statement.names.size() ? statement.names[result.output] : SymbolId();
      if (!name || !result.isSwapped) {
        made.front().names.push_back(name);
        continue;
      }
      auto sizes = shapes_.sizes(p_[name].type);
      auto elem = shapes_.elem(p_[name].type);
      if (!sizes || !elem || sizes->size() < 2) return false;
      const NodeId turned = swapped({}, sizes->size());
      std::swap((*sizes)[0], (*sizes)[1]);
      const SymbolId given = p_.add(Symbol{SymbolKind::value, p_[name].origin, {}, shapes_.tensor(*elem, *sizes), {}});
      made.front().names.push_back(given);
      p_[turned].parts = {p_.name(given)};
      p_[turned].type = p_[name].type;
      made.push_back({{name}, turned});
    }
    Block& block = p_.bodyOf(f);
    auto place = block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(at));
    block.statements.insert(place, made.begin(), made.end());
    reads_ = Reads(p_);
    return true;
  }

  bool matchesLoop(Matcher& matcher, NodeId loop, Match& match) {
    const std::vector<NodeId> parts = p_[loop].parts;
    if (parts.size() != loop_->inputs.size()) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Match before = match;
      const LayerPattern& operand = loop_->inputs[i];
      if (matcher.matches(operand, parts[i], match)) continue;
      // A sequence that already has the time axis first is the transpose of another one.
      if (!isOp(operand) || operand.op->name != "swap_axes") return false;
      match = std::move(before);
      auto sizes = shapes_.sizes(p_[parts[i]].type);
      auto elem = shapes_.elem(p_[parts[i]].type);
      if (!sizes || !elem || sizes->size() < 2) return false;
      const NodeId turned = swapped({copied(p_, parts[i])}, sizes->size());
      std::swap((*sizes)[0], (*sizes)[1]);
      p_[turned].type = shapes_.tensor(*elem, *sizes);
      const SymbolId name = p_.add(Symbol{SymbolKind::value, "x", {}, p_[turned].type, {}});
      if (!matcher.matches(operand.inputs[0], p_.name(name), match)) return false;
      transposed_.emplace(name.index, turned);
    }
    return true;
  }

  NodeId swapped(std::vector<NodeId> of, std::size_t rank) {
    std::vector<std::int64_t> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[0], perm[1]);
    std::vector<Named> named;
    named.push_back({"perm", p_.integers(perm)});
    return p_.call("transpose", std::move(of), std::move(named));
  }

  // ---- functions with several results

  // The other results must be computed on the way to the first, such as the state of a cell on the way to its output.
  bool replaceTuples() {
    bool changed = false;
    for (std::size_t f = 0; f < p_.functions.size(); ++f)
      for (std::size_t i = 0; i < p_.bodyOf(f).statements.size(); ++i)
        if (p_.bodyOf(f).statements[i].names.size() == 1) changed |= replaceTuple(f, i);
    return changed;
  }

  bool replaceTuple(std::size_t f, std::size_t at) {
    Match match;
    Matcher matcher(p_, checked_, library_, layer_, reads_.definitions);
    const std::vector<LayerPattern>& results = layer_.pattern.inputs;
    const NodeId value = p_.bodyOf(f).statements[at].value;
    if (!isOp(results[0]) || !hasRoot(value, results[0].op->name)) return false;
    if (!matcher.matches(results[0], value, match)) return false;
    Statement made{{p_.bodyOf(f).statements[at].names[0]}, {}};
    std::vector<std::size_t> places{at};
    for (std::size_t part = 1; part < results.size(); ++part) {
      const auto& statements = p_.bodyOf(f).statements;
      for (std::size_t j = 0; j < at && places.size() == part; ++j) {
        const bool isOnTheWay =
            std::any_of(match.throughNames.begin(), match.throughNames.end(), [&](std::uint32_t node) {
              return statements[j].names.size() == 1 && p_[NodeId{node}].symbol == statements[j].names[0];
            });
        Match with = match;
        if (!isOnTheWay || !matcher.matches(results[part], statements[j].value, with)) continue;
        match = std::move(with);
        places.push_back(j);
        made.names.push_back(statements[j].names[0]);
      }
      if (places.size() != part + 1) return false;
    }
    std::erase_if(match.throughNames, [&](std::uint32_t node) {
      return std::find(made.names.begin(), made.names.end(), p_[NodeId{node}].symbol) != made.names.end();
    });
    auto call = callOf(matcher, match);
    if (!call) return false;
    made.value = *call;
    Block& block = p_.bodyOf(f);
    // The call replaces the statement of the first result; statements that read the other results come later.
    std::sort(places.begin(), places.end());
    block.statements[at] = made;
    for (std::size_t k = places.size() - 1; k-- > 0;)
      block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(places[k]));
    nameByLayer(made);
    reads_ = Reads(p_);
    return true;
  }

  // ---- expressions

  bool replace(NodeId value) {
    Match match;
    Matcher matcher(p_, checked_, library_, layer_, reads_.definitions);
    if (!matcher.matches(layer_.pattern, value, match)) return false;
    auto call = callOf(matcher, match);
    if (!call) return false;
    Node made = p_[*call];
    made.type = p_[value].type;
    reads_.count(p_, value, -1);
    p_[value] = std::move(made);
    reads_.count(p_, value, +1);
    return true;
  }

  // Whether names that the match went through are also read elsewhere: their values would be computed twice.
  bool hasOtherReaders(const Match& match) {
    std::map<std::uint32_t, std::uint32_t> inside;
    for (std::uint32_t node : match.throughNames) ++inside[p_[NodeId{node}].symbol.index];
    return std::any_of(inside.begin(), inside.end(), [&](const auto& its) {
      return reads_.uses[its.first] != its.second && !isComputedFromWeights(SymbolId{its.first}, reads_.definitions);
    });
  }

  bool isComputedFromWeights(SymbolId symbol, const Definitions& definitions) {
    const auto* its = definitions.find(symbol);
    if (!its) return false;
    bool isIt = true;
    walk(p_, its->value, [&](NodeId id) {
      const Node& node = p_[id];
      if (node.kind != NodeKind::symbol || p_[node.symbol].kind == SymbolKind::weight) return;
      isIt = isIt && definitions.find(node.symbol) && isComputedFromWeights(node.symbol, definitions);
    });
    return isIt;
  }

  std::optional<NodeId> callOf(Matcher& matcher, const Match& match) {
    if (!matcher.typesMatch(match) || hasOtherReaders(match)) return std::nullopt;
    const ast::ExprFn& function = library_.functionOf(function_);
    std::vector<NodeId> arguments;
    for (const ast::Parameter& parameter : function.parameters) {
      auto argument = argumentOf(parameter.name.text, match);
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    }
    std::vector<Named> named;
    if (!function.statics.empty() && match.settings.empty()) return std::nullopt;
    for (const ast::StaticParameter& parameter : function.statics) {
      const NodeId given = match.settings[layer_.setting(parameter.name.text)];
      if (!given) return std::nullopt;
      if (!isDefault(parameter, given)) named.push_back({parameter.name.text, asStatic(given)});
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) recordRole(function.parameters[i].name.text, arguments[i]);
    const std::string module = function_.name.substr(0, function_.name.find('.'));
    if (std::find(p_.imports.begin(), p_.imports.end(), module) == p_.imports.end()) p_.imports.push_back(module);
    return p_.call(function_.name, std::move(arguments), std::move(named));
  }

  std::optional<NodeId> argumentOf(const std::string& name, const Match& match) {
    if (const auto hole = std::ranges::find(layer_.values, name); hole != layer_.values.end()) {
      const NodeId value =
          match.values.empty() ? NodeId() : match.values[static_cast<std::size_t>(hole - layer_.values.begin())];
      if (!value) return std::nullopt;
      const Node& node = p_[value];
      if (auto turned = transposed_.find(node.symbol.index);
          node.kind == NodeKind::symbol && turned != transposed_.end())
        return turned->second;
      return copied(p_, value);
    }
    // A tuple, from its parts.
    Node tuple;
    tuple.kind = NodeKind::tuple;
    for (std::size_t i = 0;; ++i) {
      const std::string part = name + "." + std::to_string(i);
      const auto isOfPart = [&](const std::string& hole) { return hole == part || hole.starts_with(part + "."); };
      if (std::ranges::none_of(layer_.values, isOfPart)) break;
      auto argument = argumentOf(part, match);
      if (!argument) return std::nullopt;
      tuple.parts.push_back(*argument);
    }
    if (tuple.parts.empty()) return std::nullopt;
    return p_.add(std::move(tuple));
  }

  bool isDefault(const ast::StaticParameter& parameter, NodeId given) {
    ScopedExpr at{parameter.defaultValue, layer_.scope};
    const auto& node = library_[at].node;
    if (const auto* number = std::get_if<ast::ExprNumber>(&node)) {
      return isSameNumber(number->negative ? -number->real : number->real, p_, given);
    }
    if (const auto* word = std::get_if<ast::ExprString>(&node)) return p_[given].text == "\"" + word->value + "\"";
    const auto* list = std::get_if<ast::ExprList>(&node);
    auto numbers = integersOf(p_, given);
    if (!list || !numbers || list->items.size() != numbers->size()) return false;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      at.expr = list->items[i];
      const auto* number = std::get_if<ast::ExprNumber>(&library_[at].node);
      if (!number || static_cast<std::int64_t>(number->integer) != (*numbers)[i]) return false;
    }
    return true;
  }

  // Returns a number as a static argument, without the suffix of its element type.
  NodeId asStatic(NodeId given) {
    const NodeId made = copied(p_, given);
    std::string& text = p_[made].text;
    for (std::string_view suffix : {"bf16", "f16", "f32", "f64", "i32", "i64"})
      if (p_[made].kind == NodeKind::literal && text.ends_with(suffix)) {
        text.resize(text.size() - suffix.size());
        break;
      }
    return made;
  }

  void recordRole(const std::string& parameter, NodeId argument) {
    const Node node = p_[argument];
    if (node.kind == NodeKind::tuple && node.parts.size() == 2) {  // weights of a dense layer
      recordRole("w", node.parts[0]);
      return recordRole("b", node.parts[1]);
    }
    for (NodeId part : node.kind == NodeKind::tuple ? node.parts : std::vector<NodeId>{}) recordRole(parameter, part);
    if (node.kind != NodeKind::symbol || p_[node.symbol].kind != SymbolKind::weight) return;
    std::string_view name;
    for (const WeightRole& role : roles)
      if (role.parameter == parameter) name = role.name;
    if (parameter == "b" && function_.name.starts_with("nn.layer_norm")) name = "beta";
    if (p_[node.symbol].role.empty()) p_[node.symbol].role = name;
  }

  Program& p_;
  Checked& checked_;
  Shapes shapes_;
  Library& library_;
  const LibraryFunction& function_;
  const Layer layer_;
  Reads& reads_;
  std::vector<LoopResult> results_;
  const LayerPattern* loop_ = nullptr;          // the loop with these outputs
  std::map<std::uint32_t, NodeId> transposed_;  // transposed sequences, by the name that stands for the original
};

}  // namespace

bool recognizeLayers(Program& program, Checked& checked) {
  Library library;
  Reads reads(program);
  bool changed = false;
  for (const LibraryFunction& function : library.functions()) {
    LayerRecognizer recognizer(program, checked, library, function, reads);
    if (!recognizer.run()) continue;
    changed = true;
    flatten(program);
    tidy(program);
    reads = Reads(program);
  }
  std::sort(program.imports.begin(), program.imports.end());
  return changed;
}

}  // namespace axle::emit
