// Guesses of declarations: other sizes and element types in `param`s, results and parameters.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// A declared type with the text that has its name: `fc.w : f32 [256, 10]`.
struct Declared {
  Span type;
  std::string name;  // of a `param`; empty for a result
};

// The parameter whose tensor type stands at a place; nullptr for others.
const ast::Parameter* parameterOf(const Guesser& g, Span type) {
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
      for (const ast::Parameter& parameter : function->parameters)
        if (parameter.type && g.module[parameter.type].span == type &&
            std::holds_alternative<ast::TypeTensor>(g.module[parameter.type].node))
          return &parameter;
  return nullptr;
}

void declareElement(Guesser& g, const ast::Parameter& parameter, const std::string& title, const std::string& elem) {
  const auto& type = std::get<ast::TypeTensor>(g.module[parameter.type].node);
  g.guess({parameter.span, {}, nullptr}, title, {{type.elemSpan, elem}});
}

// The declaration of a weight or of a result that a span is part of.
std::optional<Declared> declaredAt(const Guesser& g, Span span) {
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item); param && param->type)
      if (const Span type = g.module[param->type].span; isWithin(span, type)) return Declared{type, param->name.text};
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node); function && function->resultType)
      if (const Span type = g.module[function->resultType].span; isWithin(span, type)) return Declared{type, ""};
  return std::nullopt;
}

std::string titleOf(const Guesser& g, const Declared& declared, const std::vector<Edit>& edits) {
  std::string type = g.text(declared.type);
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    if (isWithin(edit->span, declared.type))
      type.replace(edit->span.begin - declared.type.begin, edit->span.end - edit->span.begin, edit->text);
  return fmt::format("declare what fits: `{}{}`", declared.name.empty() ? "" : declared.name + " : ", type);
}

// The same for the weights among the arguments that the edits change.
std::string titleOfAll(const Guesser& g, const Application& at, const std::vector<Edit>& edits) {
  std::string title;
  for (const Span argument : at.arguments) {
    const ast::Param* param = g.paramAt(argument);
    const bool isChanged = param && param->type && std::any_of(edits.begin(), edits.end(), [&](const Edit& edit) {
                             return isWithin(edit.span, g.module[param->type].span);
                           });
    if (!isChanged) continue;
    const std::string one = titleOf(g, {g.module[param->type].span, param->name.text}, edits);
    title += title.empty() ? one : " and" + one.substr(one.find(':') + 1);
  }
  return title;
}

// Where the types of the arguments that are weights have the number.
std::vector<Edit> editsOfArguments(const Guesser& g, const Application& at, std::int64_t number, std::int64_t instead) {
  std::vector<Edit> edits;
  for (const Span argument : at.arguments) {
    const ast::Param* param = g.paramAt(argument);
    if (!param || !param->type) continue;
    for (const ast::Dim& dim : g.module.dims)
      if (const auto* is = std::get_if<ast::DimInt>(&dim.node);
          is && is->value == static_cast<std::uint64_t>(number) && isWithin(dim.span, g.module[param->type].span))
        edits.push_back({dim.span, std::to_string(instead)});
  }
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  return edits;
}

// Where a declared type has the number.
std::vector<Edit> editsOfType(const Guesser& g, Span type, std::int64_t number, std::int64_t instead) {
  std::vector<Edit> edits;
  for (const ast::Dim& dim : g.module.dims)
    if (isWithin(dim.span, type) && g.text(dim.span) == std::to_string(number))
      edits.push_back({dim.span, std::to_string(instead)});
  std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
  return edits;
}

// The sizes of a declared type that are numbers.
std::vector<std::int64_t> numbersIn(const Guesser& g, Span type) {
  std::vector<std::int64_t> numbers;
  for (const ast::Dim& dim : g.module.dims)
    if (const auto* is = std::get_if<ast::DimInt>(&dim.node); is && isWithin(dim.span, type) && is->value <= INT32_MAX)
      numbers.push_back(static_cast<std::int64_t>(is->value));
  return numbers;
}

