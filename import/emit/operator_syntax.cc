#include "import/emit/operator_syntax.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "import/emit/number_literals.h"

namespace axle::emit {

namespace {

const ast::TypeTensor* tensorOf(const ast::Module& module, ast::TypeId type) {
  return type ? std::get_if<ast::TypeTensor>(&module[type].node) : nullptr;
}

void collectElements(const ast::Module& module, ast::TypeId type, std::set<std::string>& into) {
  if (!type) return;
  const auto& node = module[type].node;
  if (const auto* tensor = std::get_if<ast::TypeTensor>(&node); tensor && !elemNamed(tensor->elem))
    into.insert(tensor->elem);
  if (const auto* name = std::get_if<ast::TypeName>(&node)) into.insert(name->name);
  if (const auto* tuple = std::get_if<ast::TypeTuple>(&node))
    for (ast::TypeId part : tuple->parts) collectElements(module, part, into);
  if (const auto* function = std::get_if<ast::TypeFunction>(&node)) {
    for (ast::TypeId part : function->parameters) collectElements(module, part, into);
    collectElements(module, function->result, into);
  }
  if (const auto* call = std::get_if<ast::TypeCall>(&node))
    for (ast::TypeId part : call->types) collectElements(module, part, into);
}

// Whether the shape is a broadcast, `a # b`, that has this name as a part.
bool isBroadcast(const ast::Module& module, ast::ShapeId shape, const std::string& name) {
  if (!shape) return false;
  const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&module[shape].node);
  if (!broadcast) return false;
  return std::any_of(broadcast->parts.begin(), broadcast->parts.end(), [&](ast::ShapeId part) {
    const auto* is = std::get_if<ast::ShapeName>(&module[part].node);
    return is && is->name == name;
  });
}

std::string textOf(const ast::Module& module, ast::ExprId id) {
  if (!id) return {};
  const auto& node = module[id].node;
  if (const auto* name = std::get_if<ast::ExprName>(&node)) return name->name;
  if (const auto* word = std::get_if<ast::ExprString>(&node)) return quoted(word->value);
  if (const auto* truth = std::get_if<ast::ExprBool>(&node)) return truth->value ? "true" : "false";
  if (std::holds_alternative<ast::ExprHole>(node)) return "_";
  if (const auto* number = std::get_if<ast::ExprNumber>(&node))
    return decimal(number->negative ? -number->real : number->real);
  if (const auto* list = std::get_if<ast::ExprList>(&node)) {
    std::string out = "[";
    for (std::size_t i = 0; i < list->items.size(); ++i) out += (i ? ", " : "") + textOf(module, list->items[i]);
    return out + "]";
  }
  return {};
}

}  // namespace

bool takesNumber(const OperatorTable::Entry& op, std::size_t parameter) {
  const ast::Module& module = *op.module;
  const ast::TypeTensor* tensor = tensorOf(module, op.decl->parameters[parameter].type);
  const ast::TypeTensor* result = tensorOf(module, op.decl->result);
  if (!tensor || !tensor->shape || !result) return false;
  if (const auto* dims = std::get_if<ast::ShapeDims>(&module[tensor->shape].node)) return dims->dims.empty();
  const auto* name = std::get_if<ast::ShapeName>(&module[tensor->shape].node);
  return name && isBroadcast(module, result->shape, name->name);
}

bool elementIsFromUse(const OperatorTable::Entry& op) {
  std::set<std::string> given, made;
  for (const ast::OpParameter& parameter : op.decl->parameters) collectElements(*op.module, parameter.type, given);
  collectElements(*op.module, op.decl->result, made);
  return !std::includes(given.begin(), given.end(), made.begin(), made.end());
}

std::string defaultOf(const OperatorTable::Entry& op, std::size_t attribute) {
  return textOf(*op.module, op.decl->attributes[attribute].defaultValue);
}

std::vector<ListAttribute> listAttributes(const OperatorTable::Entry& op) {
  std::vector<ListAttribute> lists;
  for (std::size_t i = 0; i < op.decl->attributes.size(); ++i) {
    const ast::OpAttribute& attribute = op.decl->attributes[i];
    std::string otherwise = defaultOf(op, i);
    if (attribute.sort == ast::Sort::ints && otherwise.starts_with('['))
      lists.push_back({attribute.name.text, std::move(otherwise)});
  }
  return lists;
}

bool isInfix(const std::string& op) {
  static constexpr std::string_view all[] = {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or"};
  return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

}  // namespace axle::emit
