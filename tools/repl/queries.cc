// Queries of types and shapes.
#include "typecheck/report/query.h"

#include <charconv>
#include <cstdio>

#include "frontend/parser.h"
#include "tools/repl/graph.h"
#include "tools/repl/handlers.h"
#include "tools/repl/output.h"
#include "tools/repl/statements.h"

namespace axle::repl {

namespace {

constexpr const char* asked = "the expression";

// Reads `x=[3, 4]` or `n=7`.
bool readGiven(Session& session, const InputText& typed, ast::Module& module, GivenSize& given,
               Diagnostics& diagnostics) {
  const std::size_t equals = findOutside(typed.text, "=");
  if (equals == std::string_view::npos)
    return printError("`" + std::string(typed.text) + "` gives no name a shape or a size: x=[3, 4], n=7");
  given.name = trimmed(typed.text.substr(0, equals));
  const InputText value = typed.part(trimmed(typed.text.substr(equals + 1)));
  given.span = {module.source, static_cast<std::uint32_t>(typed.begin), static_cast<std::uint32_t>(typed.end())};
  const char* end = value.text.data() + value.text.size();
  if (auto [stop, error] = std::from_chars(value.text.data(), end, given.size); error == std::errc{} && stop == end)
    return true;
  const Span span{module.source, static_cast<std::uint32_t>(value.begin), static_cast<std::uint32_t>(value.end())};
  given.shape = parseShape(session.program().sources, {span}, module, diagnostics);
  return given.shape.has_value();
}

bool shapeOf(Session& session, const InputText& function, const InputText& with) {
  session.importModulesOf(function);
  Program& program = session.program();
  auto binding = session.defineValue(asked, session.placeInSource(function));
  if (!binding) return false;
  if (!isFunction(*program.checked, *binding)) {
    if (!with.text.empty())
      return printError("`" + std::string(function.text) + "` is no function: nothing can be given to it");
    std::printf("%s\n", typeText(printBinding(*program.checked, *binding)).c_str());
    return true;
  }
  ast::Module module;
  module.source = session.placeInSource(with).source;
  std::vector<GivenSize> given;
  Diagnostics diagnostics;
  for (std::string_view part : splitAtCommas(with.text)) {
    if (part.empty()) continue;
    if (!readGiven(session, with.part(part), module, given.emplace_back(), diagnostics)) {
      printDiagnostics(diagnostics, program.sources);
      return false;
    }
  }
  auto answer = resultWith(*program.checked, *binding, module, given, diagnostics);
  printDiagnostics(diagnostics, program.sources);
  if (!answer) return false;
  std::string type = answer->types.front();
  for (std::size_t i = 0; i < answer->facts.size(); ++i) type += (i > 0 ? ", " : " where ") + answer->facts[i];
  std::printf("%s\n", typeText(type).c_str());
  return true;
}

bool unifyTypes(Session& session, const InputText& left, const InputText& right) {
  Program& program = session.program();
  ast::Module module;
  const Span first = session.placeInSource(left);
  module.source = first.source;
  const Span second{first.source, static_cast<std::uint32_t>(right.begin), static_cast<std::uint32_t>(right.end())};
  Diagnostics diagnostics;
  auto a = parseType(program.sources, {first}, module, diagnostics);
  auto b = a ? parseType(program.sources, {second}, module, diagnostics) : std::nullopt;
  auto unified = b ? unify(*program.checked, module, *a, *b, diagnostics) : std::nullopt;
  printDiagnostics(diagnostics, program.sources);
  if (!unified) return false;
  std::printf("%s\n", typeText(unified->type).c_str());
  for (const std::string& name : unified->names) std::printf("  %s\n", name.c_str());
  return true;
}

}  // namespace

bool askType(Session& session, const InputText& typed) {
  if (typed.text.empty()) return printError("`:type` takes an expression, as in `:type x + 1`");
  Program& program = session.program();
  if (auto known = program.types.find(std::string(typed.text)); known != program.types.end()) {
    const auto bound = rootBinding(*program.checked, known->first);
    std::printf("%s\n", typeText(bound ? printSignature(*program.checked, *bound) : known->second).c_str());
    return true;
  }
  if (session.graph() && session.graph()->printTypes(std::string(typed.text))) return true;
  if (namesUnknownNode(session, typed.text)) return session.graph()->printUnknown(std::string(typed.text));
  return session.answer([&] {
    session.importModulesOf(typed);
    auto value = session.defineValue(asked, session.placeInSource(typed));
    if (value) std::printf("%s\n", typeText(printSignature(*session.program().checked, *value)).c_str());
    return value.has_value();
  });
}

bool askShape(Session& session, const InputText& typed) {
  if (typed.text.empty()) return printError("`:shape` takes a function, as in `:shape f with x=[3, 4], n=7`");
  const std::size_t with = findOutside(typed.text, "with");
  const InputText function = typed.part(trimmed(typed.text.substr(0, with)));
  const InputText given = typed.part(with == std::string_view::npos ? typed.text.substr(typed.text.size())
                                                                    : trimmed(typed.text.substr(with + 4)));
  return session.answer([&] { return shapeOf(session, function, given); });
}

bool askUnify(Session& session, const InputText& typed) {
  const std::size_t with = findOutside(typed.text, "with");
  if (with == std::string_view::npos)
    return printError("`:unify` takes two types, as in `:unify f32 [n, 3] with t [4, k]`");
  return session.answer([&] {
    return unifyTypes(session, typed.part(trimmed(typed.text.substr(0, with))),
                      typed.part(trimmed(typed.text.substr(with + 4))));
  });
}

}  // namespace axle::repl