// Whether a declared filter is [k, c, r, s], the layout of other libraries.
bool isWindowLast(const std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t mostOfWindow = 11;
  return sizes.size() == 4 && sizes[2] == sizes[3] && sizes[3] <= mostOfWindow && sizes[0] > mostOfWindow;
}

// Whether weights of that name in other layers are declared alike: then the declaration of one is seldom wrong. Layers
// that are numbered, but of another name, as `enc1` and `dec1`, need not be alike.
bool isAsOfOtherLayers(const Guesser& g, const Declared& declared) {
  if (declared.name.find('.') == std::string::npos) return false;
  auto areOfOneKind = [&](const std::string& other) {
    const std::string own = groupOf(declared.name), its = groupOf(other);
    const bool areNumbered = withoutNumbers(own) != own && withoutNumbers(its) != its;
    return !areNumbered || withoutNumbers(own) == withoutNumbers(its);
  };
  return std::ranges::any_of(g.module.items, [&](const ast::Item& item) {
    const auto* param = std::get_if<ast::Param>(&item);
    return param && param->type && param->name.text != declared.name &&
           lastNameOf(param->name.text) == lastNameOf(declared.name) && areOfOneKind(param->name.text) &&
           g.text(g.module[param->type].span) == g.text(declared.type);
  });
}

// Whether the declared size of a table is that of an axis which the table does not have, and what an operator joins it
// with has: then that axis is meant. A bias, of one axis, may as well be declared wrongly.
bool isOfAnotherAxis(Guesser& g, const Application& at, const Declared& declared, std::int64_t number) {
  if (at.named || at.arguments.size() != 2) return false;
  const std::size_t own = g.text(at.arguments[0]) == declared.name ? 0 : 1;
  const std::size_t rank = g.rankOf(at.arguments[own]).value_or(0);
  const std::vector<Dim> sizes = g.sizesOf(at.arguments[1 - own]);
  if (g.text(at.arguments[own]) != declared.name || rank < 2 || sizes.size() <= rank) return false;
  const auto end = sizes.end() - static_cast<std::ptrdiff_t>(rank);
  return std::find(sizes.begin(), end, g.checked.solution.dims.constant(number)) != end;
}

}  // namespace

// Writes the size that the other side has, or the multiple of it that the written one is of its own.
void declaredSize(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const std::vector<std::int64_t> sizes = g.numbers();
  if (sizes.size() != 2) return;
  auto isGiven = [&](const Label& label) {  // a label in the type of an argument
    const Span* span = std::get_if<Span>(&label.place);
    return span && std::any_of(at.arguments.begin(), at.arguments.end(), [&](Span argument) {
             const ast::Param* param = g.paramAt(argument);
             return param && param->type && isWithin(*span, g.module[param->type].span);
           });
  };
  std::vector<Label> labels = g.diagnostic.secondary;
  std::stable_partition(labels.begin(), labels.end(), isGiven);
  const bool areRelated = areRelatedElsewhere(g);
  for (const Label& label : labels) {
    const Span* span = std::get_if<Span>(&label.place);
    const auto declared = span && span->source == g.module.source ? declaredAt(g, *span) : std::nullopt;
    if (declared && isWindowLast(numbersIn(g, declared->type))) continue;
    const auto written = declared ? numberOf(g.text(*span)) : std::nullopt;
    if (!written) continue;
    const std::int64_t number = *written;
    const std::int64_t own = std::strtoll(label.text.c_str(), nullptr, 10);  // the size that follows from it
    for (std::size_t i : {0, 1}) {
      const std::int64_t other = sizes[1 - i];
      if ((sizes[i] != own && sizes[i] != number) || sizes[i] == 0 || number * other % sizes[i] != 0) continue;
      const std::int64_t instead = number * other / sizes[i];
      const std::vector<Edit> one{{*span, std::to_string(instead)}};
      g.found.push_back({titleOf(g, *declared, one), one,
                         areRelated || isUsedOtherwise(g, declared->name) || isAsOfOtherLayers(g, *declared) ||
                             isOfAnotherAxis(g, at, *declared, number)});
      if (std::vector<Edit> back = editsOfType(g, declared->type, other, number);
          declared->name.empty() && back.size() == 1) {
        back.push_back(one[0]);
        std::ranges::sort(back, {}, [](const Edit& edit) { return edit.span.begin; });
        g.found.push_back({titleOf(g, *declared, back), back});
      }
      if (declared->name.empty())
        if (const std::vector<Edit> alike = editsOfType(g, declared->type, number, instead); alike.size() > 1)
          g.found.push_back({titleOf(g, *declared, alike), alike});
      const std::vector<Edit> all = editsOfArguments(g, at, number, instead);
      if (all.size() > 1) g.found.push_back({titleOfAll(g, at, all), all});
    }
  }
}

