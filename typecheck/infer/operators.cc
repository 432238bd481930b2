#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/infer.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

std::optional<std::uint32_t> Inferer::coreOperator(const std::string& name, std::size_t arity) {
  // `nn.name` is the core operator where the module has none of that name.
  if (auto dot = name.find('.'); dot != std::string::npos) {
    if (!c_.modules.imports[current_].count(name.substr(0, dot))) return std::nullopt;
    return c_.operators.find(name.substr(dot + 1), arity);
  }
  return c_.operators.find(name, arity);
}

void Inferer::demand(const DimFact& fact, ReasonId why) {
  addConstraint(c_.solver, why, constraint::Fact{fact, fact.stretch});
}

void Inferer::demandSignature(const ast::OpDecl& decl, const SignatureUse& signature, TypeReader& reader,
                              ReasonId why) {
  for (const ast::OpAttribute& attribute : decl.attributes) {
    if (attribute.sort != ast::Sort::axis || attribute.sortArguments.size() != 2) continue;
    auto before = reader.shapeNamed(attribute.sortArguments[0]), after = reader.shapeNamed(attribute.sortArguments[1]);
    if (!before || !after) continue;
    const StaticId axis = signature.attributes.at(attribute.name.text);
    addConstraint(c_.solver, why,
                  constraint::AxisSplit{{ShapePart::of(*before)}, {ShapePart::of(*after)}, axis});
  }
  std::vector<DimFact> facts;
  for (const ast::Fact& fact : decl.where) reader.fact(fact, facts);
  for (const DimFact& fact : facts) demand(fact, why);
}

// Every shape of the signature is a name, the result's made of those of the parameters.
bool Inferer::isElementwise(const ast::OpDecl& decl, const ast::Module& module) const {
  std::vector<std::string> names;
  auto shapeOf = [&](ast::TypeId id) -> std::optional<ast::ShapeId> {
    const auto* tensor = std::get_if<ast::TypeTensor>(&module[id].node);
    return tensor ? std::optional(tensor->shape) : std::nullopt;
  };
  for (const ast::OpParameter& parameter : decl.parameters) {
    auto shape = parameter.type && parameter.count.empty() ? shapeOf(parameter.type) : std::nullopt;
    if (!shape) return false;
    if (!*shape) continue;
    const auto* list = std::get_if<ast::ShapeDims>(&module[*shape].node);
    const auto* name = std::get_if<ast::ShapeName>(&module[*shape].node);
    if (name) names.push_back(name->name);
    if (!name && (!list || !list->dims.empty())) return false;
  }
  auto known = [&](ast::ShapeId id) {
    const auto* name = std::get_if<ast::ShapeName>(&module[id].node);
    return name && std::find(names.begin(), names.end(), name->name) != names.end();
  };
  auto result = shapeOf(decl.result);
  if (!result || !*result) return false;
  const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&module[*result].node);
  return broadcast ? std::all_of(broadcast->parts.begin(), broadcast->parts.end(), known) : known(*result);
}

// Only what the signature says may be ragged.
void Inferer::demandUnragged(TypeId parameter, const SignatureUse& signature, ReasonId why) {
  const TypeTerm& term = c_.solution.types[parameter];
  if (term.kind != TypeKind::tensor) return;
  const auto& may = signature.mayBeRagged;
  for (const ShapePart& part : Shape(term.shape)) {
    auto v = part.isVar ? std::nullopt : c_.solution.dims.asVariable(part.dim);
    bool allowed = part.isVar ? std::count(may.shapes.begin(), may.shapes.end(), part.var) > 0
                              : std::count(may.dims.begin(), may.dims.end(), part.dim) > 0 ||
                                    (v && c_.solution.dimVars[v->index].kind == DimKind::ragged);
    if (!allowed) requireUnragged(c_.solver, Shape{part}, why);
  }
}

