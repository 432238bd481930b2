// The constraint store and tier 1: unification over normal forms, shape functions expanded when their arguments are
// known (the paper's section 5; LANGUAGE.md, section 4). What cannot be decided yet is suspended on the variables it
// waits for.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "dims/decide/decider.h"
#include "typecheck/types/provenance.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle {

enum class ConstraintKind : std::uint8_t {
  // kind          operands
  shapeEqual,    // shapes 0 = 1
  dimEqual,      // dims 0 = 1
  fact,          // dims 0 relation 1; of `n : 1 or m` also n and m
  broadcast,     // shape 0 = shape 1 # shape 2
  broadcastDim,  // dim 0 = dim 1 # dim 2: only a literal 1 stretches
  axisSplit,     // statics 0 is an axis between the end of shape 0 and the start of shape 1
  permute,       // shape 0 = shape 1 permuted by static 0
  reshape,       // shape 0 = shape 1 reshaped to static 0
  pad,           // shape 0 = shape 1 padded by static 0; static 1: the mode, "constant" where there is none
  convOut,  // dim 0 = window count of dim 1 by dim 2; statics: stride, padding (a word or pairs), dilation; dim 3 the
            // axis among the pairs
  sizeOf,   // dim 0 = number of elements of shape 0
  rankOf,   // dim 0 = rank of shape 0
  when,     // shape 0 = shape 1 if static 0, else []
  collect,  // type 0 = type 1 stacked along a new leading dim 0
  repeat,   // type 0 = tuple of static 0 times type 1
  reduce,   // shape 0 = shape 1 without the axes of static 0, or with 1 for each of them if static 1
  tile,     // shape 0 = shape 1, each size times its item of static 0
  stretch,  // shape 0 = static 0 = static 0 # shape 1
  sized,    // shape 0 = static 0
  swap,     // shape 0 = shape 1 with axes static 0 and static 1 exchanged
  move,     // shape 0 = shape 1 with axis static 0 taken out and put in at static 1
  width,    // dim 0 = bytes of an element of the tensor type 0
  ofSort,   // static 0 has the form that `attribute` asks for
  element,  // shape 0 = shape 1 of one element of a leading dim 0: a ragged length over that is one length
  convTransposeOut,  // as convOut, but dim 1 is the window count of dim 0; static 3: the sizes that are given, or `_`
  einsum,            // shape 0 = what static 0 says of shapes 1, 2, ...
};

struct Constraint {
  ConstraintKind kind = ConstraintKind::fact;
  ReasonId reason;
  FactRelation relation = FactRelation::eq;
  bool isReshape = false;  // a fact that a reshape asks for: of shape 0 to static 0
  std::vector<Shape> shapes;
  std::vector<Dim> dims;
  std::vector<TypeId> types;
  std::vector<StaticId> statics;
  const ast::OpAttribute* attribute = nullptr;
};

enum class ConflictKind : std::uint8_t {
  type,
  tupleArity,
  functionArity,
  rank,
  dim,
  elem,
  elemClass,
  occurs,
  fact,
  attribute,
  overflow,
  escape,        // a run-time size would be one that is known before
  undetermined,  // a run-time size does not tell the one that is asked of it
  unopened,      // a size that each call of a function makes would be one for all its calls
  ragged,        // a ragged length would be a size, or another length
  unragged,      // a ragged length stands where an operator takes none
  stream,        // a streamed dimension would be a fixed size, or is needed whole
};

// A constraint that cannot hold, with what an explanation needs.
struct Conflict {
  ConflictKind kind = ConflictKind::type;
  ReasonId reason;
  std::string left, right;  // the two values as printed: "784", "f32", "(a, b)"
  std::string sizeName;     // of a dimension: what a signature calls it
  std::string text;  // for fact, attribute: what does not hold; of a reshape, the shape it is given (and in sizeName
                     // the one wanted)
  bool isReshape = false;
  std::string dividend, divisor;                          // of a reshape whose open size cannot be whole
  std::vector<std::pair<std::size_t, std::string>> fits;  // of a reshape: the place of a number, and what fits there
  std::vector<OriginId> origins;
  std::size_t leftOrigins = 0;                              // how many of them, from the first, are of the left side
  std::vector<std::pair<std::string, std::string>> values;  // of a fact's variables: name, value
  std::vector<std::pair<Span, std::string>> because;        // facts that were assumed, with their labels
  std::vector<std::string> notes;
};

class Solver {
 public:
  Solver(Solution& solution, Provenance& provenance) : s_(solution), why_(provenance) {}

  std::uint32_t level = 0;           // of new variables
  std::vector<DimFact> assumptions;  // `where` facts in scope
  std::vector<Conflict> conflicts;   // found since last taken

