// Guesses of layouts: those of other libraries, images that are not flattened or have no channels, masks.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr const char* ofImages = ", perm=[0, 2, 3, 1])";
constexpr const char* ofFilters = ", perm=[2, 3, 1, 0])";

// Whether a call by its name takes images.
bool takesImages(const std::string& call) {
  const std::string name = call.substr(0, call.find('('));
  return name.find("conv") != name.npos || name.find("block") != name.npos;
}

}  // namespace

// Transposes images [n, c, h, w] and filters [k, c, r, s], the layout of other libraries, if the sizes look like that.
void channelsLast(Guesser& g, const Application& at) {
  const bool fails = g.named(0).starts_with("conv");  // inside of the function that is called
  if (!at.named || at.arguments.size() < 2 || !(fails || takesImages(g.text(at.span)))) return;
  auto number = [&](Dim size, std::int64_t otherwise) {
    return g.checked.solution.dims.asConstant(size).value_or(otherwise);
  };
  const std::vector<Dim> nchw = g.sizesOf(at.arguments[0]), kcrs = g.sizesOf(at.arguments[1]);
  const bool isImage = nchw.size() == 4 &&
                       (nchw[2] == nchw[3] ||
                        number(nchw[1], INT64_MAX) < std::min(number(nchw[2], INT64_MAX), number(nchw[3], INT64_MAX)));
  constexpr std::int64_t mostOfWindow = 11;
  const bool isFilter = kcrs.size() == 4 && kcrs[2] == kcrs[3] && number(kcrs[3], INT64_MAX) <= mostOfWindow;
  const std::string image = "transpose(" + g.text(at.arguments[0]) + ofImages;
  const std::string filter = "transpose(" + g.text(at.arguments[1]) + ofFilters;
  if (isImage && isFilter)
    g.guess(at, "images are [n, h, w, c] and filters [r, s, c, k]",
            {{at.arguments[0], image}, {at.arguments[1], filter}});
  if (isImage) g.wrap(at, at.arguments[0], "images are [n, h, w, c]: transpose", "transpose(", ofImages);
  if (isFilter) g.wrap(at, at.arguments[1], "filters are [r, s, c, k]: transpose", "transpose(", ofFilters);
}

void channelsMissing(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty()) return;
  const std::string call = g.text(at.span), name = call.substr(0, call.find('('));
  if (!takesImages(call) && name.find("pool") == name.npos) return;
  g.wrap(at, at.arguments[0], "give an axis of one channel to", "expand(", ", axis=-1)");
  g.guess(at, "make a batch of one image", {{at.arguments[0], "expand(" + g.text(at.arguments[0]) + ", axis=0)"}});
}

// Gives an argument the axis of size 1 that the parameter of a function declares: `net(expand(x, axis=-1))`.
void declaredOne(Guesser& g, const Application& at) {
  const auto called = calledFunctionAt(g.checked.modules, at.span);
  for (std::size_t i = 0; called && i < std::min(at.arguments.size(), called->function->parameters.size()); ++i) {
    const auto sizes = declaredSizesOf(*called->module, called->function->parameters[i]);
    if (sizes.empty() || g.rankOf(at.arguments[i]) != sizes.size() - 1) continue;
    for (std::size_t axis = sizes.size(); axis-- > 0;)
      if (const auto* number = std::get_if<ast::DimInt>(&sizes[axis]->node); number && number->value == 1)
        g.wrap(at, at.arguments[i], "give an axis of size 1 to", "expand(",
               axis + 1 == sizes.size() ? ", axis=-1)" : fmt::format(", axis={})", axis));
  }
}

