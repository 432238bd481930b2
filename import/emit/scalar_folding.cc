#include "import/emit/scalar_folding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <variant>

#include "import/emit/number_literals.h"
#include "import/emit/operator_syntax.h"
#include "import/emit/shapes.h"
#include "typecheck/checked.h"

namespace axle::emit {

namespace {

constexpr double exactInF32 = 0x1p24;

// A scalar of an element type that is folded; other types are not.
struct Number {
  Elem elem = Elem::f32;
  double real = 0;         // of f32 and f64
  std::int64_t whole = 0;  // of i32 and i64; of bool 0 or 1
  bool isReal() const { return elem == Elem::f32 || elem == Elem::f64; }
  bool isTruth() const { return elem == Elem::boolean; }
};

std::optional<Number> parsed(std::string_view text) {
  if (text == "true" || text == "false") return Number{Elem::boolean, 0, text == "true"};
  Number number;
  auto read = [&](auto& value, std::string_view suffix) {
    const std::string_view digits = text.substr(0, text.size() - suffix.size());
    auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failed == std::errc() && end == digits.data() + digits.size();
  };
  for (Elem elem : {Elem::i32, Elem::i64, Elem::f32, Elem::f64}) {
    number.elem = elem;
    const std::string_view suffix = info(elem).name;
    if (!text.ends_with(suffix)) continue;
    if (!(number.isReal() ? read(number.real, suffix) : read(number.whole, suffix))) continue;
    if (elem == Elem::f32) number.real = static_cast<double>(static_cast<float>(number.real));
    return number;
  }
  return std::nullopt;
}

// Returns the value rounded to the element type; none if it overflows.
std::optional<Number> rounded(Elem elem, double value) {
  Number number{elem, elem == Elem::f32 ? static_cast<double>(static_cast<float>(value)) : value};
  return std::isfinite(number.real) ? std::optional(number) : std::nullopt;
}

std::optional<Number> whole(Elem elem, std::int64_t value) {
  if (elem == Elem::i32 && value != static_cast<std::int32_t>(value)) return std::nullopt;
  return Number{elem, 0, value};
}

Number truth(bool value) { return {Elem::boolean, 0, value}; }

std::string textOf(const Number& number) {
  if (number.isTruth()) return number.whole ? "true" : "false";
  const std::string suffix(info(number.elem).name);
  if (!number.isReal()) return std::to_string(number.whole) + suffix;
  const std::string sign = std::signbit(number.real) ? "-" : "";
  char buffer[64];
  const double magnitude = std::fabs(number.real);
  char* end = number.elem == Elem::f32
                  ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(magnitude)).ptr
                  : std::to_chars(buffer, buffer + sizeof buffer, magnitude).ptr;
  return sign + std::string(buffer, end) + suffix;
}

// Computes f32 in f64 and rounds, which gives the same sums, products and quotients.
std::optional<Number> computed(std::string_view op, const Number& a, const Number& b) {
  if (a.elem != b.elem) return std::nullopt;
  if (a.isTruth()) {
    if (op == "and") return truth(a.whole && b.whole);
    if (op == "or") return truth(a.whole || b.whole);
    return std::nullopt;
  }
  const bool isLess = a.isReal() ? a.real < b.real : a.whole < b.whole;
  const bool isEqual = a.isReal() ? a.real == b.real : a.whole == b.whole;
  if (op == "<") return truth(isLess);
  if (op == "<=") return truth(isLess || isEqual);
  if (op == ">") return truth(!isLess && !isEqual);
  if (op == ">=") return truth(!isLess);
  if (op == "==") return truth(isEqual);
  if (op == "!=") return truth(!isEqual);
  if (op == "maximum" && !isEqual) return isLess ? b : a;
  if (op == "minimum" && !isEqual) return isLess ? a : b;
  if (a.isReal()) {
    if (op == "+") return rounded(a.elem, a.real + b.real);
    if (op == "-") return rounded(a.elem, a.real - b.real);
    if (op == "*") return rounded(a.elem, a.real * b.real);
    if (op == "/") return rounded(a.elem, a.real / b.real);
    return std::nullopt;
  }
  if (op == "maximum" || op == "minimum") return a;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (std::max(std::abs(a.whole), std::abs(b.whole)) > most) return std::nullopt;
  if (op == "+") return whole(a.elem, a.whole + b.whole);
  if (op == "-") return whole(a.elem, a.whole - b.whole);
  if (op == "*") return whole(a.elem, a.whole * b.whole);
  if (a.whole < 0 || b.whole <= 0) return std::nullopt;  // truncation and floor agree only for these
  if (op == "/" || op == "floor_div") return whole(a.elem, a.whole / b.whole);
  if (op == "%") return whole(a.elem, a.whole % b.whole);
  return std::nullopt;
}

std::optional<Number> computed(std::string_view op, Number a) {
  if (op == "not" && a.isTruth()) return truth(!a.whole);
  if (op == "floor" && a.isReal()) return rounded(a.elem, std::floor(a.real));
  if ((op != "-" && op != "abs") || a.isTruth() || a.whole == std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  if (op == "-" || a.whole < 0) a.whole = -a.whole;
  a.real = op == "-" ? -a.real : std::fabs(a.real);
  return a.elem == Elem::i32 ? whole(a.elem, a.whole) : std::optional(a);
}

std::optional<Number> converted(const Number& from, Elem to) {
  if (to == Elem::f32 || to == Elem::f64) {
    if (!from.isReal() && std::abs(from.whole) > static_cast<std::int64_t>(exactInF32)) return std::nullopt;
    return rounded(to, from.isReal() ? from.real : static_cast<double>(from.whole));
  }
  if ((to != Elem::i32 && to != Elem::i64) || from.isReal()) return std::nullopt;
  return whole(to, from.whole);
}

class ScalarFolder {
 public:
  ScalarFolder(Program& program, Checked& checked, const Request& request)
      : p_(program), checked_(checked), shapes_(checked), request_(request), definitions_(program) {}

  bool run() {
    bool changed = false;
    for (std::size_t f = 0; f < p_.functions.size(); ++f)
      for (std::size_t i = 0; i < p_.bodyOf(f).statements.size(); ++i) {
        const Statement& statement = p_.bodyOf(f).statements[i];
        if (statement.names.size() != 1) continue;
        const NodeId value = statement.value;
        changed |= folded(value) || foldCastRange(value) || foldSelect(value) || foldLogical(value);
        changed |= unwrapScalars(value);
      }
    return changed;
  }

 private:
  std::optional<Number> numberAt(NodeId id) const {
    const Node& node = p_[withoutAscription(p_, definitions_.meant(p_, id))];
    return node.kind == NodeKind::literal ? parsed(node.text) : std::nullopt;
  }

  // Returns the function `as_f32` or `scalar`, which states a type.
  SymbolId helper(const std::string& name, const std::string& type) {
    for (const TopFunction& top : p_.top)
      if (p_[top.symbol].origin == name && p_[top.function].parameters.size() == 1) return top.symbol;
    const SymbolId symbol = p_.add(Symbol{SymbolKind::function, name, name, {}, {}});
    const SymbolId parameter = p_.add(Symbol{SymbolKind::value, "x", "", {}, {}});
    Function function;
    function.parameters.push_back({parameter, type});
    function.result = type;
    function.body.result = p_.name(parameter);
    p_.top.insert(p_.top.begin(), {symbol, p_.add(std::move(function)), {}, {}});
    return symbol;
  }

  bool becomes(NodeId id, Node made) {
    made.type = p_[id].type;
    p_[id] = std::move(made);
    return true;
  }

  bool becomesNumber(NodeId id, const Number& number) {
    const NodeId literal = p_.literal(textOf(number));
    p_[literal].type = p_[id].type;
    return becomes(id, p_[p_.call(helper("scalar", "t []"), {literal})]);
  }

  bool folded(NodeId id) {
    const Node node = p_[id];
    auto sizes = shapes_.sizes(node.type);
    auto elem = shapes_.elem(node.type);
    if (!sizes || !sizes->empty() || !elem) return false;
    if (node.kind == NodeKind::index) return element(id, *elem);
    if (node.kind != NodeKind::call || (node.symbol && !isCast(p_, node)) || !node.named.empty()) return false;
    std::vector<Number> numbers;
    for (NodeId part : node.parts) {
      auto number = numberAt(part);
      if (!number) return false;
      numbers.push_back(*number);
    }
    std::optional<Number> made;
    if (numbers.size() == 1 && node.symbol) made = converted(numbers[0], *elem);
    if (numbers.size() == 1 && !node.symbol) made = computed(node.text, numbers[0]);
    if (numbers.size() == 2) made = computed(node.text, numbers[0], numbers[1]);
    return made && made->elem == *elem && becomesNumber(id, *made);
  }

  // Folds an element of a constant vector.
  bool element(NodeId id, Elem elem) {
    const Node& node = p_[id];
    const Node& whole = p_[node.parts[0]];
    if (node.items.size() != 1 || whole.kind != NodeKind::symbol || info(elem).bytes == 0) return false;
    auto weight = std::find_if(p_.weights.begin(), p_.weights.end(),
                               [&](const Weight& its) { return its.symbol == whole.symbol; });
    if (weight == p_.weights.end() || !request_.weight) return false;
    auto content = request_.weight(weight->tensor);
    std::size_t at = 0;
    const std::string& place = node.items[0].start;
    auto [end, failed] = std::from_chars(place.data(), place.data() + place.size(), at);
    if (!content || failed != std::errc() || *end != 0) return false;
    const std::span<const std::byte> bytes(content->bytes);
    if ((at + 1) * info(elem).bytes > bytes.size()) return false;
    auto number = parsed(axle::emit::number(bytes.subspan(at * info(elem).bytes, info(elem).bytes), elem));
    return number && becomesNumber(id, *number);
  }

  // cast(arange(n)) is arange(n) in the other element type.
  bool foldCastRange(NodeId id) {
    const Node node = p_[id];
    auto elem = shapes_.elem(node.type);
    if (!isCast(p_, node) || !elem) return false;
    const NodeId source = definitions_.meant(p_, node.parts[0]);
    const NodeId count = definitions_.meant(p_, withoutAscription(p_, source));
    if (count == source || !p_.isCall(count, "arange") || p_[count].parts.size() != 1) return false;
    auto stop = integersOf(p_, p_[count].parts[0]);
    const bool isExact = *elem == Elem::i32 || *elem == Elem::i64 || *elem == Elem::f64 || *elem == Elem::f32;
    if (!stop || stop->front() < 0 || static_cast<double>(stop->front()) > exactInF32 || !isExact) return false;
    const std::string name(info(*elem).name);
    const NodeId made = copied(p_, count);
    p_[made].type = node.type;
    return becomes(id, p_[p_.call(helper("as_" + name, name + " s"), {made})]);
  }

  // select with a constant condition is one of its operands; select(c, true, false) is c.
  bool foldSelect(NodeId id) {
    if (!p_.isCall(id, "select")) return false;
    auto condition = numberAt(p_[id].parts[0]);
    if (!condition && isTruthAt(p_[id].parts[1], true) && isTruthAt(p_[id].parts[2], false))
      return shapes_.areSame(p_[id].type, p_[p_[id].parts[0]].type) && becomes(id, p_[copied(p_, p_[id].parts[0])]);
    if (!condition || !condition->isTruth()) return false;
    const NodeId side = p_[id].parts[condition->whole ? 1 : 2];
    return shapes_.areSame(p_[id].type, p_[side].type) && becomes(id, p_[copied(p_, side)]);
  }

  // Whether the node is a bool literal, or a tensor filled with it.
  bool isTruthAt(NodeId id, bool is) const {
    const NodeId meant = definitions_.meant(p_, id);
    auto number = numberAt(p_.isCall(meant, "full") && p_[meant].parts.size() == 2 ? p_[meant].parts[1] : meant);
    return number && number->isTruth() && (number->whole != 0) == is;
  }

  bool becomesFull(NodeId id, std::string_view text) {
    auto sizes = shapes_.sizes(p_[id].type);
    auto list = sizes ? shapes_.list(p_, *sizes) : std::nullopt;
    return list && becomes(id, p_[p_.call("full", {*list, p_.literal(std::string(text))})]);
  }

  // x and true is x; x or true is all true.
  bool foldLogical(NodeId id) {
    const bool isAnd = p_.isCall(id, "and");
    if ((!isAnd && !p_.isCall(id, "or")) || p_[id].parts.size() != 2) return false;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const NodeId part = p_[id].parts[i], other = p_[id].parts[1 - i];
      if (isTruthAt(part, isAnd) && shapes_.areSame(p_[id].type, p_[other].type))
        return becomes(id, p_[copied(p_, other)]);
      if (isTruthAt(part, !isAnd)) return becomesFull(id, isAnd ? "false" : "true");
    }
    return false;
  }

  // `scalar(2f32)` becomes `2f32` if the operator accepts a number.
  bool unwrapScalars(NodeId id) {
    const Node node = p_[id];
    if (node.kind != NodeKind::call || node.symbol) return false;
    auto op = checked_.operators.find(node.text, node.parts.size());
    if (!op || checked_.operators[*op].decl->parameters.size() != node.parts.size()) return false;
    bool changed = false;
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
      const NodeId meant = definitions_.meant(p_, node.parts[i]), literal = withoutAscription(p_, meant);
      const bool isNumber = p_[literal].kind == NodeKind::literal && parsed(p_[literal].text);
      if (literal == node.parts[i] || !isNumber || !takesNumber(checked_.operators[*op], i)) continue;
      const NodeId made = copied(p_, literal);
      p_[made].type = p_[meant].type;
      p_[id].parts[i] = made;
      changed = true;
    }
    return changed;
  }

  Program& p_;
  Checked& checked_;
  Shapes shapes_;
  const Request& request_;
  Definitions definitions_;
};

}  // namespace

bool foldScalars(Program& program, Checked& checked, const Request& request) {
  return ScalarFolder(program, checked, request).run();
}

}  // namespace axle::emit