  DimVar freshDim(std::string name, bool named = false);
  // A size that stands for itself only: `?k` (from `maker`), `*l`.
  DimVar freshRigid(std::string name, DimKind kind, OriginId origin, std::string maker = {});
  ShapeVar freshShape(std::string name, bool literal = false);
  ElemVar freshElem(std::string name, ElemClass elemClass = ElemClass::any);
  TypeId freshType();
  StaticVar freshStatic(std::string name);
  Dim freshDimTerm(std::string name) { return s_.dims.variable(freshDim(std::move(name))); }
  // A static argument: a whole number of any sign.
  Dim freshInteger(std::string name) {
    DimVar v = freshDim(std::move(name));
    s_.dimVars[v.index].isSize = false;
    return s_.dims.variable(v);
  }

  // Each returns false after recording a conflict. Error types unify with everything.
  bool unify(TypeId a, TypeId b, ReasonId reason);
  bool unifyShape(const Shape& a, const Shape& b, ReasonId reason);
  bool unifyDim(const ShapePart& a, const ShapePart& b, ReasonId reason);
  bool unifyElem(ElemTerm a, ElemTerm b, OriginId originA, OriginId originB, ReasonId reason);
  bool unifyStatic(StaticId a, StaticId b, ReasonId reason);
  bool narrow(ElemTerm elem, ElemClass elemClass, OriginId asked, OriginId given, ReasonId reason);

  void add(Constraint constraint);
  void solve();  // until nothing moves

  std::vector<Constraint> pending() const;
  // What wrote a size, and what handed it over.
  std::vector<OriginId> originsOf(const ShapePart& part);
  // Those of one kind. Valid until one is added.
  std::vector<const Constraint*> pending(ConstraintKind kind) const;
  // Removes and returns the suspended constraints for which `choose` holds.
  std::vector<Constraint> take(const std::function<bool(const Constraint&)>& choose);
  // Sizes left to a later decision are equated (LANGUAGE.md, Broadcasting): every broadcastDim for which `choose`
  // holds.
  void equateBroadcasts(const std::function<bool(const Constraint&)>& choose);

  // `reason` needs all of the dimension at once, so none of its variables is a stream. False after a conflict.
  bool needWhole(Dim d, ReasonId reason);
  bool needWhole(const Shape& shape, ReasonId reason);
  // The same of ragged lengths.
  bool needUnragged(Dim d, ReasonId reason);
  bool needUnragged(const Shape& shape, ReasonId reason);
  // Run-time sizes of the variables made since `from` must not be sizes of a type that was there before.
  bool checkEscape(TypeId given, std::size_t from, const std::string& name);
  // The same, and that ragged lengths of a type that is given are functions of its own dimensions.
  bool checkGiven(TypeId given, std::size_t from, const std::string& name);
  // Of the equations for which `choose` holds none is left that a size of the run alone would have to solve.
  bool checkDetermined(const std::function<bool(const Constraint&)>& choose, const std::vector<TypeId>& given);
  // Run-time sizes in a function's result, made since `from`: every call makes others.
  void closeRuntime(TypeId result, std::size_t from);
  // A call of the function makes them; those of functions inside of the result stay closed.
  void openRuntime(TypeId result);
  // `match` on a runtime rank: the sizes made since `from` are what the run finds.
  bool hasRuntimeRank(TypeId type);
  void makeRuntime(TypeId type, std::size_t from, OriginId origin, const std::string& maker);
  // Decides every `element` of an application: its tensors are given, so what is not ragged by now never is.
  void settleElements();
  // A ragged length, or a size computed of one, that does not stand behind the dimensions it is a function of.
  std::optional<Dim> misplacedLength(TypeId type);
  // A size of a function that is not called yet, in a tensor that is read, or wherever it stands in the type.
  std::optional<DimVar> closedSize(TypeId type, bool withFunctions = false);

  // As messages print it, with the variables' own names.
  std::string show(const Shape& shape);

