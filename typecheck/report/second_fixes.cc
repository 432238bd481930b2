#include "typecheck/report/second_fixes.h"

#include <algorithm>

#include "frontend/spans.h"
#include "typecheck/report/guess_titles.h"

namespace axle {

namespace {

bool mixesElements(const Fix& found, const Fix& guess) {
  const Edit& turns = found.edits.front();
  return turns.text.starts_with("transpose(reshape(") && std::ranges::all_of(guess.edits, [&](const Edit& edit) {
           return isWithin(edit.span, turns.span) && edit.span != turns.span;
         });
}

bool isOfOnePlace(const Fix& one, const Fix& other) {
  return one.edits.size() == 1 && other.edits.size() == 1 && one.edits[0].span == other.edits[0].span;
}

// The sizes of the list in a type that a place is one of; nullptr for others.
const ast::ShapeDims* listAround(const ast::Module& module, Span size) {
  for (const ast::Shape& shape : module.shapes)
    if (const auto* list = std::get_if<ast::ShapeDims>(&shape.node); list && isWithin(size, shape.span)) return list;
  return nullptr;
}

// Whether a size that is written at a place is the first of several: of inputs, that is the batch.
bool isBatch(const ast::Module& module, Span size) {
  const ast::ShapeDims* list = listAround(module, size);
  return list && list->dims.size() > 1 && module[list->dims.front()].span == size;
}

bool isNumber(const std::string& text) { return text.find_first_not_of("0123456789") == text.npos; }

}  // namespace

bool isOnlyFirst(const std::vector<Fix>& found, const Fix& guess) {
  return std::ranges::any_of(found, [&](const Fix& fix) {
    return mixesElements(fix, guess) || (isOfUnused(fix) && isOfOnePlace(fix, guess));
  });
}

bool mayMeanValue(const ast::Module& module, const SourceMap& sources, const Diagnostic& error, const Fix& written) {
  const std::string& value = written.edits.front().text;
  if (!isNumber(value)) return true;
  if (std::ranges::any_of(written.edits, [&](const Edit& edit) { return isBatch(module, edit.span); })) return false;
  return std::ranges::any_of(error.secondary, [&](const Label& label) {
    const Span* place = std::get_if<Span>(&label.place);
    return place && std::ranges::any_of(module.items, [&](const ast::Item& item) {
             const auto* param = std::get_if<ast::Param>(&item);
             return param && param->type && isWithin(*place, module[param->type].span) && sources.text(*place) == value;
           });
  });
}

}  // namespace axle
