#include "typecheck/infer/operators.h"

#include <algorithm>

#include <fmt/format.h>

#include "typecheck/infer/calls.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/operator_arguments.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"

namespace axle {

std::optional<std::uint32_t> findOperator(Inference& in, const std::string& name, std::size_t arity) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) return in.checked.operators.find(name, arity);
  if (!in.checked.modules.imports[in.current].count(name.substr(0, dot))) return std::nullopt;
  return in.checked.operators.find(name.substr(dot + 1), arity);
}

namespace {

constexpr Message<arg::Name> resultTooLarge{codes::overflow, "{} makes a size that does not fit into 64 bits",
                                            "this application"};
constexpr Message<arg::Name, arg::Name> valueLacksStatic{codes::notStatic, "{} as a value lacks its static argument {}",
                                                         "wrap it in a function: `fn (x) { ... }`"};

// ---- the shapes of a signature

// Whether every shape of the signature is a name, and the result's shape is made of those of the parameters.
bool isElementwise(const ast::OpDecl& decl, const ast::Module& core) {
  std::vector<std::string> names;
  auto shapeOf = [&](ast::TypeId id) -> std::optional<ast::ShapeId> {
    const auto* tensor = std::get_if<ast::TypeTensor>(&core[id].node);
    return tensor ? std::optional(tensor->shape) : std::nullopt;
  };
  for (const ast::OpParameter& parameter : decl.parameters) {
    const auto shape = parameter.type && parameter.count.empty() ? shapeOf(parameter.type) : std::nullopt;
    if (!shape) return false;
    if (!*shape) continue;
    const auto* list = std::get_if<ast::ShapeDims>(&core[*shape].node);
    const auto* name = std::get_if<ast::ShapeName>(&core[*shape].node);
    if (name) names.push_back(name->name);
    if (!name && (!list || !list->dims.empty())) return false;
  }
  auto isParameter = [&](ast::ShapeId id) {
    const auto* name = std::get_if<ast::ShapeName>(&core[id].node);
    return name && std::find(names.begin(), names.end(), name->name) != names.end();
  };
  const auto result = shapeOf(decl.result);
  if (!result || !*result) return false;
  const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&core[*result].node);
  return broadcast ? std::all_of(broadcast->parts.begin(), broadcast->parts.end(), isParameter) : isParameter(*result);
}

// Whether the parameter's shape is an operand of the result's broadcast: then a literal argument has shape [].
bool onlyBroadcasts(const ast::OpDecl& decl, const ast::Module& core, std::size_t parameter) {
  const auto* tensor = std::get_if<ast::TypeTensor>(&core[decl.parameters[parameter].type].node);
  const auto* result = std::get_if<ast::TypeTensor>(&core[decl.result].node);
  if (!tensor || !tensor->shape || !result || !result->shape) return false;
  const auto* shape = std::get_if<ast::ShapeName>(&core[tensor->shape].node);
  const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&core[result->shape].node);
  if (!shape || !broadcast) return false;
  return std::any_of(broadcast->parts.begin(), broadcast->parts.end(), [&](ast::ShapeId part) {
    const auto* name = std::get_if<ast::ShapeName>(&core[part].node);
    return name && name->name == shape->name;
  });
}

// Whether a shape of the signature has a pack of sizes, as in `[..n]`: then the tensors may be of different sizes.
bool hasSizePack(const ast::Module& core, ast::ShapeId shape) {
  if (!shape) return false;
  if (const auto* append = std::get_if<ast::ShapeAppend>(&core[shape].node))
    return std::any_of(append->parts.begin(), append->parts.end(),
                       [&](ast::ShapeId part) { return hasSizePack(core, part); });
  const auto* sizes = std::get_if<ast::ShapeDims>(&core[shape].node);
  return sizes && std::any_of(sizes->dims.begin(), sizes->dims.end(),
                              [&](ast::DimId size) { return std::holds_alternative<ast::DimPack>(core[size].node); });
}

// Requires that a parameter's sizes are not ragged lengths, except where the signature allows them.
void requireUnraggedParameter(Inference& in, TypeId parameter, const SignatureUse& signature, ReasonId why) {
  const TypeTerm& term = in.solution.types[parameter];
  if (term.kind != TypeKind::tensor) return;
  const auto& may = signature.mayBeRagged;
  for (const ShapePart& part : Shape(term.shape)) {
    const auto v = part.isVar ? std::nullopt : in.solution.dims.asVariable(part.dim);
    const bool isAllowed = part.isVar ? std::count(may.shapes.begin(), may.shapes.end(), part.var) > 0
                                      : std::count(may.dims.begin(), may.dims.end(), part.dim) > 0 ||
                                            (v && in.solution.dimVars[v->index].kind == DimKind::ragged);
    if (!isAllowed) requireUnragged(in.solver, Shape{part}, why);
  }
}

