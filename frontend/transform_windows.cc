// Reads the window functions in sizes: the number of positions of a window along an axis.
#include <algorithm>

#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle::transform {

using grammar::AxParser;

namespace {

struct WindowFunction {
  std::string_view name;
  std::size_t arguments;
  std::string_view example;
};
constexpr WindowFunction windowFunctions[] = {
    {"conv_out", 5, "conv_out(n, 3, 1, \"same\", 1)"},
    {"conv_transpose_out", 6, "conv_transpose_out(n, 3, 1, \"same\", 1, _)"},
};
constexpr std::size_t paddingArgument = 3;

const WindowFunction* windowFunctionNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(windowFunctions), std::end(windowFunctions),
                                   [&](const WindowFunction& function) { return function.name == name; });
  return found == std::end(windowFunctions) ? nullptr : found;
}

// Reads a padding: a word, a pair, or an item of a static parameter.
ast::DimId padding(State& s, Rule* argument) {
  const Span span = s.span(argument);
  if (isConstant(argument) && type(argument->children[0]) == AxParser::STRING)
    return s.addDim(span, ast::DimText{unescaped(s, token(argument->children[0]))});
  Rule* append = isConstant(argument) ? nullptr : rule(argument->children[0]);
  const bool isList = append != nullptr && count(argument) == 1 && count(append) == 1 &&
                      rule(append->children[0])->getRuleIndex() == AxParser::RuleDimList;
  return isList ? s.addDim(span, ast::DimList{shape(s, argument)}) : dimOfArgument(s, argument);
}

bool isPadding(const ast::Module& module, ast::DimId id) {
  const auto& node = module[id].node;
  if (const auto* word = std::get_if<ast::DimText>(&node))
    return word->value == ast::samePadding || word->value == ast::validPadding;
  if (const auto* pair = std::get_if<ast::DimList>(&node))
    return std::get<ast::ShapeDims>(module[pair->list].node).dims.size() == 2;
  return std::holds_alternative<ast::DimAttribute>(node);
}

}  // namespace

bool isWindowFunction(std::string_view name) { return windowFunctionNamed(name) != nullptr; }

ast::DimId windowCall(State& s, std::string_view name, const std::vector<Rule*>& arguments, Span whole) {
  const WindowFunction& function = *windowFunctionNamed(name);
  ast::DimCall call{std::string(name), {}};
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    call.arguments.push_back(i == paddingArgument ? padding(s, arguments[i]) : dimOfArgument(s, arguments[i]));
    depth = std::max(depth, s.depthOf(call.arguments.back()));
  }
  if (arguments.size() == function.arguments && isPadding(s.module, call.arguments[paddingArgument]))
    return s.addDim(whole, std::move(call), depth);
  s.error(wrongArguments, whole, arg::Name{call.function}, arg::Code{std::string(function.example)});
  return s.addDim(whole, ast::DimHole{});
}

}  // namespace axle::transform
