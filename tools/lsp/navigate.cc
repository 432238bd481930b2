// Goes from a name to its definition and to all places that use it.
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "tools/lsp/targets.h"

namespace axle::lsp {

Json definition(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Document::At at = document.at(positionOf(state, document, params));
  if (!at.use) return nullptr;
  Meaning meaning = document.meaning(at.piece, *at.use);
  if (meaning.kind == Meaning::nothing) return nullptr;
  if (meaning.kind == Meaning::op) return operatorLocation(state, *meaning.declaration);
  if (meaning.kind == Meaning::module) {
    if (!meaning.source) return nullptr;
    return location(state, document, {meaning.source->source, 0, 0}).value_or(nullptr);
  }
  if (auto place = location(state, document, meaning.definition)) return *place;
  // The statement that defined it is broken now: returns its place.
  for (const CurrentStatement& current : document.check().statements())
    if (current.statement.get() == meaning.statement) {
      std::uint32_t begin = document.check().pieces()[current.piece].begin;
      return {{"uri", document.uri}, {"range", rangeJson(state, document.text, begin, begin)}};
    }
  return nullptr;
}

Json references(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Document::At at = document.at(positionOf(state, document, params));
  Json out = Json::array();
  if (!at.use) return out;
  bool withDefinition = params.value(Json::json_pointer("/context/includeDeclaration"), true);
  for (const NamePlace& place : placesOf(state, document, targetOf(document, at.piece, *at.use)))
    if (withDefinition || !place.defines)
      out.push_back({{"uri", place.document->uri},
                     {"range", rangeJson(state, place.document->text, place.span.begin, place.span.end)}});
  return out;
}

}  // namespace axle::lsp
