// Guesses of changes that may correct an error. `offerFixes` (typecheck/report/fixes.h) tries them.
#pragma once

#include <vector>

#include "typecheck/report/guesser.h"

namespace axle {

// The guesses at the operator that fails, and whether images of different rates meet there (size_difference.h).
struct GuessesAtOperator {
  std::vector<GuessedFix> all;
  bool differAsImages = false;
};

// The guesses, the likeliest first: those that the diagnostic has, those of other arguments, those at the operator that
// fails inside of a function (`atOperator`), and others.
std::vector<GuessedFix> guessFixes(Checked& checked, const Diagnostic& diagnostic,
                                   const GuessesAtOperator* atOperator = nullptr);

// The guesses at the operator that a diagnostic marks first, and then those at the other places that it marks;
// `reported`: the code of the error that the operator's failure explains.
GuessesAtOperator guessAtOperator(Checked& checked, const Diagnostic& diagnostic, const DiagnosticCode* reported);

// Whether a diagnostic says that a promised size is narrowed.
bool isNarrowing(const DiagnosticCode* code);

// The kinds of guesses. Each adds those of one application that the diagnostic marks.
namespace guess {

// guess_operators.cc: other operators and static arguments, other sizes in lists
void transposed(Guesser& g, const Application& at);
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
void reshapedAlike(Guesser& g, const Application& at);

// guess_expanded.cc: axes of size 1 that an operand lacks beside another one
void expanded(Guesser& g, const Application& at);
void expandedAlike(Guesser& g, const Application& at);
void expandedWhereMade(Guesser& g, const Application& at);
void expandedToFit(Guesser& g, const Application& at);
void expandedAsOther(Guesser& g, const Application& at);
void allPairs(Guesser& g, const Application& at);
void expandedLast(Guesser& g, const Application& at);

// guess_joins.cc: joined for added, and the other way round; axes of reductions
void joinedOrAdded(Guesser& g, const Application& at);
void stackedOrJoined(Guesser& g, const Application& at);
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
void addedMaskSelected(Guesser& g, const Application& at);
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
void unstackedForNames(Guesser& g, const Application& at);
void partsByName(Guesser& g, const Application& at);
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
void quotientOfNames(Guesser& g, const Application& at);

// guess_slices.cc: what a slice lacks beside others, or has too many
void sliceAsBeside(Guesser& g, const Application& at);
void withoutStart(Guesser& g, const Application& at);

// guess_indices.cc: indices, sizes of `reshape` and `arange`
void otherIndex(Guesser& g, const Application& at);
void otherIndexGiven(Guesser& g, const Application& at);
void declaredRows(Guesser& g, const Application& at);
void rowOfSeveral(Guesser& g, const Application& at);
void otherFactors(Guesser& g, const Application& at);
void onesBetween(Guesser& g, const Application& at);
void otherLength(Guesser& g, const Application& at);
void lengthOfOther(Guesser& g, const Application& at);

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
void wholeGroup(Guesser& g, const Application& at);

// guess_inputs.cc: images in the layout of other libraries, inputs and results declared with an axis too few
void channelsLastOfInput(Guesser& g, const Application& at);
void declaredWithAxis(Guesser& g, const Application& at);

// guess_ranks.cc: operators of another rank, axes that are not reduced or not joined, or of size 1, letters of an
// equation
void operatorOfOtherRank(Guesser& g, const Application& at);
void meanOfFirstAxis(Guesser& g, const Application& at);
void axesAsOne(Guesser& g, const Application& at);
void neighboursAsOne(Guesser& g, const Application& at);
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
void asOtherFunction(Guesser& g, const Application& at);

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
void withoutResampling(Guesser& g, const Application& at);
void upsampled(Guesser& g, const Application& at);
void patchStride(Guesser& g, const Application& at);

// guess_rates.cc: the numbers by which windows and scales change images, and other numbers that functions are given
void squareRate(Guesser& g, const Application& at);
void axesOfRateExchanged(Guesser& g, const Application& at);
void otherRate(Guesser& g, const Application& at);
void withoutPadding(Guesser& g, const Application& at);
void evenPadding(Guesser& g, const Application& at);
void fittingPadding(Guesser& g, const Application& at);
void windowOfStride(Guesser& g, const Application& at);
void poolStride(Guesser& g, const Application& at);
void movingPool(Guesser& g, const Application& at);
void overlappingPool(Guesser& g, const Application& at);
void otherNumber(Guesser& g, const Application& at);

// guess_siblings.cc: calls that differ from others of the same function, results in another order
void declaredAsSiblings(Guesser& g, const Application& at);
void madeAsSiblings(Guesser& g, const Application& at);
void calledAsSiblings(Guesser& g, const Application& at);
void madeAsNeighbour(Guesser& g, const Application& at);
void madeAsBeside(Guesser& g, const Application& at);
void madeAsBesideInCall(Guesser& g, const Application& at);
void resultAsInOther(Guesser& g, const Application& at);
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
void halfOrTwice(Guesser& g, const Application& at);
void addedToResult(Guesser& g, const Application& at);
void layerOfParameter(Guesser& g, const Application& at);

// guess_declared_alike.cc: sizes of parameters that are not as those of the others
void declaredAlike(Guesser& g, const Application& at);
void declaredInOrder(Guesser& g, const Application& at);

// guess_dropped.cc: calls that were left out
void rowsOfTable(Guesser& g, const Application& at);
void throughLayerOfParameter(Guesser& g, const Application& at);
void swappedNearby(Guesser& g, const Application& at);

// guess_sums.cc: parentheses that a sum lacks
void sumAsFactor(Guesser& g, const Application& at);

// guess_cuts.cc: cuts that a value lacks beside another one, axes that an index lacks
void cutAtOtherEnd(Guesser& g, const Application& at);
void axisOfIndexLeftOut(Guesser& g, const Application& at);

}  // namespace guess

}  // namespace axle
