// What the guesses of changes look at: the text, the types and the marks of one diagnostic.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/spans.h"
#include "typecheck/check.h"
#include "typecheck/checked.h"

namespace axle {

// An expression, with its operands if it is a call or an operator's application.
struct Application {
  Span span;
  std::vector<Span> arguments;
  const std::vector<ast::NamedArgument>* named = nullptr;  // if it is a call
  bool isOrigin = false;  // marked because a size comes from it, not because something fails there
};

struct GuessedFix : Fix {
  bool isFallback = false;  // shown only where nothing else mends
  bool isSure = false;      // where it mends, nothing else is tried
  bool isAlone = false;     // not shown behind another one that mends
};

// What the guesses of one diagnostic look at, and those found so far.
struct Guesser {
  Guesser(Checked& c, const Diagnostic& d);

  std::string text(Span span) const { return std::string(sources.text(span)); }
  // The type of an expression, or of the weight that it names; nullptr if it has none or is no tensor.
  const TypeTerm* tensorAt(Span expression);
  // The rank of an expression; nothing if it is open.
  std::optional<std::size_t> rankOf(Span expression);
  // The sizes of a tensor; none if its rank is open.
  std::vector<Dim> sizesOf(Span expression);
  // A size as the text can have it: a number or a name; empty for others.
  std::string sizeText(Dim size) const;
  // The same of a name, where a pattern or parameter binds it.
  std::vector<Dim> sizesBoundAt(Span name);
  // The element type of what is bound there.
  std::optional<Elem> elemBoundAt(Span name);
  // Whether an operator of the core, or a function of the program, has a static parameter of the name.
  bool hasStatic(const std::string& callee, const std::string& name);
  std::optional<Elem> elemOf(Span expression);
  // The number of parts of a tuple; 0 for other expressions.
  std::size_t partsOf(Span expression);
  // The node of an expression, if it is of the kind; nullptr for others.
  template <class Node>
  const Node* nodeAt(Span expression) const {
    for (const ast::Expr& e : module.exprs)
      if (e.span == expression)
        if (const auto* node = std::get_if<Node>(&e.node)) return node;
    return nullptr;
  }
  // The `param` that an expression names; nullptr for others.
  const ast::Param* paramAt(Span expression) const;
  // The innermost function that a place is part of; nullptr outside of functions.
  const ast::ExprFn* functionAround(Span place) const;
  // All calls of the module, in the order of the text.
  const std::vector<Application>& calls() const { return calls_; }
  // The `param`s that the program does not use.
  const std::vector<const ast::Param*>& unusedParams();
  // The places of the module that the diagnostic marks, in its order.
  std::vector<Span> marks() const;
  // The calls among them.
  std::vector<Application> markedCalls() const;
  // The expressions that compute what fails, also in functions and statements before it: the nearest first.
  const std::vector<const ast::Expr*>& computing();
  // Whether one of these expressions is behind several names or functions: a mistake is seldom there.
  bool isFar(Span expression);
  // The calls among these.
  const std::vector<Application>& callsComputing();
  // All calls, these first.
  std::vector<Application> callsNearestFirst();
  // An argument of the message that is a name, without its marks; empty where there is none.
  std::string named(std::size_t argument) const;
  // The names among the arguments of the diagnostic's message.
  std::vector<std::string> names() const;
  // The numbers among the arguments of the diagnostic's message.
  std::vector<std::int64_t> numbers() const;

  // What two sizes of the message, as `16*w` and `4*w`, are multiples of, if that is one name.
  std::optional<std::string> multiplesOf() const;

  // Adds a guess. Its title shows the changed application if that is short.
  void guess(const Application& at, const std::string& title, std::vector<Edit> edits);
  // Adds the guess that an argument is put between two texts. The title names the argument at its `{}`, or else at its
  // end.
  void wrap(const Application& at, Span argument, const std::string& title, const std::string& before,
            const std::string& behind);

  Checked& checked;
  const ast::Module& module;
  const SourceMap& sources;
  const Diagnostic diagnostic;  // with the places that sizes pass by among those it marks
  std::vector<GuessedFix> found;

 private:
  struct Function {
    Span span;
    const ast::ExprFn* literal;
  };
  // The types of an expression, once for each time that it was inferred, in that order.
  std::vector<TypeId> typesAt(Span expression);

