#include <algorithm>

#include <fmt/format.h>

#include "frontend/syntax_codes.h"
#include "typecheck/codes.h"
#include "typecheck/infer/infer.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/literal_bytes.h"

namespace axle {

namespace {

std::vector<ProgramItem> itemsOf(const Modules& modules, std::size_t module) {
  std::vector<ProgramItem> items;
  for (std::size_t i = 0; i < modules.modules[module].items.size(); ++i) items.push_back({module, i});
  return items;
}

}  // namespace

void Inferer::run() {
  const Modules& modules = c_.modules;
  if (modules.modules.empty()) return;
  const std::size_t root = modules.modules.size() - 1;
  c_.moduleScopes.resize(modules.modules.size());
  std::vector<ProgramItem> program = modules.program.empty() ? itemsOf(modules, root) : modules.program;
  for (std::size_t i = 0; i < root; ++i) {
    if (std::any_of(program.begin(), program.end(), [&](const ProgramItem& item) { return item.module == i; }))
      continue;
    std::size_t first = c_.program.bindings.size();
    VariableMark mark = markVariables(c_);
    inferItems(itemsOf(modules, i), i);
    finishItems(first, mark);
  }
  c_.programScope = root;
  c_.programBegin = c_.program.bindings.size();
  VariableMark mark = markVariables(c_);
  isRoot_ = true;
  inferItems(program, root);
  finishItems(c_.programBegin, mark);
  noteRefinedNames(written_);
  listRootNames();
}

void Inferer::runMore() {
  c_.moduleScopes.resize(c_.modules.modules.size());
  isRoot_ = true;
  inferItems(itemsOf(c_.modules, c_.modules.modules.size() - 1), c_.programScope);
  finishItems(c_.programBegin, {});
  listRootNames();
}

BindingId Inferer::declare(const std::string& name, Span span, BindingKind kind, TypeId type) {
  TypedBinding binding;
  binding.name = name;
  binding.span = span;
  binding.kind = kind;
  binding.type = type;
  c_.program.bindings.push_back(std::move(binding));
  return BindingId{static_cast<std::uint32_t>(c_.program.bindings.size() - 1)};
}

void Inferer::inferItems(const std::vector<ProgramItem>& items, std::size_t scope) {
  scopes_ = {&c_.moduleScopes[scope]};
  root_ = {&whole_, 1};
  for (const ProgramItem& at : items) {
    current_ = at.module;
    whole_ = &module();
    inferItem(module().items[at.item]);
  }
}

void Inferer::enter(std::size_t module, Scope& names, std::span<const ast::Module* const> root) {
  current_ = module;
  scopes_ = {&names};
  root_ = root;
  isRoot_ = true;
}

void Inferer::inferItem(const ast::Item& item) {
  conflicted_ = bindingFailed_ = false;
  std::size_t before = c_.program.bindings.size();
  if (auto* param = std::get_if<ast::Param>(&item)) {
    inferParam(*param);
  } else if (auto* binding = std::get_if<std::uint32_t>(&item)) {
    c_.program.topLevel.push_back(inferBinding(*binding));
  } else if (auto* op = std::get_if<ast::OpDecl>(&item)) {
    report(codes::unsupported, op->span, "`op` declarations are for the core operators",
           "only stdlib/core.ax declares operators")
        .help.push_back("a function is written `scaled = fn (x; factor = 2.0) { ... };`");
  }
  if (bindingFailed_)
    for (std::size_t b = before; b < c_.program.bindings.size(); ++b) c_.failed[static_cast<std::uint32_t>(b)] = true;
}

void Inferer::finishItems(std::size_t firstBinding, const VariableMark& mark) {
  conflicted_ = bindingFailed_ = false;
  refreshSchemes(firstBinding, c_.program.bindings.size());
  settleModule(mark);
  checkLiterals(std::exchange(literals_, {}));
}

void Inferer::runImported(std::size_t modules) {
  c_.moduleScopes.resize(modules);
  for (std::size_t i = 0; i < modules; ++i) {
    std::size_t first = c_.program.bindings.size();
    VariableMark mark = markVariables(c_);
    inferItems(itemsOf(c_.modules, i), i);
    finishItems(first, mark);
  }
}

void Inferer::listRootNames() {
  c_.rootNames.clear();
  for (const auto& [name, id] : c_.moduleScopes[c_.programScope].values) c_.rootNames.push_back({name, id});
  std::sort(c_.rootNames.begin(), c_.rootNames.end(),
            [](const TopLevelName& a, const TopLevelName& b) { return a.binding.index < b.binding.index; });
}

// A function may have been generalised before a later use told what a parameter of the module is: what its constraints
// waited for is put in now, so that types do not depend on the order of uses.
void Inferer::refreshSchemes(std::size_t firstBinding, std::size_t lastBinding) {
  auto end = c_.schemes.lower_bound(static_cast<std::uint32_t>(lastBinding));
  for (auto it = c_.schemes.lower_bound(static_cast<std::uint32_t>(firstBinding)); it != end; ++it) {
    Scheme& scheme = it->second;
    bool waits = std::any_of(scheme.constraints.begin(), scheme.constraints.end(),
                             [](const Constraint& c) { return !c.as<constraint::Fact>(); });
    if (!waits || c_.failed.count(it->first)) continue;
    conflicted_ = bindingFailed_ = false;
    constexpr std::uint32_t level = 2;  // deeper than the module's
    auto reopen = [&](auto& infos, const auto& variables) {
      for (auto v : variables) infos[v.index].level = level;
    };
    reopen(c_.solution.typeVars, scheme.types);
    reopen(c_.solution.elemVars, scheme.elems);
    reopen(c_.solution.shapeVars, scheme.shapes);
    reopen(c_.solution.dimVars, scheme.dims);
    reopen(c_.solution.staticVars, scheme.statics);
    c_.solver.level = level;
    VariableMark mark = markVariables(c_);
    for (Constraint& c : scheme.constraints) addConstraint(c_.solver, std::move(c));
    settleOpenChoices(c_, mark, c_.solution.types[c_.solution.resolve(c_.program.bindings[it->first].type)].parts);
    if (flush()) c_.failed[it->first] = true;
    Scheme rest = generalise(c_, mark, {});
    scheme.constraints = std::move(rest.constraints);
    auto merge = [&](auto& infos, auto& old, auto& fresh) {
      for (auto v : old)
        if (!infos[v.index].binding) infos[v.index].level = genericLevel;
      old.insert(old.end(), fresh.begin(), fresh.end());
    };
    merge(c_.solution.typeVars, scheme.types, rest.types);
    merge(c_.solution.elemVars, scheme.elems, rest.elems);
    merge(c_.solution.shapeVars, scheme.shapes, rest.shapes);
    merge(c_.solution.dimVars, scheme.dims, rest.dims);
    merge(c_.solution.staticVars, scheme.statics, rest.statics);
    c_.solver.level = 0;
  }
}

// What no function generalised is decided now: nothing further can be learnt about the module's values. Their variables
// count as deeper than the scope while that is done.
void Inferer::settleModule(const VariableMark& since) {
  auto relevel = [](auto& infos, std::size_t from, std::uint32_t of, std::uint32_t to) {
    for (std::size_t i = from; i < infos.size(); ++i)
      if (!infos[i].binding && infos[i].level == of) infos[i].level = to;
  };
  auto all = [&](std::uint32_t of, std::uint32_t to) {
    relevel(c_.solution.typeVars, since.types, of, to);
    relevel(c_.solution.shapeVars, since.shapes, of, to);
    relevel(c_.solution.dimVars, since.dims, of, to);
  };
  all(0, 1);
  c_.solver.level = 1;
  std::vector<TypeId> given;
  for (const TypedWeight& weight : c_.program.weights) given.push_back(c_.program[weight.binding].type);
  settleOpenChoices(c_, since, given);
  if (!flush()) {
    for (const TypedWeight& weight : c_.program.weights)
      if (!checkGivenType(c_.solver, c_.program[weight.binding].type, since.dims, weight.parameter)) break;
    flush();
  }
  c_.solver.level = 0;
  all(1, 0);
}

// Numbers whose element type is known by now; those of a polymorphic function are told where an entry uses them.
void Inferer::checkLiterals(const std::vector<TypedId>& literals) {
  for (TypedId id : literals) {
    const TypedExpr& e = c_.program[id];
    const TypeTerm& type = c_.solution.types[c_.solution.resolve(e.type)];
    if (type.kind != TypeKind::tensor) continue;
    ElemTerm elem = c_.solution.resolve(type.elem);
    if (elem.isVar) continue;
    auto bytes = encodeLiteral(std::get<TypedLiteral>(e.node).value, elem.elem);
    if (bytes) continue;
    std::string_view name = axle::info(elem.elem).name;
    report(codes::literalOutOfRange, e.span, fmt::format("`{}` is out of the range of {}", bytes.error(), name),
           fmt::format("is {} here", name));
  }
}

void Inferer::inferParam(const ast::Param& param) {
  Scope& scope = *scopes_.back();
  if (auto dot = param.name.text.find('.'); dot != std::string::npos)
    if (c_.modules.imports[current_].count(param.name.text.substr(0, dot))) {
      report(codes::moduleNameTaken, param.name.span,
             fmt::format("`{}` begins with the name of an imported module", param.name.text),
             "choose another first part");
      return;
    }
  if (auto known = scope.values.find(param.name.text); known != scope.values.end()) {
    report(codes::duplicateName, param.name.span, fmt::format("`{}` is defined twice", param.name.text), "again here")
        .secondary.push_back({c_.program[known->second].span, "first here"});
    return;
  }
  TypeId type;
  if (param.type) {
    TypeReader reader(c_, module(), annotationScopes(), diagnostics_);
    type = reader.type(param.type);
    std::vector<DimFact> facts;
    for (const ast::Fact& fact : param.where) reader.fact(fact, facts);
    for (const DimFact& fact : facts)
      demand(fact, reason(ReasonKind::where, fact.places.front(), fmt::format("`{}`", param.name.text)));
    bindingFailed_ |= reader.failed();
    bindingFailed_ |= flush();
    if (TypeKind kind = c_.solution.types[c_.solution.resolve(type)].kind;
        kind == TypeKind::tuple || kind == TypeKind::function) {
      report(codes::paramType, module()[param.type].span,
             fmt::format("the parameter `{}` must be a tensor, but is {}", param.name.text,
                         kind == TypeKind::tuple ? "a tuple" : "a function"),
             "this type")
          .help.push_back("a file of weights holds tensors: declare one `param` for each");
      type = errorType();
    }
  } else {
    type = tensor(ElemTerm::of(freshElem(c_.solver, "t")), {ShapePart::of(freshShape(c_.solver, "s"))},
                  originAt(param.span));
  }
  BindingId id = declare(param.name.text, param.name.span, BindingKind::weight, type);
  c_.program.bindings[id.index].weight = static_cast<std::uint32_t>(c_.program.weights.size());
  // The parameters of an imported module are called by its name, as its other bindings are.
  std::string whole = (isRoot_ ? "" : module().name + ".") + param.name.text;
  std::string tensorName = param.tensorName == param.name.text ? whole : param.tensorName;
  c_.program.weights.push_back({id, whole, tensorName, param.span});
  scope.values[param.name.text] = id;
  if (options_.weights && !bindingFailed_) matchWeight(param, tensorName, type);
}

namespace {

// The string that names a tensor, where the parameter has one.
Span nameOfTensor(const SourceMap& sources, Span param, const std::string& tensor) {
  const std::size_t at = sources.text(param).find('"' + tensor + '"');
  if (at == std::string_view::npos) return param;
  const auto begin = param.begin + static_cast<std::uint32_t>(at);
  return {param.source, begin, begin + static_cast<std::uint32_t>(tensor.size() + 2)};
}

}  // namespace

// The tensor in the file must have the type that the source gives; what the source leaves open comes from the file.
void Inferer::matchWeight(const ast::Param& param, const std::string& tensorName, TypeId type) {
  auto found = options_.weights->find(tensorName);
  Span place = param.type ? module()[param.type].span : param.span;
  auto unreadable = found || !options_.weights->unreadable ? std::nullopt : options_.weights->unreadable(tensorName);
  if (unreadable) {
    report(codes::weightUnreadable, param.span,
           fmt::format("the tensor \"{}\" for `{}` cannot be read: {}", tensorName, param.name.text, *unreadable),
           "wanted here")
        .secondary.push_back({ArtifactPlace{options_.weights->path, tensorName}, "this tensor"});
    bindingFailed_ = false;  // as for a missing one below
    return;
  }
  if (!found) {
    Diagnostic& d =
        report(codes::weightMissing, nameOfTensor(c_.sources, param.span, tensorName),
               fmt::format("the weights have no tensor \"{}\" for `{}`", tensorName, param.name.text), "wanted here");
    d.secondary.push_back({ArtifactPlace{options_.weights->path, tensorName}, "not in this file"});
    std::vector<std::string_view> known(options_.weights->names.begin(), options_.weights->names.end());
    for (const std::string& near : closestNames(tensorName, known))
      d.help.push_back(fmt::format("did you mean \"{}\"?", near));
    bindingFailed_ =
        false;  // its type stays what the source says: the missing ones are all listed, nothing else follows from them
    return;
  }
  std::string wanted = printType(c_, type);
  Origin origin;
  origin.span = place;
  origin.file = options_.weights->path;
  origin.node = tensorName;
  OriginId there = c_.provenance.add(std::move(origin));
  Shape shape;
  for (std::int64_t size : found->shape) shape.push_back(ShapePart::of(c_.solution.dims.constant(size), there));
  TypeId given = tensor(ElemTerm::of(found->elem), std::move(shape), there);
  ReasonId why = reason(ReasonKind::weight, place, fmt::format("`{}`", param.name.text));
  unify(c_.solver, type, given, why);
  solve(c_.solver);
  if (c_.solver.conflicts.empty()) return;
  c_.solver.conflicts.clear();
  Diagnostic& d = report(codes::weightType, place,
                         fmt::format("the tensor \"{}\" does not have the type of `{}`: it is {}, expected {}",
                                     tensorName, param.name.text, printType(c_, given), wanted),
                         fmt::format("`{}` is {}", param.name.text, wanted));
  d.secondary.push_back(
      {ArtifactPlace{options_.weights->path, tensorName}, fmt::format("this tensor is {}", printType(c_, given))});
}

bool Inferer::isFunctionValue(ast::ExprId value) const {
  const ast::Module& m = module();
  while (auto* group = std::get_if<ast::ExprGroup>(&m[value].node)) value = group->inner;
  return std::holds_alternative<ast::ExprFn>(m[value].node) || std::holds_alternative<ast::ExprName>(m[value].node) ||
         std::holds_alternative<ast::ExprSection>(m[value].node);
}

std::uint32_t Inferer::inferBinding(std::uint32_t index) {
  const ast::Binding& binding = module().bindings[index];
  if (defining_.empty()) at_ = binding.span;
  const auto* name = std::get_if<ast::PatternName>(&module()[binding.pattern].node);
  bool mayGeneralise = name && isFunctionValue(binding.value);
  defining_.push_back(name ? name->name : "");
  VariableMark mark = markVariables(c_);
  std::size_t assumed = c_.solver.assumptions.size();
  if (mayGeneralise) ++c_.solver.level;
  Function defined;
  ast::ExprId value = binding.value;
  while (auto* group = std::get_if<ast::ExprGroup>(&module()[value].node)) value = group->inner;
  const auto* fn = std::get_if<ast::ExprFn>(&module()[value].node);
  TypedId typed = fn && mayGeneralise ? inferFunction(module()[value].span, *fn, std::nullopt, &defined) : infer(value);
  TypeId type = c_.program[typed].type;
  bool isFunction = c_.solution.types[c_.solution.resolve(type)].kind == TypeKind::function;
  std::optional<Scheme> scheme;
  if (mayGeneralise) {
    if (isFunction) {
      const std::vector<TypeId> parts = c_.solution.types[c_.solution.resolve(type)].parts;
      settleOpenChoices(c_, mark, parts);
      if (!flush() && fn && fn->parameters.size() == parts.size())
        for (std::size_t i = 0; i < parts.size(); ++i)
          if (!checkGivenType(c_.solver, parts[i], mark.dims, fn->parameters[i].name.text)) break;
      flush();
      scheme = generalise(c_, mark, defined.stated);
      closeRuntimeSizes(c_.solver, c_.solution.types[c_.solution.resolve(type)].result, mark.dims);
    }
    --c_.solver.level;
    if (!isFunction) {  // a plain alias: its variables are the scope's
      OpenVariables variables;
      collectVariables(c_.solver, type, variables);
      lowerLevels(c_.solver, variables, c_.solver.level);
    }
  }
  defining_.pop_back();
  if (defining_.empty() && isRoot_ && !bindingFailed_)
    written_.insert(written_.end(), defined.written.begin(), defined.written.end());
  TypedLet let;
  let.span = binding.span;
  let.value = typed;
  let.pattern = bindPattern(binding.pattern, type, typed);
  const TypeKind kind = c_.solution.types[c_.solution.resolve(type)].kind;
  for (const ast::Annotation& annotation : binding.annotations) {
    if (annotation.name.text == "implements" && isFunction && let.pattern.binding)
      c_.program.bindings[let.pattern.binding.index].implements = annotation.arguments.front();
    if (kind == TypeKind::tensor || kind == TypeKind::tuple)
      report(codes::misplacedAnnotation, annotation.span,
             fmt::format("`@{}` before what is no function", annotation.name.text), "annotations are about functions");
  }
  if (scheme && let.pattern.binding) {
    c_.program.bindings[let.pattern.binding.index].polymorphic = true;
    c_.schemes[let.pattern.binding.index] = std::move(*scheme);
  }
  c_.solver.assumptions.resize(assumed);
  c_.program.lets.push_back(std::move(let));
  return static_cast<std::uint32_t>(c_.program.lets.size() - 1);
}

// Names in annotations are flexible: where inference made one less general than it reads, a note says so.
void Inferer::noteRefinedNames(const std::vector<WrittenName>& written) {
  for (const WrittenName& name : written) {
    if (refinedNames_ >= maxErrors) return;
    Shape now = c_.solution.resolve(Shape{name.is});
    bool same = now.size() == 1 && now[0].isVar == name.is.isVar &&
                (now[0].isVar ? now[0].var == name.is.var : now[0].dim == name.is.dim);
    if (same) continue;
    std::string text = name.is.isVar ? printShape(c_, now) : c_.solution.printSize(now[0].dim);
    if (text == c_.sources.text(name.span)) continue;  // another one of that name
    ++refinedNames_;
    Diagnostic d;
    d.code = &codes::nameRefined;
    d.message = fmt::format("`{}` is inferred to be {}", c_.sources.text(name.span), text);
    d.primary = {name.span, fmt::format("{} in every use of this function", text)};
    auto at = placeOfRefinement(name.is, text);
    const Span by = at ? std::get<Span>(at->place) : name.span;
    if (auto source = sourceOf(c_, name.is); source && !(source->span == name.span) && !(source->span == by))
      d.secondary.push_back(
          {source->span,
           fmt::format("{} comes from {}", text, source->owner.empty() ? "here" : fmt::format("`{}`", source->owner))});
    if (at) d.secondary.push_back(std::move(*at));
    diagnostics_.push_back(std::move(d));
  }
}

// The application that made a written size equal to another; of one in a function, the use of that.
std::optional<Label> Inferer::placeOfRefinement(const ShapePart& written, const std::string& text) {
  ReasonId why;
  if (written.isVar)
    why = c_.solution.shapeVars[written.var.index].boundWhy;
  else if (auto v = c_.solution.dims.asVariable(written.dim))
    why = c_.solution.dimVars[v->index].boundWhy;
  if (!why.index || c_.provenance[why].kind == ReasonKind::where) return std::nullopt;
  const Reason* reason = &c_.provenance[why];
  while (reason->within.index) reason = &c_.provenance[reason->within];
  if (reason->subject.empty()) return std::nullopt;
  return Label{reason->span, fmt::format("{} makes it {}", reason->subject, text)};
}

TypedPattern Inferer::bindPattern(ast::PatternId id, TypeId type, TypedId value) {
  const ast::Pattern& pattern = module()[id];
  TypedPattern out;
  if (std::holds_alternative<ast::PatternWildcard>(pattern.node)) return out;
  if (auto* name = std::get_if<ast::PatternName>(&pattern.node)) {
    Scope& scope = *scopes_.back();
    if (auto known = scope.values.find(name->name); known != scope.values.end()) {
      Diagnostic& d =
          report(codes::duplicateName, pattern.span, fmt::format("`{}` is defined twice", name->name), "again here");
      d.secondary.push_back({c_.program[known->second].span, "first here"});
      d.help.push_back("a name is bound once: give what follows another, and use that from here on");
      return out;
    }
    out.binding = declare(name->name, pattern.span, BindingKind::value, type);
    c_.program.bindings[out.binding.index].value = value;
    scope.values[name->name] = out.binding;
    return out;
  }
  const auto& tuple = std::get<ast::PatternTuple>(pattern.node);
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.origin = originAt(pattern.span);
  for (std::size_t i = 0; i < tuple.parts.size(); ++i) term.parts.push_back(freshType(c_.solver));
  std::vector<TypeId> parts = term.parts;
  ReasonId why = reason(ReasonKind::pattern, pattern.span, "the pattern");
  if (value) c_.provenance[why].also = {{c_.program[value].span, "the value"}};
  TypeId given = type;
  if (value) given = stamped(type, originAt(c_.program[value].span));
  unify(c_.solver, c_.solution.types.add(std::move(term)), given, why);
  bool failed = flush();
  out.isTuple = true;
  for (std::size_t i = 0; i < tuple.parts.size(); ++i)
    out.parts.push_back(bindPattern(tuple.parts[i], failed ? errorType() : parts[i], {}));
  return out;
}

}  // namespace axle
