#include "typecheck/report/query.h"

#include <algorithm>

#include "typecheck/checked.h"
#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/report/printed.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/trial.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

bool hasVariables(Checked& c, TypeId type) {
  OpenVariables v;
  collectVariables(c.solver, type, v);
  return !v.types.empty() || !v.elems.empty() || !v.shapes.empty() || !v.dims.empty();
}

Answer answerOf(Checked& c, const std::vector<TypeId>& types, const Scheme* scheme) {
  PrintedTypes printed = printWithFacts(c, types, scheme);
  Answer answer{std::move(printed.types), std::move(printed.facts), true};
  for (TypeId type : types) answer.isClosed = answer.isClosed && !hasVariables(c, type);
  return answer;
}

// The parameters of the function that a binding is, by way of other names.
std::vector<BindingId> parameterBindings(const Checked& c, BindingId function) {
  constexpr int mostNames = 100;
  TypedId value = c.program[function].value;
  for (int i = 0; i < mostNames && value; ++i) {
    if (const auto* lambda = std::get_if<TypedLambda>(&c.program[value].node)) return lambda->parameters;
    const auto* ref = std::get_if<TypedRef>(&c.program[value].node);
    if (!ref) break;
    value = c.program[ref->binding].value;
  }
  return {};
}

constexpr Message<Phrase, arg::Name> unknownGiven{codes::unknownName, "the function has no {} {}", "given here"};

// Solves what was asked. Returns false, and adds a diagnostic, on a conflict.
bool settled(Checked& c, Diagnostics& diagnostics) {
  solve(c.solver);
  if (c.solver.conflicts.empty()) return true;
  diagnostics.push_back(explain(c, c.solver.conflicts.front()));
  c.solver.conflicts.clear();
  return false;
}

// A use of a function for which sizes are given.
class Use {
 public:
  Use(Checked& c, BindingId function) : c_(c), parameters_(parameterBindings(c, function)) {
    type_ = c.program[function].type;
    if (const Scheme* scheme = schemeOf(c, function)) {
      instance_ = instantiate(c, Scheme(*scheme), reason(c.program[function].span));
      Substitution with = asSubstitution(instance_);
      type_ = c.solution.resolve(type_, &with);
    }
    term_ = c.solution.types[c.solution.resolve(type_)];
  }

  bool give(const ast::Module& module, const GivenSize& given, Diagnostics& diagnostics) {
    if (!given.shape) return giveSize(given, diagnostics);
    TypeReader reader(c_, module, {&names_}, diagnostics);
    Shape shape = readShape(reader, *given.shape);
    if (reader.failed) return false;
    for (ShapePart& part : shape) part.origin = originAt(given.span);
    if (auto parameter = parameterNamed(given.name)) {
      TypeTerm tensor;
      tensor.kind = TypeKind::tensor;
      tensor.origin = originAt(given.span);
      tensor.elem = ElemTerm::of(freshElem(c_.solver, ""));
      tensor.shape = std::move(shape);
      unify(c_.solver, *parameter, c_.solution.types.add(std::move(tensor)), reason(given.span));
      return settled(c_, diagnostics);
    }
    for (const auto& [variable, is] : instance_.shapes)
      if (c_.solution.shapeVars[variable.index].name == given.name) {
        unifyShape(c_.solver, is, shape, reason(given.span));
        return settled(c_, diagnostics);
      }
    return unknown(given, "parameter or shape", diagnostics);
  }

  const TypeTerm& term() const { return term_; }

 private:
  bool giveSize(const GivenSize& given, Diagnostics& diagnostics) {
    for (const auto& [variable, is] : instance_.dims)
      if (c_.solution.dims.name(variable) == given.name) {
        ShapePart size = ShapePart::of(c_.solution.dims.constant(given.size), originAt(given.span));
        unifyDim(c_.solver, ShapePart::of(is), size, reason(given.span));
        return settled(c_, diagnostics);
      }
    return unknown(given, "size", diagnostics);
  }

  std::optional<TypeId> parameterNamed(const std::string& name) const {
    for (std::size_t i = 0; i < parameters_.size() && i < term_.parts.size(); ++i)
      if (c_.program[parameters_[i]].name == name) return term_.parts[i];
    return std::nullopt;
  }

