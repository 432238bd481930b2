#include "typecheck/report/made_size.h"

#include <algorithm>
#include <utility>

#include "frontend/spans.h"
#include "typecheck/infer/inference.h"

namespace axle {

std::vector<Span> operandsAt(const Modules& modules, Span place) {
  std::vector<Span> operands;
  for (const ast::Module& module : modules.modules) {
    if (module.source != place.source) continue;
    auto add = [&](ast::ExprId id) {
      if (id) operands.push_back(module[withoutParentheses(module, id)].span);
    };
    for (const ast::Expr& e : module.exprs) {
      if (const auto* fn = std::get_if<ast::ExprFn>(&e.node); fn && fn->resultType)
        if (module[fn->resultType].span == place) add(fn->body);
      if (!(e.span == place)) continue;
      if (const auto* call = std::get_if<ast::ExprCall>(&e.node)) std::ranges::for_each(call->arguments, add);
      if (const auto* unary = std::get_if<ast::ExprUnary>(&e.node)) add(unary->operand);
      if (const auto* index = std::get_if<ast::ExprIndex>(&e.node)) add(index->base);
      if (const auto* binary = std::get_if<ast::ExprBinary>(&e.node)) {
        add(binary->left);
        add(binary->right);
      }
    }
  }
  return operands;
}

namespace {

// A size within the type of a value: of a tensor, or of one in a tuple.
struct SizeAt {
  std::vector<std::size_t> part;  // the parts of tuples that lead to the tensor, outermost first
  std::size_t fromFront = 0, fromBack = 0;
  ShapePart size;  // unresolved
};

// Whether an operator's result has a size there that is computed, as the height `conv_out(h, r, ...)` of a convolution:
// of that of its first operand.
bool computesSize(std::string_view signature, std::size_t axis) {
  constexpr std::string_view list = ") -> t [";
  const std::size_t begin = signature.find(list);
  if (begin == signature.npos) return false;
  int depth = 0;
  for (const char ch : signature.substr(begin + list.size())) {
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (depth < 0 || (depth == 0 && ch == ',' && axis-- == 0)) return false;
    if (axis == 0 && ch == '(') return true;
  }
  return false;
}

class MakerSearch {
 public:
  explicit MakerSearch(Checked& checked) : checked_(checked), solution_(checked.solution) {}

  // The sizes of the last value inferred for a place.
  std::vector<SizeAt> sizesOf(Span operand) {
    const auto& exprs = checked_.program.exprs;
    for (std::size_t i = exprs.size(); i-- > 0;)
      if (exprs[i].span == operand) {
        at_ = TypedId{static_cast<std::uint32_t>(i)};
        return axesOf(exprs[i].type);
      }
    return {};
  }

  // What made one of the sizes of the last value inferred for a place.
  std::optional<MadeSize> from(Span operand, const SizeAt& axis) {
    sizesOf(operand);
    axis_ = axis;
    size_ = solution_.resolve(axis.size.dim);
    return run();
  }

  std::string printed(const SizeAt& axis) { return solution_.printSize(solution_.resolve(axis.size.dim)); }

  // All sizes of a value, or of the parts of a tuple.
  std::vector<SizeAt> axesOf(TypeId type) {
    std::vector<SizeAt> axes;
    addAxes(type, {}, axes);
    return axes;
  }

 private:
  enum class Step : std::uint8_t { on, made, lost };

  std::optional<MadeSize> run() {
    constexpr std::size_t most = 400;
    for (std::size_t step = 0; step < most; ++step) {
      leaveCalls();
      const Step next = stepFrom(checked_.program[at_]);
      if (next == Step::lost && calls_.empty()) return std::nullopt;
      if (next == Step::lost) {  // by what made the size in the function that is called
        const Span call = calls_.front().call;
        leave(0);
        madeAt(call, {});
        return made_;
      }
      if (next == Step::made) return made_;
    }
    return std::nullopt;
  }

  // A call into whose function the search went, and how types outside of it are read.
  struct Entered {
    Span call;
    Span function;
    std::vector<BindingId> parameters;
    std::vector<TypedId> arguments;
    Substitution outside;
  };