// Adds the signature's requirements besides its types: axes that split shapes, and the facts of `where`.
void requireSignature(Inference& in, const ast::OpDecl& decl, const SignatureUse& signature, TypeReader& reader,
                      ReasonId why) {
  for (const ast::OpAttribute& attribute : decl.attributes) {
    if (attribute.sort != ast::Sort::axis || attribute.sortArguments.size() != 2) continue;
    const auto before = findShape(reader, attribute.sortArguments[0]);
    const auto after = findShape(reader, attribute.sortArguments[1]);
    if (!before || !after) continue;
    const StaticId axis = signature.attributes.at(attribute.name.text);
    addConstraint(in.solver, why, constraint::AxisSplit{{ShapePart::of(*before)}, {ShapePart::of(*after)}, axis});
  }
  std::vector<DimFact> facts;
  for (const ast::Fact& fact : decl.where) readFact(reader, fact, facts);
  for (const DimFact& fact : facts) requireFact(in.solver, fact, why);
}

// ---- one application

struct OperatorArgument {
  ast::ExprId expr;              // none if `typed` is given
  std::optional<TypedId> typed;  // once it is inferred
  std::size_t parameter;         // index of its parameter
  TypeId type;                   // type of the parameter
};

struct OperatorApplication {
  OperatorApplication(Inference& in, OperatorUse& u, ReasonId reason)
      : use(u),
        op(in.checked.operators[u.op]),
        decl(*op.decl),
        why(reason),
        reader(in.checked, *op.module, {&scope}, in.diagnostics, &signature, reason) {}
  OperatorApplication(const OperatorApplication&) = delete;

  OperatorUse& use;
  const OperatorTable::Entry& op;
  const ast::OpDecl& decl;
  ReasonId why;
  SignatureUse signature;
  Scope scope;
  TypeReader reader;
  std::vector<std::size_t> positions;       // the parameters of the arguments, without those in `use.statics`
  std::optional<std::size_t> variadic;      // index into `positions`
  std::vector<OperatorArgument> arguments;  // without static ones
};

void listParameters(OperatorApplication& a) {
  for (std::size_t i = 0; i < a.decl.parameters.size(); ++i) {
    const ast::OpParameter& p = a.decl.parameters[i];
    if (!p.type && a.use.statics.count(p.name)) continue;
    if (p.type && (!p.count.empty() || mentionsPack(a.reader, p.type))) a.variadic = a.positions.size();
    a.positions.push_back(i);
  }
}

// Returns the parameter of the i-th argument; arguments after the variadic ones are counted from the end.
std::size_t parameterOf(const OperatorApplication& a, std::size_t i) {
  const std::size_t packSize = a.signature.packSize;
  if (!a.variadic || i <= *a.variadic) return a.positions[i];
  return i < *a.variadic + packSize ? a.positions[*a.variadic] : a.positions[i + 1 - packSize];
}

// Reads a static argument given by position; those given by name are read later.
bool readPositional(Inference& in, OperatorApplication& a, ast::ExprId expr, const std::string& name) {
  const auto value = readStatic(in, expr);
  auto attribute = std::find_if(a.decl.attributes.begin(), a.decl.attributes.end(),
                                [&](const ast::OpAttribute& at) { return at.name.text == name; });
  if (!value || !checkAttribute(in, *attribute, *value, in.module()[expr].span, a.op.name, a.why)) return false;
  a.use.statics[name] = *value;
  return true;
}

// Finds the parameter of each argument. False after an error.
bool assignArguments(Inference& in, OperatorApplication& a) {
  const OperatorUse& use = a.use;
  const std::size_t given = use.arguments.size() + use.typed.size();
  a.signature.packSize = given - a.positions.size() + 1;
  if (a.variadic) a.signature.count = a.decl.parameters[a.positions[*a.variadic]].count;
  for (std::size_t i = 0; i < given; ++i) {
    OperatorArgument argument{{}, {}, parameterOf(a, i), {}};
    if (i < use.typed.size())
      argument.typed = use.typed[i];
    else
      argument.expr = use.arguments[i - use.typed.size()];
    const ast::OpParameter& parameter = a.decl.parameters[argument.parameter];
    if (parameter.type)
      a.arguments.push_back(argument);
    else if (!readPositional(in, a, argument.expr, parameter.name))
      return false;
  }
  return true;
}

