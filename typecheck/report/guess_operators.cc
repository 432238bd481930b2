// Guesses of other operators and static arguments, of axes of size 1, and of conversions.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

void transposed(Guesser& g, const Application& at) {
  static constexpr const char* orders[] = {")", ", perm=[0, 2, 1])", ", perm=[0, 1, 3, 2])"};  // by rank, from 2
  for (auto argument = at.arguments.rbegin(); argument != at.arguments.rend(); ++argument) {
    const std::size_t rank = g.rankOf(*argument).value_or(2);
    const std::vector<Dim> sizes = g.sizesOf(*argument);
    const bool isLiteral = std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
      return e.span == *argument &&
             (std::holds_alternative<ast::ExprList>(e.node) || std::holds_alternative<ast::ExprString>(e.node) ||
              std::holds_alternative<ast::ExprNumber>(e.node));
    });
    if (isLiteral) continue;
    const bool isSame = sizes.size() >= 2 && sizes[sizes.size() - 1] == sizes[sizes.size() - 2];
    if (isSame && g.diagnostic.code == &codes::dimMismatch) continue;  // a narrowed size was another one before
    if (rank >= 2 && rank - 2 < std::size(orders)) g.wrap(at, *argument, "transpose", "transpose(", orders[rank - 2]);
  }
}

// Replaces `matmul` for a vector, or for batches by one matrix.
void asEinsum(Guesser& g, const Application& at) {
  if (at.arguments.size() != 2 || !g.text(at.span).starts_with("matmul(")) return;
  for (const char* equation : {"k,kn->n", "mk,k->m", "bmk,kn->bmn"})
    g.guess(
        at, "say what is summed",
        {{at.span, fmt::format("einsum(\"{}\", {}, {})", equation, g.text(at.arguments[0]), g.text(at.arguments[1]))}});
}

void converted(Guesser& g, const Application& at) {
  auto isNumber = [&](Span span) {
    return std::any_of(g.module.exprs.begin(), g.module.exprs.end(), [&](const ast::Expr& e) {
      return e.span == span && std::holds_alternative<ast::ExprNumber>(e.node);
    });
  };
  for (auto argument = at.arguments.rbegin(); argument != at.arguments.rend(); ++argument)
    if (!isNumber(*argument)) g.wrap(at, *argument, "convert", "cast(", ")");
}

// Compares numbers with 0 where bool is needed.
void compared(Guesser& g, const Application& at) {
  for (const Span argument : at.arguments)
    if (auto elem = g.elemOf(argument); elem && *elem != Elem::boolean) g.wrap(at, argument, "compare", "(", " != 0)");
}

// Makes positions of a mask.
void asMask(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() != 2 || g.elemOf(at.arguments[1]) != Elem::boolean) return;
  if (!g.text(at.span).starts_with("gather(")) return;
  const std::string positions = "squeeze(nonzero(" + g.text(at.arguments[1]) + "), axis=1)";
  g.guess(at, "the positions where a mask holds", {{at.arguments[1], positions}});
}

// Leaves one size of a `reshape` open.
void leftOpen(Guesser& g, const Application& at) {
  if (!g.text(at.span).starts_with("reshape(")) return;
  for (const ast::Expr& e : g.module.exprs) {
    auto* list = std::get_if<ast::ExprList>(&e.node);
    if (!list || e.span.begin < at.span.begin || e.span.end > at.span.end) continue;
    for (auto item = list->items.rbegin(); item != list->items.rend(); ++item)
      g.guess(at, "let one size follow from the others", {{g.module[*item].span, "_"}});
  }
}

void sameLengths(Guesser& g, const Application& at) {
  if (at.arguments.size() != 2) return;
  g.wrap(at, at.arguments[1], "checked in the run: lengths of the first for",
         "same_lengths(" + g.text(at.arguments[0]) + ", ", ")");
}

// Replaces `matmul`, whose batches must have one size.
void batched(Guesser& g, const Application& at) {
  const std::string given = g.text(at.span), name = "matmul";
  if (!given.starts_with(name + "(")) return;
  const auto begin = at.span.begin, end = begin + static_cast<std::uint32_t>(name.size());
  g.guess(at, "batches that broadcast", {{{at.span.source, begin, end}, "batch_matmul"}});
}

