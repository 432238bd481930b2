// What may be written at a place: names, and what a call takes.
#include <algorithm>
#include <set>

#include "frontend/keywords.h"
#include "tools/lsp/server.h"

namespace axle::lsp {

namespace {

// Of the protocol.
constexpr int functionItem = 3, fieldItem = 5, variableItem = 6, moduleItem = 9, valueItem = 12, keywordItem = 14,
              constantItem = 21;

constexpr std::string_view ofCore = "op";  // a keyword that only stdlib/core.ax may say

enum class Within : std::uint8_t { code, string, comment };

// Neither of them goes on behind its line.
Within placeBehind(std::string_view before) {
  Within within = Within::code;
  for (std::size_t i = before.rfind('\n') + 1; i < before.size(); ++i) {
    if (before[i] == '"') within = within == Within::string ? Within::code : Within::string;
    if (within == Within::code && before.substr(i).starts_with("//")) return Within::comment;
  }
  return within;
}

// Whether the nearest bracket that is open is one of an index.
bool inIndex(std::string_view before) {
  int depth = 0;
  for (std::size_t i = before.size(); i-- > 0;) {
    const char c = before[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ';' && depth == 0) return false;
    if ((c == '(' || c == '[' || c == '{') && depth-- == 0) return c == '[';
  }
  return false;
}

enum class TypePart : std::uint8_t { none, type, size };

// What of a type the next word is: nothing but parts of one stands between it and a `:`.
TypePart typePartBehind(std::string_view before) {
  constexpr std::string_view inTypes = " \t\r\n*~?+-/%>@#";
  int depth = 0;
  bool isNext = false, isSize = false;  // behind a comma; within a shape
  for (std::size_t i = before.size(); i-- > 0;) {
    const char c = before[i];
    if (isNamePart(c) || inTypes.find(c) != std::string_view::npos) continue;
    if (c == ',') {
      isNext |= depth == 0;
    } else if (c == ']' || c == ')') {
      ++depth;
    } else if (c == '[' || c == '(') {
      if (depth-- > 0) continue;
      depth = 0;
      isNext = false;
      isSize |= c == '[';
    } else if (c == ':' && depth == 0 && !isNext && !inIndex(before.substr(0, i))) {
      return isSize ? TypePart::size : TypePart::type;
    } else {
      return TypePart::none;
    }
  }
  return TypePart::none;
}

// The call that an offset is within the brackets of: its callee, which argument, and the name before `=` if any.
struct OpenCall {
  std::string callee;
  std::size_t argument = 0;
  std::string named;
};

// Reads backwards as far as the statement goes: the text is broken most of the time that one asks.
std::optional<OpenCall> callAround(std::string_view before) {
  OpenCall call;
  int depth = 0;
  std::string_view argument;  // that the offset is in, so far
  bool isFirst = true;
  std::size_t end = before.size();
  for (std::size_t i = before.size(); i-- > 0;) {
    char c = before[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ';' && depth == 0) return std::nullopt;
    if (c == ',' && depth == 0) {
      if (isFirst) argument = before.substr(i + 1, end - i - 1);
      isFirst = false;
      ++call.argument;
    }
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth-- > 0) continue;
    if (c == '{') return std::nullopt;
    if (c == '[') {  // within a list that is an argument
      depth = 0;
      call.argument = 0;
      isFirst = true;
      end = i;
      continue;
    }
    if (isFirst) argument = before.substr(i + 1, end - i - 1);
    std::size_t from = i;
    while (from > 0 && isNamePart(before[from - 1])) --from;
    call.callee = before.substr(from, i - from);
    if (call.callee.empty() || call.callee == "fn") return std::nullopt;
    if (auto assign = argument.find('='); assign != std::string_view::npos) {
      std::string_view name = argument.substr(0, assign);
      while (!name.empty() && (name.front() == ' ' || name.front() == '\n')) name.remove_prefix(1);
      while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
      call.named = name;
    }
    return call;
  }
  return std::nullopt;
}

struct Taken {
  std::string label;  // "stride = [1, 1]"
  std::string name;   // of a static one
  std::vector<std::string> words;
};

// What an operator or a function takes.
struct Signature {
  std::string label;
  std::string doc;
  std::vector<Taken> parameters;
};

Signature signatureOf(const OperatorTable::Entry& entry) {
  Signature out{std::string(entry.text), std::string(entry.doc), {}};
  const std::uint32_t base = entry.decl->span.begin;  // of its text
  auto within = [&](Span span) {
    return std::string(
        entry.text.substr(std::min<std::size_t>(span.begin - base, entry.text.size()), span.end - span.begin));
  };
  for (const ast::OpParameter& parameter : entry.decl->parameters)
    if (parameter.type) out.parameters.push_back({within(parameter.span), "", {}});
  for (const ast::OpAttribute& attribute : entry.decl->attributes) {
    out.parameters.push_back({within(attribute.span), attribute.name.text, wordsOf(attribute)});
  }
  return out;
}

// The function that a name is defined as.
const ast::ExprFn* functionOf(const Meaning& meaning) {
  const ast::Module& module = *meaning.source;
  for (const ast::Binding& binding : module.bindings)
    if (module[binding.pattern].span == meaning.definition)
      return std::get_if<ast::ExprFn>(&module[binding.value].node);
  return nullptr;
}

std::optional<Signature> signatureOf(Document& document, const Meaning& meaning) {
  Checked& checked = document.checked();
  if (meaning.kind == Meaning::op) {
    auto op = checked.operators.find(meaning.declaration->name);
    return op ? std::optional(signatureOf(checked.operators[*op])) : std::nullopt;
  }
  if ((meaning.kind != Meaning::own && meaning.kind != Meaning::member) || !meaning.binding) return std::nullopt;
  TypeId binding = checked.program[*meaning.binding].type;
  TypeTerm type = checked.solution.types[checked.solution.resolve(binding)];
  if (type.kind != TypeKind::function) return std::nullopt;
  std::vector<TypeId> parts = type.parts;
  parts.push_back(type.result);
  auto scheme = checked.schemes.find(meaning.binding->index);
  const std::vector<std::string> printed =
      printWithin(checked, binding, scheme == checked.schemes.end() ? nullptr : &scheme->second, parts);
  const ast::ExprFn* fn = functionOf(meaning);
  Signature out{meaning.name + "(", definitionIn(*meaning.source, meaning.name).value_or(Definition{}).doc, {}};
  for (std::size_t i = 0; i + 1 < printed.size(); ++i) {
    bool isNamed = fn && i < fn->parameters.size();
    Taken taken{(isNamed ? fn->parameters[i].name.text + " : " : "") + printed[i], "", {}};
    out.label += (i ? ", " : "") + taken.label;
    out.parameters.push_back(std::move(taken));
  }
  for (std::size_t i = 0; fn && i < fn->statics.size(); ++i) {
    const ast::StaticParameter& given = fn->statics[i];
    Taken taken{std::string(document.sources().text(given.span)), given.name.text, {}};
    if (given.name.text == "padding") taken.words.assign(std::begin(ast::paddingWords), std::end(ast::paddingWords));
    out.label += (i ? ", " : "; ") + taken.label;
    out.parameters.push_back(std::move(taken));
  }
  out.label += ") : " + printed.back();
  return out;
}

}  // namespace

