#include "typecheck/infer/operator_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/calls.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/unknown_names.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Counted, arg::Number, Phrase> operandCount{codes::arity,
                                                                             "{} takes {}, but is given {}", "{3}"};
constexpr Message<arg::Name, arg::Counted, arg::Number, Phrase> fewOperands{
    codes::arity, "{} takes at least {}, but is given {}", "{3}"};
constexpr Message<arg::Name, arg::Name> noAttribute{codes::arity, "{} has no argument {}", "not known"};
constexpr Message<arg::Name> attributeTwice{codes::arity, "{} is given twice", "again here"};
constexpr Message<arg::Name, arg::Name, arg::Code> attributeMissing{codes::arity, "{} needs its argument {}",
                                                                    "add {2}"};

std::vector<std::string> namesOfParameters(const ast::OpDecl& decl) {
  std::vector<std::string> names;
  for (const ast::OpParameter& parameter : decl.parameters) names.push_back(parameter.name);
  return names;
}

// Suggests giving surplus arguments as a list, or by name.
void suggestForExtraArguments(Inference& in, Diagnostic& d, const OperatorUse& use, const ast::OpDecl& decl,
                              std::size_t wanted) {
  const SourceMap& sources = in.checked.sources;
  const Span last = in.module()[use.arguments.back()].span;
  const ast::OpParameter& end = decl.parameters.back();
  if (!end.type && decl.parameters.size() == wanted) {  // `zeros(3, 4)`
    const Span all = join(in.module()[use.arguments[wanted - 1]].span, last);
    const std::string list = fmt::format("[{}]", sources.text(all));
    d.addHelp("{} is one list", arg::Name{end.name});
    d.fixes.push_back({fmt::format("write `{}`", list), {{all, list}}});
  } else if (use.arguments.size() == wanted + 1 && !decl.attributes.empty()) {
    const ast::OpAttribute& first = decl.attributes.front();
    std::string value(sources.text(last));
    if (first.length && value.find_first_not_of("0123456789") == value.npos) {  // use the same number for each axis
      const std::string number = value;
      for (std::uint64_t i = 1; i < *first.length; ++i) value += ", " + number;
      value = "[" + value + "]";
    }
    const std::string named = fmt::format("{}={}", first.name.text, value);
    d.addHelp("static arguments are given by name");
    d.fixes.push_back({fmt::format("write `{}`", named), {{last, named}}});
  }
}

}  // namespace

bool checkArity(Inference& in, const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic) {
  const std::size_t given = use.arguments.size() + use.typed.size();
  if (variadic ? given >= wanted : given == wanted) return true;
  const OperatorTable::Entry& op = in.checked.operators[use.op];
  const std::vector<std::string> names = namesOfParameters(*op.decl);
  const ast::ExprCall call{{}, use.arguments, use.named};
  if (given < wanted && reportPositionalByName(in, use.span, call, op.name, names)) return false;
  const auto missing = use.typed.empty() ? missingArguments(names, given) : std::nullopt;
  Diagnostic& d = report(in, variadic ? fewOperands : operandCount, use.span, arg::Name{op.name},
                         arg::Counted{wanted, "argument"}, arg::Number{given}, missing.value_or("this application"));
  d.notes.push_back(std::string(op.text));
  const ForeignName* foreign = foreignUse(op.name);
  const std::vector<ast::OpAttribute>& attributes = op.decl->attributes;
  const bool isList = !attributes.empty() && attributes.front().length && !use.arguments.empty() &&
                      in.checked.sources.text(in.module()[use.arguments.back()].span).starts_with('[');
  if (foreign && use.typed.empty() && !isList)
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
  const ast::ExprCall call{{}, use.arguments, {given}};
  if (!isTwice && reportPositionalByName(in, use.span, call, op.name, namesOfParameters(*op.decl))) return false;
  Diagnostic& d = isTwice ? report(in, attributeTwice, given.span, arg::Name{name})
                          : report(in, noAttribute, given.span, arg::Name{op.name}, arg::Name{name});
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
      report(in, attributeMissing, use.span, arg::Name{op.name}, arg::Name{name}, arg::Code{name + "=..."})
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
