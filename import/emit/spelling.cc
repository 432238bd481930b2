#include "import/emit/spelling.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "frontend/keywords.h"
#include "frontend/lower_case.h"
#include "frontend/modules.h"
#include "import/emit/node_names.h"
#include "io/elem.h"

namespace axle::emit {

namespace {

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// Returns `bias_add` for `BiasAdd`, `conv2d` for `Conv2D`.
std::string snakeCase(std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool begins =
        i > 0 && isUpper(word[i]) && !isUpper(word[i - 1]) && !isDigit(word[i - 1]) && word[i - 1] != '_';
    if (begins) out += '_';
    out += lowerCase(word[i]);
  }
  return out;
}

// Whether it is the name of an operator: `BiasAdd`, but not `W_o`.
bool isOperator(const std::string& part) {
  return part.size() > 1 && isUpper(part[0]) && std::islower(static_cast<unsigned char>(part[1])) != 0;
}

// Whether it is the main operator of a layer, for which the layer's scope is a better name.
bool isLayersOwn(const std::string& part) {
  static constexpr std::string_view all[] = {"convolution", "depthwise", "separable_conv2d", "conv_transpose"};
  return std::find(std::begin(all), std::end(all), part) != std::end(all);
}

// Whether the path contains the weight's own name, not only that of the operator that reads it.
bool hasOwnName(std::string_view path) {
  static constexpr std::string_view all[] = {
      "kernel", "bias",       "weights",  "biases", "gamma",           "beta",       "alpha",
      "scale",  "embeddings", "variance", "mean",   "moving_variance", "moving_mean"};
  const Words parts = partsOf(path);
  if (parts.empty()) return false;
  const bool isRead = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part.starts_with("ReadVariableOp") || part == "resource";
  });
  std::string last;
  for (const std::string& part : parts)
    if (!isUninformative(part)) last = part;
  if (last.empty() || isOperator(last)) return false;
  return !isRead || std::any_of(std::begin(all), std::end(all), [&](std::string_view word) {
    return last == word || last.ends_with("_" + std::string(word));
  });
}

// Returns the informative parts of a weight's name; the last is the name of the weight in its layer.
Words partsOfWeight(const Symbol& symbol) {
  Words parts;
  for (const std::string& part : partsOf(symbol.origin))
    if (!isUninformative(part)) parts.push_back(part);
  if (isAnonymous(partsOf(symbol.origin)) && !parts.empty()) {
    parts.push_back(symbol.role.empty() ? "weight" : symbol.role);
  } else if (!symbol.role.empty() && !hasOwnName(symbol.origin)) {
    // The last part names the operator that reads it.
    if (parts.size() > 1)
      parts.pop_back();
    else if (parts.size() == 1 && isOperator(parts[0]))
      parts[0] = snakeCase(parts[0]);
    parts.push_back(symbol.role);
  }
  if (parts.empty()) parts.push_back("weight");
  return parts;
}

// Chooses the names of symbols. Names within a function become free again after it.
class NameChooser {
 public:
  explicit NameChooser(Program& program) : p_(program) {
    for (const std::string& size : program.sizes) taken_.insert(size);
    for (const Symbol& symbol : program.symbols)
      if (!symbol.text.empty()) taken_.insert(symbol.text);
  }

  void run() {
    common_ = commonScopes();
    findCalls();
    countWeights();
    for (const Weight& weight : p_.weights) choose(weight.symbol);
    for (const TopFunction& top : p_.top) choose(top.symbol);
    for (const TopFunction& top : p_.top) inFunction(top.function);
  }

 private:
  void inFunction(FunctionId id) {
    const std::size_t outside = own_.size();
    for (std::size_t i = 0; i < p_[id].parameters.size(); ++i) choose(p_[id].parameters[i].symbol);
    for (std::size_t i = 0; i < p_[id].body.statements.size(); ++i) {
      inValue(p_[id].body.statements[i].value);
      for (SymbolId name : p_[id].body.statements[i].names)
        if (name) choose(name);
      for (const std::vector<SymbolId>& inner : p_[id].body.statements[i].inner)
        for (SymbolId name : inner)
          if (name) choose(name);
    }
    inValue(p_[id].body.result);
    for (; own_.size() > outside; own_.pop_back()) {
      taken_.erase(own_.back());
      counts_.erase(own_.back());
    }
  }

