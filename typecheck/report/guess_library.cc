// Guesses of functions that an argument has to go through first, or not at all, and of those with a like name.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "frontend/suggest.h"

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr const char* joinHeads = "attention.join_heads";

// A function that makes of one tensor what layers take.
struct Preparing {
  const char* function;
  std::optional<std::size_t> rank;  // that it takes
  std::optional<Elem> elem;
};
constexpr Preparing preparing[] = {
    {"vision.from_bytes", {}, Elem::u8},
    {joinHeads, 4, {}},
    {"nn.global_avg_pool", 4, {}},
};

// Whether the heads of a tensor [b, h, n, d] together have the one of the two sizes that meet, and each has the other.
bool joinsToOther(Guesser& g, const std::vector<Dim>& sizes) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (sizes.size() != 4 || told.size() < 2) return false;
  Solution& solution = g.checked.solution;
  const std::string joined = solution.printSize(solution.dims.mul(sizes[1], sizes[3]));
  return std::minmax(joined, solution.printSize(sizes[3])) == std::minmax(told[told.size() - 2], told[told.size() - 1]);
}

// Joins the heads where a call on the way to what fails hands them on.
void joinOnTheWay(Guesser& g, const Application& at) {
  const Modules& modules = g.checked.modules;
  if (parametersOf(g, calleeOf(g, at)).empty()) return;  // an operator
  if (!functionNamed(modules, modules.modules.size() - 1, joinHeads)) return;
  for (const Span argument : at.arguments)
    if (joinsToOther(g, g.sizesOf(argument)))
      g.wrap(at, argument, fmt::format("first apply `{}` to", joinHeads), std::string(joinHeads) + "(", ")");
}

}  // namespace

// Passes an argument through a function of the program that another function applies to tensors of that rank, and that
// gives tensors of another rank: `nn.dense(merge(x), w, b)`.
void throughOwn(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!isFailing(g, at)) return;
  const std::vector<Application>& calls = g.calls();
  std::set<std::pair<std::uint32_t, std::string>> offered;
  for (const Application& made : calls) {
    const std::string callee = calleeOf(g, made);
    const auto function = functionNamed(g.checked.modules, g.checked.modules.modules.size() - 1, callee);
    const bool isOwn = function && function->module == &g.module && function->span.end < at.span.begin;
    if (!isOwn || made.arguments.size() != 1 || !made.named->empty()) continue;
    if (g.functionAround(made.span) == g.functionAround(at.span)) continue;
    const auto from = g.rankOf(made.arguments[0]), to = g.rankOf(made.span);
    if (!from || !to || from == to) continue;
    for (const Span argument : at.arguments)
      if (g.nodeAt<ast::ExprName>(argument) && !g.paramAt(argument) && g.rankOf(argument) == from &&
          offered.size() < most && offered.emplace(argument.begin, callee).second)
        g.wrap(at, argument, fmt::format("first apply `{}` to", callee), callee + "(", ")");
  }
}

// Passes an argument through a function of an imported module: `nn.dense(attention.join_heads(x), w, b)`.
void throughLibrary(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const Modules& modules = g.checked.modules;
  for (const Preparing& row : preparing) {
    if (!functionNamed(modules, modules.modules.size() - 1, row.function)) continue;
    for (const Span argument : at.arguments) {
      const auto rank = g.rankOf(argument);
      const auto isLikeIt = [&](Span other) { return !(other == argument) && rank && g.rankOf(other) == rank; };
      if (row.rank && (g.partsOf(argument) > 0 || std::ranges::any_of(at.arguments, isLikeIt))) continue;
      if (g.paramAt(argument) || (row.elem && g.elemOf(argument) != row.elem)) continue;
      if (!row.rank || !rank || rank == row.rank)
        g.wrap(at, argument, fmt::format("first apply `{}` to", row.function), std::string(row.function) + "(", ")");
    }
  }
  for (const Application& call : g.markedCalls())
    if (call.span != at.span) joinOnTheWay(g, call);
}

namespace {

// The functions of imported modules that take so many arguments, as calls have them: `nn.glu`.
std::vector<std::string> libraryFunctions(const Guesser& g, std::size_t arguments) {
  std::vector<std::string> names;
  for (const auto& [import, index] : g.checked.modules.imports.back()) {
    const ast::Module& module = g.checked.modules.modules[index];
    for (const ast::Binding& binding : module.bindings) {
      const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node);
      const auto* function = std::get_if<ast::ExprFn>(&module[binding.value].node);
      if (name && function && function->parameters.size() == arguments)
        names.push_back(fmt::format("{}.{}", import, name->name));
    }
  }
  return names;
}

}  // namespace