bool Inferer::checkArity(const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic) {
  std::size_t given = use.arguments.size() + use.typed.size();
  if (variadic ? given >= wanted : given == wanted) return true;
  const auto& entry = c_.operators[use.op];
  std::vector<std::string> names;
  for (const ast::OpParameter& parameter : entry.decl->parameters)
    if (!parameter.name.empty()) names.push_back(parameter.name);
  const ast::ExprCall call{{}, use.arguments, use.named};
  if (given < wanted && givenByName(use.span, call, entry.name, names)) return false;
  Diagnostic& d = report(codes::arity, use.span,
                         fmt::format("`{}` takes {}{} argument{}, but is given {}", entry.name,
                                     variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s", given),
                         "this application");
  d.notes.push_back(std::string(entry.text));
  const std::vector<ast::OpAttribute>& statics = entry.decl->attributes;
  const std::vector<ast::OpParameter>& parameters = entry.decl->parameters;
  const ForeignName* foreign = foreignUse(entry.name);
  if (foreign && use.typed.empty()) {
    tellForeign(d, use.span, *foreign, &call, {});
    return false;
  }
  if (given <= wanted || use.arguments.size() != given) return false;
  const Span last = module()[use.arguments.back()].span;
  if (const ast::OpParameter& end = parameters.back(); !end.name.empty() && parameters.size() == wanted) {
    const Span all = join(module()[use.arguments[wanted - 1]].span, last);  // `zeros(3, 4)`
    d.help.push_back(fmt::format("`{}` is one list", end.name));
    d.fixes.push_back(
        {fmt::format("write `[{}]`", c_.sources.text(all)), {{all, fmt::format("[{}]", c_.sources.text(all))}}});
  } else if (given == wanted + 1 && !statics.empty()) {
    const std::string named = fmt::format("{}={}", statics.front().name.text, c_.sources.text(last));
    d.help.emplace_back("static arguments are given by name");
    d.fixes.push_back({fmt::format("write `{}`", named), {{last, named}}});
  }
  return false;
}

// Reads what is given by name and by position, fills in defaults, checks each against its sort.
bool Inferer::readAttributes(OperatorUse& use, const ast::OpDecl& decl, SignatureUse& signature, TypeReader& reader,
                             ReasonId why) {
  const auto& entry = c_.operators[use.op];
  for (std::size_t i = 0; i < use.named.size(); ++i) {
    const ast::NamedArgument& given = use.named[i];
    bool known = std::any_of(decl.attributes.begin(), decl.attributes.end(),
                             [&](const ast::OpAttribute& a) { return a.name.text == given.name.text; });
    bool twice = use.statics.count(given.name.text) > 0;
    if (!known || twice) {
      Diagnostic& d = report(codes::arity, given.span,
                             twice ? fmt::format("`{}` is given twice", given.name.text)
                                   : fmt::format("`{}` has no argument `{}`", entry.name, given.name.text),
                             twice ? "again here" : "not known");
      std::vector<std::string_view> names;
      for (const ast::OpAttribute& a : decl.attributes) names.push_back(a.name.text);
      if (!twice)
        for (const std::string& near : ourAttribute(given.name.text, names).empty()
                                           ? closestNames(given.name.text, names)
                                           : std::vector{std::string(ourAttribute(given.name.text, names))})
          suggest(d, given.name.span, near);
      d.notes.push_back(std::string(entry.text));
      return false;
    }
    auto value = readStatic(given.value);
    if (!value) return false;
    auto attribute = std::find_if(decl.attributes.begin(), decl.attributes.end(),
                                  [&](const ast::OpAttribute& a) { return a.name.text == given.name.text; });
    if (!checkSort(*attribute, *value, given.span, entry.name, why)) return false;
    use.statics[given.name.text] = *value;
  }
  for (const ast::OpAttribute& attribute : decl.attributes) {
    auto given = use.statics.find(attribute.name.text);
    if (given != use.statics.end()) {
      signature.attributes[attribute.name.text] = given->second;
      continue;
    }
    if (!attribute.defaultValue) {
      report(codes::arity, use.span, fmt::format("`{}` needs its argument `{}`", entry.name, attribute.name.text),
             fmt::format("add `{}=...`", attribute.name.text))
          .notes.push_back(std::string(entry.text));
      return false;
    }
    auto value = readDefault(*entry.module, attribute.defaultValue, signature, reader);
    if (!value) return false;
    signature.attributes[attribute.name.text] = *value;
  }
  return true;
}

// A literal as an operand that only broadcasts has shape [].
bool Inferer::onlyBroadcast(const ast::OpDecl& decl, const ast::Module& module, std::size_t parameter) const {
  const auto* tensor = std::get_if<ast::TypeTensor>(&module[decl.parameters[parameter].type].node);
  const auto* result = std::get_if<ast::TypeTensor>(&module[decl.result].node);
  if (!tensor || !tensor->shape || !result || !result->shape) return false;
  const auto* shape = std::get_if<ast::ShapeName>(&module[tensor->shape].node);
  const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&module[result->shape].node);
  if (!shape || !broadcast) return false;
  return std::any_of(broadcast->parts.begin(), broadcast->parts.end(), [&](ast::ShapeId part) {
    const auto* name = std::get_if<ast::ShapeName>(&module[part].node);
    return name && name->name == shape->name;
  });
}