  bool unknown(const GivenSize& given, Format<> what, Diagnostics& diagnostics) const {
    std::vector<std::string> known;
    for (BindingId parameter : parameters_) known.push_back(c_.program[parameter].name);
    for (const auto& [variable, is] : instance_.shapes) known.push_back(c_.solution.shapeVars[variable.index].name);
    for (const auto& [variable, is] : instance_.dims) known.push_back(c_.solution.dims.name(variable));
    std::vector<std::string_view> views(known.begin(), known.end());
    Diagnostic& d = report(diagnostics, unknownGiven, given.span, what, arg::Name{given.name});
    for (const std::string& near : closestNames(given.name, views)) d.addHelp("did you mean {}?", arg::Name{near});
    std::erase_if(known, [](const std::string& name) { return name.empty(); });
    if (d.help.empty() && !known.empty()) d.addHelp("its type has {}", arg::Names{known});
    if (known.empty()) d.addHelp("no size or shape in its type has a name");
    return false;
  }

  ReasonId reason(Span span) {
    Reason why;
    why.kind = ReasonKind::annotation;
    why.span = span;
    why.subject = "the question";
    return c_.provenance.add(std::move(why));
  }

  OriginId originAt(Span span) {
    Origin origin;
    origin.span = span;
    origin.written = true;
    return c_.provenance.add(std::move(origin));
  }

  Checked& c_;
  std::vector<BindingId> parameters_;
  Instantiation instance_;
  TypeId type_;
  TypeTerm term_;
  Scope names_;
};

bool isStreamed(const Checked& c, DimVar v) { return c.solution.dimVars[v.index].kind == DimKind::streamed; }

StreamRate rateOf(Checked& c, DimVar input, Dim output) {
  constexpr std::int64_t most = 1024;
  DimStore& dims = c.solution.dims;
  StreamRate rate{dims.name(input), c.solution.printSize(output), 0, 0};
  for (std::int64_t of = 1; of <= most && rate.of == 0; ++of) {
    const Dim later = dims.substitute(output, [&](DimVar v) {
      return v == input ? std::optional(dims.add(dims.variable(v), dims.constant(of))) : std::nullopt;
    });
    if (auto gives = dims.asConstant(dims.sub(later, output)); gives && *gives > 0) rate.of = of, rate.gives = *gives;
  }
  return rate;
}

// Of the streamed lengths of a result, each once.
void addRates(Checked& c, TypeId result, std::vector<StreamRate>& rates) {
  const TypeTerm type = c.solution.types[c.solution.resolve(result)];
  if (type.kind != TypeKind::tensor) return;
  for (const ShapePart& part : c.solution.resolve(type.shape)) {
    if (part.isVar) continue;
    const std::span<const DimVar> of = c.solution.dims.variables(part.dim);
    for (DimVar v : std::vector<DimVar>(of.begin(), of.end())) {
      if (!isStreamed(c, v)) continue;
      StreamRate rate = rateOf(c, v, part.dim);
      const auto isSame = [&](const StreamRate& r) { return r.input == rate.input && r.output == rate.output; };
      if (std::none_of(rates.begin(), rates.end(), isSame)) rates.push_back(std::move(rate));
    }
  }
}

}  // namespace

std::string_view ourName(std::string_view theirs) {
  const ForeignName* row = foreignName(theirs);
  return row ? row->ours : std::string_view();
}

const std::vector<TopLevelName>& rootNames(const Checked& checked) { return checked.rootNames; }

std::optional<BindingId> rootBinding(const Checked& checked, const std::string& name) {
  auto found = std::find_if(checked.rootNames.begin(), checked.rootNames.end(),
                            [&](const TopLevelName& top) { return top.name == name; });
  if (found == checked.rootNames.end() || checked.failed.count(found->binding.index)) return std::nullopt;
  return found->binding;
}

bool isOpen(Checked& c, BindingId binding) {
  OpenVariables variables;
  collectVariables(c.solver, c.program[binding].type, variables);
  if (const Scheme* scheme = schemeOf(c, binding))
    for (const Constraint& constraint : scheme->constraints) collectVariables(c.solver, constraint, variables);
  const Solution& s = c.solution;
  const auto any = [](const auto& vars, const auto& infos) {
    return std::any_of(vars.begin(), vars.end(),
                       [&](auto v) { return !infos[v.index].binding && infos[v.index].level != genericLevel; });
  };
  return any(variables.types, s.typeVars) || any(variables.elems, s.elemVars) || any(variables.shapes, s.shapeVars) ||
         any(variables.dims, s.dimVars) || any(variables.statics, s.staticVars);
}

bool isFunction(Checked& checked, BindingId binding) {
  return checked.solution.types[checked.solution.resolve(checked.program[binding].type)].kind == TypeKind::function;
}