  enum class Verdict { proved, refuted, open };
  Verdict decide(Dim left, FactRelation relation, Dim right);
  // What a size divides by and what is not known to be >= 1: where it is less there is no such size.
  std::vector<Dim> openDivisors(Dim left, Dim right);
  // `quotient` was written as a division by `divisor`: where its normal form shows that no more, the fact that the
  // divisor is >= 1 stands by itself.
  void keepDivisor(Dim quotient, Dim divisor, Span written);
  // The same, by all tiers: `decide` and what stands behind it. Of a refuted fact also sizes that show it, in words,
  // and the assumptions that it takes.
  Verdict decideFully(const DimFact& fact, std::string* counterexample = nullptr,
                      std::vector<DimFact>* because = nullptr);
  // Whether all sizes that satisfy `given` satisfy `fact`; whether some do, found and evaluated. Both resolved.
  bool follows(const DimFact& fact, const std::vector<DimFact>& given);
  bool isSatisfiable(const DimFact& fact, const std::vector<DimFact>& given);
  // Of the last fact that `decideFully` was asked: it is open and was past the limits; the tier that decided it.
  bool gaveUp = false;
  decide::Tier decidedBy = decide::Tier::normalForm;
  // Facts that were asked for and hold, kept where somebody will list them.
  struct Proof {
    Constraint fact;
    decide::Tier tier;
  };
  bool keepsProofs = false;
  std::vector<Proof> proofs;
  // Facts that a stream comes to meet: they hold of it after a delay, and are asked again of each use of the function
  // that brings a size instead.
  std::vector<Constraint> delays;
  // Asks this of every suspended fact for which `choose` holds. True: something moved.
  bool settleFacts(const std::function<bool(const Constraint&)>& choose);
  // Of facts and equations between sizes: which tier decided how many.
  decide::Statistics statistics() const {
    decide::Statistics all = decider_.statistics();
    all.decided[static_cast<int>(decide::Tier::normalForm)] += settledByNormalForm_;
    return all;
  }
  // A fact as `difference` relation 0, the relation one of ==, != and >=, the latter tight.
  std::pair<FactRelation, Dim> normalFact(Dim left, FactRelation relation, Dim right);

  // Every variable of a constraint that is not bound, by kind.
  struct Variables {
    std::vector<TypeVar> types;
    std::vector<ElemVar> elems;
    std::vector<ShapeVar> shapes;
    std::vector<DimVar> dims;
    std::vector<StaticVar> statics;
  };
  void collect(const Constraint& constraint, Variables& into);
  void collect(TypeId type, Variables& into);
  void collect(const Shape& shape, Variables& into);
  void collect(Dim dim, Variables& into);
  void collect(StaticId value, Variables& into);
  // Makes them variables of an outer scope, where they are of a deeper one.
  void lowerLevels(const Variables& variables, std::uint32_t to);
  // `difference` >= 0 in its tightest form: divided by the common factor, quotients cleared (x / 2 >= 1 is x >= 2).
  Dim tighten(Dim difference);

 private:
  enum class Progress { done, failed, waiting };
  struct Slot {
    Constraint constraint;
    bool live = false;
    bool queued = false;
  };
  using Rule = Progress (Solver::*)(Constraint&);
  static const Rule rules[];

  Progress runShapeEqual(Constraint&);
  Progress runDimEqual(Constraint&);
  Progress runFact(Constraint&);
  Progress runBroadcast(Constraint&);
  Progress runBroadcastDim(Constraint&);
  Progress runAxisSplit(Constraint&);
  Progress runPermute(Constraint&);
  Progress runReshape(Constraint&);
  Progress runPad(Constraint&);
  Progress runConvOut(Constraint&);
  Progress runSizeOf(Constraint&);
  Progress runRankOf(Constraint&);
  Progress runWhen(Constraint&);
  Progress runCollect(Constraint&);
  Progress runRepeat(Constraint&);
  Progress runReduce(Constraint&);
  Progress runTile(Constraint&);
  Progress runStretch(Constraint&);
  Progress runSized(Constraint&);
  Progress runSwap(Constraint&);
  Progress runMove(Constraint&);
  Progress runWidth(Constraint&);
  Progress runOfSort(Constraint&);
  Progress runElement(Constraint&);
  Progress runConvTransposeOut(Constraint&);
  Progress runEinsum(Constraint&);

  Progress tryShapeEqual(const Shape& a, const Shape& b, ReasonId reason);
  Progress tryDimEqual(const ShapePart& a, const ShapePart& b, ReasonId reason);
  std::string computed(Dim size, Dim other);
  // What kinds of dimension say about an equation, before its variables are solved for; none where they are silent.
  std::optional<Progress> tryKinds(const ShapePart& a, const ShapePart& b, ReasonId reason);
  bool solveByQuotient(Dim difference, const ShapePart& a, const ShapePart& b, ReasonId reason);
  Progress failSizes(ConflictKind kind, const ShapePart& a, const ShapePart& b, ReasonId reason);
  bool mayBind(DimVar v, Dim to);
  bool streams(Dim d) { return s_.kindOf(d) == DimKind::streamed; }
  bool isReachedLater(Dim difference);
  ReasonId whyMentioned(DimVar v);
  bool unifyTuples(const TypeTerm& a, const TypeTerm& b, ReasonId reason);
  bool unifyFunctions(const TypeTerm& a, const TypeTerm& b, ReasonId reason);
  bool bindType(TypeVar v, TypeId to, ReasonId reason);
  bool bindShape(ShapeVar v, const Shape& to, ReasonId reason, OriginId origin);
  void bindDim(DimVar v, Dim to, ReasonId reason, OriginId origin);
  std::optional<DimVar> solvable(Dim difference, Dim& solution);