namespace {

// `[..n]`: the tensors may be of different sizes.
bool isOfAnySizes(const ast::Module& module, ast::ShapeId shape) {
  if (!shape) return false;
  if (const auto* append = std::get_if<ast::ShapeAppend>(&module[shape].node))
    return std::any_of(append->parts.begin(), append->parts.end(),
                       [&](ast::ShapeId part) { return isOfAnySizes(module, part); });
  const auto* sizes = std::get_if<ast::ShapeDims>(&module[shape].node);
  return sizes && std::any_of(sizes->dims.begin(), sizes->dims.end(),
                              [&](ast::DimId size) { return std::holds_alternative<ast::DimPack>(module[size].node); });
}

}  // namespace

// A number splats to the shape that is asked for. An operator that takes tensors of any sizes asks for none, so there
// it is a scalar.
void Inferer::keepScalar(TypeId given, const ast::Module& module, ast::TypeId parameter) {
  const auto* wanted = std::get_if<ast::TypeTensor>(&module[parameter].node);
  if (!wanted || !isOfAnySizes(module, wanted->shape)) return;
  const TypeTerm& tensor = c_.solution.types[c_.solution.resolve(given)];
  if (tensor.kind != TypeKind::tensor || tensor.shape.size() != 1) return;
  const ShapePart part = tensor.shape[0];
  if (part.isVar && c_.solution.shapeVars[part.var.index].literal) unifyShape(c_.solver, {part}, {}, {});
}

// A size that every call of a function makes anew, of a call that is not known: two such values need not agree.
bool Inferer::closedArgument(DimVar k, ReasonId why) {
  Conflict conflict;
  conflict.kind = ConflictKind::unopened;
  conflict.reason = why;
  conflict.right = c_.solution.printSize(c_.solution.dims.variable(k));
  conflict.text = c_.solution.dimVars[k.index].maker;
  conflict.origins = {c_.solution.dimVars[k.index].origin};
  c_.solver.conflicts.push_back(std::move(conflict));
  return flush();
}