  // Names symbols within the functions of an expression.
  void inValue(NodeId root) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      const Node& node = p_[open.back()];
      open.pop_back();
      if (node.function) inFunction(node.function);
      for (const Named& named : node.named) open.push_back(named.value);
      open.insert(open.end(), node.parts.begin(), node.parts.end());
    }
  }

  void choose(SymbolId id) {
    Symbol& symbol = p_[id];
    if (!symbol.text.empty()) return;
    const std::vector<std::string> wishes =
        symbol.kind == SymbolKind::weight ? weightNames(symbol) : valueNames(symbol);
    for (const std::string& origin : wishes)
      if (isFree(origin)) return take(symbol, origin);
    for (std::size_t& i = counts_.try_emplace(wishes.front(), 2).first->second;; ++i) {
      std::string origin = fmt::format("{}_{}", wishes.front(), i);
      if (isFree(origin)) return take(symbol, origin);
    }
  }

  bool isFree(const std::string& name) const {
    return !name.empty() && name != "_" && !isReserved(name.substr(0, name.find('.'))) && !taken_.count(name);
  }
  void take(Symbol& symbol, const std::string& name) {
    taken_.insert(name);
    own_.push_back(name);
    symbol.text = name;
  }

  // Returns a name without the numbers at its end.
  static std::string withoutNumbers(std::string name) {
    while (!callNumber(name).empty()) name.resize(name.size() - callNumber(name).size());
    return name;
  }

  // Counts the weights of each scope whose names are equal but for numbers.
  void countWeights() {
    for (const Weight& weight : p_.weights) {
      Words parts = partsOfWeight(p_[weight.symbol]);
      parts.back() = withoutNumbers(parts.back());
      ++alike_[pathOf(parts)];
    }
  }

  // Returns candidate names with scopes, without the scopes that all weights share.
  std::vector<std::string> weightNames(const Symbol& symbol) const {
    Words parts = partsOfWeight(symbol);
    Words alone = parts;
    alone.back() = withoutNumbers(alone.back());
    const auto alike = alike_.find(pathOf(alone));
    if (alike != alike_.end() && alike->second == 1) parts = std::move(alone);
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(std::min(common_, parts.size() - 1)));
    parts.front() = withoutCall(parts.front());
    // Drops parts such as `lstm_cell`: `lstm.lstm_cell.kernel` says no more than `lstm.kernel`.
    Words less = parts;
    for (std::size_t i = 1; i + 1 < less.size(); ++i)
      if (less[i].find("_cell") != std::string::npos) less.erase(less.begin() + static_cast<std::ptrdiff_t>(i--));
    // Drops the number that distinguishes variables of one name; the other candidates follow in case this one is taken.
    Words plain = less;
    std::string& last = plain.back();
    if (const std::size_t end = last.find_last_not_of("0123456789"); end != last.npos && end > 0 && last[end] == '_')
      last.resize(end);
    return {joined(plain), joined(less), joined(parts)};
  }

  static std::string joined(const Words& parts) {
    std::string name;
    for (const std::string& part : parts) name += (name.empty() ? "" : ".") + identifier(part);
    const std::size_t head = std::min(name.find('.'), name.size());
    if (isReserved(name.substr(0, head))) name.insert(head, 1, '_');
    return name;
  }

  // Returns the number of scopes that all weights share, such that at least one name keeps another scope.
  std::size_t commonScopes() const {
    std::optional<Words> common;
    std::size_t most = 0;
    for (const Weight& weight : p_.weights) {
      const Words parts = partsOfWeight(p_[weight.symbol]);
      most = std::max(most, parts.size());
      if (!common) common = parts;
      std::size_t same = 0;
      while (same < common->size() && same + 1 < parts.size() && (*common)[same] == parts[same]) ++same;
      common->resize(same);
    }
    return common && most >= 2 ? std::min(common->size(), most - 2) : 0;
  }

  // Keras numbers layers: drops the numbers if all scopes have one and differ without it.
  void findCalls() {
    std::set<std::string> layers;
    for (const Weight& weight : p_.weights) {
      const Words parts = partsOfWeight(p_[weight.symbol]);
      const std::string& scope = parts[std::min(common_, parts.size() - 1)];
      const std::size_t end = scope.find_last_not_of("0123456789");
      const bool isNumbered = end != scope.npos && end > 0 && end + 1 < scope.size() && scope[end] == '_';
      if (!isNumbered) return calls_.clear();
      calls_[scope] = scope.substr(0, end);
    }
    for (const auto& [scope, layer] : calls_)
      if (!layers.insert(layer).second) return calls_.clear();
  }

  std::string withoutCall(const std::string& scope) const {
    auto call = calls_.find(scope);
    return call == calls_.end() ? scope : call->second;
  }

  // Whether the last part repeats the scope, as in `block_1_add/add` and `add_1/add`.
  static bool isSaidByScope(const Words& parts) {
    std::string_view scope = parts[parts.size() - 2];
    scope = scope.substr(0, scope.find_last_not_of("_0123456789") + 1);
    return scope == parts.back() || scope.ends_with("_" + parts.back());
  }

  // Returns the last informative part, then that part with the scope before it.
  std::vector<std::string> valueNames(const Symbol& symbol) const {
    Words parts;
    for (const std::string& part : partsOf(symbol.origin))
      if (!isUninformative(part)) parts.push_back(withoutCall(part));
    // In `conv2d/Conv2D` and `dense/BiasAdd` the scope is the name of the layer.
    if (parts.size() > 1 && (isUpper(parts.back()[0]) || isLayersOwn(parts.back()) || isSaidByScope(parts)))
      parts.pop_back();
    if (parts.empty()) return {"x", "value"};
    std::vector<std::string> wishes;
    std::string name = identifier(snakeCase(parts.back()));
    wishes.push_back(name);
    if (parts.size() > 1) wishes.push_back(identifier(snakeCase(parts[parts.size() - 2])) + "_" + name);
    if (isReserved(name)) wishes.insert(wishes.begin(), name + "_out");
    return wishes;
  }

  Program& p_;
  std::size_t common_ = 0;                    // the number of scopes that all weights share
  std::map<std::string, std::string> calls_;  // scope -> its name without the number
  std::map<std::string, std::size_t> alike_;  // by scope and name without numbers: how many weights there are
  std::set<std::string> taken_;
  std::vector<std::string> own_;               // of the functions being named, in order
  std::map<std::string, std::size_t> counts_;  // by name: the last number tried
};

}  // namespace

