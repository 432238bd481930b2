#include "import/emit/print.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/format.h"
#include "import/emit/number_literals.h"
#include "import/emit/operator_syntax.h"

namespace axle::emit {

namespace {

// The precedence levels of operators in the grammar, from the loosest.
enum Level : int { any, disjunction, conjunction, negation, comparison, sum, product, prefix, postfix };

struct Infix {
  std::string_view op;
  Level level;
};
constexpr Infix infixes[] = {{"or", disjunction}, {"and", conjunction}, {"==", comparison}, {"!=", comparison},
                             {"<", comparison},   {"<=", comparison},   {">", comparison},  {">=", comparison},
                             {"+", sum},          {"-", sum},           {"*", product},     {"/", product},
                             {"%", product}};

const Infix* infixOf(const Node& node) {
  if (node.kind != NodeKind::call || node.parts.size() != 2) return nullptr;
  for (const Infix& infix : infixes)
    if (infix.op == node.text) return &infix;
  return nullptr;
}

class Printer {
 public:
  explicit Printer(const Program& program) : p_(program) {}

  std::string run() {
    std::string out;
    for (const std::string& line : p_.doc) out += line.empty() ? "//\n" : "// " + line + "\n";
    for (const std::string& module : p_.imports) out += "import " + module + ";\n";
    if (!p_.imports.empty() || !p_.doc.empty()) out += "\n";
    for (const Weight& weight : p_.weights) out += fmt::format("param {} : {};\n", p_[weight.symbol].text, weight.type);
    for (const TopFunction& top : p_.top) {
      out += "\n";
      for (const std::string& line : top.doc) out += line.empty() ? "///\n" : "/// " + line + "\n";
      for (const std::string& annotation : top.annotations) out += "@" + annotation + "\n";
      out += p_[top.symbol].text + " = " + function(p_[top.function]) + ";\n";
    }
    return out;
  }

 private:
  std::string function(const Function& f) {
    std::string out = "fn (";
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
      const Parameter& parameter = f.parameters[i];
      out += (i ? ", " : "") + p_[parameter.symbol].text;
      if (!parameter.type.empty()) out += " : " + parameter.type;
    }
    for (std::size_t i = 0; i < f.statics.size(); ++i)
      out += (i ? ", " : "; ") + f.statics[i].name + " = " + text(f.statics[i].value);
    out += ")";
    if (!f.result.empty()) out += " : " + f.result;
    if (!f.where.empty()) out += fmt::format(" where {}", fmt::join(f.where, ", "));
    return out + " " + block(f.body);
  }

  std::string block(const Block& b) {
    indent_ += 2;
    const std::string before = "\n" + std::string(indent_, ' ');
    std::string out = "{";
    for (const Statement& statement : b.statements) {
      std::string line = before;
      for (std::size_t i = 0; i < statement.names.size(); ++i) line += (i ? ", " : "") + pattern(statement, i);
      line += " = " + text(statement.value) + ";";
      if (statement.names.size() == 1 && statement.names[0] && !p_[statement.names[0]].typeText.empty()) {
        const std::string comment = "  // " + p_[statement.names[0]].typeText;
        // A longer line will be broken, so that the comment stands behind its last part.
        if (line.size() + comment.size() <= formatWidth || line.size() > formatWidth) line += comment;
      }
      out += line;
    }
    out += before + (p_[b.result].kind == NodeKind::tuple ? list(p_[b.result].parts) : text(b.result));
    indent_ -= 2;
    return out + "\n" + std::string(indent_, ' ') + "}";
  }

  std::string pattern(const Statement& statement, std::size_t i) const {
    auto text = [&](SymbolId name) { return name ? p_[name].text : "_"; };
    if (i >= statement.inner.size() || statement.inner[i].empty()) return text(statement.names[i]);
    std::string out;
    for (SymbolId name : statement.inner[i]) out += (out.empty() ? "" : ", ") + text(name);
    return "(" + out + ")";
  }

  std::string list(const std::vector<NodeId>& parts) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + text(parts[i]);
    return out;
  }

  static std::string item(const IndexItem& i) {
    if (i.kind == IndexItem::Kind::ellipsis) return "...";
    if (i.kind == IndexItem::Kind::at) return i.start;
    return i.start + ":" + i.stop + (i.step.empty() ? "" : ":" + i.step);
  }

  std::string side(NodeId id) {
    const Node& node = p_[id];
    return node.kind == NodeKind::function ? block(p_[node.function].body) : "{ " + text(id) + " }";
  }

  std::string call(const Node& node) {
    std::string out = (node.symbol ? p_[node.symbol].text : node.text) + "(" + list(node.parts);
    for (std::size_t i = 0; i < node.named.size(); ++i)
      out += (i || !node.parts.empty() ? ", " : "") + node.named[i].name + "=" + text(node.named[i].value);
    return out + ")";
  }

  // Returns the text of a node, in parentheses if it binds less tightly than `outer`.
  std::string text(NodeId id, Level outer = any) {
    auto [out, level] = bare(p_[id]);
    return level < outer ? "(" + out + ")" : out;
  }

  std::pair<std::string, Level> bare(const Node& node) {
    switch (node.kind) {
      case NodeKind::symbol:
        return {p_[node.symbol].text, postfix};
      case NodeKind::literal:
        return {node.text, node.text.starts_with('-') ? prefix : postfix};
      case NodeKind::size:
        return {node.text, node.text.find_first_of("+-*/% ") == node.text.npos ? postfix : sum};
      case NodeKind::hole:
        return {"_", postfix};
      case NodeKind::list:
        return {"[" + list(node.parts) + "]", postfix};
      case NodeKind::tuple:
        return {"(" + list(node.parts) + ")", postfix};
      case NodeKind::function:
        return {function(p_[node.function]), prefix};
      case NodeKind::conditional:
        return {"if " + text(node.parts[0]) + " " + side(node.parts[1]) + " else " + side(node.parts[2]), any};
      case NodeKind::match:
        return {fmt::format("match {} : {} {}", text(node.parts[0]), node.text, block(p_[node.function].body)), any};
      case NodeKind::index: {
        std::string items;
        for (const IndexItem& i : node.items) items += (items.empty() ? "" : ", ") + item(i);
        return {text(node.parts[0], postfix) + "[" + items + "]", postfix};
      }
      case NodeKind::call:
        break;
    }
    if (const Infix* infix = infixOf(node)) {
      const bool chains = infix->level != comparison;
      const auto left = static_cast<Level>(infix->level + (chains ? 0 : 1)),
                 right = static_cast<Level>(infix->level + 1);
      return {fmt::format("{} {} {}", text(node.parts[0], left), node.text, text(node.parts[1], right)), infix->level};
    }
    if (node.parts.size() == 1 && node.text == "-") return {"-" + text(node.parts[0], postfix), prefix};
    if (node.parts.size() == 1 && node.text == "not") return {"not " + text(node.parts[0], comparison), negation};
    return {call(node), postfix};
  }

  const Program& p_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).run(); }

}  // namespace axle::emit