TypedId Inferer::applyOperator(OperatorUse use) {
  const auto& entry = c_.operators[use.op];
  const ast::OpDecl& decl = *entry.decl;
  ReasonId why =
      reason(ReasonKind::application, use.span, use.subject.empty() ? fmt::format("`{}`", entry.name) : use.subject);
  c_.provenance[why].signature = std::string(entry.text);
  SignatureUse signature;
  Scope scope;
  TypeReader reader(c_, *entry.module, {&scope}, diagnostics_, &signature, why);

  std::vector<std::size_t> positions;   // of the parameters that arguments are for: not those in `statics`
  std::optional<std::size_t> variadic;  // among them
  for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
    const ast::OpParameter& p = decl.parameters[i];
    if (!p.type && use.statics.count(p.name)) continue;
    if (p.type && (!p.count.empty() || reader.mentionsPack(p.type))) variadic = positions.size();
    positions.push_back(i);
  }
  if (!checkArity(use, positions.size(), variadic)) return errorAt(use.span);
  std::size_t given = use.arguments.size() + use.typed.size();
  signature.packSize = given - positions.size() + 1;
  if (variadic) signature.count = decl.parameters[positions[*variadic]].count;

  // Which parameter each argument is for; static ones given by position are read first, like those given by name.
  struct Argument {
    ast::ExprId expr;
    std::optional<TypedId> typed;
    std::size_t parameter;
    TypeId type;
  };
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < given; ++i) {
    std::size_t parameter = !variadic || i <= *variadic          ? i
                            : i < *variadic + signature.packSize ? *variadic
                                                                 : i + 1 - signature.packSize;
    Argument argument{{}, {}, positions[parameter], {}};
    if (i < use.typed.size())
      argument.typed = use.typed[i];
    else
      argument.expr = use.arguments[i - use.typed.size()];
    const ast::OpParameter& p = decl.parameters[argument.parameter];
    if (p.type) {
      arguments.push_back(argument);
      continue;
    }
    auto value = readStatic(argument.expr);
    auto attribute = std::find_if(decl.attributes.begin(), decl.attributes.end(),
                                  [&](const ast::OpAttribute& a) { return a.name.text == p.name; });
    if (!value || !checkSort(*attribute, *value, module()[argument.expr].span, entry.name, why))
      return errorAt(use.span);
    use.statics[p.name] = *value;
  }
  if (!readAttributes(use, decl, signature, reader, why)) return errorAt(use.span);

  for (const ast::OpAttribute& attribute : decl.attributes)
    if (attribute.sort == ast::Sort::axis) {
      const StaticTerm& axis = c_.solution.types[c_.solution.resolve(signature.attributes[attribute.name.text])];
      if (axis.kind == StaticKind::dim) c_.provenance[why].axis = c_.solution.dims.print(c_.solution.resolve(axis.dim));
    }
  std::size_t packIndex = 0;
  reader.setUniversal(true);
  for (Argument& argument : arguments) {
    if (variadic && argument.parameter == positions[*variadic]) reader.setPackIndex(packIndex++);
    argument.type = reader.type(decl.parameters[argument.parameter].type);
  }
  reader.setUniversal(false);
  reader.setPackIndex(0);

  bool failed = false;
  auto isLambda = [&](const Argument& a) {
    return !a.typed && std::holds_alternative<ast::ExprFn>(module()[a.expr].node);
  };
  auto giveArgument = [&](Argument& a) {
    if (!a.typed) {
      ast::ExprId inner = a.expr;
      while (auto* group = std::get_if<ast::ExprGroup>(&module()[inner].node)) inner = group->inner;
      const auto* number = std::get_if<ast::ExprNumber>(&module()[inner].node);
      if (number && onlyBroadcast(decl, *entry.module, a.parameter))
        a.typed = inferNumber(module()[inner].span, *number, true);
      else
        a.typed = inferWith(a.expr, a.type);
    }
    TypeId type = c_.program[*a.typed].type;
    c_.provenance[why].given.push_back(asGiven(*a.typed));
    if (isError(*a.typed)) failed = true;
    if (auto k = failed ? std::nullopt : findClosedSize(c_.solver, type)) failed = closedArgument(*k, why);
    keepScalar(type, *entry.module, decl.parameters[a.parameter].type);
    if (!failed) unify(c_.solver, a.type, stamped(type, originAt(c_.program[*a.typed].span)), why);
    failed |= flush();
  };
  for (Argument& a : arguments)
    if (!isLambda(a)) giveArgument(a);
  if (!failed) demandSignature(decl, signature, reader, why);
  if (!failed && !isElementwise(decl, *entry.module))
    for (const Argument& a : arguments) demandUnragged(a.type, signature, why);
  settleElementShapes(c_.solver);
  failed |= flush();
  for (Argument& a : arguments)
    if (isLambda(a)) giveArgument(a);
  if (failed) return errorAt(use.span);
  TypeId result = reader.type(decl.result);
  if (reader.failed()) {
    if (conflicted_) diagnostics_.pop_back();  // one is told already
    conflicted_ = bindingFailed_ = true;
  }
  if (reader.failed() || flush()) return errorAt(use.span);

  const TypeTerm& made = c_.solution.types[c_.solution.resolve(result)];
  if (std::any_of(made.shape.begin(), made.shape.end(),
                  [&](const ShapePart& p) { return !p.isVar && c_.solution.dims.isUndefined(p.dim); })) {
    report(codes::overflow, use.span, fmt::format("`{}` makes a size that does not fit into 64 bits", entry.name),
           "this application");
    return errorAt(use.span);
  }
  if (!checkLengths(result, why)) return errorAt(use.span);
  TypedApply apply;
  apply.op = use.op;
  for (const Argument& a : arguments) apply.arguments.push_back(*a.typed);
  for (const ast::OpAttribute& attribute : decl.attributes)
    apply.attributes.push_back(signature.attributes[attribute.name.text]);
  return make(stamped(result, originAt(use.span)), use.span, std::move(apply));
}