namespace {

std::string printNamed(Checked& checked, BindingId binding, const std::vector<std::string>& parameters) {
  const TypedBinding& named = checked.program[binding];
  try {
    if (named.kind == BindingKind::weight) return printWithHoles(checked, named.type);
    return printScheme(checked, named.type, schemeOf(checked, binding), parameters);
  } catch (const TypesTooLarge&) {
    return "(a type too large to print)";
  }
}

}  // namespace

std::vector<std::string> parameterNames(const Checked& checked, BindingId function) {
  std::vector<std::string> names;
  for (BindingId parameter : parameterBindings(checked, function)) names.push_back(checked.program[parameter].name);
  return names;
}

std::string printBinding(Checked& checked, BindingId binding) { return printNamed(checked, binding, {}); }

std::string printSignature(Checked& checked, BindingId binding) {
  return printNamed(checked, binding, parameterNames(checked, binding));
}

Answer parametersOf(Checked& checked, BindingId function) {
  const TypeTerm type = checked.solution.types[checked.solution.resolve(checked.program[function].type)];
  return answerOf(checked, type.parts, schemeOf(checked, function));
}

Streams streamsOf(Checked& c, BindingId function) {
  const TypeTerm type = c.solution.types[c.solution.resolve(c.program[function].type)];
  if (type.kind != TypeKind::function) return {};
  const auto hasStream = [&](TypeId part) {
    OpenVariables v;
    collectVariables(c.solver, part, v);
    return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) { return isStreamed(c, var); });
  };
  std::vector<TypeId> all = type.parts;
  const TypeTerm result = c.solution.types[c.solution.resolve(type.result)];
  if (result.kind == TypeKind::tuple)
    all.insert(all.end(), result.parts.begin(), result.parts.end());
  else
    all.push_back(type.result);
  const std::vector<std::string> texts = printWithFacts(c, all, schemeOf(c, function)).types;
  const std::vector<BindingId> parameters = parameterBindings(c, function);
  Streams out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!hasStream(all[i])) continue;
    if (i >= type.parts.size()) {
      out.outputs.push_back(texts[i]);
      addRates(c, all[i], out.rates);
      continue;
    }
    out.inputs.push_back((i < parameters.size() ? c.program[parameters[i]].name + " : " : "") + texts[i]);
  }
  return out;
}

std::optional<Answer> resultWith(Checked& c, BindingId function, const ast::Module& module,
                                 const std::vector<GivenSize>& given, Diagnostics& diagnostics) {
  Trial trial(c.solver);  // the use is none of the program's
  ++c.solver.level;
  VariableMark mark = markVariables(c);
  Use use(c, function);
  bool isGood = settled(c, diagnostics);
  for (const GivenSize& one : given) isGood = isGood && use.give(module, one, diagnostics);
  std::optional<Answer> answer;
  if (isGood) {
    settleOpenChoices(c, mark, use.term().parts);
    if (settled(c, diagnostics)) {
      Scheme rest = generalise(c, mark, {});
      answer = answerOf(c, {use.term().result}, &rest);
    }
  }
  return answer;
}

std::optional<Unified> unify(Checked& c, const ast::Module& module, ast::TypeId a, ast::TypeId b,
                             Diagnostics& diagnostics) {
  Trial trial(c.solver);
  Scope names;
  TypeReader reader(c, module, {&names}, diagnostics);
  TypeId left = readType(reader, a), right = readType(reader, b);
  if (reader.failed || !settled(c, diagnostics)) return std::nullopt;
  Reason why;
  why.kind = ReasonKind::annotation;
  why.span = module[b].span;
  why.subject = "the question";
  const ReasonId asked = c.provenance.add(std::move(why));
  unify(c.solver, left, right, asked);
  if (!settled(c, diagnostics)) return std::nullopt;
  Scheme undecided;  // what would have to hold besides
  for (const Constraint& constraint : pendingConstraints(c.solver))
    if (constraint.reason.index == asked.index) undecided.constraints.push_back(constraint);
  Unified out;
  out.type = printScheme(c, left, &undecided);
  for (const auto& [name, variable] : names.names.dims)
    if (std::string is = c.solution.printSize(c.solution.resolve(c.solution.dims.variable(variable))); is != name)
      out.names.push_back(name + " = " + is);
  for (const auto& [name, variable] : names.names.shapes)
    if (std::string is = printShape(c, {ShapePart::of(variable)}); is != name) out.names.push_back(name + " = " + is);
  for (const auto& [name, variable] : names.names.elems)
    if (ElemTerm is = c.solution.resolve(ElemTerm::of(variable)); !is.isVar)
      out.names.push_back(name + " = " + std::string(info(is.elem).name));
  return out;
}

}  // namespace axle