// Gives a batch to an argument of a function that has none: a batch of one, or in the declaration of the argument.
void batchMissing(Guesser& g, const Application& at) {
  if (!at.named || parametersOf(g, calleeOf(g, at)).empty()) return;  // an operator takes other ranks in other ways
  for (const Span argument : at.arguments) {
    if (g.paramAt(argument) || !g.rankOf(argument)) continue;
    const ast::ExprFn* around = g.functionAround(argument);
    for (std::size_t i = 0; around && i < around->parameters.size(); ++i) {
      const ast::Parameter& parameter = around->parameters[i];
      const auto sizes = declaredSizesOf(g.module, parameter);
      if (parameter.name.text != g.text(argument) || sizes.empty()) continue;
      auto isTaken = [&](const std::string& taken) {
        return std::any_of(g.module.dims.begin(), g.module.dims.end(), [&](const ast::Dim& dim) {
          return isWithin(dim.span, around->signature) && g.text(dim.span) == taken;
        });
      };
      std::string name = "b";
      if (around->resultType) {  // the batch of the result
        const std::string result = g.text(g.module[around->resultType].span);
        const std::size_t open = result.find('[');
        if (open != result.npos) name = result.substr(open + 1, result.find_first_of(",]", open) - open - 1);
      } else {
        static constexpr const char* names[] = {"b", "n", "batch"};
        const auto* open = std::find_if_not(std::begin(names), std::end(names), isTaken);
        if (open == std::end(names)) continue;
        name = *open;
      }
      const Span first = sizes.front()->span;
      const Span before{first.source, first.begin, first.begin};
      g.guess({parameter.span, {}, nullptr}, "declare the batch", {{before, name + ", "}});
    }
    g.wrap(at, argument, "make a batch of one of", "expand(", ", axis=0)");
  }
}

// Transposes the matrices among the weights, also those in tuples.
void transposedWeights(Guesser& g, const Application& at) {
  std::vector<Span> arguments = at.arguments;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* tuple = std::get_if<ast::ExprTuple>(&e.node);
        tuple && std::find(at.arguments.begin(), at.arguments.end(), e.span) != at.arguments.end())
      for (ast::ExprId part : tuple->parts) arguments.push_back(g.module[part].span);
  for (const Span argument : arguments) {
    if (!g.paramAt(argument)) continue;
    const std::vector<Dim> sizes = g.sizesOf(argument);
    if (sizes.size() == 2 && sizes[0] != sizes[1]) g.wrap(at, argument, "transpose", "transpose(", ")");
    // [k, c, r, s] of other libraries: windows are mostly square
    if (sizes.size() == 4 && sizes[2] == sizes[3] && sizes[0] != sizes[1])
      g.wrap(at, argument, "put the window's axes first in", "transpose(", ", perm=[2, 3, 1, 0])");
  }
}

// Makes one axis of all but the first, as a dense layer needs it.
void flattened(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() < 2) return;
  const std::vector<Dim> sizes = g.sizesOf(at.arguments[0]);
  if (g.rankOf(at.arguments[1]).value_or(2) != 2) return;
  const std::string batch = sizes.size() > 2 ? g.sizeText(sizes[0]) : std::string();
  if (!batch.empty())
    g.wrap(at, at.arguments[0], "make one axis of all but the first of", "reshape(", ", [" + batch + ", _])");
}

// Keeps the batch that a `flatten` takes with the other axes.
void flattenedBatch(Guesser& g, const Application& at) {
  for (const Application& call : g.calls()) {
    if (!isWithin(call.span, at.span) || call.arguments.size() != 1) continue;
    const std::string text = g.text(call.span);
    if (!text.starts_with("flatten(") && !text.starts_with("nn.flatten(")) continue;
    g.guess(at, "`flatten` makes one axis of all; keep the first",
            {{call.span, fmt::format("reshape({}, [{}, _])", g.text(call.arguments[0]), g.named(0))}});
  }
}

// Exchanges the last two axes where a `transpose` reverses all, the batch too.
void batchKept(Guesser& g, const Application& at) {
  for (const Application& call : g.calls()) {
    if (!isWithin(call.span, at.span) || call.arguments.size() != 1 || !call.named->empty()) continue;
    const std::size_t rank = g.rankOf(call.arguments[0]).value_or(0);
    if (!g.text(call.span).starts_with("transpose(") || rank < 3 || rank > 4) continue;
    const Span behind{call.span.source, call.span.end - 1, call.span.end - 1};
    g.guess(at, "`transpose` reverses all axes; exchange the last two",
            {{behind, rank == 3 ? ", perm=[0, 2, 1]" : ", perm=[0, 1, 3, 2]"}});
  }
}