Json Server::signatureHelp(const Json& params) {
  Document& document = this->document(params);
  std::uint32_t offset = offsetOf(document, heldBy(params, "position"));
  auto call = callAround(std::string_view(document.text.bytes()).substr(0, offset));
  if (!call) return nullptr;
  auto signature = signatureOf(document, document.meaningOf(call->callee, document.at(offset).piece));
  if (!signature) return nullptr;
  Json parameters = Json::array();
  std::size_t active = call->argument;
  for (std::size_t i = 0; i < signature->parameters.size(); ++i) {
    parameters.push_back({{"label", signature->parameters[i].label}});
    if (!call->named.empty() && signature->parameters[i].name == call->named) active = i;
  }
  return {{"signatures",
           {{{"label", signature->label},
             {"documentation", {{"kind", "markdown"}, {"value", signature->doc}}},
             {"parameters", parameters}}}},
          {"activeSignature", 0},
          {"activeParameter", active}};
}

namespace {

// What is offered for the word at a place, each name once: the nearest meaning.
class Offers {
 public:
  Offers(Document& document, std::uint32_t offset) : document_(document), at_(document.at(offset)), offset_(offset) {
    const std::string& text = document.text.bytes();
    within_ = placeBehind(std::string_view(text).substr(0, offset));
    wordBegin_ = offset;
    while (wordBegin_ > 0 && isNamePart(text[wordBegin_ - 1])) --wordBegin_;
    call_ = callAround(std::string_view(text).substr(0, offset));
    if (call_) signature_ = signatureOf(document, document.meaningOf(call_->callee, at_.piece));
  }