namespace {

// Whether an application is the only call of a function of the program: what that declares is likelier right than what
// its caller does, which says nothing else of the size.
bool isOfOneCall(const Guesser& g, const Application& at) {
  if (!at.named || parametersOf(g, calleeOf(g, at)).empty()) return false;
  return 1 == std::ranges::count_if(g.calls(),
                                    [&](const Application& call) { return calleeOf(g, call) == calleeOf(g, at); });
}

}  // namespace

// Writes the size that the other side has in the type of a function's parameter, as an input has it: not where both
// sides are such sizes, unless one of them is of the function around the only call.
void declaredInput(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const std::vector<std::int64_t> sizes = g.numbers();
  std::vector<GuessedFix> fixes;
  for (const Label& label : g.diagnostic.secondary) {
    const Span* span = std::get_if<Span>(&label.place);
    const ast::ExprFn* around = span ? g.functionAround(*span) : nullptr;
    const std::string written = around && isWithin(*span, around->signature) ? g.text(*span) : std::string();
    if (written.empty() || sizes.size() != 2) continue;
    for (const ast::Parameter& parameter : around->parameters)
      for (const std::size_t i : {0, 1})
        if (isWithin(*span, parameter.span) && written == std::to_string(sizes[i])) {
          g.guess({parameter.span, {}, nullptr}, "declare what fits", {{*span, std::to_string(sizes[1 - i])}});
          g.found.back().isFallback = true;  // what is fed has its size
          fixes.push_back(std::move(g.found.back()));
          g.found.pop_back();
        }
  }
  if (fixes.size() > 1 && isOfOneCall(g, at))
    std::erase_if(fixes,
                  [&](const Fix& fix) { return g.functionAround(fix.edits[0].span) != g.functionAround(at.span); });
  if (fixes.size() == 1) g.found.push_back(std::move(fixes[0]));
}

namespace {

// Two numbers of a message's fact `n % k == 0`: what n and k are.
struct Division {
  std::int64_t whole = 0, divisor = 0;
};
std::optional<Division> divisionOf(const std::string& message) {
  const std::size_t fact = message.find(" == 0");
  const std::size_t begin = fact == message.npos ? fact : message.rfind('`', fact);
  const std::size_t sign = fact == message.npos ? fact : message.rfind(" % ", fact);
  if (begin == message.npos || sign == message.npos || sign < begin) return std::nullopt;
  auto valueOf = [&](const std::string& size) -> std::int64_t {
    if (size.find_first_not_of("0123456789") == size.npos) return std::strtoll(size.c_str(), nullptr, 10);
    const std::size_t is = message.find(size + " is ", fact);
    return is == message.npos ? 0 : std::strtoll(message.c_str() + is + size.size() + 4, nullptr, 10);
  };
  const Division found{valueOf(message.substr(begin + 1, sign - begin - 1)),
                       valueOf(message.substr(sign + 3, fact - sign - 3))};
  return found.whole > 0 && found.divisor > 1 ? std::optional(found) : std::nullopt;
}

}  // namespace