// Makes a list of a number.
void listed(Guesser& g, const Application& at) {
  if (at.named) {  // the numbers of a call together
    std::vector<Span> numbers;
    for (const ast::NamedArgument& named : *at.named)
      if (std::holds_alternative<ast::ExprNumber>(g.module[named.value].node) && !g.hasStatic(calleeOf(g, at), "axis"))
        numbers.push_back(g.module[named.value].span);
    std::vector<Edit> edits;
    for (const Span number : numbers) edits.push_back({number, fmt::format("[{0}, {0}]", g.text(number))});
    if (edits.size() > 1) g.guess(at, "one for each axis", std::move(edits));
    return;
  }
  Span value = at.span;  // in `stride=2`, the part behind the `=`
  if (std::size_t equals = g.text(value).find('='); equals != std::string::npos)
    value.begin += static_cast<std::uint32_t>(equals + 1);
  const std::string given = g.text(value);
  g.guess(at, "one for each axis", {{value, "[" + given + "]"}});
  g.guess(at, "one for each axis", {{value, "[" + given + ", " + given + "]"}});
  const std::string sides = "[" + given + ", " + given + "]";
  g.guess(at, "before and behind each axis", {{value, "[" + sides + ", " + sides + "]"}});
}

namespace {

void along(Guesser& g, const Application& at, Span axis, const std::string& lead) {
  const std::string given = g.text(axis);
  for (const char* other : {"-1", "0", "1", "2"})
    if (given != other) g.guess(at, "along another axis", {{axis, lead + other}});
}

}  // namespace

// Joins tensors along another axis, in the function where sizes do not fit or in one that gets the result.
void otherJoin(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  constexpr std::size_t most = 4;
  std::size_t joins = 0;
  for (const Application& call : g.calls()) {
    const std::string callee = calleeOf(g, call);
    const auto named = std::ranges::find(*call.named, "axis", [](const auto& given) { return given.name.text; });
    if ((callee != "concat" && callee != "split") || named == call.named->end()) continue;
    if (call.span == at.span || ++joins > most) continue;
    const Span axis = g.module[named->value].span;
    for (const char* other : {"-1", "1"})
      if (g.text(axis) != other) g.guess(call, "along another axis", {{axis, other}});
  }
}

// Exchanges the second and third axis where a `reshape` makes four: the heads of attention.
void axesExchanged(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) && !at.named) return;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "reshape" || call.arguments.size() != 2) continue;
    const std::vector<Dim> sizes = g.sizesOf(call.span);
    const std::vector<Application> all = g.calls();
    const bool isTurned = std::any_of(all.begin(), all.end(), [&](const Application& other) {
      return calleeOf(g, other) == "transpose" && g.functionAround(other.span) == g.functionAround(call.span);
    });
    if (sizes.size() == 4 && !isTurned)
      g.wrap(call, call.span, "the heads before the rows of", "transpose(", ", perm=[0, 2, 1, 3])");
  }
}

namespace {

// The list of numbers, names and products that an argument of a call is; nullptr for others.
const ast::ExprList* listAt(const Guesser& g, Span place) {
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* list = e.span == place ? std::get_if<ast::ExprList>(&e.node) : nullptr) return list;
  return nullptr;
}

}  // namespace

// Other orders of the axes of a `transpose` of four, as it turns heads and rows.
void otherPerm(Guesser& g, const Application& at) {
  static constexpr const char* orders[] = {"[0, 2, 1, 3]", "[0, 1, 3, 2]", "[0, 2, 3, 1]", "[0, 3, 1, 2]"};
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t turned = 0;
  for (const Application& call : g.calls()) {
    const auto perm = std::ranges::find(*call.named, "perm", [](const auto& given) { return given.name.text; });
    if (calleeOf(g, call) != "transpose" || perm == call.named->end()) continue;
    const Span place = g.module[perm->value].span;
    const ast::ExprList* list = listAt(g, place);
    if (!list || list->items.size() != 4 || ++turned > most) continue;
    for (const char* order : orders)
      if (g.text(place) != order) g.guess(call, "the axes in another order", {{place, order}});
  }
}

// An axis of size 1 more where a `reshape` makes a mask, which has fewer axes than what it is for.
void oneAxisMore(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t reshapes = 0;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "reshape" || call.arguments.size() != 2) continue;
    const ast::ExprList* list = listAt(g, call.arguments[1]);
    if (!list || list->items.size() < 2 || list->items.size() > 3 || ++reshapes > most) continue;
    for (std::size_t i = 1; i < list->items.size(); ++i) {
      const Span before = g.module[list->items[i]].span;
      g.guess(call, "an axis of size 1 more", {{{before.source, before.begin, before.begin}, "1, "}});
    }
  }
}