// What stands in an index is computed in the run: positions, or a mask.
void Inferer::helpComputedIndex(Span span, const ast::ExprIndex& index, ast::ExprId item, std::int64_t axis) {
  const std::size_t told = diagnostics_.size();
  const TypeTerm& type = c_.solution.types[c_.solution.resolve(c_.program[infer(item)].type)];
  const bool isMask = type.kind == TypeKind::tensor && c_.solution.resolve(type.elem) == ElemTerm::of(Elem::boolean);
  diagnostics_.resize(told);  // what is wrong inside of the item is not what is told
  Diagnostic& d = diagnostics_.back();
  if (!isMask) {
    d.help.push_back(
        fmt::format("`gather(x, i, axis={})` takes slices at positions that are computed in the run", axis));
    return;
  }
  d.primary.text = "a mask, which is computed in the run";
  const std::string_view base = c_.sources.text(module()[index.base].span), mask = c_.sources.text(module()[item].span);
  if (index.items.size() != 1) return;
  const std::string text = c_.solution.resolve(type.shape).size() == 1
                               ? fmt::format("gather({}, squeeze(nonzero({}), axis=1))", base, mask)
                               : fmt::format("gather_nd({}, nonzero({}))", base, mask);
  d.fixes.push_back({fmt::format("slices at the positions where it holds: `{}`", text), {{span, text}}});
}

// An index past the end of an axis whose size is a number, in the words of who wrote it.
bool Inferer::checkIndex(Dim start, Dim size, ast::ExprId item) {
  auto at = c_.solution.dims.asConstant(c_.solution.resolve(start)),
       of = c_.solution.dims.asConstant(c_.solution.resolve(size));
  if (!at || !of || (0 <= *at && *at < *of)) return true;
  const Span span = module()[item].span;
  report(codes::factRefuted, span,
         fmt::format("the index {} is out of range for an axis of size {}", c_.sources.text(span), *of),
         *of == 0 ? "there is nothing to take" : fmt::format("-{} to {} are there", *of, *of - 1));
  return false;
}

