#include "typecheck/infer/operator_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/calls.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/unknown_names.h"

namespace axle {
namespace {

// Suggests to give the arguments that are too many as a list, or by name.
void suggestForExtraArguments(Inference& in, Diagnostic& d, const OperatorUse& use, const ast::OpDecl& decl,
                              std::size_t wanted) {
  const SourceMap& sources = in.checked.sources;
  const Span last = in.module()[use.arguments.back()].span;
  const ast::OpParameter& end = decl.parameters.back();
  if (!end.name.empty() && decl.parameters.size() == wanted) {  // `zeros(3, 4)`
    const Span all = join(in.module()[use.arguments[wanted - 1]].span, last);
    const std::string list = fmt::format("[{}]", sources.text(all));
    d.help.push_back(fmt::format("`{}` is one list", end.name));
    d.fixes.push_back({fmt::format("write `{}`", list), {{all, list}}});
  } else if (use.arguments.size() == wanted + 1 && !decl.attributes.empty()) {
    const std::string named = fmt::format("{}={}", decl.attributes.front().name.text, sources.text(last));
    d.help.emplace_back("static arguments are given by name");
    d.fixes.push_back({fmt::format("write `{}`", named), {{last, named}}});
  }
}

}  // namespace

bool checkArity(Inference& in, const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic) {
  const std::size_t given = use.arguments.size() + use.typed.size();
  if (variadic ? given >= wanted : given == wanted) return true;
  const OperatorTable::Entry& op = in.checked.operators[use.op];
  std::vector<std::string> names;
  for (const ast::OpParameter& parameter : op.decl->parameters)
    if (!parameter.name.empty()) names.push_back(parameter.name);
  const ast::ExprCall call{{}, use.arguments, use.named};
  if (given < wanted && reportPositionalByName(in, use.span, call, op.name, names)) return false;
  Diagnostic& d = report(in, codes::arity, use.span,
                         fmt::format("`{}` takes {}{} argument{}, but is given {}", op.name,
                                     variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s", given),
                         "this application");
  d.notes.push_back(std::string(op.text));
  const ForeignName* foreign = foreignUse(op.name);
  if (foreign && use.typed.empty())
    suggestForeign(in, d, use.span, *foreign, &call, {});
  else if (given > wanted && use.typed.empty())
    suggestForExtraArguments(in, d, use, *op.decl, wanted);
  return false;
}

namespace {

// Reports an argument that the operator does not have, or that is given twice.
bool checkNamed(Inference& in, const OperatorUse& use, const ast::NamedArgument& given) {
  const OperatorTable::Entry& op = in.checked.operators[use.op];
  const std::string& name = given.name.text;
  std::vector<std::string_view> names;
  for (const ast::OpAttribute& attribute : op.decl->attributes) names.push_back(attribute.name.text);
  const bool isTwice = use.statics.count(name) > 0;
  if (!isTwice && std::find(names.begin(), names.end(), name) != names.end()) return true;
  Diagnostic& d = isTwice ? report(in, codes::arity, given.span, fmt::format("`{}` is given twice", name), "again here")
                          : report(in, codes::arity, given.span,
                                   fmt::format("`{}` has no argument `{}`", op.name, name), "not known");
  if (!isTwice) {
    if (const std::string ours(ourAttribute(name, names)); !ours.empty())
      suggestName(d, given.name.span, ours);
    else
      for (const std::string& near : closestNames(name, names)) suggestName(d, given.name.span, near);
  }
  d.notes.push_back(std::string(op.text));
  return false;
}

}  // namespace

bool readAttributes(Inference& in, OperatorUse& use, SignatureUse& signature, TypeReader& reader, ReasonId why) {
  const OperatorTable::Entry& op = in.checked.operators[use.op];
  const std::vector<ast::OpAttribute>& attributes = op.decl->attributes;
  for (const ast::NamedArgument& given : use.named) {
    const std::string& name = given.name.text;
    if (!checkNamed(in, use, given)) return false;
    const auto value = readStatic(in, given.value);
    if (!value) return false;
    auto attribute = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const ast::OpAttribute& a) { return a.name.text == name; });
    if (!checkAttribute(in, *attribute, *value, given.span, op.name, why)) return false;
    use.statics[name] = *value;
  }
  for (const ast::OpAttribute& attribute : attributes) {
    const std::string& name = attribute.name.text;
    if (auto given = use.statics.find(name); given != use.statics.end()) {
      signature.attributes[name] = given->second;
      continue;
    }
    if (!attribute.defaultValue) {
      report(in, codes::arity, use.span, fmt::format("`{}` needs its argument `{}`", op.name, name),
             fmt::format("add `{}=...`", name))
          .notes.push_back(std::string(op.text));
      return false;
    }
    const auto value = readDefault(in.solution, *op.module, attribute.defaultValue, signature, reader);
    if (!value) return false;
    signature.attributes[name] = *value;
  }
  return true;
}

}  // namespace axle
