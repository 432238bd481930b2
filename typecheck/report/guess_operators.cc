// Guesses of other operators and static arguments, and of other sizes in lists.
#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
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
    if (isLiteral || g.partsOf(*argument) > 0 || g.text(*argument).starts_with("transpose(")) continue;
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

// Leaves one size of a `reshape` open. Of a size that follows from others, that hides what is wrong with it.
void leftOpen(Guesser& g, const Application& at) {
  if (!g.text(at.span).starts_with("reshape(")) return;
  for (const ast::Expr& e : g.module.exprs) {
    auto* list = std::get_if<ast::ExprList>(&e.node);
    if (!list || e.span.begin < at.span.begin || e.span.end > at.span.end) continue;
    for (auto item = list->items.rbegin(); item != list->items.rend(); ++item) {
      g.guess(at, "let one size follow from the others", {{g.module[*item].span, "_"}});
      g.found.back().isFallback = !g.nodeAt<ast::ExprNumber>(g.module[*item].span);
    }
  }
}

void sameLengths(Guesser& g, const Application& at) {
  if (at.arguments.size() != 2) return;
  g.wrap(at, at.arguments[1], "give the lengths of the first, which the run checks, to",
         "same_lengths(" + g.text(at.arguments[0]) + ", ", ")");
}

// Replaces `matmul`, whose batches must have one size.
void batched(Guesser& g, const Application& at) {
  const std::string given = g.text(at.span), name = "matmul";
  if (!given.starts_with(name + "(")) return;
  const auto begin = at.span.begin, end = begin + static_cast<std::uint32_t>(name.size());
  g.guess(at, "batches that broadcast", {{{at.span.source, begin, end}, "batch_matmul"}});
}

namespace {

// The list of `length` numbers that a number, or a list of equal numbers of another length, stands for.
std::optional<std::string> listOf(const Guesser& g, ast::ExprId value, std::uint64_t length) {
  std::string number = g.text(g.module[value].span);
  if (const auto* list = std::get_if<ast::ExprList>(&g.module[value].node)) {
    if (list->items.empty() || list->items.size() == length) return std::nullopt;
    number = g.text(g.module[list->items[0]].span);
    if (std::ranges::any_of(list->items, [&](ast::ExprId item) { return g.text(g.module[item].span) != number; }))
      return std::nullopt;
  } else if (!std::holds_alternative<ast::ExprNumber>(g.module[value].node)) {
    return std::nullopt;
  }
  std::string numbers;
  for (std::uint64_t i = 0; i < length; ++i) numbers += (i == 0 ? "" : ", ") + number;
  return "[" + numbers + "]";
}

}  // namespace

// Gives the lists of a call the length that its operator needs: `size=[2, 2], stride=[2, 2]` for `size=2, stride=[2]`.
void equalNumbers(Guesser& g, const Application& at) {
  if (!at.named) return;
  const auto op = g.checked.operators.find(g.named(1));
  if (!op || !g.checked.operators.attribute(*op, g.named(0)) || !namedOf(at, g.named(0))) return;
  std::vector<Edit> edits;
  for (const ast::NamedArgument& named : *at.named) {
    const auto attribute = g.checked.operators.attribute(*op, named.name.text);
    if (!attribute) continue;
    const ast::OpAttribute& declared = g.checked.operators[*op].decl->attributes[*attribute];
    const bool isNumber = std::holds_alternative<ast::ExprNumber>(g.module[named.value].node);
    if (!declared.length || (isNumber && declared.sort != ast::Sort::ints)) continue;
    if (auto list = listOf(g, named.value, *declared.length))
      edits.push_back({g.module[named.value].span, std::move(*list)});
  }
  if (edits.empty()) return;
  const Span shown = edits.size() == 1 ? namedOf(at, g.named(0))->span : at.span;
  g.guess({shown, {}, nullptr}, "one for each axis", std::move(edits));
  g.found.back().isSure = true;
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
    if (edits.size() > 1) g.guess(at, "one for each axis", edits);
    for (const Span number : numbers) g.guess(at, "one for each axis", {{number, "[" + g.text(number) + "]"}});
    if (edits.size() == 1) g.guess(at, "one for each axis", std::move(edits));
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

// Makes a list of equal items longer or shorter by one, in a static argument or in the default that a call leaves:
// `stride=[2, 2]` for `stride=[2]`.
void listOfOtherLength(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  auto change = [&](const ast::ExprList& list, Span place) {
    if (list.items.empty()) return;
    const std::string item = g.text(g.module[list.items.front()].span);
    const auto isOther = [&](ast::ExprId each) { return g.text(g.module[each].span) != item; };
    if (std::ranges::any_of(list.items, isOther)) return;
    for (const std::size_t length : {list.items.size() + 1, list.items.size() - 1}) {
      const std::vector<std::string> items(length, item);
      if (length > 0)
        g.guess({place, {}, nullptr}, "one for each axis", {{place, fmt::format("[{}]", fmt::join(items, ", "))}});
    }
  };
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* list = std::get_if<ast::ExprList>(&e.node))
      if (isWithin(e.span, at.span) && e.span.end == at.span.end) change(*list, e.span);
  const auto called = calledFunctionAt(g.checked.modules, at.span);
  if (!called || called->module != &g.module) return;
  for (const ast::StaticParameter& parameter : called->function->statics) {
    const ast::Expr& value = g.module[parameter.defaultValue];
    if (const auto* list = std::get_if<ast::ExprList>(&value.node)) change(*list, value.span);
  }
}