  struct Item {
    std::string name;
    int kind;
    std::string detail, doc;
  };
  const std::vector<Item>& items() const { return items_; }
  std::uint32_t wordBegin() const { return wordBegin_; }

  void find() {
    if (within_ == Within::comment) return;
    if (within_ == Within::string) return words("");
    const std::string word = document_.text.bytes().substr(wordBegin_, offset_ - wordBegin_);
    auto import = document_.check().imports().find(word.substr(0, word.find('.')));
    if (word.find('.') != std::string::npos && import != document_.check().imports().end())
      return members(import->first, import->second);
    if (isImport()) return modules();
    const TypePart part = typePartBehind(std::string_view(document_.text.bytes()).substr(0, wordBegin_));
    if (part != TypePart::none) return typeNames(part);
    const bool isNamed = call_ && !call_->named.empty();
    if (isNamed) words("\"");
    const bool takesWord = !items_.empty();
    if (!isNamed) attributes();
    locals();
    if (takesWord) return;
    topLevel();
    for (const auto& [name, module] : document_.check().imports()) offer({name, moduleItem, "module", ""});
    operators("");
    for (std::string_view keyword : keywords())
      if (keyword != ofCore) offer({std::string(keyword), keywordItem, "", ""});
    for (const ElemInfo& element : elemTable) offer({std::string(element.name), keywordItem, "element type", ""});
  }

 private:
  void offer(Item item) {
    if (seen_.insert(item.name).second) items_.push_back(std::move(item));
  }

  bool isImport() const {
    const std::string& text = document_.text.bytes();
    std::size_t line = wordBegin_ == 0 ? 0 : text.rfind('\n', wordBegin_ - 1) + 1;
    return wordBegin_ > line && text.substr(line, wordBegin_ - line) == "import ";
  }

  void modules() {
    for (std::string_view module : stdlibModuleNames()) offer({std::string(module), moduleItem, "stdlib", ""});
  }

  void typeNames(TypePart part) {
    if (part == TypePart::type)
      for (const ElemInfo& element : elemTable) offer({std::string(element.name), keywordItem, "element type", ""});
    for (const LocalName& local : at_.names ? at_.names->locals : std::vector<LocalName>())
      if (!local.sort.empty() && local.scope.begin <= at_.offset && at_.offset <= local.scope.end)
        offer({local.name, variableItem, std::string(local.sort), ""});
    for (const std::string& shared : document_.sharedNames()) offer({shared, variableItem, "", ""});
  }

  void words(const std::string& quote) {
    if (!signature_ || !call_) return;
    for (const Taken& taken : signature_->parameters)
      if (taken.name == call_->named)
        for (const std::string& word : taken.words) offer({quote + word + quote, valueItem, taken.label, ""});
  }