std::string identifier(std::string_view text) {
  std::string out;
  for (char c : text) out += isLetter(c) || isDigit(c) ? c : '_';
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  if (!out.empty() && isDigit(out[0])) out.insert(out.begin(), '_');
  return out;
}

bool isReserved(std::string_view name) {
  static const std::set<std::string_view> all = [] {
    std::set<std::string_view> words = {"rank", "ceildiv"};  // operators on sizes
    words.insert(keywords().begin(), keywords().end());
    for (const CoreOp& op : coreOps()) words.insert(op.name);
    for (std::string_view module : stdlibModuleNames()) words.insert(module);
    for (const ElemInfo& elem : elemTable) words.insert(elem.name);
    return words;
  }();
  return all.count(name) != 0;
}

namespace {

void nameAfterLayers(Program& program, const Block& block) {
  for (const Statement& statement : block.statements) {
    const Node& call = program[statement.value];
    if (call.kind != NodeKind::call || statement.names.size() != 1 || !statement.names[0]) continue;
    if (call.text.find('.') == std::string::npos) continue;  // not a library function
    Words parts = partsOf(program[statement.names[0]].origin);
    for (NodeId part : call.parts) {
      if (program[part].kind != NodeKind::symbol || program[program[part].symbol].kind != SymbolKind::weight) continue;
      const Words layer = partsOf(layerOf(program[program[part].symbol]));
      const auto at = layer.empty() ? parts.end() : std::find(parts.begin(), parts.end(), layer.back());
      if (at == parts.end()) continue;
      parts.erase(at + 1, parts.end());
      program[statement.names[0]].origin = pathOf(parts);
      break;
    }
  }
}

}  // namespace

void nameAfterLayers(Program& program) {
  for (const Function& function : program.functions) nameAfterLayers(program, function.body);
}