// Another of the sizes that a signature names, where a list of sizes has one: `ones([m, m])` for `ones([n, n])`.
void otherSizeName(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  const std::vector<std::string> names = g.names();
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || names.size() < 2) return;
  std::size_t lists = 0;
  for (const Application& call : g.calls())
    for (const Span argument : call.arguments) {
      const ast::ExprList* list = listAt(g, argument);
      if (!list || lists == most) continue;
      bool isNamed = false;
      for (const std::string& name : names) {
        std::vector<Span> uses;
        for (const ast::ExprId item : list->items)
          if (g.text(g.module[item].span) == name) uses.push_back(g.module[item].span);
        isNamed |= !uses.empty();
        for (const std::string& other : names) {
          std::vector<Edit> edits;
          for (const Span use : uses) edits.push_back({use, other});
          if (other != name && !edits.empty())
            g.guess(call, fmt::format("`{}` for `{}`", other, name), std::move(edits));
        }
      }
      lists += isNamed;
    }
}

namespace {

bool isOwnFunction(const Guesser& g, const Application& call) {
  const std::string callee = calleeOf(g, call);
  return std::any_of(g.module.bindings.begin(), g.module.bindings.end(),
                     [&](const ast::Binding& binding) { return g.text(g.module[binding.pattern].span) == callee; });
}

}  // namespace

void otherAxis(Guesser& g, const Application& at) {
  if (!at.named) return;
  for (const ast::NamedArgument& named : *at.named)
    if (named.name.text == "axis") return along(g, at, g.module[named.value].span, "");
  if (isOwnFunction(g, at) || !g.hasStatic(calleeOf(g, at), "axis")) return;
  const Span behind{at.span.source, at.span.end - 1, at.span.end - 1};  // before the closing bracket of the call
  along(g, at, behind, ", axis=");
}

namespace {

// The operand of an operator that has fewer axes than the other, if one has; other calls do not broadcast.
std::optional<Span> operandOfLowerRank(Guesser& g, const Application& at) {
  const bool isSelect = at.named && at.arguments.size() == 3 && calleeOf(g, at) == "select";
  if (!isSelect && (at.named || at.arguments.size() != 2)) return std::nullopt;
  const auto left = g.rankOf(at.arguments[0]), right = g.rankOf(at.arguments[1]);
  // Otherwise the result would have one more axis than either.
  if (!left || !right || *left == *right) return std::nullopt;
  return at.arguments[*left < *right ? 0 : 1];
}

}  // namespace

void expanded(Guesser& g, const Application& at) {
  const auto less = operandOfLowerRank(g, at);
  if (!less) return;
  auto mayFit = [&](std::size_t axis) {
    const bool isFirst = *less == at.arguments[0];
    std::vector<Dim> sizes = g.sizesOf(*less);
    const std::vector<Dim> others = g.sizesOf(at.arguments[isFirst ? 1 : 0]);
    const Dim one = g.checked.solution.dims.constant(1);
    if (sizes.empty() || at.arguments.size() != 2) return true;
    if (axis > sizes.size()) return false;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), one);
    return std::equal(sizes.rbegin(), sizes.rend(), others.rbegin(),
                      others.rbegin() + static_cast<std::ptrdiff_t>(sizes.size()),
                      [&](Dim a, Dim b) { return a == b || a == one || b == one; });
  };
  for (const char* axis : {"1", "0", "2"})
    if (mayFit(static_cast<std::size_t>(*axis - '0')))
      g.wrap(at, *less, "give an axis of size 1 to", "expand(", std::string(", axis=") + axis + ")");
  const std::size_t left = *g.rankOf(at.arguments[0]), right = *g.rankOf(at.arguments[1]);
  const std::size_t missing = std::max(left, right) - std::min(left, right);
  std::string before, behind;
  for (std::size_t i = 0; i < missing; ++i) before += "expand(", behind += ", axis=1)";
  if (missing > 1) g.wrap(at, *less, "give axes of size 1 to", before, behind);
}

// One number for each element of a ragged axis, for all that the element has.
void expandedLast(Guesser& g, const Application& at) {
  if (const auto less = operandOfLowerRank(g, at))
    g.wrap(at, *less, "give a trailing axis of size 1 to", "expand(", ", axis=-1)");
}