// x[0], x[:, 1:n-1], x[..., -1]: slices, and squeezes of the axes that an index takes away. Items before the ellipsis
// count axes from the leading end, those behind it from the trailing end.
TypedId Inferer::inferIndex(Span span, const ast::ExprIndex& index) {
  for (std::size_t i = 0; i < index.items.size(); ++i)
    if (auto* at = std::get_if<ast::IndexAt>(&index.items[i].node)) {
      const ast::Expr& e = module()[at->index];
      const std::string_view name = c_.sources.text(e.span);
      if ((name != "None" && !name.ends_with("newaxis")) || isInScope(std::string(name))) continue;
      tellNewAxis(e.span, span, index, i);
      return errorAt(span);
    }
  TypedId value = infer(index.base);
  if (c_.solution.types[c_.solution.resolve(c_.program[value].type)].kind == TypeKind::tuple) {
    report(codes::typeMismatch, span, "the index needs a tensor, but gets a tuple", "here")
        .help.emplace_back("a tuple is taken apart by names for its parts, on the left of a `=`");
    return errorAt(span);
  }
  auto slice = coreOperator("slice", 1), squeeze = coreOperator("squeeze", 1);
  auto ellipsis = std::find_if(index.items.begin(), index.items.end(), [](const ast::IndexItem& item) {
    return std::holds_alternative<ast::IndexEllipsis>(item.node);
  });
  DimStore& dims = c_.solution.dims;
  auto apply = [&](std::uint32_t op, std::map<std::string, StaticId> statics) {
    value = this->apply(op, span, {value}, std::move(statics));
  };
  bool ok = slice && squeeze;
  auto item = [&](const ast::IndexItem& i, std::int64_t axis) {
    StaticId axisValue = staticDim(dims.constant(axis));
    auto bound = [&](ast::ExprId e, Dim size) -> std::optional<Dim> {
      auto d = readDim(e);
      if (!d) return std::nullopt;
      auto constant = dims.asConstant(*d);
      return constant && *constant < 0 ? dims.add(size, *d) : *d;
    };
    // The axis' size, for bounds that count from the end.
    ShapeVar before = freshShape(c_.solver, "p"), after = freshShape(c_.solver, "s");
    Dim size = freshDimTerm(c_.solver, "n");
    ReasonId why = reason(ReasonKind::index, i.span, "the index");
    addConstraint(c_.solver, why,
                  constraint::AxisSplit{{ShapePart::of(before)}, {ShapePart::of(after)}, axisValue});
    TypeId base = tensor(ElemTerm::of(freshElem(c_.solver, "t")),
                         {ShapePart::of(before), ShapePart::of(size), ShapePart::of(after)}, {});
    c_.provenance[why].given = {asGiven(value)};
    if (!isError(value)) unify(c_.solver, base, c_.program[value].type, why);
    if (flush()) ok = false;
    std::map<std::string, StaticId> statics{{"axis", axisValue}};
    if (auto* at = std::get_if<ast::IndexAt>(&i.node)) {
      std::size_t told = diagnostics_.size();
      auto start = bound(at->index, size);
      if (!start && diagnostics_.size() > told && diagnostics_.back().code == &codes::notStatic)
        helpComputedIndex(span, index, at->index, axis);
      if (!start || !checkIndex(*start, size, at->index)) return ok = false;
      statics["start"] = staticDim(*start);
      statics["stop"] = staticDim(dims.add(*start, dims.constant(1)));
      apply(*slice, statics);
      apply(*squeeze, {{"axis", axisValue}});
      return true;
    }
    const auto& range = std::get<ast::IndexRange>(i.node);
    for (const auto& [name, e] :
         {std::pair("start", range.start), std::pair("stop", range.stop), std::pair("step", range.step)}) {
      if (!e) continue;
      auto d = std::string_view(name) == "step" ? readDim(e) : bound(e, size);
      if (!d) return ok = false;
      statics[name] = staticDim(*d);
    }
    if (range.start || range.stop || range.step) apply(*slice, statics);
    return true;
  };
  std::int64_t axis = 0;
  for (auto it = index.items.begin(); it != ellipsis && ok; ++it) {
    item(*it, axis);
    if (!std::holds_alternative<ast::IndexAt>(it->node)) ++axis;
  }
  axis = -1;
  if (ellipsis != index.items.end())
    for (auto it = index.items.end() - 1; it != ellipsis && ok; --it) {
      if (std::holds_alternative<ast::IndexEllipsis>(it->node)) {
        report(codes::badAttribute, it->span, "an index has more than one `...`", "the second one");
        return errorAt(span);
      }
      item(*it, axis);
      if (!std::holds_alternative<ast::IndexAt>(it->node)) --axis;
    }
  return ok ? value : errorAt(span);
}

}  // namespace axle
