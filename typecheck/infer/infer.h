// Inference over one program: expressions to typed expressions.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/infer/type_reader.h"

namespace axle {

class Inferer;
struct ForeignName;
// Does the work within the options' limits. False where it was given up past them, with one diagnostic more: there are
// no types then.
bool withinBudget(Checked& checked, const CheckOptions& options, const Inferer& inferer, Diagnostics& diagnostics,
                  const std::function<void()>& work);

class Inferer {
 public:
  Inferer(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics)
      : c_(checked), options_(options), diagnostics_(diagnostics) {}

  void run();
  // More of the program that was checked: the items of the last module, in the program's scope.
  void runMore();

  // ---- of a root whose statements are inferred one by one (typecheck/incremental/incremental.h)
  void runImported(std::size_t modules);
  // Each statement is a module of its own; `root` are all of them, `names` what stands before this one.
  void enter(std::size_t module, Scope& names, std::span<const ast::Module* const> root);
  void inferItem(const ast::Item& item);
  // What is looked at when the whole root is known, of the statements entered since it was taken last.
  struct Late {
    std::vector<TypedId> literals;
    std::vector<WrittenName> written;
  };
  Late takeLate() { return {std::exchange(literals_, {}), std::exchange(written_, {})}; }
  void refreshSchemes(std::size_t firstBinding, std::size_t lastBinding);
  void settleModule(const VariableMark& since);
  void checkLiterals(const std::vector<TypedId>& literals);
  void noteRefinedNames(const std::vector<WrittenName>& written);

  std::size_t errors() const { return errors_; }
  Span at() const { return at_; }  // the top-level binding in work

  // ---- of programs that are no text (import/builder/graph_typer.h)
  // An operator applied to what is inferred already.
  TypedId apply(std::uint32_t op, Span span, std::vector<TypedId> arguments, std::map<std::string, StaticId> statics,
                std::string subject = {}) {
    return applyOperator({op, span, {}, std::move(arguments), {}, std::move(statics), std::move(subject)});
  }
  void demand(const DimFact& fact, ReasonId reason);
  BindingId declare(const std::string& name, Span span, BindingKind kind, TypeId type);
  TypedId reference(BindingId binding, Span span);
  // A new place that may fail: one error is told of it.
  void restart() { conflicted_ = bindingFailed_ = false; }
  // Solves what is asked for so far. False if something failed since `restart`.
  bool settle() { return !flush() && !bindingFailed_; }

 private:
  // A function being defined: what its signature states and what it was called.
  struct Function {
    TypedId lambda;
    std::vector<DimFact> stated;
    std::vector<WrittenName> written;
  };
  struct OperatorUse {
    std::uint32_t op = 0;
    Span span;
    std::vector<ast::ExprId> arguments;
    std::vector<TypedId> typed;  // leading arguments that are inferred already; `arguments` holds the others
    std::vector<ast::NamedArgument> named;
    std::map<std::string, StaticId> statics;  // already read
    std::string subject = {};                 // what messages call it, where that is not its name
  };

  // infer_module.cc: top level and bindings
  void inferItems(const std::vector<ProgramItem>& items, std::size_t scope);
  void finishItems(std::size_t firstBinding, const VariableMark& mark);
  void listRootNames();
  void inferParam(const ast::Param& param);
  std::uint32_t inferBinding(std::uint32_t index);
  std::optional<Label> placeOfRefinement(const ShapePart& written, const std::string& text);
  TypedPattern bindPattern(ast::PatternId pattern, TypeId type, TypedId value);
  bool isFunctionValue(ast::ExprId value) const;
  void matchWeight(const ast::Param& param, const std::string& tensor, TypeId type);

  // infer_expr.cc
  TypedId infer(ast::ExprId id);
  TypedId inferWith(ast::ExprId id, std::optional<TypeId> expected);
  TypedId inferName(ast::ExprId id, const ast::ExprName& name);
  TypedId dimValue(Dim dim, Span span);
  TypedId inferNumber(Span span, const ast::ExprNumber& number, bool scalar);
  TypedId inferTuple(Span span, const ast::ExprTuple& tuple);
  TypedId inferBlock(Span span, const ast::ExprBlock& block);
  TypedId inferIf(Span span, const ast::ExprIf& branch);
  TypedId inferMatch(Span span, const ast::ExprMatch& match);
  TypedId inferIndex(Span span, const ast::ExprIndex& index);
  void helpComputedIndex(Span span, const ast::ExprIndex& index, ast::ExprId item, std::int64_t axis);
  bool checkIndex(Dim start, Dim size, ast::ExprId item);
  TypedId operatorValue(std::uint32_t op, Span span, std::size_t arity);