  std::vector<Application> calls_;
  std::vector<Function> functions_;               // of the module
  std::optional<std::vector<TypedId>> ofModule_;  // its typed expressions, by their places
  std::optional<std::vector<const ast::Expr*>> computing_;
  std::optional<std::vector<Application>> callsComputing_;
  std::optional<std::vector<const ast::Param*>> unusedParams_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> near_;  // the begins and ends of those that are not far
};

// A call's place, with its arguments.
Application callOf(const ast::Module& module, const ast::Expr& e, const ast::ExprCall& call);

// Whether a guess is asked for at what fails, not at another place that the diagnostic marks.
bool isFailing(const Guesser& g, const Application& at);

// What a call names: `nn.dense`.
std::string calleeOf(const Guesser& g, const Application& call);
// The names of the parameters of the function that a call names; none where it is not known.
std::vector<std::string> parametersOf(const Guesser& g, const std::string& function);

// What a weight's name begins with, up to its last dot: `a.qkv.` of `a.qkv.w`.
std::string groupOf(const std::string& weight);
// What is behind the last dot of a weight's name: `w` of `a.qkv.w`.
std::string lastNameOf(const std::string& weight);
// A name without numbers: `l#.` of `l2.`.
std::string withoutNumbers(const std::string& name);
// A weight's name without the numbers of layers: `l#.w1` of `l2.w1`.
std::string layerForm(const std::string& weight);

// The functions that have the places which the diagnostic marks, in their order.
std::vector<const ast::ExprFn*> markedFunctions(const Guesser& g);

// Before the closing bracket of a call.
Span endOf(const Application& call);

// The value of a name that a statement of the same function binds; other expressions are their own.
Span valueOf(const Guesser& g, Span expression);

// Those of the `param`s that the program does not use which are of one weight's group.
std::vector<const ast::Param*> unusedOfGroup(Guesser& g, const std::string& weight);
// How often the text within a place uses a name.
std::ptrdiff_t usesOf(const Guesser& g, const std::string& name, Span within);

// Whether a weight is given to different functions: its declaration is seldom wrong where only one of them fails.
bool isUsedOtherwise(const Guesser& g, const std::string& weight);

// Whether what a call is given first is made by a call of `upsample`, which a stride of this one would only undo.
bool isOfEnlarged(const Guesser& g, const Application& call);

// The names that the functions around a place have bound before it and do not use, the innermost function's first.
std::vector<std::string> unusedNames(const Guesser& g, Span place);

// The integers that a function declares which a parameter of another one is given to; empty where no call does.
std::string integersTaken(const Guesser& g, const ast::Parameter& parameter);

// Whether the two sizes that meet are of two weights of one group, and another group has these weights with sizes in
// the same ratio: then what stands between both is likelier to be wrong than their declarations.
bool areRelatedElsewhere(const Guesser& g);

// Where the function around a place binds names that it does not use.
std::vector<Span> unusedBindings(const Guesser& g, Span place);

// A static argument's value, and the call or the function's static parameter that has it.
struct GivenStatic {
  Span value;
  Application call;  // without arguments for a default
};
// Where a static argument of a call is decided: there, or, if it hands on a static parameter of the function around it,
// in the calls that give that one, or else at its default.
std::vector<GivenStatic> givenStatic(const Guesser& g, const Application& call, const ast::NamedArgument& named);
// The weights that an expression names, or that calls give the parameter which it names, through several functions too.
std::vector<const ast::Param*> weightsAt(const Guesser& g, Span expression);
// Where a static parameter of a function is decided: in the calls of the function that give it, or else at its default.
std::vector<GivenStatic> givenToParameter(const Guesser& g, const ast::ExprFn& of,
                                          const ast::StaticParameter& parameter);
// The numbers that calls of the program give static arguments of a name, and functions have as their default, the most
// frequent first.
std::vector<std::int64_t> numbersGiven(const Guesser& g, const std::string& name);
// The static argument of a call with this name; nullptr where it leaves that to the default.
const ast::NamedArgument* namedOf(const Application& call, std::string_view name);
// The default of a static parameter, where all other calls of the function leave it to that; empty for others.
std::string defaultOfOthers(const Guesser& g, const Application& call, const std::string& parameter);
// The edit that gives a call a static argument, where its function or operator declares it among the others.
Edit giveStatic(Guesser& g, const Application& call, const std::string& name, const std::string& value);
// Leaves static arguments of a call to their defaults where all other calls of the function do. Not those that hand on
// a parameter: the calls that give this one mean something by it.
void leaveToDefault(Guesser& g, const Application& call);
// The static argument with the comma before it.
Span withComma(const Application& call, const ast::NamedArgument& named);

// The whole number that a text is; nothing for others, and above nine digits: of two, the product is one of 64 bits.
std::optional<std::int64_t> numberOf(std::string_view text);

// The places of a list's items.
std::vector<Span> itemsOf(const Guesser& g, const ast::ExprList& list);

// The texts of a list's items.
std::vector<std::string> textsOfItems(const Guesser& g, const ast::ExprList& list);

// The inverse of an order of axes, as a list; none if it is the order itself, or the axes are not all numbers from 0
// on.
std::optional<std::string> inverseOf(const std::vector<std::string>& axes);

// Whether a `reshape` that cuts axes apart would no longer do so with a size and the next one exchanged, but mix their
// elements: `[n, heads, p, d]` for `[n, p, heads, d]` of `[n, p, c]`.
bool wouldMixAxes(Guesser& g, const Application& reshape, std::size_t first);

// The calls of `reshape` whose sizes are written as a list, and these lists.
std::vector<std::pair<Application, const ast::ExprList*>> writtenReshapes(const Guesser& g);

}  // namespace axle
