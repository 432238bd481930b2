#include "import/emit/translate.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "import/emit/number_literals.h"
#include "import/emit/operator_syntax.h"
#include "import/emit/spelling.h"
#include "typecheck/checked.h"

namespace axle::emit {

namespace {

class Translator {
 public:
  // Run-time sizes in `wanted` get a name at the first value that has them.
  Translator(Checked& checked, const Entry& entry, const Request& request, const std::set<std::uint32_t>& wanted)
      : c_(checked), entry_(entry), request_(request), typed_(checked.program), wanted_(wanted) {}

  // Returns the unnamed size that made the translation fail.
  std::optional<std::uint32_t> nameless() const { return nameless_; }

  tl::expected<Program, Refusal> run() {
    nameSizes();
    out_.doc = request_.doc;
    const auto* lambda = std::get_if<TypedLambda>(&typed_[entry_.function].node);
    if (!lambda) return tl::unexpected(Refusal{"the entry is no function", std::nullopt, {}});
    SymbolId main = out_.add(Symbol{SymbolKind::function, "main", "main", {}, {}});
    Function function;
    for (BindingId parameter : lambda->parameters) nameParts(typed_[parameter].type);
    for (std::size_t i = 0; i < lambda->parameters.size(); ++i) {
      SymbolId symbol = symbolOf(lambda->parameters[i], SymbolKind::input);
      function.parameters.push_back({symbol, typeText(typed_[lambda->parameters[i]].type)});
    }
    function.body = blockOf(lambda->body);
    function.result = typeText(typed_[lambda->body].type);
    FunctionId id = out_.add(std::move(function));
    if (refused_) return tl::unexpected(*refused_);
    out_.top.push_back({main, id, {}, {}});
    // Sorts by the order of the graph.
    std::sort(out_.weights.begin(), out_.weights.end(),
              [](const Weight& a, const Weight& b) { return a.tensor < b.tensor; });
    out_.sizeNames = sizes_;
    return std::move(out_);
  }

 private:
  void refuse(std::string why, Span place) {
    if (!refused_) refused_ = Refusal{std::move(why), place, {}};
  }

  // ---- types and sizes

  void nameSizes() {
    for (DimVar symbol : entry_.symbols) nameSize(symbol);
  }

  // Names the sizes of a parameter. An entry of any rank has no list of symbols.
  void nameParts(TypeId parameter) {
    const TypeTerm type = c_.solution.types[c_.solution.resolve(parameter)];
    for (const ShapePart& part : type.shape) {
      if (part.isVar) {
        if (!shapes_.count(part.var.index)) shapes_[part.var.index] = freshSize("s");
        continue;
      }
      for (DimVar size : c_.solution.dims.variables(c_.solution.resolve(part.dim)))
        if (!sizes_.count(size.index)) nameSize(size);
    }
  }

  void nameSize(DimVar size) {
    const std::string name = identifier(c_.solution.dims.name(size));
    sizes_[size.index] = freshSize(name.empty() ? "n" : name);
  }

  std::string freshSize(const std::string& name) {
    std::string chosen = name;
    for (int i = 2; isReserved(chosen) || !sizeTexts_.insert(chosen).second; ++i) chosen = fmt::format("{}{}", name, i);
    out_.sizes.push_back(chosen);
    return chosen;
  }

  // Whether a value introduces wanted sizes. Names them.
  bool namesSizes(TypeId id) {
    const TypeTerm type = c_.solution.types[c_.solution.resolve(id)];
    if (type.kind != TypeKind::tensor) return false;
    std::vector<DimVar> open;
    bool isWanted = false;
    for (const ShapePart& part : type.shape) {
      auto variable = part.isVar ? std::nullopt : c_.solution.dims.asVariable(c_.solution.resolve(part.dim));
      if (!variable || sizes_.count(variable->index)) continue;
      open.push_back(*variable);
      isWanted |= wanted_.count(variable->index) != 0;
    }
    if (isWanted)
      for (DimVar variable : open) nameSize(variable);
    return isWanted;
  }