  // infer_names.cc
  TypedId unknownName(Span span, const std::string& name);
  bool isInScope(const std::string& value) const;
  bool isOfBroken(const std::string& name) const;
  void tellMeant(Diagnostic& d, Span span, const std::string& name, bool isMember);
  std::vector<std::string_view> attributesOf(const std::string& op) const;
  void tellForeign(Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                   const std::string& receiver);
  void offerCall(Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                 const std::string& receiver);
  void tellNewAxis(Span none, Span whole, const ast::ExprIndex& index, std::size_t axis);
  void tellMember(Diagnostic& d, Span span, const std::string& value, const std::string& member);

  // infer_function.cc
  TypedId inferFunction(Span span, const ast::ExprFn& fn, std::optional<TypeId> expected, Function* defined);
  TypedId inferCall(Span span, const ast::ExprCall& call);
  TypedId callFunction(Span span, const ast::ExprCall& call, TypedId callee, const std::string& name);
  std::vector<std::string> parametersOf(TypedId callee) const;
  bool givenByName(Span span, const ast::ExprCall& call, const std::string& name,
                   const std::vector<std::string>& parameters);
  void demandNumber(const ast::StaticParameter& parameter, StaticId value);
  bool giveStatics(const ast::ExprCall& call, const TypeTerm& function, const std::string& name, ReasonId reason);

  // infer_operator.cc
  TypedId applyOperator(OperatorUse use);
  void keepScalar(TypeId given, const ast::Module& module, ast::TypeId parameter);
  bool closedArgument(DimVar k, ReasonId reason);
  bool readAttributes(OperatorUse& use, const ast::OpDecl& decl, SignatureUse& signature, TypeReader& reader,
                      ReasonId reason);
  // What the signature asks for besides its types: axes that split shapes, `where` facts.
  void demandSignature(const ast::OpDecl& decl, const SignatureUse& signature, TypeReader& reader, ReasonId reason);
  bool isElementwise(const ast::OpDecl& decl, const ast::Module& module) const;
  void demandUnragged(TypeId parameter, const SignatureUse& signature, ReasonId reason);
  bool checkArity(const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic);
  std::optional<std::uint32_t> coreOperator(const std::string& name, std::size_t arity);
  bool onlyBroadcast(const ast::OpDecl& decl, const ast::Module& module, std::size_t parameter) const;

  // infer_static.cc
  std::optional<StaticId> readStatic(ast::ExprId id);
  std::optional<StaticId> readDefault(const ast::Module& module, ast::ExprId id, const SignatureUse& signature,
                                      TypeReader& reader);
  std::optional<Dim> readDim(ast::ExprId id);
  // `size(s)` or `rank(s)` of a shape that an annotation names; none where it is another call.
  std::optional<Dim> sizeOfShape(Span span, const ast::ExprCall& call);
  bool checkSort(const ast::OpAttribute& attribute, StaticId value, Span span, const std::string& op, ReasonId reason);
  StaticId staticDim(Dim dim);

  // shared
  const ast::Module& module() const { return c_.modules.modules[current_]; }
  TypedId make(TypeId type, Span span, decltype(TypedExpr::node) node);
  TypedId errorAt(Span span);
  TypeId errorType();
  bool isError(TypedId id);
  TypeId tensor(ElemTerm elem, Shape shape, OriginId origin);
  TypeId stamped(TypeId type, OriginId origin);
  OriginId originAt(Span span);
  ReasonId reason(ReasonKind kind, Span span, std::string subject);
  Given asGiven(TypedId argument) const;
  std::vector<Scope*> annotationScopes();
  // "did you mean"; a guess that `offerFixes` tries.
  static void suggest(Diagnostic& d, Span wrong, const std::string& near) {
    d.help.push_back("did you mean `" + near + "`?");
    d.fixes.push_back({d.help.back(), {{wrong, near}}});
  }
  Diagnostic& report(const DiagnosticCode& code, Span span, std::string message, std::string label = {});
  // Ragged lengths of a result stand where they have a meaning, and nothing is computed of them.
  bool checkLengths(TypeId result, ReasonId reason);
  bool flush();  // reports conflicts; true if there were any since the last call

  Checked& c_;
  const CheckOptions& options_;
  Diagnostics& diagnostics_;
  std::size_t errors_ = 0;  // reported, or past the last one that is worth reading
  Diagnostic unread_;
  std::size_t refinedNames_ = 0;              // that a note tells of
  std::size_t current_ = 0;                   // module
  bool isRoot_ = false;                       // it is of the root's program
  std::span<const ast::Module* const> root_;  // all modules of the current program
  const ast::Module* whole_ = nullptr;        // it, where it is one
  std::vector<TypedId> literals_;             // its numbers
  Span at_;
  std::vector<Scope*> scopes_;  // of the current module, outermost first
  std::deque<Scope> ownedScopes_;
  std::vector<WrittenName> written_;   // names of the root module's signatures that were checked
  std::vector<std::string> defining_;  // names of bindings being defined
  bool conflicted_ = false;            // a conflict was reported in the current top-level binding
  bool bindingFailed_ = false;         // anything was
};

}  // namespace axle