  Dim collected(Dim d, const Shape& before, ReasonId reason);
  std::optional<Dim> bothStretchTo(Dim a, Dim b);
  Dim stretch(const ShapePart& x, const ShapePart& y, ReasonId reason);
  std::optional<std::vector<Dim>> knownDims(const Shape& shape);
  std::optional<std::vector<Dim>> dimsOf(StaticId list, std::size_t count);
  Progress wrongForm(const Constraint& c, const char* wanted);
  struct WindowRule;
  std::optional<Progress> readWindow(const Constraint& c, WindowRule& window);
  bool fixRank(const Shape& shape, std::size_t rank, ReasonId reason);

  // A shape taken apart so that each of the axes asked for has a size of its own; `rest` is what may stay open.
  struct Apart {
    Shape sizes;  // the leading ones, or where all axes count from the trailing end the trailing ones
    Shape rest;
    bool leading = true;
    std::vector<std::size_t> axes;  // into `sizes`
    Shape with(Shape changed) const;
  };
  Progress takeApart(const Constraint& c, const std::vector<std::int64_t>& axes, std::optional<std::size_t> rank,
                     Apart& apart);
  std::optional<std::vector<std::int64_t>> axesOf(StaticId list, bool& wrong);
  std::pair<std::int64_t, std::int64_t> contentOf(Dim d) const;
  void noteMultiple(Dim difference);
  Dim withoutSharedFactors(Dim difference);
  bool sharesVariable(Dim resolved, Dim other);
  bool entailed(Dim difference, FactRelation relation);
  Verdict decideDefined(Dim left, FactRelation asked, Dim right);
  bool isNonNegative(Dim d) const;
  void proved(const Constraint& c, decide::Tier tier) {
    if (isDelay(c))
      delays.push_back(c);
    else if (keepsProofs)
      proofs.push_back({c, tier});
  }
  bool isDelay(const Constraint& c);
  void addFact(Dim left, FactRelation relation, Dim right, ReasonId reason);

  decide::Question question(DimComparison claim, const std::vector<DimFact>& from, std::vector<std::size_t>& asked);
  std::string told(const DimComparison& fact, const decide::Assignment& sizes);
  void addEvidence(Conflict& conflict, const std::string& counterexample, const std::vector<DimFact>& because);
  bool refuteProduct(const Constraint& c);
  bool forceSizes(const std::vector<Constraint>& open);
  bool refuteTogether(const std::vector<Constraint>& open, const std::vector<std::uint32_t>& slots);
  OriginId originOfFact(const Constraint& c);

  bool fail(Conflict conflict);
  void failFact(const Constraint& c);
  std::optional<std::pair<Dim, Dim>> numbersOfOpenSize(const Constraint& reshape);
  std::vector<std::pair<std::size_t, std::string>> fittingSizes(const Constraint& reshape);
  void failAttribute(ReasonId reason, std::string text);
  std::string show(Dim d) { return s_.printSize(s_.resolve(d)); }
  std::string show(StaticId list);

  void watch(std::uint32_t slot);
  void wake(std::vector<std::uint32_t>& watchers);

  decide::Decider decider_{
      {/*steps=*/60'000, /*samples=*/600, /*z3Resources=*/100'000, /*terms=*/100'000, /*work=*/6'000'000}};
  std::uint64_t settledByNormalForm_ = 0;                // as they came
  std::map<std::vector<std::uint32_t>, bool> leftOpen_;  // questions, by their dimensions, and whether past the limits
  Solution& s_;
  Provenance& why_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> live_;
  std::deque<std::uint32_t> queue_;
  // What an application of `map` or `loop` makes: one element's length of a ragged one, and a ragged one of the lengths
  // that each element makes; by (variable, reason).
  std::map<std::pair<std::uint32_t, std::uint32_t>, DimVar> elementLengths_, collectedLengths_;
  std::vector<std::vector<std::uint32_t>> typeWatch_, elemWatch_, shapeWatch_, dimWatch_, staticWatch_;
};

const char* spelling(FactRelation relation);

// What a `fact` or `dimEqual` says.
DimFact asFact(const Constraint& constraint);

// Axes and ranks beyond this are refused where they are given.
inline constexpr std::int64_t maxAxes = 64;

// "-2 to 1", the axes of a tensor of this rank; "it has none" of a scalar.
std::string axesOfRank(std::size_t rank);

// The axes that a `padding` is for, unless its sort says otherwise.
inline constexpr std::uint64_t paddedAxes = 2;

// What an attribute of this sort must be, in words; nothing where `value` is of it, or still open.
std::optional<std::string> notOfSort(Solution& solution, const ast::OpAttribute& attribute, StaticId value);

}  // namespace axle