  // Returns none if the size contains one without a name.
  std::optional<std::string> sizeText(Dim d) {
    const Dim is = c_.solution.resolve(d);
    for (DimVar v : c_.solution.dims.variables(is))
      if (!sizes_.count(v.index)) {
        nameless_ = v.index;
        return std::nullopt;
      }
    return c_.solution.dims.print(is, [&](DimVar v) { return sizes_.at(v.index); });
  }

  // Returns an empty text if the type contains a size or shape without a name.
  std::string typeText(TypeId id) {
    const TypeTerm type = c_.solution.types[c_.solution.resolve(id)];
    if (type.kind == TypeKind::tuple) {
      std::string out;
      for (TypeId part : type.parts) {
        std::string text = typeText(part);
        if (text.empty()) return {};
        out += (out.empty() ? "" : ", ") + text;
      }
      return "(" + out + ")";
    }
    if (type.kind != TypeKind::tensor || type.elem.isVar) return {};
    std::string out(info(type.elem.elem).name);
    std::string shape;
    bool isWithin = false;  // within brackets
    for (const ShapePart& part : type.shape) {
      auto name = part.isVar ? shapes_.find(part.var.index) : shapes_.end();
      if (part.isVar && name == shapes_.end()) return {};
      auto size = part.isVar ? std::optional(name->second) : sizeText(part.dim);
      if (!size) return {};
      if (part.isVar && isWithin) shape += "]";
      if (isWithin && !part.isVar) shape += ", ";
      if (!shape.empty() && !(isWithin && !part.isVar)) shape += " @ ";
      if (!part.isVar && !isWithin) shape += "[";
      isWithin = !part.isVar;
      shape += *size;
    }
    if (isWithin) shape += "]";
    return shape.empty() ? out : out + " " + shape;
  }

  Elem elemOf(TypeId id, Span place) {
    const TypeTerm& type = c_.solution.types[c_.solution.resolve(id)];
    if (type.kind == TypeKind::tensor && !c_.solution.resolve(type.elem).isVar)
      return c_.solution.resolve(type.elem).elem;
    refuse("an element type is open", place);
    return Elem::f32;
  }

  // ---- names

  SymbolId symbolOf(BindingId binding, SymbolKind kind) {
    auto known = symbols_.find(binding.index);
    return known == symbols_.end() ? define(binding, kind) : known->second;
  }

  // Adds a symbol for a binding. Several functions may bind the same name.
  SymbolId define(BindingId binding, SymbolKind kind) {
    Symbol symbol;
    symbol.kind = kind;
    symbol.origin = typed_[binding].name;
    symbol.type = c_.solution.resolve(typed_[binding].type);
    // The type is only a comment, so a size without a name in it is not an error.
    const std::optional<std::uint32_t> nameless = nameless_;
    symbol.typeText = typeText(*symbol.type);
    nameless_ = nameless;
    return symbols_[binding.index] = out_.add(std::move(symbol));
  }

  // Returns the function `scalar`, `as_f32` or `to_f32`, which is added at its first use.
  SymbolId helper(const std::string& name, const std::string& taken, const std::string& given, const std::string& op) {
    auto [known, isNew] = helpers_.try_emplace(name, SymbolId());
    if (!isNew) return known->second;
    known->second = out_.add(Symbol{SymbolKind::function, name, name, {}, {}});
    SymbolId parameter = out_.add(Symbol{SymbolKind::value, "x", "", {}, {}});
    Function function;
    function.parameters.push_back({parameter, taken});
    function.result = given;
    function.body.result = out_.name(parameter);
    if (!op.empty()) function.body.result = out_.call(op, {function.body.result});
    out_.top.push_back({known->second, out_.add(std::move(function)), {}, {}});
    return known->second;
  }

  NodeId scalar(NodeId number) { return out_.call(helper("scalar", "t []", "t []", ""), {number}); }

  // ---- expressions