// Converts all floats of another type than the first argument's, as the weights of a layer are.
void weightsConverted(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() < 3) return;
  const auto first = g.elemOf(at.arguments[0]);
  std::vector<Edit> edits;
  for (std::size_t i = 1; i < at.arguments.size(); ++i)
    if (auto elem = g.elemOf(at.arguments[i]); first && elem && *elem != *first && info(*elem).isFloat)
      edits.push_back({at.arguments[i], "cast(" + g.text(at.arguments[i]) + ")"});
  if (edits.size() > 1) g.guess(at, "convert the weights", std::move(edits));
}

// Pads the sequences of a recurrent layer, which takes no ragged ones.
void madeDense(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty() || !g.text(at.span).starts_with("rnn.")) return;
  g.wrap(at, at.arguments[0], "fill the shorter elements of", "to_dense(", ", 0)");
}

namespace {

// Whether a call reduces one axis: `mean(x, axis=-1)`.
bool reducesAxis(const Guesser& g, const Application& call) {
  static constexpr std::string_view reductions[] = {"mean", "sum", "max", "min", "variance"};
  const std::string callee = calleeOf(g, call);
  return call.arguments.size() == 1 && call.named->size() == 1 && call.named->front().name.text == "axis" &&
         std::find(std::begin(reductions), std::end(reductions), callee) != std::end(reductions);
}

// Where the value of an expression is: that of the statement that names it, in the same function, or the expression.
Span valueOf(const Guesser& g, Span expression) {
  for (const ast::Binding& binding : g.module.bindings) {
    const Span pattern = g.module[binding.pattern].span;
    if (g.text(pattern) == g.text(expression) && g.functionAround(pattern) == g.functionAround(expression))
      return g.module[binding.value].span;
  }
  return expression;
}

}  // namespace

// Keeps the axis of a mean or sum that meets the tensor again, here or, for a call, in the functions of the program.
void keptAxis(Guesser& g, const Application& at) {
  constexpr std::size_t most = 3;
  const bool isUse = at.named || at.arguments.empty();  // of a function, whose name may be all that is marked
  std::size_t reductions = 0;
  for (const Application& call : g.calls()) {
    if (!reducesAxis(g, call)) continue;
    const bool isHere = std::any_of(at.arguments.begin(), at.arguments.end(), [&](Span argument) {
      return valueOf(g, argument) == call.span || isWithin(call.span, argument);
    });
    if (isUse ? ++reductions > most : !isHere) continue;
    const Span behind{call.span.source, call.span.end - 1, call.span.end - 1};
    g.guess(call, "keep the axis with size 1", {{behind, ", keep=true"}});
  }
}

// Chooses by element what `if` chooses for the whole.
void selected(Guesser& g, const Application& at) {
  auto valueOf = [&](ast::ExprId id) -> std::optional<std::string> {
    const auto* block = std::get_if<ast::ExprBlock>(&g.module[id].node);
    if (!block || !block->bindings.empty() || !block->result) return std::nullopt;
    return g.text(g.module[block->result].span);
  };
  for (const ast::Expr& e : g.module.exprs) {
    const auto* branch = std::get_if<ast::ExprIf>(&e.node);
    if (!branch || !(g.module[branch->condition].span == at.span)) continue;
    const auto then = valueOf(branch->thenBlock), otherwise = valueOf(branch->elseBlock);
    if (then && otherwise)
      g.guess({e.span, {}, nullptr}, "choose element by element",
              {{e.span, fmt::format("select({}, {}, {})", g.text(at.span), *then, *otherwise)}});
  }
}

// Names the axis that a `perm` lacks in the place of one that it names twice.
void orderOfAxes(Guesser& g, const Application& at) {
  if (!at.named) return;
  for (const ast::NamedArgument& named : *at.named) {
    const auto* list = std::get_if<ast::ExprList>(&g.module[named.value].node);
    if (named.name.text != "perm" || !list) continue;
    std::vector<std::string> items;
    for (ast::ExprId item : list->items) items.push_back(g.text(g.module[item].span));
    std::vector<std::string> missing, inOrder;
    for (std::size_t axis = 0; axis < items.size(); ++axis) {
      inOrder.push_back(std::to_string(axis));
      if (std::count(items.begin(), items.end(), inOrder.back()) == 0) missing.push_back(inOrder.back());
    }
    if (missing.size() != 1) continue;
    for (std::size_t i = items.size(); i-- > 0;) {
      if (std::count(items.begin(), items.end(), items[i]) < 2) continue;
      std::vector<std::string> changed = items;
      changed[i] = missing[0];
      if (changed != inOrder) g.guess(at, "each axis once", {{g.module[list->items[i]].span, missing[0]}});
    }
  }
}

