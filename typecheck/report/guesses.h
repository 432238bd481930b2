// Guesses of changes that may correct an error. `offerFixes` (typecheck/report/fixes.h) tries them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// The guesses, the likeliest first: those that the diagnostic has, those of other arguments, those at the operator that
// fails inside of a function (`atOperator`), and others.
std::vector<GuessedFix> guessFixes(Checked& checked, const Diagnostic& diagnostic,
                                   const std::vector<GuessedFix>* atOperator = nullptr);

// The guesses at the operator that a diagnostic marks first, and then those at the other places that it marks;
// `reported`: the code of the error that the operator's failure explains.
std::vector<GuessedFix> guessAtOperator(Checked& checked, const Diagnostic& diagnostic, const DiagnosticCode* reported);

// Whether a diagnostic says that a promised size is narrowed.
bool isNarrowing(const DiagnosticCode* code);

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

// The calls of `reshape` whose sizes are written as a list, and these lists.
std::vector<std::pair<Application, const ast::ExprList*>> writtenReshapes(const Guesser& g);

// The kinds of guesses. Each adds those of one application that the diagnostic marks.
namespace guess {

// guess_operators.cc: other operators and static arguments, other sizes in lists
void transposed(Guesser& g, const Application& at);
void reshapedAlike(Guesser& g, const Application& at);
void equalNumbers(Guesser& g, const Application& at);
void listOfOtherLength(Guesser& g, const Application& at);
void listed(Guesser& g, const Application& at);
void asEinsum(Guesser& g, const Application& at);
void leftOpen(Guesser& g, const Application& at);
void sameLengths(Guesser& g, const Application& at);
void madeDense(Guesser& g, const Application& at);
void batched(Guesser& g, const Application& at);
void keptAxis(Guesser& g, const Application& at);
void selected(Guesser& g, const Application& at);
void dividingNumber(Guesser& g, const Application& at);
void dividingDefault(Guesser& g, const Application& at);
void otherSizeName(Guesser& g, const Application& at);
void otherOpenSize(Guesser& g, const Application& at);
void axesApart(Guesser& g, const Application& at);
void squeezed(Guesser& g, const Application& at);
void squeezedResult(Guesser& g, const Application& at);
void elementOfEach(Guesser& g, const Application& at);

// guess_axes.cc: the axis of an operator, axes of size 1, the order of axes
void otherAxis(Guesser& g, const Application& at);
void axisNearby(Guesser& g, const Application& at);
void otherJoin(Guesser& g, const Application& at);
void otherCut(Guesser& g, const Application& at);
void orderOfAxes(Guesser& g, const Application& at);
void axesExchanged(Guesser& g, const Application& at);
void otherPerm(Guesser& g, const Application& at);
void oneAxisMore(Guesser& g, const Application& at);
void oneElsewhere(Guesser& g, const Application& at);
void otherSizeOrder(Guesser& g, const Application& at);
void axisAtOrigin(Guesser& g, const Application& at);

// guess_expanded.cc: axes of size 1 that an operand lacks beside another one
void expanded(Guesser& g, const Application& at);
void expandedAlike(Guesser& g, const Application& at);
void expandedWhereMade(Guesser& g, const Application& at);
void expandedToFit(Guesser& g, const Application& at);
void allPairs(Guesser& g, const Application& at);
void expandedLast(Guesser& g, const Application& at);

// guess_joins.cc: joined for added, and the other way round; axes of reductions
void joinedOrAdded(Guesser& g, const Application& at);
void reducedElsewhere(Guesser& g, const Application& at);
void nothingAdded(Guesser& g, const Application& at);
void withoutResidual(Guesser& g, const Application& at);

// guess_library.cc: functions that an argument may have to go through first, or not at all, or one of a like name
void throughOwn(Guesser& g, const Application& at);
void throughLibrary(Guesser& g, const Application& at);
void namedNearly(Guesser& g, const Application& at);
void gated(Guesser& g, const Application& at);
void withoutCall(Guesser& g, const Application& at);
void headsJoined(Guesser& g, const Application& at);

// guess_conversions.cc: other element types
void converted(Guesser& g, const Application& at);
void weightsConverted(Guesser& g, const Application& at);
void resultConverted(Guesser& g, const Application& at);
void compared(Guesser& g, const Application& at);
void comparedEqual(Guesser& g, const Application& at);
void asSelect(Guesser& g, const Application& at);
void asMask(Guesser& g, const Application& at);
void asLogic(Guesser& g, const Application& at);

// guess_layouts.cc: layouts of other libraries, flattened images, masks
void channelsLast(Guesser& g, const Application& at);
void channelsMissing(Guesser& g, const Application& at);
void declaredOne(Guesser& g, const Application& at);
void batchMissing(Guesser& g, const Application& at);
void transposedWeights(Guesser& g, const Application& at);
void flattened(Guesser& g, const Application& at);
void flattenedBatch(Guesser& g, const Application& at);
void batchKept(Guesser& g, const Application& at);
void stretchedMask(Guesser& g, const Application& at);
void firstRows(Guesser& g, const Application& at);
void maskOfRows(Guesser& g, const Application& at);

// guess_tuples.cc: tuples where a tensor is wanted, or of another form
void unusedParts(Guesser& g, const Application& at);
void firstPart(Guesser& g, const Application& at);
void eachPart(Guesser& g, const Application& at);
void asManyParts(Guesser& g, const Application& at);
void splitForNames(Guesser& g, const Application& at);
void namedParts(Guesser& g, const Application& at);
void asArguments(Guesser& g, const Application& at);
void grouped(Guesser& g, const Application& at);
void paired(Guesser& g, const Application& at);
void twice(Guesser& g, const Application& at);
void partsInOrder(Guesser& g, const Application& at);
void cellWithOutput(Guesser& g, const Application& at);
void unusedPart(Guesser& g, const Application& at);

// guess_unused.cc: weights and functions that nothing uses
void unusedWeight(Guesser& g, const Application& at);
void unusedWeights(Guesser& g, const Application& at);
void unusedFunction(Guesser& g, const Application& at);
void callOfLayer(Guesser& g, const Application& at);
void unusedLayer(Guesser& g, const Application& at);
void layerLeftOut(Guesser& g, const Application& at);

// guess_written.cc: what a list of sizes or indices lacks beside what else is written
void factorLeftOut(Guesser& g, const Application& at);
void indexLeftOut(Guesser& g, const Application& at);
void oneBesideWhereMade(Guesser& g, const Application& at);
void rowsAndColumnsAsOne(Guesser& g, const Application& at);

// guess_slices.cc: what a slice lacks beside others
void sliceAsBeside(Guesser& g, const Application& at);

// guess_indices.cc: indices, sizes of `reshape` and `arange`
void otherIndex(Guesser& g, const Application& at);
void declaredRows(Guesser& g, const Application& at);
void rowOfSeveral(Guesser& g, const Application& at);
void otherFactors(Guesser& g, const Application& at);
void onesBetween(Guesser& g, const Application& at);
void otherLength(Guesser& g, const Application& at);

// guess_declared_order.cc: sizes of weights and images in another order, unlike those of others, or of too few parts
void declaredExchanged(Guesser& g, const Application& at);
void declaredWindow(Guesser& g, const Application& at);
void declaredOdd(Guesser& g, const Application& at);
void declaredWindowThatFits(Guesser& g, const Application& at);
void declaredSquare(Guesser& g, const Application& at);
void declaredTurned(Guesser& g, const Application& at);
void declaredBatchFirst(Guesser& g, const Application& at);
void declaredParts(Guesser& g, const Application& at);

// guess_missing_parts.cc: parts that a tuple lacks, or has too many
void missingParts(Guesser& g, const Application& at);

// guess_inputs.cc: images in the layout of other libraries, inputs and results declared with an axis too few
void channelsLastOfInput(Guesser& g, const Application& at);
void declaredWithAxis(Guesser& g, const Application& at);

// guess_ranks.cc: operators of another rank, axes that are not reduced or not joined, or of size 1, letters of an
// equation
void operatorOfOtherRank(Guesser& g, const Application& at);
void meanOfFirstAxis(Guesser& g, const Application& at);
void axesAsOne(Guesser& g, const Application& at);
void squeezedAtOrigin(Guesser& g, const Application& at);
void lettersExchanged(Guesser& g, const Application& at);

// guess_arguments.cc: arguments in another order, or left out
void swapped(Guesser& g, const Application& at);
void leftOut(Guesser& g, const Application& at);
void unusedParameter(Guesser& g, const Application& at);
void sizedState(Guesser& g, const Application& at);
void weightsOfGroup(Guesser& g, const Application& at);
void repeatedForBatch(Guesser& g, const Application& at);
void rowsAsArguments(Guesser& g, const Application& at);
void withoutUnknown(Guesser& g, const Application& at);
void staticAsElsewhere(Guesser& g, const Application& at);
void leftToDefault(Guesser& g, const Application& at);
void leftToDefaultBefore(Guesser& g, const Application& at);
void withoutStatic(Guesser& g, const Application& at);

// guess_left_out.cc: what a call lacks
void neededStatic(Guesser& g, const Application& at);
void handedOn(Guesser& g, const Application& at);
void handedOnAs(Guesser& g, const Application& at);
void permLeftOut(Guesser& g, const Application& at);
void operandLeftOut(Guesser& g, const Application& at);

// guess_alike.cc: arguments that are not as in another call, or as parameters are named
void argumentsAsSiblings(Guesser& g, const Application& at);
void argumentsAsNamed(Guesser& g, const Application& at);
void argumentsInOrder(Guesser& g, const Application& at);
void exchangedWithStatic(Guesser& g, const Application& at);
void bundleAsSiblings(Guesser& g, const Application& at);

// guess_declared_arguments.cc: arguments in each other's places
void argumentsAsDeclared(Guesser& g, const Application& at);
void argumentsOrderedAsElsewhere(Guesser& g, const Application& at);
void weightBeforeInput(Guesser& g, const Application& at);
void argumentAsElsewhere(Guesser& g, const Application& at);

// guess_lists.cc: lists in what computes the values that fail, rows that are cut or not
void permNearby(Guesser& g, const Application& at);
void turnedNearby(Guesser& g, const Application& at);
void sizesNearby(Guesser& g, const Application& at);
void indicesNearby(Guesser& g, const Application& at);
void declaredNearby(Guesser& g, const Application& at);
void productOfSizes(Guesser& g, const Application& at);
void withoutCut(Guesser& g, const Application& at);
void withoutRow(Guesser& g, const Application& at);
void withoutRowWhereMade(Guesser& g, const Application& at);
void lengthByOne(Guesser& g, const Application& at);
void cutByOne(Guesser& g, const Application& at);
void staticThatFits(Guesser& g, const Application& at);
void fittingGroups(Guesser& g, const Application& at);
void patchStride(Guesser& g, const Application& at);

// guess_turned.cc: axes that are turned, and not turned back
void turnedBack(Guesser& g, const Application& at);

// guess_names.cc: other values that the function has, or in another order
void nearValue(Guesser& g, const Application& at);
void unusedValue(Guesser& g, const Application& at);
void otherValue(Guesser& g, const Application& at);
void joinedMore(Guesser& g, const Application& at);
void otherOrder(Guesser& g, const Application& at);
void exchangedBetweenCalls(Guesser& g, const Application& at);
void madeAlike(Guesser& g, const Application& at);
void madeAsElsewhere(Guesser& g, const Application& at);

// guess_declarations.cc: other sizes and element types in declarations
void declaredSize(Guesser& g, const Application& at);
void declaredInput(Guesser& g, const Application& at);
void declaredDivisible(Guesser& g, const Application& at);
void declaredWindowFirst(Guesser& g, const Application& at);
void declaredShape(Guesser& g, const Application& at);
void declaredIntegers(Guesser& g, const Application& at);
void declaredElement(Guesser& g, const Application& at);
void declaredElementOfInput(Guesser& g, const Application& at);
void declaredTransposed(Guesser& g, const Application& at);
void declaredMultiple(Guesser& g, const Application& at);
void declaredApart(Guesser& g, const Application& at);
void declaredOrder(Guesser& g, const Application& at);

// guess_states.cc: tensors of zeros that lack the batch
void stateForBatch(Guesser& g, const Application& at);

// guess_stretched.cc: sizes that have to be declared as 1
void declaredToStretch(Guesser& g, const Application& at);
void declaredOneChannel(Guesser& g, const Application& at);

// guess_windows.cc: windows that change the size of an image, wherever they are
void samePadding(Guesser& g, const Application& at);
void otherWindows(Guesser& g, const Application& at);
void otherRates(Guesser& g, const Application& at);
void missingStride(Guesser& g, const Application& at);
void enlargingStride(Guesser& g, const Application& at);
void pooledImage(Guesser& g, const Application& at);
void resampled(Guesser& g, const Application& at);
void upsampled(Guesser& g, const Application& at);

// guess_rates.cc: the numbers by which windows and scales change images, and other numbers that functions are given
void squareRate(Guesser& g, const Application& at);
void axesOfRateExchanged(Guesser& g, const Application& at);
void otherRate(Guesser& g, const Application& at);
void withoutPadding(Guesser& g, const Application& at);
void evenPadding(Guesser& g, const Application& at);
void fittingPadding(Guesser& g, const Application& at);
void poolStride(Guesser& g, const Application& at);
void movingPool(Guesser& g, const Application& at);
void overlappingPool(Guesser& g, const Application& at);
void otherNumber(Guesser& g, const Application& at);

// guess_siblings.cc: calls that differ from others of the same function, results in another order
void declaredAsSiblings(Guesser& g, const Application& at);
void madeAsSiblings(Guesser& g, const Application& at);
void madeAsNeighbour(Guesser& g, const Application& at);
void madeAsBeside(Guesser& g, const Application& at);
void appliedOnce(Guesser& g, const Application& at);
void appliedInside(Guesser& g, const Application& at);
void resultsInOrder(Guesser& g, const Application& at);

// guess_given_ranks.cc: axes that a value has too many or too few
void rowByIndex(Guesser& g, const Application& at);
void rowBySlice(Guesser& g, const Application& at);
void broadcastWithAxis(Guesser& g, const Application& at);
void axisForParameter(Guesser& g, const Application& at);

// guess_handed_on.cc: what functions are given and hand on, or do not use, and what belongs behind a call
void numberAsElsewhere(Guesser& g, const Application& at);
void addedToResult(Guesser& g, const Application& at);
void layerOfParameter(Guesser& g, const Application& at);

// guess_sums.cc: parentheses that a sum lacks
void sumAsFactor(Guesser& g, const Application& at);

// guess_cuts.cc: cuts that a value lacks beside another one, axes that an index lacks
void cutAtOtherEnd(Guesser& g, const Application& at);
void axisOfIndexLeftOut(Guesser& g, const Application& at);

}  // namespace guess

}  // namespace axle
