// Infers `param`s: from their annotations, and from the tensors of the weights file.
#include <fmt/format.h>

#include "typecheck/infer/bindings.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/infer/weight_mistakes.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace codes {
const DiagnosticCode weightMissing{"E0401", Severity::error, "a tensor is missing in the weights"};
const DiagnosticCode weightType{"E0402", Severity::error, "a tensor of another type"};
const DiagnosticCode weightUnreadable{"E0404", Severity::error, "a tensor that cannot be read"};
const DiagnosticCode paramType{"E0405", Severity::error, "a parameter that is no tensor"};
}  // namespace codes

namespace {

constexpr Message<arg::Name> paramTwice{codes::duplicateName, "{} is defined twice", "again here"};
constexpr Message<arg::Name> tupleParam{codes::paramType, "the parameter {} must be a tensor, but is a tuple",
                                        "this type"};
constexpr Message<arg::Name> functionParam{codes::paramType, "the parameter {} must be a tensor, but is a function",
                                           "this type"};
constexpr Message<arg::TensorName, arg::Name, arg::Cause> tensorUnreadable{
    codes::weightUnreadable, "the tensor {} for {} cannot be read: {}", "wanted here"};
constexpr Message<arg::TensorName, arg::Name> noTensor{codes::weightMissing, "the weights have no tensor {} for {}",
                                                       "wanted here"};
constexpr Message<arg::TensorName, arg::Name, arg::Type, arg::Type> tensorOfOtherType{
    codes::weightType, "the tensor {} does not have the type of {}: it is {}, expected {}", "{1} is {3}"};

// Reports the name if it is taken. True if it is free.
bool checkNewParam(Inference& in, const ast::Param& param) {
  const std::string& name = param.name.text;
  if (reportModuleMember(in, name, param.name.span)) return false;
  const auto& values = in.scopes.back()->values;
  auto known = values.find(name);
  if (known == values.end()) return true;
  report(in, paramTwice, param.name.span, arg::Name{name}).addLabel(in.program[known->second].span, "first here");
  return false;
}

TypeId readParamType(Inference& in, const ast::Param& param) {
  const std::string& name = param.name.text;
  if (!param.type)
    return tensorType(in.solution, ElemTerm::of(freshElem(in.solver, "t")), {ShapePart::of(freshShape(in.solver, "s"))},
                      originAt(in.provenance, param.span));
  TypeReader reader(in.checked, in.module(), in.scopes, in.diagnostics);
  const TypeId type = readType(reader, param.type);
  std::vector<DimFact> facts;
  for (const ast::Fact& fact : param.where) readFact(reader, fact, facts);
  for (const DimFact& fact : facts)
    requireFact(in.solver, fact,
                addReason(in.provenance, ReasonKind::where, fact.places.front(), fmt::format("`{}`", name)));
  in.bindingFailed |= reader.failed;
  in.bindingFailed |= reportConflicts(in);
  const TypeKind kind = termOf(in.solution, type).kind;
  if (kind != TypeKind::tuple && kind != TypeKind::function) return type;
  report(in, kind == TypeKind::tuple ? tupleParam : functionParam, in.module()[param.type].span, arg::Name{name})
      .addHelp("a file of weights holds tensors: declare one `param` for each");
  return errorType(in.solution);
}

// Returns the span of the string that names the tensor, or of the declaration if there is none.
Span spanOfTensorName(const SourceMap& sources, Span param, const std::string& tensor) {
  const std::size_t at = sources.text(param).find('"' + tensor + '"');
  if (at == std::string_view::npos) return param;
  const auto begin = param.begin + static_cast<std::uint32_t>(at);
  return {param.source, begin, begin + static_cast<std::uint32_t>(tensor.size() + 2)};
}

// Reports a tensor that is missing or cannot be read. The binding does not count as failed: its type stays the declared
// one, so that all missing tensors are listed and no other errors follow.
void reportNoTensor(Inference& in, const ast::Param& param, const std::string& tensor, const std::string& wantedType) {
  const WeightSource& weights = *in.options.weights;
  const arg::TensorName wanted{tensor};
  const arg::Name name{param.name.text};
  const ArtifactPlace place{weights.path, tensor};
  if (auto unreadable = weights.unreadable ? weights.unreadable(tensor) : std::nullopt) {
    report(in, tensorUnreadable, param.span, wanted, name, arg::Cause{*unreadable}).addLabel(place, "this tensor");
  } else if (!isToldBefore(in, param)) {
    const Span span = spanOfTensorName(in.checked.sources, param.span, tensor);
    Diagnostic& d = report(in, noTensor, span, wanted, name).addLabel(place, "not in this file");
    if (in.errors > maxErrors) return void(in.bindingFailed = false);
    const std::vector<std::string_view> known(weights.names.begin(), weights.names.end());
    suggestNames(in, param, d);
    if (!d.fixes.empty() || suggestTensorOfType(in, param, wantedType, d)) return void(in.bindingFailed = false);
    for (const std::string& near : closestNames(tensor, known)) d.addHelp("did you mean {}?", arg::TensorName{near});
  }
  in.bindingFailed = false;
}

// Unifies the type of a `param` with that of its tensor: the tensor must fit the declaration, and determines the rest.
void matchWeight(Inference& in, const ast::Param& param, const std::string& tensor, TypeId type) {
  const WeightSource& weights = *in.options.weights;
  const auto found = weights.find(tensor);
  const std::string wanted = printType(in.checked, type);
  if (!found) return reportNoTensor(in, param, tensor, wanted);
  const Span place = param.type ? in.module()[param.type].span : param.span;
  Origin origin;
  origin.span = place;
  origin.file = weights.path;
  origin.node = tensor;
  const OriginId there = in.provenance.add(std::move(origin));
  Shape shape;
  for (std::int64_t size : found->shape) shape.push_back(ShapePart::of(in.solution.dims.constant(size), there));
  const TypeId given = tensorType(in.solution, ElemTerm::of(found->elem), std::move(shape), there);
  const std::string subject = fmt::format("`{}`", param.name.text);
  unify(in.solver, type, given, addReason(in.provenance, ReasonKind::weight, place, subject));
  solve(in.solver);
  if (in.solver.conflicts.empty()) return;
  in.solver.conflicts.clear();
  in.bindingFailed = true;
  if (earlierHasElement(in, param, *found)) return;
  const arg::Type is{printType(in.checked, given)};
  Diagnostic& d =
      report(in, tensorOfOtherType, place, arg::TensorName{tensor}, arg::Name{param.name.text}, is, arg::Type{wanted});
  d.addLabel(ArtifactPlace{weights.path, tensor}, "this tensor is {}", is);
  suggestType(in, param, *found, d);
}

}  // namespace

void inferParam(Inference& in, const ast::Param& param) {
  if (!checkNewParam(in, param)) return;
  const std::string& name = param.name.text;
  const std::vector<WrittenName>& written = in.scopes.back()->names.written;
  const std::size_t known = written.size();
  const TypeId type = readParamType(in, param);
  for (std::size_t i = known; i < written.size(); ++i)
    in.deferred.written.push_back({written[i].span, written[i].is, NamedBy::weight});
  const BindingId id = declare(in.program, name, param.name.span, BindingKind::weight, type);
  in.program.bindings[id.index].weight = static_cast<std::uint32_t>(in.program.weights.size());
  // The parameters of an imported module are prefixed by its name, as its other bindings are.
  const std::string whole = (in.isRoot ? "" : in.module().name + ".") + name;
  const std::string tensor = param.tensorName == name ? whole : param.tensorName;
  in.program.weights.push_back({id, whole, tensor, param.span});
  in.scopes.back()->values[name] = id;
  if (in.options.weights && !in.bindingFailed) matchWeight(in, param, tensor, type);
}

}  // namespace axle