// Another of the sizes that a signature names, where a list of sizes has one: `ones([m, m])` for `ones([n, n])`.
void otherSizeName(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names = g.names();
  std::erase_if(names, [&](const std::string& name) { return g.checked.operators.find(name).has_value(); });
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || names.size() < 2) return;
  std::size_t lists = 0;
  for (const Application& call : g.calls())
    for (const Span argument : call.arguments) {
      const ast::ExprList* list = g.nodeAt<ast::ExprList>(argument);
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
            g.guess(call, fmt::format("use `{}` for `{}`", other, name), std::move(edits));
        }
      }
      lists += isNamed;
    }
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

// Whether an operand is what a call makes, or has that in it, also by a name: `rsqrt(ms + 1)` of `ms = mean(x)`.
bool isMadeOf(const Guesser& g, Span operand, Span call) {
  if (isWithin(call, operand) || valueOf(g, operand) == call) return true;
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    return std::holds_alternative<ast::ExprName>(e.node) && isWithin(e.span, operand) && valueOf(g, e.span) == call;
  });
}

}  // namespace

// Keeps the axis of a mean or sum that meets the tensor again, here or, for a call, in the functions of the program.
void keptAxis(Guesser& g, const Application& at) {
  constexpr std::size_t most = 3;
  const bool isUse = at.named || at.arguments.empty();  // of a function, whose name may be all that is marked
  std::size_t reductions = 0;
  for (const Application& call : g.calls()) {
    if (!reducesAxis(g, call)) continue;
    const bool isHere =
        std::ranges::any_of(at.arguments, [&](Span argument) { return isMadeOf(g, argument, call.span); });
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
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (const auto number = numberOf(std::string_view(text).substr(i, end - i))) numbers.push_back(*number);
    i = std::max(end, i + 1);
  }
  return numbers;
}

// The numbers that are the sizes which a `reshape` in a function divides by a static parameter: 256 of `d` in
// `[n, heads, d / heads]`, where a parameter of the function has the size `d`.
std::vector<std::int64_t> sizesDividedIn(Guesser& g, Span call, const ast::ExprFn& function,
                                         const std::string& divisor) {
  std::vector<std::int64_t> found;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* quotient = isWithin(e.span, call) ? std::get_if<ast::ExprBinary>(&e.node) : nullptr;
    if (!quotient || quotient->op != ast::Operator::div || g.text(g.module[quotient->right].span) != divisor) continue;
    const std::string name = g.text(g.module[quotient->left].span);
    for (const ast::Parameter& parameter : function.parameters) {
      const std::vector<const ast::Dim*> declared = declaredSizesOf(g.module, parameter);
      const auto own = std::ranges::find_if(declared, [&](const ast::Dim* size) { return g.text(size->span) == name; });
      const std::vector<Dim> sizes = g.sizesBoundAt(parameter.span);
      if (own == declared.end() || sizes.size() != declared.size()) continue;
      if (const auto number =
              g.checked.solution.dims.asConstant(sizes[static_cast<std::size_t>(own - declared.begin())]))
        found.push_back(*number);
    }
  }
  return found;
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
  auto offer = [&](Span number, const std::string& name, const std::vector<std::int64_t>& wholes) {
    const std::int64_t divisor = numberOf(g.text(number)).value_or(0);
    for (const std::int64_t whole : wholes)
      if (divisor > 1 && whole % divisor != 0)
        for (const std::int64_t instead : divisorsAround(divisor, whole))
          g.found.push_back(
              {fmt::format("a number that divides {}: `{}`", whole, fmt::format(fmt::runtime(name), instead)),
               {{number, std::to_string(instead)}}});
  };
  if (at.named)
    for (const ast::NamedArgument& named : *at.named) offer(g.module[named.value].span, named.name.text + "={}", sizes);
  const ast::ExprFn* around = g.functionAround(at.span);
  const bool isFact = around && isWithin(at.span, around->signature);
  if (around && (isFact || g.text(at.span).starts_with("reshape(")))
    for (const ast::StaticParameter& parameter : around->statics) {
      const std::vector<std::int64_t> divided = sizesDividedIn(g, at.span, *around, parameter.name.text);
      for (const GivenStatic& place : givenToParameter(g, *around, parameter))
        offer(place.value, parameter.name.text + (place.call.named ? "={}" : " = {}"),
              divided.empty() ? sizes : divided);
    }
}