  void addAxes(TypeId id, std::vector<std::size_t> part, std::vector<SizeAt>& axes) {
    TypeTerm type = solution_.head(id);
    if (type.kind == TypeKind::var)
      if (const auto given = inside_.types.find(type.var.index); given != inside_.types.end())
        type = solution_.head(given->second);
    if (type.kind == TypeKind::tuple) {
      for (std::size_t i = 0; i < type.parts.size(); ++i) {
        part.push_back(i);
        addAxes(type.parts[i], part, axes);
        part.pop_back();
      }
    }
    if (type.kind != TypeKind::tensor) return;
    Shape shape;
    for (const ShapePart& size : solution_.flatten(type.shape)) {
      const auto given = size.isVar ? inside_.shapes.find(size.var.index) : inside_.shapes.end();
      if (given == inside_.shapes.end()) {
        shape.push_back(size);
      } else {
        const Shape known = solution_.flatten(given->second);
        shape.insert(shape.end(), known.begin(), known.end());
      }
    }
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (!shape[i].isVar) axes.push_back({part, i, shape.size() - 1 - i, shape[i]});
  }

  Dim known(const SizeAt& axis) { return solution_.resolve(axis.size.dim, &inside_); }

  // Where another value has the size: at the same place if it can be, or else the one that the current value's was
  // bound to. Nothing where its own is a number that was computed anew.
  std::optional<SizeAt> sameIn(TypedId value) {
    std::optional<SizeAt> found;
    int best = 0;
    for (const SizeAt& axis : axesOf(checked_.program[value].type)) {
      if (known(axis) != size_) continue;
      const int rank = likenessOf(axis);
      if (rank > best) {
        best = rank;
        found = axis;
      }
    }
    likeness_ = best;
    return found;
  }

  // How surely a size of an operand is the one of the result: 0 for one that only happens to be equal.
  int likenessOf(const SizeAt& axis) const {
    const bool isInPlace = axis.fromFront == axis_.fromFront || axis.fromBack == axis_.fromBack;
    const Origin& own = checked_.provenance[axis_.size.origin];
    const bool isComputed = axis_.size.origin.index && own.file.empty() && own.span == checked_.program[at_].span;
    const bool isSame = axis.size.dim == axis_.size.dim && !solution_.dims.asConstant(axis_.size.dim);
    if (isSame && (isInPlace || !isComputed)) return 3 + isInPlace;
    if (axis.size.origin.index && axis.size.origin == axis_.size.origin) return 3 + isInPlace;
    const auto v = solution_.dims.asVariable(axis_.size.dim);
    const OriginId from = axis.size.origin;
    const bool isBoundTo =
        v && from.index &&
        (solution_.dimVars[v->index].boundBy == from || solution_.dimVars[v->index].boundVia == from);
    if (isBoundTo) return 3 + isInPlace;
    return isInPlace ? 1 + (axis.fromFront == axis_.fromFront && axis.fromBack == axis_.fromBack) : 0;
  }

  void leaveCalls() {
    while (!calls_.empty() && !isWithin(checked_.program[at_].span, calls_.back().function)) leave(calls_.size() - 1);
  }

  // Leaves a call, and those inside of it.
  void leave(std::size_t call) {
    inside_ = std::move(calls_[call].outside);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(call), calls_.end());
  }

  Step madeAt(Span place, std::string owner) {
    std::vector<Span> calls;
    for (const Entered& call : calls_) calls.push_back(call.call);
    made_ = {place, std::move(owner), std::move(calls), std::nullopt, alias_};
    return Step::made;
  }

  Step goTo(TypedId value, const SizeAt& axis) {
    at_ = value;
    axis_ = axis;
    return Step::on;
  }

  // On to a value of the same type.
  Step goTo(TypedId value, std::vector<std::size_t> part) {
    SizeAt wanted = axis_;
    wanted.part = std::move(part);
    for (const SizeAt& axis : axesOf(checked_.program[value].type))
      if (axis.part == wanted.part && axis.fromFront == axis_.fromFront && axis.fromBack == axis_.fromBack)
        return goTo(value, axis);
    return Step::lost;
  }

  Step goTo(TypedId value) { return goTo(value, axis_.part); }

