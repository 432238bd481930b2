#include "typecheck/infer/type_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/inference.h"

namespace axle {

OriginId writtenOrigin(TypeReader& reader, Span span) {
  if (reader.use) return {};
  Origin origin;
  origin.span = span;
  origin.written = true;
  return reader.provenance.add(std::move(origin));
}

ReasonId reasonOf(TypeReader& reader, std::string_view function, Span span) {
  if (reader.use) return reader.reason;
  return addReason(reader.provenance, ReasonKind::annotation, span, fmt::format("`{}`", function));
}

std::optional<StaticId> findAttribute(const TypeReader& reader, const std::string& name) {
  if (!reader.use) return std::nullopt;
  auto found = reader.use->attributes.find(name);
  return found == reader.use->attributes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<StaticParameterValue> findStatic(const TypeReader& reader, const std::string& name) {
  if (reader.onName) reader.onName(name);
  for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it)
    if (auto found = (*it)->statics.find(name); found != (*it)->statics.end())
      return StaticParameterValue{found->second, (*it)->defaults.at(name)};
  return std::nullopt;
}

std::optional<ShapeVar> findShape(const TypeReader& reader, const std::string& name) {
  for (auto it = reader.scopes.rbegin(); it != reader.scopes.rend(); ++it)
    if (auto found = (*it)->names.shapes.find(name); found != (*it)->names.shapes.end()) return found->second;
  return std::nullopt;
}

namespace {

bool shapeMentionsPack(const ast::Module& module, ast::ShapeId id) {
  auto isPack = [&](ast::DimId dim) { return std::holds_alternative<ast::DimPack>(module[dim].node); };
  auto mentions = [&](ast::ShapeId part) { return shapeMentionsPack(module, part); };
  const auto& node = module[id].node;
  if (const auto* list = std::get_if<ast::ShapeDims>(&node))
    return std::any_of(list->dims.begin(), list->dims.end(), isPack);
  if (const auto* call = std::get_if<ast::ShapeCall>(&node))
    return std::any_of(call->arguments.begin(), call->arguments.end(), mentions);
  if (const auto* append = std::get_if<ast::ShapeAppend>(&node))
    return std::any_of(append->parts.begin(), append->parts.end(), mentions);
  return std::holds_alternative<ast::ShapePack>(node);
}

}  // namespace

bool mentionsPack(const TypeReader& reader, ast::TypeId id) {
  if (!reader.use) return false;
  const auto& node = reader.module[id].node;
  if (const auto* tensor = std::get_if<ast::TypeTensor>(&node))
    return tensor->elemIsPack || (tensor->shape && shapeMentionsPack(reader.module, tensor->shape));
  if (const auto* tuple = std::get_if<ast::TypeTuple>(&node))
    return std::any_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](ast::TypeId part) { return mentionsPack(reader, part); });
  return false;
}

}  // namespace axle