namespace {

// The size that the fact of a message says to be no multiple of a static argument; nothing where it says nothing of it.
std::optional<std::int64_t> sizeDividedBy(const std::string& message, const std::string& argument) {
  const std::size_t fact = message.find(" % " + argument + " == 0");
  const std::size_t begin = fact == message.npos ? fact : message.rfind('`', fact);
  if (begin == message.npos) return std::nullopt;
  const std::string is = message.substr(begin + 1, fact - begin - 1) + " is ";
  const std::size_t value = message.find(is);
  if (value == message.npos) return std::nullopt;
  return std::strtoll(message.c_str() + value + is.size(), nullptr, 10);
}

// The numbers that other calls give a static argument beside a weight whose last size is this one: mostly the number is
// chosen for the size.
std::vector<std::int64_t> numbersBesideSize(const Guesser& g, const Application& at, const std::string& argument,
                                            std::int64_t size) {
  auto isOfSize = [&](const ast::Param* weight) {
    const std::vector<const ast::Dim*> sizes = declaredSizesOf(g.module, weight->type);
    return !sizes.empty() && g.text(sizes.back()->span) == std::to_string(size);
  };
  std::vector<std::int64_t> numbers;
  for (const Application& call : g.calls()) {
    const ast::NamedArgument* named = call.span == at.span ? nullptr : namedOf(call, argument);
    const auto number = named ? numberOf(g.text(g.module[named->value].span)) : std::nullopt;
    if (!number || std::ranges::find(numbers, *number) != numbers.end()) continue;
    const bool isBeside = std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
      const ast::Param* weight = isWithin(e.span, call.span) ? g.paramAt(e.span) : nullptr;
      return weight && isOfSize(weight);
    });
    if (isBeside) numbers.push_back(*number);
  }
  return numbers;
}

void offerDivisors(Guesser& g, const GivenStatic& place, const std::string& argument, std::int64_t whole) {
  const auto given = numberOf(g.text(place.value));
  if (!given) return;
  const std::string otherwise = defaultOfOthers(g, place.call, argument);
  std::vector<std::int64_t> divisors;
  auto add = [&](const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers)
      if (number > 1 && whole % number == 0 && std::ranges::find(divisors, number) == divisors.end())
        divisors.push_back(number);
  };
  add(numbersBesideSize(g, place.call, argument, whole));
  add(numbersGiven(g, argument));
  add(divisorsAround(*given, whole));
  bool isFirst = true;
  for (const std::int64_t number : divisors) {
    if (std::to_string(number) == otherwise) continue;  // that is told by leaving it out
    g.guess(place.call, fmt::format("a number that divides {}", whole), {{place.value, std::to_string(number)}});
    if (std::exchange(isFirst, false)) leaveToDefault(g, place.call);
  }
}

}  // namespace

// In the place of a number that does not divide a size, those that do: the numbers that the program has elsewhere for
// it, those beside an equal size first, and the nearest ones. Of a function's name, in the call whose static argument
// is marked.
void dividingNumber(Guesser& g, const Application& at) {
  const std::vector<Span> marks = g.marks();
  auto offerOf = [&](const Application& call, bool isMarked) {
    for (const ast::NamedArgument& named : *call.named) {
      const auto whole = sizeDividedBy(g.diagnostic.message, named.name.text);
      if (!whole || (!isMarked && std::ranges::find(marks, named.span) == marks.end())) continue;
      for (const GivenStatic& place : givenStatic(g, call, named)) offerDivisors(g, place, named.name.text, *whole);
    }
  };
  if (at.named) {
    offerOf(at, true);
  } else if (isFailing(g, at)) {
    for (const Application& call : g.calls()) offerOf(call, false);
  }
}