  Step stepFrom(const TypedExpr& expr) {
    return std::visit([&](const auto& node) { return step(expr, node); }, expr.node);
  }

  template <class Node>
  Step step(const TypedExpr& expr, const Node&) {
    return madeAt(expr.span, {});
  }
  Step step(const TypedExpr&, const TypedLambda&) { return Step::lost; }
  Step step(const TypedExpr&, const TypedBlock& block) { return goTo(block.result); }
  Step step(const TypedExpr&, const TypedMatch& match) { return goTo(match.body); }
  Step step(const TypedExpr& expr, const TypedIf& branches) {
    return throughOperands(expr, {branches.thenValue, branches.elseValue});
  }
  Step step(const TypedExpr&, const TypedTuple& tuple) {
    if (axis_.part.empty() || axis_.part[0] >= tuple.parts.size()) return Step::lost;
    return goTo(tuple.parts[axis_.part[0]], std::vector(axis_.part.begin() + 1, axis_.part.end()));
  }
  Step step(const TypedExpr& expr, const TypedApply& apply) {
    std::vector<TypedId> operands = apply.arguments;
    if (computesSize(checked_.operators[apply.op].text, axis_.fromFront) && operands.size() > 1) operands.resize(1);
    const Step next = throughOperands(expr, operands);
    const bool isGivenSizes = checked_.operators[apply.op].text.find(" : shape") != std::string_view::npos;
    const BindingId naming = next == Step::made && isGivenSizes ? parameterNaming() : BindingId{};
    return naming ? throughName(naming) : next;
  }
  Step step(const TypedExpr& expr, const TypedCall& call) {
    const auto* ref = std::get_if<TypedRef>(&checked_.program[call.callee].node);
    const TypedId function = ref ? checked_.program[ref->binding].value : call.callee;
    const auto* lambda = function ? std::get_if<TypedLambda>(&checked_.program[function].node) : nullptr;
    const bool isOwn = lambda && checked_.program[lambda->body].span.source == checked_.modules.root().source;
    if (!isOwn) return throughOperands(expr, call.arguments);
    calls_.push_back(
        {expr.span, functionAround(checked_.program[lambda->body].span), lambda->parameters, call.arguments, inside_});
    if (ref && ref->instantiation) inside_ = solution_.compose(inside_, *ref->instantiation);
    return goTo(lambda->body);
  }
  Step step(const TypedExpr&, const TypedRef& ref) { return throughName(ref.binding); }

  Step throughName(BindingId name) {
    const TypedBinding& binding = checked_.program[name];
    if (binding.kind == BindingKind::weight) return declaredBy(binding);
    if (binding.kind == BindingKind::parameter) {
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        const auto parameter = std::ranges::find(calls_[i].parameters, name);
        if (parameter == calls_[i].parameters.end()) continue;
        const TypedId argument =
            calls_[i].arguments[static_cast<std::size_t>(parameter - calls_[i].parameters.begin())];
        leave(i);
        return goTo(argument);
      }
      if (!binding.value) return declaredBy(binding);
      if (!calls_.empty()) leave(0);
      return goTo(binding.value);
    }
    if (binding.value) {
      noteAlias(binding, binding.value);
      return goTo(binding.value);
    }
    const auto& lets = checked_.program.lets;
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
      if (std::vector<std::size_t> part; isOf(let->pattern, name, part)) {
        if (part.empty()) noteAlias(binding, let->value);
        part.insert(part.end(), axis_.part.begin(), axis_.part.end());
        return goTo(let->value, std::move(part));
      }
    return Step::lost;
  }

  // Keeps the statement, if it only gives a value another name: `both = angles`.
  void noteAlias(const TypedBinding& name, TypedId value) {
    const Span other = checked_.program[value].span;
    const bool isOne = std::holds_alternative<TypedRef>(checked_.program[value].node) &&
                       other.source == checked_.modules.root().source && name.span.source == other.source &&
                       name.span.end < other.begin;
    if (isOne && !alias_) alias_ = Span{other.source, name.span.begin, other.end};
  }