// Gives a mask of keys the axes of heads and queries.
void stretchedMask(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() != 4 || g.elemOf(at.arguments[3]) != Elem::boolean) return;
  const std::vector<Dim> queries = g.sizesOf(at.arguments[0]), keys = g.sizesOf(at.arguments[1]);
  const std::vector<Dim> mask = g.sizesOf(at.arguments[3]);
  if (queries.size() != 4 || keys.size() != 4) return;
  auto sizesWritten = [&](Span tensor) {  // as the signature has them: inference has narrowed some
    std::vector<std::string> sizes;
    for (const ast::Expr& e : g.module.exprs)
      if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
        for (const ast::Parameter& parameter : function->parameters) {
          if (parameter.name.text != g.text(tensor) || !parameter.type) continue;
          const auto* type = std::get_if<ast::TypeTensor>(&g.module[parameter.type].node);
          const auto* list = type && type->shape ? std::get_if<ast::ShapeDims>(&g.module[type->shape].node) : nullptr;
          if (list)
            for (ast::DimId size : list->dims) sizes.push_back(g.text(g.module[size].span));
        }
    return sizes;
  };
  const auto q = sizesWritten(at.arguments[0]), k = sizesWritten(at.arguments[1]);
  if (q.size() != 4 || k.size() != 4) return;
  const std::string name = g.text(at.arguments[3]), title = "one row of the mask for each query";
  const std::string all = fmt::format("[{}, 1, {}, {}]", q[0], q[2], k[2]);
  if (mask.size() == 2)
    g.guess(at, title,
            {{at.arguments[3], fmt::format("broadcast_to(reshape({}, [{}, 1, 1, {}]), {})", name, q[0], k[2], all)}});
  if (mask.size() == 4) g.guess(at, title, {{at.arguments[3], fmt::format("broadcast_to({}, {})", name, all)}});
}

// Gives a mask [b, n] or [b, m, n] that a function takes the axes of heads and queries.
void maskOfRows(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin || parametersOf(g, calleeOf(g, at)).empty()) return;
  for (const Span argument : at.arguments) {
    const std::size_t rank = g.rankOf(argument).value_or(0);
    if (g.elemOf(argument) != Elem::boolean || rank < 2 || rank > 3) continue;
    const std::string name = g.text(argument);
    const std::string rows = fmt::format("expand({}, axis=1)", name);
    g.guess(at, "the same mask for all heads",
            {{argument, rank == 3 ? rows : fmt::format("expand({}, axis=1)", rows)}});
  }
}

namespace {

// Whether the function around a name declares its sizes.
bool isDeclared(const Guesser& g, Span name) {
  const ast::ExprFn* around = g.functionAround(name);
  return around && std::ranges::any_of(around->parameters, [&](const ast::Parameter& parameter) {
           return parameter.name.text == g.text(name) && !declaredSizesOf(g.module, parameter).empty();
         });
}

}  // namespace

// Takes as many rows of a table as the other operand has: by a number, or by a name of the function's signature.
void firstRows(Guesser& g, const Application& at) {
  constexpr std::size_t mostNames = 4;
  if (at.named) return;
  const std::vector<std::int64_t> numbers = g.numbers();
  const ast::ExprFn* around = g.functionAround(at.span);
  std::vector<std::string> names;
  for (const ast::Dim& dim : g.module.dims)
    if (const auto* name = std::get_if<ast::DimName>(&dim.node);
        name && around && isWithin(dim.span, around->signature) && std::ranges::find(names, name->name) == names.end())
      names.push_back(name->name);
  std::ranges::reverse(names);  // those of the rows are behind those of batches
  names.resize(std::min(names.size(), mostNames));
  auto offer = [&](Span argument, const std::string& rows) {
    g.wrap(at, argument, "take as many rows as the other has of", "", "[:" + rows + "]");
    // Of what is no weight, any other value may be meant.
    g.found.back().isFallback = g.diagnostic.code == &codes::dimMismatch && !g.paramAt(argument);
  };
  for (const Span argument : at.arguments) {
    const std::vector<Dim> sizes = g.sizesOf(argument);
    const auto rows = sizes.empty() ? std::nullopt : g.checked.solution.dims.asConstant(sizes[0]);
    const bool isTable =
        g.paramAt(argument) || (g.nodeAt<ast::ExprName>(argument) && sizes.size() != 1 && !isDeclared(g, argument));
    if (!isTable || (!rows && (!sizes.empty() || g.paramAt(argument)))) continue;
    for (std::int64_t number : numbers)
      if (rows && number < *rows && sizes.size() > 1) offer(argument, std::to_string(number));
    for (const std::string& name : names) offer(argument, name);
  }
}

}  // namespace axle::guess
