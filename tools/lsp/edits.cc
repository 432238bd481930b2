// Edits that the server offers: formatting, and inserting inferred types.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/format.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

Json formatting(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  SourceMap sources;
  auto formatted = format(sources, sources.add(document.path, document.text.bytes()));
  if (!formatted) throw Refusal(requestFailed, "a text with syntax errors has no layout");
  if (*formatted == document.text.bytes()) return Json::array();
  auto end = static_cast<std::uint32_t>(document.text.bytes().size());
  return Json::array({{{"range", rangeJson(state, document.text, 0, end)}, {"newText", *formatted}}});
}

namespace {

struct Insertion {
  std::uint32_t offset;  // of the text
  std::string text;
};

std::string with(std::string text, std::vector<Insertion> insertions) {
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& a, const Insertion& b) { return a.offset > b.offset; });
  for (const Insertion& insertion : insertions) text.insert(insertion.offset, insertion.text);
  return text;
}

// An offer to insert types that a statement leaves to inference.
struct Offer {
  std::string title;
  std::vector<Insertion> insertions;
};

// Returns the place after a function's parameters, where the type of its result is written.
Span behindParameters(const SourceMap& sources, const ast::ExprFn& fn) {
  std::string_view signature = sources.text(fn.signature);
  if (!fn.where.empty()) signature = signature.substr(0, fn.where.front().span.begin - fn.signature.begin);
  const auto end = static_cast<std::uint32_t>(signature.rfind(')') + 1);
  return {fn.signature.source, fn.signature.begin + end, 0};
}

// Offers the types of parameters and result that a function does not state: all together first, then one by one.
void addFunctionOffers(Document& document, const CurrentStatement& current, const TopLevelName& name,
                       const ast::ExprFn& fn, std::vector<Offer>& offers) {
  Solution& solution = document.checked().solution;
  const TypeTerm term = solution.types[solution.resolve(document.checked().program[name.binding].type)];
  if (term.kind != TypeKind::function || term.parts.size() != fn.parameters.size()) return;
  std::vector<TypeId> parts = term.parts;
  parts.push_back(term.result);
  const std::vector<std::string> printed = document.print(current.statement.get(), parts);
  Offer all{"insert the inferred types of `" + name.name + "`", {}};
  const auto add = [&](std::string title, Insertion insertion) {
    all.insertions.push_back(insertion);
    offers.push_back({std::move(title), {std::move(insertion)}});
  };
  for (std::size_t i = 0; i < fn.parameters.size(); ++i)
    if (const ast::Name& parameter = fn.parameters[i].name; !fn.parameters[i].type)
      add("insert the inferred type of `" + parameter.text + "`",
          {document.inText(current.piece, parameter.span).end, " : " + printed[i]});
  if (!fn.resultType)
    add("insert the inferred type of the result of `" + name.name + "`",
        {document.inText(current.piece, behindParameters(document.sources(), fn)).begin, " : " + printed.back()});
  if (all.insertions.size() > 1) offers.insert(offers.begin(), std::move(all));
}

std::vector<Offer> offersFor(Document& document, const CurrentStatement& current) {
  std::vector<Offer> offers;
  const ast::Module& module = current.statement->piece->module;
  for (const TopLevelName& name : current.statement->names) {
    if (document.checked().failed.count(name.binding.index)) continue;
    for (const ast::Item& item : module.items) {
      if (const auto* param = std::get_if<ast::Param>(&item); param && !param->type && param->name.text == name.name)
        offers.push_back(
            {"insert the inferred type of `" + name.name + "`",
             {{document.inText(current.piece, param->name.span).end, " : " + document.printBinding(name.binding)}}});
      if (const auto* index = std::get_if<std::uint32_t>(&item))
        if (const auto* fn = std::get_if<ast::ExprFn>(&module[module.bindings[*index].value].node))
          addFunctionOffers(document, current, name, *fn, offers);
    }
  }
  return offers;
}

std::string shown(const std::vector<BindingType>& types) {
  std::string out;
  for (const BindingType& type : types) out += type.name + " : " + type.type + "\n";
  return out;
}

// Whether with `text` all bindings of the document keep their types and no diagnostic is added.
bool keepsTypes(const State& state, Document& document, const std::string& text) {
  if (!document.trial) document.trial = std::make_unique<Document>(document.uri, document.path);
  document.trial->text = Text(text);
  document.trial->isFresh = false;
  document.trial->refresh(loadOptions(state));
  return document.trial->check().diagnostics().size() <= document.check().diagnostics().size() &&
         shown(document.trial->check().types()) == shown(document.check().types());
}

}  // namespace

Json codeAction(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  const auto [from, to] = rangeOf(state, document, params);
  Json actions = Json::array();
  addFixActions(state, document, from, to, actions);
  auto touches = [&](std::uint32_t begin, std::uint32_t end) { return begin <= to && from <= end; };
  for (const CurrentStatement& current : document.check().statements()) {
    Span whole = document.inText(current.piece, {current.statement->piece->source, 0, 0});
    auto end =
        whole.begin + static_cast<std::uint32_t>(document.sources().text(current.statement->piece->source).size());
    if (!current.isCurrent || !touches(whole.begin, end)) continue;
    for (const Offer& offer : offersFor(document, current)) {
      bool isNear = std::any_of(offer.insertions.begin(), offer.insertions.end(), [&](const Insertion& insertion) {
        return document.text.place(insertion.offset, state.encoding).line >=
                   document.text.place(from, state.encoding).line &&
               document.text.place(insertion.offset, state.encoding).line <=
                   document.text.place(to, state.encoding).line;
      });
      if (!isNear || !keepsTypes(state, document, with(document.text.bytes(), offer.insertions))) continue;
      Json edits = Json::array();
      for (const Insertion& insertion : offer.insertions)
        edits.push_back({{"range", rangeJson(state, document.text, insertion.offset, insertion.offset)},
                         {"newText", insertion.text}});
      actions.push_back(
          {{"title", offer.title}, {"kind", "refactor.rewrite"}, {"edit", {{"changes", {{document.uri, edits}}}}}});
    }
  }
  return actions;
}

}  // namespace axle::lsp