// Whether an expression is made of numbers only, as `sqrt(64)`.
bool isOfNumbers(const ast::Module& module, ast::ExprId expression) {
  const auto& node = module[withoutParentheses(module, expression)].node;
  if (const auto* unary = std::get_if<ast::ExprUnary>(&node)) return isOfNumbers(module, unary->operand);
  if (const auto* binary = std::get_if<ast::ExprBinary>(&node))
    return isOfNumbers(module, binary->left) && isOfNumbers(module, binary->right);
  if (const auto* call = std::get_if<ast::ExprCall>(&node))
    return !call->arguments.empty() &&
           std::ranges::all_of(call->arguments, [&](ast::ExprId argument) { return isOfNumbers(module, argument); });
  return std::holds_alternative<ast::ExprNumber>(node);
}

// Makes a number a scalar if the operator takes tensors of different sizes, or only broadcasts it. Otherwise a number
// takes the required shape, but such an operator requires none.
void keepScalar(Inference& in, const OperatorApplication& a, const OperatorArgument& argument, TypeId given) {
  const ast::Module& core = *a.op.module;
  const auto* wanted = std::get_if<ast::TypeTensor>(&core[a.decl.parameters[argument.parameter].type].node);
  const bool broadcasts =
      argument.expr && onlyBroadcasts(a.decl, core, argument.parameter) && isOfNumbers(in.module(), argument.expr);
  if (!wanted || !(hasSizePack(core, wanted->shape) || broadcasts)) return;
  const TypeTerm& tensor = termOf(in.solution, given);
  const Shape shape = tensor.kind == TypeKind::tensor ? in.solution.resolve(tensor.shape) : Shape();
  if (shape.size() != 1) return;
  const ShapePart part = shape[0];
  if (part.isVar && (broadcasts || in.solution.shapeVars[part.var.index].literal))
    unifyShape(in.solver, {part}, {}, {});
}

void readParameterTypes(OperatorApplication& a) {
  std::size_t packIndex = 0;
  a.reader.isUniversal = true;
  for (OperatorArgument& argument : a.arguments) {
    if (a.variadic && argument.parameter == a.positions[*a.variadic]) a.reader.packIndex = packIndex++;
    argument.type = readType(a.reader, a.decl.parameters[argument.parameter].type);
  }
  a.reader.isUniversal = false;
  a.reader.packIndex = 0;
}

// Infers an argument and unifies it with its parameter. `failed`: another argument failed. True after an error.
bool giveArgument(Inference& in, OperatorApplication& a, OperatorArgument& argument, bool failed) {
  if (!argument.typed) {
    const ast::Expr& inner = in.module()[withoutParentheses(in.module(), argument.expr)];
    const auto* number = std::get_if<ast::ExprNumber>(&inner.node);
    argument.typed = number && onlyBroadcasts(a.decl, *a.op.module, argument.parameter)
                         ? inferNumber(in, inner.span, *number, true)
                         : inferExpr(in, argument.expr, argument.type);
  }
  const TypeId type = in.program[*argument.typed].type;
  in.provenance.edit(a.why).given.push_back(givenArgument(in.checked, *argument.typed));
  failed |= isErrorExpr(in.checked, *argument.typed);
  if (auto size = failed ? std::nullopt : findClosedSize(in.solver, type)) failed = reportClosedSize(in, *size, a.why);
  keepScalar(in, a, argument, type);
  const Span span = in.program[*argument.typed].span;
  if (!failed) unify(in.solver, argument.type, withOrigin(in.solution, type, originAt(in.provenance, span)), a.why);
  return reportConflicts(in) || failed;
}

// Infers all arguments; function literals last, once the types of their parameters are known. True after an error.
bool giveArguments(Inference& in, OperatorApplication& a) {
  bool failed = false;
  auto isLiteral = [&](const OperatorArgument& argument) {
    return !argument.typed && isFunctionLiteral(in, argument.expr);
  };
  for (OperatorArgument& argument : a.arguments)
    if (!isLiteral(argument)) failed = giveArgument(in, a, argument, failed);
  if (!failed) requireSignature(in, a.decl, a.signature, a.reader, a.why);
  if (!failed && !isElementwise(a.decl, *a.op.module))
    for (const OperatorArgument& argument : a.arguments)
      requireUnraggedParameter(in, argument.type, a.signature, a.why);
  settleElementShapes(in.solver);
  failed |= reportConflicts(in);
  for (OperatorArgument& argument : a.arguments)
    if (isLiteral(argument)) failed = giveArgument(in, a, argument, failed);
  return failed;
}