  // Whether a pattern binds a name, and as which part of the value.
  static bool isOf(const TypedPattern& pattern, BindingId binding, std::vector<std::size_t>& part) {
    if (!pattern.isTuple) return pattern.binding == binding;
    for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
      part.push_back(i);
      if (isOf(pattern.parts[i], binding, part)) return true;
      part.pop_back();
    }
    return false;
  }

  // The size as the type of a name declares it.
  Step declaredBy(const TypedBinding& binding) {
    const OriginId id = axis_.size.origin;
    if (!id.index) return Step::lost;
    const Origin& origin = checked_.provenance[id];
    if (!origin.file.empty() || !origin.written || origin.span.source != binding.span.source) return Step::lost;
    const bool isOwn = binding.kind == BindingKind::weight || isWithin(origin.span, binding.span);
    const bool isTold = checked_.sources.text(origin.span) == solution_.printSize(size_);
    return isOwn && isTold ? madeAt(origin.span, binding.name) : Step::lost;
  }

  Step throughOperands(const TypedExpr& expr, const std::vector<TypedId>& operands) {
    std::optional<std::pair<TypedId, SizeAt>> next;
    int best = 0;
    for (const TypedId operand : operands)
      if (const auto axis = sameIn(operand); axis && likeness_ > best) {
        best = likeness_;
        next = std::pair(operand, *axis);
      }
    return next ? goTo(next->first, next->second) : madeAt(expr.span, {});
  }

  // The parameter whose type names the size, where an operator is given the name: `n` of `reshape(x, [n, 4])`. The
  // search goes on there.
  BindingId parameterNaming() {
    if (!solution_.dims.asVariable(axis_.size.dim)) return {};
    const auto& bindings = checked_.program.bindings;
    for (std::size_t i = bindings.size(); i-- > 0;) {
      if (bindings[i].kind != BindingKind::parameter) continue;
      for (const SizeAt& axis : axesOf(bindings[i].type))
        if (axis.size.dim == axis_.size.dim) {
          axis_ = axis;
          return BindingId{static_cast<std::uint32_t>(i)};
        }
    }
    return {};
  }

  // The innermost function literal around a body.
  Span functionAround(Span body) const {
    Span found = body;
    for (const ast::Module& module : checked_.modules.modules)
      if (module.source == body.source)
        for (const ast::Expr& e : module.exprs)
          if (std::holds_alternative<ast::ExprFn>(e.node) && isWithin(body, e.span))
            if (found == body || isWithin(e.span, found)) found = e.span;
    return found;
  }

  Checked& checked_;
  Solution& solution_;
  TypedId at_;
  SizeAt axis_;
  Dim size_;
  int likeness_ = 0;
  std::vector<Entered> calls_;  // outermost first
  Substitution inside_;         // how types in the innermost of these are read
  std::optional<Span> alias_;
  MadeSize made_;
};

// A size of an operand.
struct Met {
  std::size_t operand = 0;
  SizeAt axis;
  std::string text;
};
using TwoMet = std::pair<std::optional<Met>, std::optional<Met>>;

// Finds the sizes that meet among those of the operands.
class Meeting {
 public:
  Meeting(Checked& checked, const Conflict& conflict, const Reason& reason)
      : search_(checked), reason_(reason), left_(conflict.left), right_(conflict.right) {
    for (const Span operand : operandsAt(checked.modules, reason.span))
      operands_.push_back(told(search_.sizesOf(operand), operands_.size()));
    const std::size_t ofLeft = std::min(conflict.leftOrigins, conflict.origins.size());
    const auto middle = conflict.origins.begin() + static_cast<std::ptrdiff_t>(ofLeft);
    ofLeft_.assign(conflict.origins.begin(), middle);
    ofRight_.assign(middle, conflict.origins.end());
  }

  TwoMet find() {
    if (reason_.kind == ReasonKind::result) return {std::nullopt, right({})};
    if (const auto given = ofArgument()) {
      if (given->text == left_) return {given, right(given->operand)};
      return {left(given->operand), given};
    }
    auto signatureHas = [&](std::string_view text) { return reason_.signature.find(text) != std::string::npos; };
    const bool isByElement = (signatureHas(" # ") && !signatureHas("@ [")) || signatureHas("(tensors : ");
    for (const std::vector<Met>& one : operands_)
      for (const std::vector<Met>& other : operands_)
        if (auto met = aligned(one, other); isByElement && met.first && &one != &other) return met;
    return ofDifferent();
  }