  // Translates an expression. With `asNumber`, it may be a number literal.
  NodeId expression(TypedId id, bool asNumber = false) {
    const TypedExpr expr = typed_[id];
    NodeId made;
    if (const auto* ref = std::get_if<TypedRef>(&expr.node))
      made = reference(*ref, expr, asNumber);
    else if (const auto* literal = std::get_if<TypedLiteral>(&expr.node))
      made = literalOf(*literal, expr, asNumber);
    else if (const auto* dim = std::get_if<TypedDim>(&expr.node))
      made = size(dim->dim, expr.span);
    else if (const auto* apply = std::get_if<TypedApply>(&expr.node))
      made = application(*apply, expr);
    else if (const auto* tuple = std::get_if<TypedTuple>(&expr.node))
      made = several(NodeKind::tuple, tuple->parts);
    else if (const auto* branch = std::get_if<TypedIf>(&expr.node))
      made = conditional(*branch);
    else if (const auto* lambda = std::get_if<TypedLambda>(&expr.node))
      made = function(*lambda);
    else if (std::holds_alternative<TypedBlock>(expr.node))
      refuse("a block stands inside of an expression", expr.span);
    else
      refuse("an expression of a kind that graphs do not have", expr.span);
    if (!made) return out_.literal("0");
    if (!out_[made].type) out_[made].type = c_.solution.resolve(expr.type);
    return made;
  }

  NodeId conditional(const TypedIf& branch) {
    Node node;
    node.kind = NodeKind::conditional;
    node.parts.push_back(expression(branch.condition));
    for (TypedId side : {branch.thenValue, branch.elseValue}) {
      const bool isBlock = std::holds_alternative<TypedBlock>(typed_[side].node);
      node.parts.push_back(isBlock ? function({{}, side}) : expression(side));
    }
    return out_.add(std::move(node));
  }

  NodeId several(NodeKind kind, const std::vector<TypedId>& parts) {
    Node node;
    node.kind = kind;
    for (TypedId part : parts) node.parts.push_back(expression(part));
    return out_.add(std::move(node));
  }

  NodeId reference(const TypedRef& ref, const TypedExpr& expr, bool asNumber) {
    const TypedBinding& binding = typed_[ref.binding];
    if (binding.kind == BindingKind::weight) return weight(ref.binding, expr, asNumber);
    return out_.name(symbolOf(ref.binding, SymbolKind::value));
  }

  NodeId weight(BindingId id, const TypedExpr& expr, bool asNumber) {
    const TypedBinding& binding = typed_[id];
    const TypeTerm type = c_.solution.types[c_.solution.resolve(binding.type)];
    if (type.kind == TypeKind::tensor && type.shape.empty()) {
      auto bytes = request_.weight(binding.weight);
      if (!bytes) return refuse(bytes.error().what, expr.span), NodeId();
      return numberNode(number(bytes->bytes, type.elem.elem), binding.type, expr.span, asNumber);
    }
    const bool isNew = !symbols_.count(id.index);
    SymbolId symbol = symbolOf(id, SymbolKind::weight);
    std::string text = typeText(binding.type);
    if (text.empty()) refuse("the type of a constant is open", expr.span);
    if (isNew) out_.weights.push_back({symbol, text, binding.weight});
    return out_.name(symbol);
  }

  NodeId literalOf(const TypedLiteral& literal, const TypedExpr& expr, bool asNumber) {
    const TypeTerm& type = c_.solution.types[c_.solution.resolve(expr.type)];
    if (!type.shape.empty()) refuse("a number stands for a tensor", expr.span);
    return numberNode(number(literal.value, elemOf(expr.type, expr.span)), expr.type, expr.span, asNumber);
  }

  NodeId numberNode(std::string text, TypeId type, Span place, bool asNumber) {
    const bool hasElem = !text.ends_with("inf") && text != "nan";
    NodeId made = out_.literal(std::move(text));
    out_[made].type = c_.solution.resolve(type);
    if (!hasElem) made = ascribed(made, type, place);
    return asNumber ? made : scalar(made);
  }

  NodeId ascribed(NodeId value, TypeId type, Span place) {
    const std::string elem(info(elemOf(type, place)).name);
    if (out_.isCall(value, "cast")) {
      NodeId cast = out_.call(helper("to_" + elem, "t s", elem + " s", "cast"), out_[value].parts);
      out_[cast].type = c_.solution.resolve(type);
      return cast;
    }
    NodeId made = out_.call(helper("as_" + elem, elem + " s", elem + " s", ""), {value});
    out_[made].type = c_.solution.resolve(type);
    return made;
  }