// Leaves another size of a `reshape` open: `[b, _, c]` for `[b, c, _]`, wherever the program has one.
void otherOpenSize(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t lists = 0;
  for (const auto& [call, list] : writtenReshapes(g)) {
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Span hole = g.module[list->items[i]].span;
      if (g.text(hole) != "_" || ++lists > most) continue;
      for (const std::size_t other : {i - 1, i + 1}) {
        if (other >= list->items.size()) continue;
        const Span size = g.module[list->items[other]].span;
        std::vector<Edit> edits{{hole, g.text(size)}, {size, "_"}};
        std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
        g.guess(call, "the sizes in another order", std::move(edits));
        g.found.back().isSure = true;
      }
    }
  }
}

// Keeps axes apart that a `reshape` merges, wherever the program has one: `[b, n, c]` for `[b*n, c]`.
void axesApart(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t products = 0;
  for (const auto& [call, list] : writtenReshapes(g)) {
    for (const ast::ExprId item : list->items) {
      const Span product = g.module[item].span;
      const auto* factors = std::get_if<ast::ExprBinary>(&g.module[item].node);
      if (!factors || factors->op != ast::Operator::mul || ++products > most) continue;
      const Span left = g.module[factors->left].span, right = g.module[factors->right].span;
      if (g.nodeAt<ast::ExprName>(left) && g.nodeAt<ast::ExprName>(right))
        g.guess(call, fmt::format("keep `{}` and `{}` apart", g.text(left), g.text(right)),
                {{product, g.text(left) + ", " + g.text(right)}});
    }
  }
}

// Takes an axis of size 1 out of the operand that has one more than the other.
void squeezed(Guesser& g, const Application& at) {
  std::vector<Span> places{at.span};
  if (!at.isOrigin && !at.named)  // a result: what it is computed of
    for (const ast::Expr& e : g.module.exprs)
      if (isWithin(e.span, at.span) && std::holds_alternative<ast::ExprBinary>(e.node)) places.push_back(e.span);
  const Dim one = g.checked.solution.dims.constant(1);
  for (const Span place : places) {
    const auto* binary = g.nodeAt<ast::ExprBinary>(place);
    if (!binary) continue;
    const Span sides[] = {g.module[binary->left].span, g.module[binary->right].span};
    for (std::size_t i : {0, 1}) {
      const std::vector<Dim> sizes = g.sizesOf(sides[i]);
      const std::size_t other = g.rankOf(sides[1 - i]).value_or(0);
      if (sizes.size() != other + 1 || other == 0) continue;
      const Application shown{place, {}, nullptr};
      for (std::size_t axis = sizes.size(); axis-- > 0;)
        if (sizes[axis] == one)
          g.wrap(shown, sides[i], "leave out the axis of size 1 of", "squeeze(", fmt::format(", axis={})", axis));
    }
  }
}

// Leaves out an axis of size 1 of what a function gives, where its signature promises one axis less.
void squeezedResult(Guesser& g, const Application& at) {
  const Dim one = g.checked.solution.dims.constant(1);
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    if (!function || !function->resultType || !(g.module[function->resultType].span == at.span)) continue;
    const auto* body = std::get_if<ast::ExprBlock>(&g.module[function->body].node);
    const auto* declared = std::get_if<ast::TypeTensor>(&g.module[function->resultType].node);
    if (!body || !body->result || !declared) continue;
    const Span result = g.module[body->result].span;
    const std::vector<Dim> sizes = g.sizesOf(result);
    for (std::size_t axis = sizes.size(); axis-- > 0;)
      if (sizes[axis] == one)
        g.wrap({result, {}, nullptr}, result, "leave out the axis of size 1 of", "squeeze(",
               fmt::format(", axis={})", axis + 1 == sizes.size() ? "-1" : std::to_string(axis)));
  }
}

// One element of each of the batch, for that of the first: `y[:, 0]` for `y[0]`.
void elementOfEach(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t found = 0;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* index = std::get_if<ast::ExprIndex>(&e.node);
    if (!index || index->items.size() != 1 || !std::holds_alternative<ast::IndexAt>(index->items[0].node)) continue;
    const Span base = g.module[index->base].span;
    if (g.paramAt(base) || g.rankOf(base).value_or(0) < 2 || ++found > most) continue;
    const Span item = index->items[0].span;
    g.guess({e.span, {}, nullptr}, "take it of each of the batch", {{item, ":, " + g.text(item)}});
  }
}

}  // namespace axle::guess