// Reads the type of the result; none after an error.
std::optional<TypeId> readResult(Inference& in, OperatorApplication& a) {
  const TypeId result = readType(a.reader, a.decl.result);
  if (a.reader.failed) acceptReaderError(in);
  if (a.reader.failed || reportConflicts(in)) return std::nullopt;
  const TypeTerm& made = termOf(in.solution, result);
  if (std::any_of(made.shape.begin(), made.shape.end(),
                  [&](const ShapePart& part) { return !part.isVar && in.solution.dims.isUndefined(part.dim); })) {
    report(in, resultTooLarge, a.use.span, arg::Name{a.op.name});
    return std::nullopt;
  }
  return checkRaggedLengths(in, result, a.why) ? std::optional(result) : std::nullopt;
}

// Records the axis given to the application, for messages.
void noteAxis(Inference& in, const OperatorApplication& a) {
  for (const ast::OpAttribute& attribute : a.decl.attributes) {
    if (attribute.sort != ast::Sort::axis) continue;
    const StaticTerm& axis = termOf(in.solution, a.signature.attributes.at(attribute.name.text));
    if (axis.kind == StaticKind::dim)
      in.provenance.edit(a.why).axis = in.solution.dims.print(in.solution.resolve(axis.dim));
  }
}

TypedApply typedApply(const OperatorApplication& a) {
  TypedApply apply;
  apply.op = a.use.op;
  for (const OperatorArgument& argument : a.arguments) apply.arguments.push_back(*argument.typed);
  for (const ast::OpAttribute& attribute : a.decl.attributes)
    apply.attributes.push_back(a.signature.attributes.at(attribute.name.text));
  return apply;
}

}  // namespace

TypedId applyOperator(Inference& in, OperatorUse use) {
  const OperatorTable::Entry& op = in.checked.operators[use.op];
  const ReasonId why = addReason(in.provenance, ReasonKind::application, use.span,
                                 use.subject.empty() ? fmt::format("`{}`", op.name) : use.subject);
  if (use.showsSignature) in.provenance.edit(why).signature = std::string(op.text);
  OperatorApplication a(in, use, why);
  listParameters(a);
  if (!checkArity(in, use, a.positions.size(), a.variadic) || !assignArguments(in, a) ||
      !readAttributes(in, use, a.signature, a.reader, why))
    return errorExpr(in, use.span);
  noteAxis(in, a);
  readParameterTypes(a);
  if (giveArguments(in, a)) return errorExpr(in, use.span);
  const auto result = readResult(in, a);
  if (!result) return errorExpr(in, use.span);
  const TypeId type = withOrigin(in.solution, *result, originAt(in.provenance, use.span));
  return addExpr(in.program, type, use.span, typedApply(a));
}

TypedId inferOperatorValue(Inference& in, std::uint32_t op, Span span, std::size_t arity) {
  OperatorUse use{op, span, {}, {}, {}, {}};
  const std::string& name = in.checked.operators[op].name;
  const ReasonId why = addReason(in.provenance, ReasonKind::application, span, fmt::format("`{}`", name));
  OperatorApplication a(in, use, why);
  a.signature.packSize = 1;
  if (!arity) arity = a.decl.parameters.size();
  for (const ast::OpParameter& parameter : a.decl.parameters)
    if (!parameter.type) {
      report(in, valueLacksStatic, span, arg::Name{name}, arg::Name{parameter.name});
      return errorExpr(in, span);
    }
  if (!readAttributes(in, use, a.signature, a.reader, why)) return errorExpr(in, span);
  TypedLambda lambda;
  TypeTerm function;
  function.kind = TypeKind::function;
  function.origin = originAt(in.provenance, span);
  const std::size_t made = in.solution.dimVars.size();
  for (std::size_t i = 0; i < arity; ++i) {
    a.reader.isUniversal = true;
    const ast::OpParameter& declared = a.decl.parameters[i];
    const TypeId type = readType(a.reader, declared.type);
    a.reader.isUniversal = false;
    function.parts.push_back(type);
    const BindingId parameter = declare(in.program, declared.name, span, BindingKind::parameter, type);
    lambda.parameters.push_back(parameter);
    a.arguments.push_back({{}, addExpr(in.program, type, span, TypedRef{parameter, nullptr}), i, type});
  }
  requireSignature(in, a.decl, a.signature, a.reader, why);
  settleElementShapes(in.solver);
  function.result = readType(a.reader, a.decl.result);
  if (a.reader.failed || reportConflicts(in)) return errorExpr(in, span);
  closeRuntimeSizes(in.solver, function.result, made);
  lambda.body = addExpr(in.program, function.result, span, typedApply(a));
  return addExpr(in.program, in.solution.types.add(std::move(function)), span, std::move(lambda));
}

}  // namespace axle