 private:
  std::vector<Met> told(const std::vector<SizeAt>& axes, std::size_t operand) {
    std::vector<Met> all;
    for (const SizeAt& axis : axes) all.push_back({operand, axis, search_.printed(axis)});
    return all;
  }

  // The size of the argument of a call where the type that the function asks for has the other one.
  std::optional<Met> ofArgument() {
    if (reason_.kind != ReasonKind::call || reason_.given.size() < 2 || reason_.argument >= operands_.size())
      return std::nullopt;
    for (const Met& asked : told(search_.axesOf(reason_.given[0].type), reason_.argument))
      for (const Met& given : operands_[reason_.argument]) {
        const bool isThere = given.axis.part == asked.axis.part && given.axis.fromFront == asked.axis.fromFront &&
                             given.axis.fromBack == asked.axis.fromBack;
        if (isThere && (areBoth(asked, given) || areBoth(given, asked))) return given;
      }
    return std::nullopt;
  }

  bool areBoth(const Met& one, const Met& other) const { return one.text == left_ && other.text == right_; }

  // Where two operands have the sizes at the same axis from the end, as operators that work element by element ask: the
  // last one.
  TwoMet aligned(const std::vector<Met>& one, const std::vector<Met>& other) const {
    TwoMet found;
    for (const Met& a : one)
      for (const Met& b : other)
        if (a.axis.fromBack == b.axis.fromBack && areBoth(a, b)) found = {a, b};
    return found;
  }

  // An operand's size: one that comes from where the conflict's does, or else the first of another operand than the
  // one that has the other size, if there is a choice.
  std::optional<Met> pick(const std::string& size, const std::vector<OriginId>& origins,
                          std::optional<std::size_t> except) const {
    std::optional<Met> first, ofOther, best;
    std::size_t ofBest = origins.size();  // the most informative origins come first
    for (const std::vector<Met>& operand : operands_)
      for (const Met& met : operand) {
        if (met.text != size) continue;
        const auto origin = std::ranges::find(origins, met.axis.size.origin);
        if (const auto at = static_cast<std::size_t>(origin - origins.begin()); at < ofBest) {
          ofBest = at;
          best = met;
        }
        if (!first) first = met;
        if (!ofOther && met.operand != except) ofOther = met;
      }
    if (best) return best;
    return ofOther ? ofOther : first;
  }
  std::optional<Met> left(std::optional<std::size_t> except) const { return pick(left_, ofLeft_, except); }
  std::optional<Met> right(std::optional<std::size_t> except) const { return pick(right_, ofRight_, except); }

  TwoMet ofDifferent() const {
    const auto one = left({});
    const auto other = right(one ? std::optional(one->operand) : std::nullopt);
    return {other ? left(other->operand) : one, other};
  }

  MakerSearch search_;
  const Reason& reason_;
  const std::string &left_, &right_;
  std::vector<OriginId> ofLeft_, ofRight_;
  std::vector<std::vector<Met>> operands_;
};

}  // namespace

std::pair<std::optional<MadeSize>, std::optional<MadeSize>> whatMade(Checked& checked, const Conflict& conflict,
                                                                     const Reason& reason) {
  const std::vector<Span> operands = operandsAt(checked.modules, reason.span);
  auto made = [&](const std::optional<Met>& met) {
    return met ? MakerSearch(checked).from(operands[met->operand], met->axis) : std::nullopt;
  };
  const auto [ofLeft, ofRight] = Meeting(checked, conflict, reason).find();
  auto one = made(ofLeft), other = made(ofRight);
  // Of a result, the call within the function that promises it is enough.
  if (reason.kind == ReasonKind::result && other && !other->calls.empty()) other = MadeSize{other->calls[0], {}, {}};
  // Of one place that makes both, the calls that lead there tell them apart.
  while (one && other && one->place == other->place && !one->calls.empty() && !other->calls.empty()) {
    for (MadeSize* size : {&*one, &*other}) {
      if (!size->ofBoth) size->ofBoth = size->place;
      size->place = size->calls.back();
      size->calls.pop_back();
    }
  }
  return {one, other};
}

}  // namespace axle