  NodeId size(Dim d, Span place) {
    auto text = sizeText(d);
    if (!text) return refuse("a size has no name", place), NodeId();
    Node node;
    node.kind = NodeKind::size;
    node.text = *text;
    node.dim = c_.solution.resolve(d);
    if (auto number = c_.solution.dims.asConstant(c_.solution.resolve(d))) {
      node.kind = NodeKind::literal;
      node.text = fmt::format("{}i64", *number);
      return scalar(out_.add(std::move(node)));
    }
    return out_.add(std::move(node));
  }

  // ---- applications

  NodeId application(const TypedApply& apply, const TypedExpr& expr) {
    const OperatorTable::Entry& op = c_.operators[apply.op];
    const ast::OpDecl& decl = *op.decl;
    std::vector<NodeId> parts;
    std::vector<Named> named;
    std::set<std::size_t> byPosition;
    std::size_t next = 0, plain = 0;
    for (const ast::OpParameter& p : decl.parameters) plain += static_cast<bool>(p.type);
    for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
      const ast::OpParameter& p = decl.parameters[i];
      if (!p.type) {
        auto attribute = c_.operators.attribute(apply.op, p.name);
        if (!attribute) continue;
        byPosition.insert(*attribute);
        parts.push_back(staticOf(apply.attributes[*attribute], expr.span));
        continue;
      }
      const std::size_t more = apply.arguments.size() - next, rest = --plain;
      const bool isPack = !p.count.empty() || op.text.find("..") != op.text.npos;
      const std::size_t count = isPack && more > rest ? more - rest : 1;
      for (std::size_t k = 0; k < count && next < apply.arguments.size(); ++k)
        parts.push_back(expression(apply.arguments[next++], takesNumber(op, i)));
    }
    for (std::size_t i = 0; i < decl.attributes.size() && i < apply.attributes.size(); ++i)
      if (!byPosition.count(i) && !isDefault(op, apply, i))
        named.push_back({decl.attributes[i].name.text, staticOf(apply.attributes[i], expr.span)});
    NodeId made = out_.call(op.name, std::move(parts), std::move(named));
    out_[made].type = c_.solution.resolve(expr.type);
    return elementIsFromUse(op) ? ascribed(made, expr.type, expr.span) : made;
  }

  // Returns a static argument as text, for comparison.
  std::string staticText(StaticId id) {
    const StaticTerm term = c_.solution.types[c_.solution.resolve(id)];
    if (term.kind == StaticKind::boolean) return term.boolean ? "true" : "false";
    if (term.kind == StaticKind::text) return quoted(term.text);
    if (term.kind == StaticKind::hole) return "_";
    if (term.kind == StaticKind::reversed) return "reversed";
    if (term.kind == StaticKind::all) return "all";
    if (term.kind == StaticKind::real) return decimal(term.real);
    if (term.kind == StaticKind::dim) return sizeText(term.dim).value_or("?");
    std::string out = "[";
    for (std::size_t i = 0; i < term.items.size(); ++i) out += (i ? ", " : "") + staticText(term.items[i]);
    return out + "]";
  }

  bool isDefault(const OperatorTable::Entry& op, const TypedApply& apply, std::size_t attribute) {
    const std::string is = staticText(apply.attributes[attribute]), otherwise = defaultOf(op, attribute);
    for (std::size_t i = 0; i < op.decl->attributes.size(); ++i)  // a default that is another attribute
      if (op.decl->attributes[i].name.text == otherwise) return staticText(apply.attributes[i]) == is;
    // A name of a size is not a default: sizes of the declaration may have the same name.
    const StaticTerm term = c_.solution.types[c_.solution.resolve(apply.attributes[attribute])];
    const bool isOpen = term.kind == StaticKind::dim && !c_.solution.dims.asConstant(c_.solution.resolve(term.dim));
    return !isOpen && is == otherwise;
  }

