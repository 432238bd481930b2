#include "tools/lsp/signature.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/lsp/call_context.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "typecheck/report/query.h"

namespace axle::lsp {

namespace {

Signature operatorSignature(const OperatorTable::Entry& entry) {
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

// Returns the function that a name is defined as; null if it is not a function.
const ast::ExprFn* definedFunction(const Meaning& meaning) {
  const ast::Module& module = *meaning.source;
  for (const ast::Binding& binding : module.bindings)
    if (module[binding.pattern].span == meaning.definition)
      return std::get_if<ast::ExprFn>(&module[binding.value].node);
  return nullptr;
}

}  // namespace

std::optional<Signature> signatureOf(Document& document, const Meaning& meaning) {
  Checked& checked = document.checked();
  if (meaning.kind == Meaning::op) {
    auto op = checked.operators.find(meaning.declaration->name);
    return op ? std::optional(operatorSignature(checked.operators[*op])) : std::nullopt;
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
  const ast::ExprFn* fn = definedFunction(meaning);
  const std::vector<std::string> names = parameterNames(checked, *meaning.binding);
  Signature out{meaning.name + "(", definitionIn(*meaning.source, meaning.name).value_or(Definition{}).doc, {}};
  for (std::size_t i = 0; i + 1 < printed.size(); ++i) {
    SignaturePart part{(i < names.size() ? names[i] + " : " : "") + printed[i], "", {}};
    out.label += (i ? ", " : "") + part.label;
    out.parameters.push_back(std::move(part));
  }
  for (std::size_t i = 0; fn && i < fn->statics.size(); ++i) {
    const ast::StaticParameter& given = fn->statics[i];
    SignaturePart part{std::string(document.sources().text(given.span)), given.name.text, {}};
    if (given.name.text == "padding") part.words.assign(std::begin(ast::paddingWords), std::end(ast::paddingWords));
    out.label += (i ? ", " : "; ") + part.label;
    out.parameters.push_back(std::move(part));
  }
  out.label += ") : " + printed.back();
  return out;
}

Json signatureHelp(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  std::uint32_t offset = positionOf(state, document, params);
  auto call = openCallAt(std::string_view(document.text.bytes()).substr(0, offset));
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

}  // namespace axle::lsp