void nameConstants(Program& program) {
  for (const Function& function : program.functions)
    for (const Statement& statement : function.body.statements) {
      if (statement.names.empty() || !statement.names[0]) continue;
      const std::string layer(scopeOf(program[statement.names[0]].origin));
      if (layer.empty()) continue;
      for (NodeId part : program[statement.value].parts) {
        if (program[part].kind != NodeKind::symbol) continue;
        Symbol& symbol = program[program[part].symbol];
        if (symbol.kind == SymbolKind::weight && isConstantName(symbol.origin))
          symbol.origin = layer + "/" + (symbol.role.empty() ? "weight" : symbol.role);
      }
    }
}

namespace {

// The scopes of the statements that read a value; the empty scope for a block's result.
using ReaderScopes = std::map<std::uint32_t, std::set<std::string_view>>;

ReaderScopes readerScopes(Program& program, const Block& block) {
  ReaderScopes scopes;
  const auto addReads = [&](NodeId root, std::string_view scope) {
    walk(program, root, [&](NodeId id) {
      if (program[id].kind == NodeKind::symbol) scopes[program[id].symbol.index].insert(scope);
    });
  };
  for (const Statement& statement : block.statements) {
    const bool isNamed = !statement.names.empty() && statement.names[0];
    addReads(statement.value, isNamed ? scopeOf(program[statement.names[0]].origin) : std::string_view());
  }
  addReads(block.result, {});
  return scopes;
}

}  // namespace

void nameResultsOfLayers(Program& program) {
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const ReaderScopes readers = readerScopes(program, program.functions[f].body);
    std::vector<std::pair<SymbolId, std::string>> names;  // changed at the end: `readers` refers to the old ones
    for (const Statement& statement : program.functions[f].body.statements) {
      if (statement.names.size() != 1 || !statement.names[0]) continue;
      const std::string_view origin = program[statement.names[0]].origin, layer = scopeOf(origin);
      const auto read = readers.find(statement.names[0].index);
      const bool isOperator = !layer.empty() && isOperatorName(origin.substr(layer.size() + 1));
      if (isOperator && read != readers.end() && !read->second.count(layer))
        names.emplace_back(statement.names[0], std::string(layer));
    }
    for (auto& [symbol, name] : names) program[symbol].origin = std::move(name);
  }
}

std::string layerOf(const Symbol& weight) {
  Words parts = partsOfWeight(weight);
  parts.pop_back();
  return pathOf(parts);
}

void nameRoles(Program& program) {
  struct Place {
    std::string_view op;
    std::size_t operand;
    std::string_view role;
  };
  static constexpr Place places[] = {{"matmul", 1, "kernel"},
                                     {"batch_matmul", 1, "kernel"},
                                     {"conv1d", 1, "kernel"},
                                     {"conv2d", 1, "kernel"},
                                     {"conv3d", 1, "kernel"},
                                     {"conv_transpose1d", 1, "kernel"},
                                     {"conv_transpose2d", 1, "kernel"},
                                     {"conv_transpose3d", 1, "kernel"},
                                     {"depthwise_conv1d", 1, "depthwise_kernel"},
                                     {"depthwise_conv2d", 1, "depthwise_kernel"},
                                     {"gather", 0, "embeddings"},
                                     {"embedding", 0, "embeddings"},
                                     {"+", 1, "bias"},
                                     {"+", 0, "bias"},
                                     {"*", 1, "scale"},
                                     {"*", 0, "scale"},
                                     {"-", 1, "mean"},
                                     {"sqrt", 0, "variance"}};
  for (const Node& node : program.nodes) {
    if (node.kind != NodeKind::call) continue;
    for (const Place& place : places) {
      if (node.text != place.op || place.operand >= node.parts.size()) continue;
      const Node& operand = program[node.parts[place.operand]];
      if (operand.kind != NodeKind::symbol || program[operand.symbol].kind != SymbolKind::weight) continue;
      if (program[operand.symbol].role.empty()) program[operand.symbol].role = place.role;
    }
  }
}

std::string lastWord(std::string_view path) {
  Words parts = partsOf(path);
  while (!parts.empty() && isUninformative(parts.back())) parts.pop_back();
  return parts.empty() || isUpper(parts.back()[0]) ? "weight" : parts.back();
}

void chooseNames(Program& program) { NameChooser(program).run(); }

}  // namespace axle::emit