  NodeId staticOf(StaticId id, Span place) {
    const StaticTerm term = c_.solution.types[c_.solution.resolve(id)];
    Node node;
    if (term.kind == StaticKind::list) {
      node.kind = NodeKind::list;
      for (StaticId item : term.items) node.parts.push_back(staticOf(item, place));
    } else if (term.kind == StaticKind::dim) {
      auto text = sizeText(term.dim);
      if (!text) refuse("a static argument is a size that has no name", place);
      node.kind = NodeKind::size;
      node.text = text.value_or("0");
      node.dim = c_.solution.resolve(term.dim);
    } else if (term.kind != StaticKind::hole) {
      if (term.kind == StaticKind::var) refuse("a static argument is open", place);
      node.kind = NodeKind::literal;
      node.text = staticText(id);
    }
    return out_.add(std::move(node));
  }

  // ---- functions and statements

  NodeId function(const TypedLambda& lambda) {
    std::map<std::uint32_t, SymbolId> outside = symbols_;
    Function function;
    for (BindingId parameter : lambda.parameters)
      function.parameters.push_back({define(parameter, SymbolKind::value), {}});
    function.body = blockOf(lambda.body);
    std::map<std::uint32_t, SymbolId> inside = std::exchange(symbols_, std::move(outside));
    for (const auto& [binding, symbol] : inside)
      if (out_[symbol].kind == SymbolKind::weight) symbols_.emplace(binding, symbol);
    Node node;
    node.kind = NodeKind::function;
    node.function = out_.add(std::move(function));
    return out_.add(std::move(node));
  }

  Block blockOf(TypedId id) {
    const TypedExpr expr = typed_[id];
    const auto* typed = std::get_if<TypedBlock>(&expr.node);
    if (typed) return blockOf(typed->lets, 0, typed->result);
    return blockOf({}, 0, id);
  }

  // Translates the `let`s from `from` on. After a value that introduces sizes, the rest is the body of a `match` that
  // names them.
  Block blockOf(const std::vector<std::uint32_t>& lets, std::size_t from, TypedId result) {
    Block block;
    for (std::size_t i = from; i < lets.size(); ++i) {
      statement(typed_.lets[lets[i]], block);
      for (SymbolId name : std::vector<SymbolId>(block.statements.back().names)) {
        if (!name || !out_[name].type || !namesSizes(*out_[name].type)) continue;
        Node match;
        match.kind = NodeKind::match;
        match.parts = {out_.name(name)};
        match.text = typeText(*out_[name].type);
        Function inside;
        inside.body = blockOf(lets, i + 1, result);
        match.function = out_.add(std::move(inside));
        block.result = out_.add(std::move(match));
        return block;
      }
    }
    block.result = expression(result);
    return block;
  }

  void statement(const TypedLet& let, Block& block) {
    Statement statement;
    statement.value = expression(let.value);
    if (let.pattern.isTuple) {
      for (const TypedPattern& part : let.pattern.parts) {
        if (part.isTuple) refuse("a pattern of patterns", let.span);
        statement.names.push_back(part.binding ? define(part.binding, SymbolKind::value) : SymbolId());
      }
    } else {
      statement.names.push_back(let.pattern.binding ? define(let.pattern.binding, SymbolKind::value) : SymbolId());
    }
    block.statements.push_back(std::move(statement));
  }

  Checked& c_;
  const Entry& entry_;
  const Request& request_;
  const TypedProgram& typed_;
  Program out_;
  std::map<std::uint32_t, SymbolId> symbols_;  // by binding
  std::map<std::string, SymbolId> helpers_;
  std::map<std::uint32_t, std::string> sizes_;   // by variable
  std::map<std::uint32_t, std::string> shapes_;  // by variable
  std::set<std::string> sizeTexts_;
  const std::set<std::uint32_t>& wanted_;
  std::optional<std::uint32_t> nameless_;
  std::optional<Refusal> refused_;
};

}  // namespace

tl::expected<Program, Refusal> translate(Checked& checked, const Entry& entry, const Request& request) {
  for (std::set<std::uint32_t> wanted;;) {
    Translator translator(checked, entry, request, wanted);
    auto program = translator.run();
    const bool again = !program && translator.nameless() && wanted.insert(*translator.nameless()).second;
    if (!again) return program;
  }
}

}  // namespace axle::emit