namespace {

// The greatest number below `number` that divides `whole`, and the least above it; those near it.
std::vector<std::int64_t> divisorsAround(std::int64_t number, std::int64_t whole) {
  constexpr std::int64_t farthest = 1000;
  std::int64_t below = std::min(number, whole) - 1, above = number + 1;
  const std::int64_t least = std::max<std::int64_t>(2, number - farthest), most = std::min(whole, number + farthest);
  while (below >= least && whole % below != 0) --below;
  while (above <= most && whole % above != 0) ++above;
  std::vector<std::int64_t> found;
  if (below >= least) found.push_back(below);
  if (above <= most) found.push_back(above);
  return found;
}

// Numbers in a text, without those of names.
std::vector<std::int64_t> numbersIn(const std::string& text) {
  std::vector<std::int64_t> numbers;
  constexpr std::size_t mostDigits = 9;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    const std::string word = text.substr(i, end - i);
    if (!word.empty() && word.size() <= mostDigits && word.find_first_not_of("0123456789") == word.npos)
      numbers.push_back(std::stoll(word));
    i = std::max(end, i + 1);
  }
  return numbers;
}

}  // namespace

// Numbers that divide a size, for a static parameter or argument by which a failing `reshape` or fact divides it.
void dividingDefault(Guesser& g, const Application& at) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  std::vector<std::int64_t> sizes;
  for (const std::string& argument : told)
    if (const bool isTold = g.diagnostic.code == &codes::factRefuted || &argument == &told[told.size() > 2 ? 2 : 0];
        isTold)
      std::ranges::copy(numbersIn(argument), std::back_inserter(sizes));
  auto offer = [&](Span number, const std::string& name) {
    constexpr std::size_t mostDigits = 9;
    const std::string given = g.text(number);
    if (given.empty() || given.size() > mostDigits || given.find_first_not_of("0123456789") != given.npos) return;
    const std::int64_t divisor = std::stoll(given);
    for (const std::int64_t whole : sizes)
      if (divisor > 1 && whole % divisor != 0)
        for (const std::int64_t instead : divisorsAround(divisor, whole))
          g.found.push_back(
              {fmt::format("a number that divides {}: `{}`", whole, fmt::format(fmt::runtime(name), instead)),
               {{number, std::to_string(instead)}}});
  };
  if (at.named)
    for (const ast::NamedArgument& named : *at.named) offer(g.module[named.value].span, named.name.text + "={}");
  const ast::ExprFn* around = g.functionAround(at.span);
  const bool isFact = around && isWithin(at.span, around->signature);
  if (around && (isFact || g.text(at.span).starts_with("reshape(")))
    for (const ast::StaticParameter& parameter : around->statics)
      if (parameter.defaultValue) offer(g.module[parameter.defaultValue].span, parameter.name.text + " = {}");
}

// In the place of a number that does not divide a size, the nearest ones that do.
void dividingNumber(Guesser& g, const Application& at) {
  if (!at.named) return;
  const std::string& message = g.diagnostic.message;
  for (const ast::NamedArgument& named : *at.named) {
    const std::size_t fact = message.find(" % " + named.name.text + " == 0");
    const std::size_t begin = fact == message.npos ? fact : message.rfind('`', fact);
    if (begin == message.npos) continue;
    const std::string is = message.substr(begin + 1, fact - begin - 1) + " is ";
    const std::size_t value = message.find(is);
    const std::string given = g.text(g.module[named.value].span);
    constexpr std::size_t mostDigits = 9;
    if (value == message.npos || given.size() > mostDigits || given.find_first_not_of("0123456789") != given.npos)
      continue;
    const std::int64_t whole = std::strtoll(message.c_str() + value + is.size(), nullptr, 10),
                       wanted = std::stoll(given);
    for (const std::int64_t number : divisorsAround(wanted, whole))
      g.guess(at, fmt::format("a number that divides {}", whole),
              {{g.module[named.value].span, std::to_string(number)}});
  }
}

}  // namespace axle::guess