// Writes a size that a number divides, in a weight and in those of its group: as many times another of its sizes, or
// the nearest.
void declaredDivisible(Guesser& g, const Application& at) {
  const auto division = divisionOf(g.diagnostic.message);
  if (!division || !(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  for (const Label& label : g.diagnostic.secondary) {
    const Span* span = std::get_if<Span>(&label.place);
    const auto declared = span && span->source == g.module.source ? declaredAt(g, *span) : std::nullopt;
    if (!declared || g.text(*span) != std::to_string(division->whole)) continue;
    std::vector<std::int64_t> wanted;
    for (const std::int64_t other : numbersIn(g, declared->type))
      if (other != division->whole) wanted.push_back(other * division->divisor);
    const std::int64_t below = division->whole / division->divisor * division->divisor;
    wanted.insert(wanted.end(), {below, below + division->divisor});
    for (const std::int64_t instead : wanted) {
      std::vector<Edit> edits;
      std::string title;
      for (const ast::Item& item : g.module.items) {
        const auto* param = std::get_if<ast::Param>(&item);
        const bool isAlike =
            param && param->type && !declared->name.empty() && groupOf(param->name.text) == groupOf(declared->name);
        std::vector<Edit> own;
        for (const ast::Dim& dim : g.module.dims)
          if (isAlike && isWithin(dim.span, g.module[param->type].span) && g.text(dim.span) == g.text(*span))
            own.push_back({dim.span, std::to_string(instead)});
        if (own.empty()) continue;
        const std::string one = titleOf(g, {g.module[param->type].span, param->name.text}, own);
        title += title.empty() ? one : " and" + one.substr(one.find(':') + 1);
        edits.insert(edits.end(), own.begin(), own.end());
      }
      const std::vector<Edit> alone{{*span, std::to_string(instead)}};
      if (edits.size() > 1) g.found.push_back({title, std::move(edits), true});  // the number is likelier to be wrong
      g.found.push_back({titleOf(g, *declared, alone), alone, true});
    }
  }
}

// Writes the shape that is needed, where it is of numbers.
void declaredShape(Guesser& g, const Application& at) {
  for (const std::string& shape : g.diagnostic.arguments) {
    if (!shape.starts_with("[") || shape.find_first_not_of("[]0123456789, ") != shape.npos) continue;
    for (const Span argument : at.arguments) {
      const ast::Param* param = g.paramAt(argument);
      const auto* type = param && param->type ? std::get_if<ast::TypeTensor>(&g.module[param->type].node) : nullptr;
      if (!type || !type->shape) continue;
      const Span written = g.module[type->shape].span;
      const std::vector<std::string>& told = g.diagnostic.arguments;
      if (g.text(written) == shape || std::find(told.begin(), told.end(), g.text(written)) == told.end()) continue;
      const std::vector<Edit> edits{{written, shape}};
      g.found.push_back({titleOf(g, {g.module[param->type].span, param->name.text}, edits), edits});
    }
  }
}

// Declares whole numbers where a parameter of a function is used as positions: those that another function takes which
// it is given to.
void declaredIntegers(Guesser& g, const Application& at) {
  if (g.named(1) != "int") return;
  const auto* parameter = parameterOf(g, at.span);
  if (!parameter) return;
  const std::string taken = integersTaken(g, *parameter);
  declareElement(g, *parameter, "declare whole numbers", taken.empty() ? "i64" : taken);
}

// Declares a parameter with the other one of two element types that meet in a call of a function.
void declaredElement(Guesser& g, const Application& at) {
  const auto* parameter = parameterOf(g, at.span);
  if (!parameter || g.checked.operators.find(g.named(0))) return;
  const std::string& elem = std::get<ast::TypeTensor>(g.module[parameter->type].node).elem;
  const std::vector<std::string> names = g.names();
  if (std::ranges::find(names, elem) == names.end()) return;
  for (const std::string& name : names)
    if (name != elem && elemNamed(name)) {
      declareElement(g, *parameter, "declare the other element type", name);
      g.found.back().isFallback = true;  // what is fed has its type
    }
}

// Declares an input of the program as the function does that takes it, where the element types of both are written:
// `main = fn (time : i32 [n])` for `time : f32 [n]` beside `embed = fn (time : i32 [n])`. A conversion of a float would
// lose what is fed.
void declaredElementOfInput(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  auto isCalled = [&](const ast::ExprFn* function) {
    return std::ranges::any_of(g.module.bindings, [&](const ast::Binding& binding) {
      return std::get_if<ast::ExprFn>(&g.module[binding.value].node) == function &&
             usesOf(g, g.text(g.module[binding.pattern].span), {g.module.source, 0, UINT32_MAX}) > 0;
    });
  };
  struct Written {
    const ast::Parameter* parameter;
    std::optional<Elem> elem;
    bool isInput;
  };
  std::vector<Written> written;
  for (const Span mark : g.marks())
    if (const ast::Parameter* parameter = parameterOf(g, mark))
      written.push_back({parameter, elemNamed(std::get<ast::TypeTensor>(g.module[parameter->type].node).elem),
                         !isCalled(g.functionAround(mark))});
  for (const Written& input : written)
    for (const Written& taken : written) {
      if (!input.isInput || taken.isInput || !input.elem || !taken.elem || input.elem == taken.elem) continue;
      declareElement(g, *input.parameter, "declare what is taken", std::string(info(*taken.elem).name));
      g.found.back().isSure = info(*input.elem).isFloat && !info(*taken.elem).isFloat;
    }
}

namespace {

// The weights among the arguments; of a convolution that fails also those whose declared sizes are marked.
std::vector<const ast::Param*> weightsOf(const Guesser& g, const Application& at) {
  std::vector<const ast::Param*> weights;
  for (const Span argument : at.arguments)
    if (const ast::Param* param = g.paramAt(argument); param && param->type) weights.push_back(param);
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || !g.named(0).starts_with("conv")) return weights;
  for (const Label& label : g.diagnostic.secondary)
    for (const ast::Item& item : g.module.items) {
      const Span* span = std::get_if<Span>(&label.place);
      const auto* param = std::get_if<ast::Param>(&item);
      if (span && param && param->type && isWithin(*span, g.module[param->type].span)) weights.push_back(param);
    }
  return weights;
}

// Whether an operator takes filters of so many axes: two behind those of the window.
bool takesFilters(const std::string& op, std::size_t rank) {
  return op == fmt::format("conv{}d", rank - 2) || op == fmt::format("conv_transpose{}d", rank - 2);
}

}  // namespace

// Declares a matrix or a filter among the weights with its last sizes exchanged.
void declaredTransposed(Guesser& g, const Application& at) {
  for (const ast::Param* param : weightsOf(g, at)) {
    const auto* type = std::get_if<ast::TypeTensor>(&g.module[param->type].node);
    const auto* list = type && type->shape ? std::get_if<ast::ShapeDims>(&g.module[type->shape].node) : nullptr;
    const std::size_t rank = list ? list->dims.size() : 0;
    if (rank != 2 && !(rank > 2 && takesFilters(g.named(0), rank))) continue;
    const Span rows = g.module[list->dims[rank - 2]].span, columns = g.module[list->dims[rank - 1]].span;
    if (g.text(rows) == g.text(columns)) continue;
    const std::vector<Edit> edits{{rows, g.text(columns)}, {columns, g.text(rows)}};
    g.found.push_back({titleOf(g, {g.module[param->type].span, param->name.text}, edits), edits});
  }
}

// Declares filters [k, c, r, s], the layout of other libraries, as [r, s, c, k].
void declaredWindowFirst(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  for (const Label& label : g.diagnostic.secondary) {
    const Span* span = std::get_if<Span>(&label.place);
    const auto declared = span && span->source == g.module.source ? declaredAt(g, *span) : std::nullopt;
    if (!declared || declared->name.empty()) continue;
    const std::vector<std::int64_t> sizes = numbersIn(g, declared->type);
    if (!isWindowLast(sizes)) continue;
    for (const ast::Item& item : g.module.items) {
      const auto* param = std::get_if<ast::Param>(&item);
      if (!param || param->name.text != declared->name) continue;
      const auto& type = std::get<ast::TypeTensor>(g.module[param->type].node);
      const std::vector<Edit> edits{
          {g.module[type.shape].span, fmt::format("[{}, {}, {}, {}]", sizes[2], sizes[3], sizes[1], sizes[0])}};
      g.found.push_back({titleOf(g, *declared, edits), edits});
    }
  }
}

// Sizes near that of an image which can be halved as often as the program halves and doubles it.
void declaredMultiple(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const std::vector<std::int64_t> numbers = g.numbers();
  const std::vector<Application>& calls = g.calls();
  const bool enlarges = std::any_of(calls.begin(), calls.end(), [&](const Application& call) {
    const std::string callee = calleeOf(g, call);
    return callee == "upsample" || callee.starts_with("conv_transpose");
  });
  const bool joinsImages = g.named(0) == "concat" || g.named(0) == "+" || !parametersOf(g, calleeOf(g, at)).empty();
  if (!enlarges || !joinsImages || numbers.size() != 2) return;
  constexpr std::int64_t steps[] = {2, 4, 8, 16, 32};
  constexpr std::int64_t mostHalvings = 5;
  constexpr std::uint64_t leastImage = 16;  // smaller numbers are channels
  struct Size {
    Span span;
    std::int64_t size;
  };
  std::map<std::uint32_t, std::vector<Size>> images;  // by function: heights and widths
  for (const ast::Dim& dim : g.module.dims)
    if (const auto* is = std::get_if<ast::DimInt>(&dim.node); is && leastImage <= is->value && is->value <= INT32_MAX)
      if (const ast::ExprFn* around = g.functionAround(dim.span); around && isWithin(dim.span, around->signature))
        images[around->signature.begin].push_back({dim.span, static_cast<std::int64_t>(is->value)});
  for (auto& [function, written] : images) {
    auto isHalved = [&](const Size& image) {
      for (std::int64_t i = 0; i <= mostHalvings; ++i)
        if (std::ranges::find(numbers, image.size >> i) != numbers.end()) return true;
      return false;
    };
    if (written.size() < 2 || std::ranges::none_of(written, isHalved)) continue;
    std::ranges::sort(written, {}, [](const Size& size) { return size.span.begin; });
    for (const std::int64_t step : steps)
      for (const std::int64_t more : {std::int64_t{0}, step - 1}) {
        std::vector<Edit> edits;
        std::map<std::int64_t, std::int64_t> changed;
        for (const auto& [span, size] : written)
          if (const std::int64_t instead = (size + more) / step * step; instead != size) {
            edits.push_back({span, std::to_string(instead)});
            changed[size] = instead;
          }
        std::string sizes;
        for (const auto& [size, instead] : changed)
          sizes += fmt::format("{}`{}` instead of `{}`", sizes.empty() ? "" : " and ", instead, size);
        if (!edits.empty())
          g.found.push_back({fmt::format("{}: write {} in this signature",
                                         changed.size() == 1 ? "a size that fits" : "sizes that fit", sizes),
                             std::move(edits)});
      }
  }
}

// Gives a size that a function names twice another name the first time.
void declaredApart(Guesser& g, const Application& at) {
  for (const ast::Binding& binding : g.module.bindings) {
    const auto* function = std::get_if<ast::ExprFn>(&g.module[binding.value].node);
    if (!at.named || !function || g.text(g.module[binding.pattern].span) != calleeOf(g, at)) continue;
    for (const ast::Parameter& parameter : function->parameters) {
      const auto sizes = declaredSizesOf(g.module, parameter);
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const Span first = sizes[i]->span, second = sizes[i + 1]->span;
        if (g.text(first) != g.text(second)) continue;
        for (const char* other : {"b", "m"})
          g.guess({parameter.span, {}, nullptr}, "sizes that differ have different names", {{first, other}});
      }
    }
  }
}

// Names the second and the third of four axes in the other order: heads and rows.
void declaredOrder(Guesser& g, const Application& at) {
  if (!at.named && !at.arguments.empty()) return;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    for (std::size_t i = 0; function && i < function->parameters.size(); ++i) {
      const auto sizes = declaredSizesOf(g.module, function->parameters[i]);
      const bool areNames = std::all_of(sizes.begin(), sizes.end(), [](const ast::Dim* size) {
        return std::holds_alternative<ast::DimName>(size->node);
      });
      if (sizes.size() != 4 || !areNames) continue;
      g.guess({function->parameters[i].span, {}, nullptr}, "the axes in another order",
              {{sizes[1]->span, g.text(sizes[2]->span)}, {sizes[2]->span, g.text(sizes[1]->span)}});
    }
  }
}

}  // namespace axle::guess