  void attributes() {
    if (!signature_) return;
    for (const Taken& taken : signature_->parameters)
      if (!taken.name.empty()) offer({taken.name + "=", fieldItem, taken.label, ""});
  }

  void operators(const std::string& prefix) {
    for (const CoreOp& op : coreOps())
      if (isNamePart(op.name.front()))
        offer({prefix + std::string(op.name), functionItem, std::string(op.text), std::string(op.doc)});
  }

  void members(const std::string& import, std::size_t index) {
    const ast::Module& module = document_.check().modules().modules[index];
    if (index < document_.checked().moduleScopes.size())
      for (const auto& [name, binding] : document_.checked().moduleScopes[index].values) {
        auto definition = definitionIn(module, name);
        offer({import + "." + name, functionItem, document_.printBinding(binding), definition ? definition->doc : ""});
      }
    operators(import + ".");
  }

  // What the piece says itself; where it is broken, what it says still of what it said before.
  void locals() {
    if (document_.check().pieces().empty()) return;
    const CurrentStatement* current = document_.statementOf(at_.piece);
    for (const LocalName& local : at_.names->locals) {
      if (at_.offset < local.scope.begin || at_.offset > local.scope.end) continue;
      std::optional<TypeId> type;
      if (current && current->isCurrent) type = document_.typeAt(*current->statement, local.definition);
      if (current && !current->isCurrent) type = typeBefore(*current, local.name);
      offer({local.name, variableItem, type ? document_.print(current->statement.get(), *type) : "", ""});
    }
    if (!current || current->isCurrent) return;
    const std::vector<std::string>& said = document_.check().pieces()[at_.piece].piece->mentions;
    const std::vector<std::string>& own = current->statement->bound;
    const TypedProgram& program = document_.checked().program;
    const auto [from, to] = current->statement->bindings;
    for (std::size_t i = from; i < std::min(to, program.bindings.size()); ++i) {
      const std::string& name = program.bindings[i].name;
      if (std::binary_search(said.begin(), said.end(), name) && std::find(own.begin(), own.end(), name) == own.end())
        offer({name, variableItem, document_.print(current->statement.get(), program.bindings[i].type), ""});
    }
  }

  std::optional<TypeId> typeBefore(const CurrentStatement& current, const std::string& name) {
    NameUse use;
    use.name = name;
    return document_.typeOfLocal(current, use);
  }

  void topLevel() {
    for (const CurrentStatement& current : document_.check().statements()) {
      if (current.piece >= at_.piece) break;
      for (const TopLevelName& name : current.statement->names) {
        auto definition = definitionIn(current.statement->piece->module, name.name);
        bool isParam = definition && definition->isParam;
        offer({name.name, isParam ? constantItem : functionItem, document_.printBinding(name.binding),
               definition ? definition->doc : ""});
      }
    }
  }

  Document& document_;
  Document::At at_;
  std::uint32_t offset_, wordBegin_ = 0;
  Within within_ = Within::code;
  std::optional<OpenCall> call_;
  std::optional<Signature> signature_;
  std::vector<Item> items_;
  std::set<std::string> seen_;
};

}  // namespace

Json Server::completion(const Json& params) {
  Document& document = this->document(params);
  std::uint32_t offset = offsetOf(document, heldBy(params, "position"));
  Offers offers(document, offset);
  offers.find();
  Json items = Json::array();
  const Json range = rangeJson(document.text, offers.wordBegin(), offset);
  for (const Offers::Item& offer : offers.items()) {
    Json item = {
        {"label", offer.name}, {"kind", offer.kind}, {"textEdit", {{"range", range}, {"newText", offer.name}}}};
    if (!offer.detail.empty()) item["detail"] = offer.detail;
    if (!offer.doc.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", offer.doc}};
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace axle::lsp
