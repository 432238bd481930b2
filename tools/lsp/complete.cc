// Completion: offers names, and the attributes and words of a call, for the word at a place.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/keywords.h"
#include "tools/lsp/call_context.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "tools/lsp/signature.h"

namespace axle::lsp {

namespace {

// Kinds of items of the protocol.
constexpr int functionItem = 3, fieldItem = 5, variableItem = 6, moduleItem = 9, valueItem = 12, keywordItem = 14,
              constantItem = 21;

// The offers for the word at a place: each name once, with its innermost meaning.
class Offers {
 public:
  Offers(Document& document, std::uint32_t offset) : document_(document), at_(document.at(offset)), offset_(offset) {
    const std::string& text = document.text.bytes();
    kind_ = textKindAfter(std::string_view(text).substr(0, offset));
    wordBegin_ = offset;
    while (wordBegin_ > 0 && isNamePart(text[wordBegin_ - 1])) --wordBegin_;
    call_ = openCallAt(std::string_view(text).substr(0, offset));
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
    if (kind_ == TextKind::comment) return;
    if (kind_ == TextKind::string) return words("");
    const std::string word = document_.text.bytes().substr(wordBegin_, offset_ - wordBegin_);
    auto import = document_.check().imports().find(word.substr(0, word.find('.')));
    if (word.find('.') != std::string::npos && import != document_.check().imports().end())
      return members(import->first, import->second);
    if (isImport()) return modules();
    const TypePart typePart = typePartAfter(std::string_view(document_.text.bytes()).substr(0, wordBegin_));
    if (typePart != TypePart::none) return typeNames(typePart);
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
      if (keyword != operatorKeyword) offer({std::string(keyword), keywordItem, "", ""});
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
    for (const SignaturePart& part : signature_->parameters)
      if (part.name == call_->named)
        for (const std::string& word : part.words) offer({quote + word + quote, valueItem, part.label, ""});
  }

  void attributes() {
    if (!signature_) return;
    for (const SignaturePart& part : signature_->parameters)
      if (!part.name.empty()) offer({part.name + "=", fieldItem, part.label, ""});
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
        offer(
            {import + "." + name, functionItem, document_.printSignature(binding), definition ? definition->doc : ""});
      }
    operators(import + ".");
  }

  // Offers names that the piece defines and, if it is broken, names that it defined before and still uses.
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
        offer({name.name, isParam ? constantItem : functionItem, document_.printSignature(name.binding),
               definition ? definition->doc : ""});
      }
    }
  }

  Document& document_;
  Document::At at_;
  std::uint32_t offset_, wordBegin_ = 0;
  TextKind kind_ = TextKind::code;
  std::optional<OpenCall> call_;
  std::optional<Signature> signature_;
  std::vector<Item> items_;
  std::set<std::string> seen_;
};

}  // namespace

Json completion(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  std::uint32_t offset = positionOf(state, document, params);
  Offers offers(document, offset);
  offers.find();
  Json items = Json::array();
  const Json range = rangeJson(state, document.text, offers.wordBegin(), offset);
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
