#include "typecheck/report/natural_notes.h"

#include <algorithm>
#include <iterator>

#include "frontend/spans.h"
#include "typecheck/infer/calls.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/conflict_messages.h"

namespace axle {

namespace {

bool isOfSizes(const DiagnosticCode* code) {
  const DiagnosticCode* others[] = {&codes::unknownName, &codes::arity, &codes::elemMismatch, &codes::elemClass};
  return std::ranges::find(others, code) == std::end(others);
}

bool isInWeight(const ast::Module& module, Span place) {
  return std::ranges::any_of(module.items, [&](const ast::Item& item) {
    const auto* param = std::get_if<ast::Param>(&item);
    return param && isWithin(place, param->span);
  });
}

// Whether a note says that a name has the size of a weight.
bool isOfWeight(const Modules& modules, const Diagnostic& note) {
  return std::ranges::any_of(note.secondary, [&](const Label& label) {
    const Span* place = std::get_if<Span>(&label.place);
    return place &&
           std::ranges::any_of(modules.modules, [&](const ast::Module& module) { return isInWeight(module, *place); });
  });
}

}  // namespace

bool tellsShape(const Diagnostic& note) {
  return note.code == &codes::nameRefined && note.arguments.back().find('[') != std::string::npos;
}

bool relatesSizes(const Diagnostic& note) {
  return note.code == &codes::nameRefined && note.arguments.back().find_first_of("+-*/") != std::string::npos;
}

bool isNaturalNote(const Modules& modules, const Diagnostic& error, const Diagnostic& note) {
  return note.code == &codes::nameRefined && (!isOfSizes(error.code) || isOfWeight(modules, note));
}

}  // namespace axle