// Calls the function of the library that is named nearly as the operator which is called: `nn.glu(x)` for `gelu(x)`.
void namedNearly(Guesser& g, const Application& at) {
  constexpr std::size_t most = 3;
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const std::string callee = calleeOf(g, call);
    if (!g.checked.operators.find(callee) || !call.named->empty()) continue;
    const std::vector<std::string> functions = libraryFunctions(g, call.arguments.size());
    for (const std::string& function : functions) {
      const std::string_view last = std::string_view(function).substr(function.rfind('.') + 1);
      if (equallyCloseNames(callee, {&last, 1}).empty() || ++found > most) continue;
      const auto end = call.span.begin + static_cast<std::uint32_t>(callee.size());
      g.guess(call, fmt::format("use `{}` instead of `{}`", function, callee),
              {{{call.span.source, call.span.begin, end}, function}});
    }
  }
}

// Halves the last axis of a value by a gate, where that is what is needed: `nn.glu(y)` for `y`; where a name that is
// used once is bound.
void gated(Guesser& g, const Application& at) {
  constexpr const char* gate = "nn.glu";
  const std::vector<std::int64_t> sizes = g.numbers();
  const Modules& modules = g.checked.modules;
  if (!isFailing(g, at) || sizes.size() != 2 || !functionNamed(modules, modules.modules.size() - 1, gate)) return;
  const auto [half, whole] = std::minmax(sizes[0], sizes[1]);
  for (const Span argument : half * 2 == whole ? at.arguments : std::vector<Span>()) {
    const std::vector<Dim> own = g.sizesOf(argument);
    if (own.empty() || g.paramAt(argument) || own.back() != g.checked.solution.dims.constant(whole)) continue;
    const ast::ExprFn* around = g.functionAround(argument);
    const bool isOnce = around && usesOf(g, g.text(argument), g.module[around->body].span) == 1;
    const Span place = isOnce ? valueOf(g, argument) : argument;
    g.guess(place == argument ? at : Application{place, {}, nullptr}, "a gate that halves the last axis",
            {{place, fmt::format("{}({})", gate, g.text(place))}});
    g.found.back().isFallback = true;  // any other way to half as many may be meant
  }
}

// Leaves out a call that makes one of the two sizes that meet of the other one, along the last axis: `y` for
// `nn.glu(y)`.
void withoutCall(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (!isFailing(g, at) || told.size() < 2) return;
  const auto sizes = std::minmax(told[told.size() - 2], told[told.size() - 1]);
  auto leadsThere = [&](const Application& call) {
    return std::ranges::any_of(g.diagnostic.secondary, [&](const Label& label) {
      const Span* place = std::get_if<Span>(&label.place);
      return place && *place == call.span && label.text.starts_with("in this call");
    });
  };
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    if (call.arguments.size() != 1 || call.span == at.span || leadsThere(call)) continue;
    const std::vector<Dim> before = g.sizesOf(call.arguments[0]), after = g.sizesOf(call.span);
    if (before.empty() || before.size() != after.size()) continue;
    // Another size of an image is told by what changes images.
    const std::string from = g.checked.solution.printSize(before.back());
    const std::string to = g.checked.solution.printSize(after.back());
    if (std::minmax(from, to) != sizes || ++found > most) continue;
    const std::string argument = g.text(call.arguments[0]);
    g.guess(isWithin(call.span, at.span) ? at : call, fmt::format("leave out `{}`", calleeOf(g, call)),
            {{call.span, argument}});
  }
}

// Joins the heads of [n, h, l, d] where a function that takes [n, l, c] gives them to a layer.
void headsJoined(Guesser& g, const Application& at) {
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!around || !(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::string sizes;
  for (const ast::Parameter& parameter : around->parameters)
    if (const auto dims = declaredSizesOf(g.module, parameter); sizes.empty() && dims.size() == 3)
      for (const ast::Dim* dim : dims) sizes += (sizes.empty() ? "" : ", ") + g.text(dim->span);
  if (sizes.empty()) return;
  for (const Span argument : at.arguments)
    if (g.rankOf(argument).value_or(4) == 4 && !g.paramAt(argument))
      g.wrap(at, argument, "join the heads of each row of", "reshape(transpose(",
             ", perm=[0, 2, 1, 3]), [" + sizes + "])");
}

}  // namespace axle::guess
