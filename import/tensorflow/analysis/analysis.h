// Facts on every outlet of an imported graph, by the inference and the solver of the language (ARCHITECTURE.md,
// "Analysis of imported graphs"; papers/tfdeploy-report.txt, section 2).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "frontend/diagnostic.h"
#include "io/tensor_file.h"
#include "import/tensorflow/analysis/hints.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/graph.h"
#include "import/builder/graph_typer.h"

namespace axle::tensorflow {

// A graph in one of its uses: the main graph, or a function's body for one call.
struct Frame {
  const Graph* graph = nullptr;
  const GraphPlaces* places = nullptr;
  std::string prefix;                          // of its nodes' names
  std::vector<Attribute> fromCall;             // what the call instantiates the function with
  std::vector<std::vector<OutletFact>> facts;  // by node and port
  std::vector<bool> isCopied;                  // of one turn of a loop of Enters: by node, facts of another frame
  bool isCopiedAt(std::uint32_t node) const { return !isCopied.empty() && isCopied[node]; }
  std::vector<OutletFact> arguments;  // of a function
  std::size_t depth = 0;              // of calls
  Frame* caller = nullptr;            // of a function
  NodeId call;                        // the caller's node
  bool runsAlways = false;            // all its nodes, whatever the values are
  // By NextIteration: what its loops start with, and their states.
  std::map<NodeId, std::vector<std::pair<OutletFact, OutletFact>>> loops;
};

// Which states of loops are taken to keep the shape that they start with: all, but for some, or none. Of some it is
// known that a turn changes the rank.
struct Steady {
  bool any = false;
  std::set<std::string> moving, changingRank;
};

// `Exit` or `RefExit`, say.
bool isNode(const Node& node, std::string_view name);

// What errors call a function that a node names: by the attribute that has it, too, where several may.
std::string calledBy(const Node& node, FunctionId callee, const Function& function);

// What stands for an outlet in the program: of a list its elements.
inline TypedId carried(const OutletFact& fact) { return fact.content ? fact.content : fact.value; }

class Analysis {
 public:
  // `model` and `sources` must outlive it. Errors go to `diagnostics`; facts are there all the same.
  // `hints` are met in; the shapes that inputs were asked for with are besides.
  Analysis(const Model& model, SourceMap& sources, Diagnostics& diagnostics, std::vector<Hint> hints = {},
           Steady steady = {});
  void run();
  // After `run`: adds the states that were taken to keep their shape and do not. False where all do.
  bool addMoving(Steady& to);
  bool tookSteady() const { return !steady_.empty(); }

  // One line per outlet of the main graph: NODE:PORT ELEM SHAPE [= VALUE].
  struct Line {
    std::string node;
    std::uint32_t port = 0;
    std::string elem, shape, value;  // `value` is empty where it is open
  };
  std::vector<Line> facts();
  // What the sizes of the run decide.
  struct Guard {
    std::string text;
    std::vector<Label> sources;
  };
  const std::vector<Guard>& guards() const { return guards_; }
  // Operators that are reached and have no rule, with how many nodes there are of each.
  const std::map<std::string, std::size_t>& unknownOperators() const { return unknown_; }
  // Whether more is known of what such nodes give than what the registry says.
  static bool hasRule(std::string_view op);

  // ---- to compile it (program.cc), after `run`
  // Makes the function `main` of the model's inputs, which gives its outputs, in their order (`GraphTyper::define`).
  // False, with an error, where the outputs need nodes whose values cannot be computed yet.
  bool define();
  Checked& checked() { return typer_.checked(); }
  // What outlets of the main graph, and of functions that it calls, are called (`conv1/Relu:0`), by the binding that
  // has their value: those of nodes that hand it on, too.
  std::map<std::uint32_t, std::vector<std::string>> outletNames();
  // The bytes of a weight of the program: a constant's, or a variable's from its checkpoint.
  FileResult<TensorBytes> weight(std::uint32_t index);

 private:
  using Made = std::vector<OutletFact>;
  struct Waiting {
    Frame* frame;
    NodeId node;
  };

  Frame& open(const Graph& graph, const GraphPlaces& places, std::string prefix);
  void visitAll(Frame& frame);
  void visit(Frame& frame, NodeId id);
  // False where it waits still.
  bool retry(const Waiting& waiting);
  Outcome typeNode(Frame& frame, NodeId id, std::vector<OutletFact>& made);
  // Of an operator that nobody knows, too.
  bool givesTensors(const Frame& frame, const Node& node) const;
  // Tells where it does not (elements.cc).
  bool fitsElements(Frame& frame, NodeId id);
  // What a rule said of the outlets.
  Made factsOf(Frame& frame, NodeId id, const RuleNode& n);
  // Of operators that the rules of core operators say nothing of: sources, variables, calls.
  struct Structural {
    std::string_view op;
    Outcome (Analysis::*apply)(Frame&, NodeId, Made&);
  };
  static const Structural* structuralNamed(std::string_view op);
  Outcome constant(Frame& frame, NodeId id, Made& made);
  TypedId constantOf(const std::string& name, std::shared_ptr<const Tensor> tensor, Span at);
  Outcome argument(Frame& frame, NodeId id, Made& made);
  Outcome placeholder(Frame& frame, NodeId id, Made& made);
  Outcome passOn(Frame& frame, NodeId id, Made& made);
  Outcome partitionedCall(Frame& frame, NodeId id, Made& made);
  Outcome call(Frame& frame, NodeId id, FunctionId callee, const std::vector<Attribute>& with, Made& made);
  // control.cc
  Outcome branch(Frame& frame, NodeId id, Made& made);
  Outcome whileLoop(Frame& frame, NodeId id, Made& made);
  std::vector<VariableId> assignable(const Made& arguments) const;
  struct Turns;
  // One turn of a loop from these states. Where the condition is known to be false, there are no next ones.
  struct Turn {
    OutletFact condition;
    Made next;
  };
  std::optional<Turn> turn(const Turns& loop, const Made& states);
  bool isOneTurn_ = false;  // what is followed now
  std::optional<Turn> turnOfFunctions(const Turns& loop, const Made& states);
  std::optional<Turn> turnOfEnters(const Turns& loop, const Made& states);
  Outcome switchTo(Frame& frame, NodeId id, Made& made);
  Outcome merge(Frame& frame, NodeId id, Made& made);
  Outcome nextIteration(Frame& frame, NodeId id, Made& made);
  Outcome exitLoop(Frame& frame, NodeId id, Made& made);
  OutletFact after(const OutletFact& start, const OutletFact& state, const std::string& name, Span at);
  // lists.cc
  Outcome listReserve(Frame& frame, NodeId id, Made& made);
  Outcome listFromTensor(Frame& frame, NodeId id, Made& made);
  Outcome listSetItem(Frame& frame, NodeId id, Made& made);
  Outcome listPushBack(Frame& frame, NodeId id, Made& made);
  Outcome listGetItem(Frame& frame, NodeId id, Made& made);
  Outcome listStack(Frame& frame, NodeId id, Made& made);
  Outcome listConcat(Frame& frame, NodeId id, Made& made);
  Outcome listSplit(Frame& frame, NodeId id, Made& made);
  Outcome listPopBack(Frame& frame, NodeId id, Made& made);
  Outcome listGather(Frame& frame, NodeId id, Made& made);
  Outcome listScatterInto(Frame& frame, NodeId id, Made& made);
  Outcome listElementShape(Frame& frame, NodeId id, Made& made);
  Outcome listConcatLists(Frame& frame, NodeId id, Made& made);
  Outcome listResize(Frame& frame, NodeId id, Made& made);
  Outcome listLength(Frame& frame, NodeId id, Made& made);
  Outcome arrayNew(Frame& frame, NodeId id, Made& made);
  Outcome arrayWrite(Frame& frame, NodeId id, Made& made);
  Outcome arrayScatter(Frame& frame, NodeId id, Made& made);
  Outcome arraySplit(Frame& frame, NodeId id, Made& made);
  Outcome arrayRead(Frame& frame, NodeId id, Made& made);
  Outcome arrayGather(Frame& frame, NodeId id, Made& made);
  TypeId stacked(TypeId element, Dim length, Span at);
  OutletFact typed(const std::string& name, Type type, TypeId is, Span at);
  OutletFact variantOf(const RuleNode& n, TypeId element, Dim length, bool isShort = false);
  OutletFact withContent(OutletFact fact, const std::string& name, Span at);
  OutletFact flowOf(Frame& frame, const RuleNode& n, Dim length);
  std::shared_ptr<const ListFact> openList(const ListFact& list);
  Outcome putElement(RuleNode& n, const ListFact& list, std::size_t input);
  Outcome putStacked(RuleNode& n, const ListFact& list, std::size_t input, Dim length);
  // state.cc: what variables, and operators for their effect, give
  Outcome variable(Frame& frame, NodeId id, Made& made);
  TypedId valueOf(VariableId id, Span at);
  Outcome readVariable(Frame& frame, NodeId id, Made& made);
  Outcome gatherVariable(Frame& frame, NodeId id, Made& made);
  Outcome nextElement(Frame& frame, NodeId id, Made& made);
  Outcome dequeue(Frame& frame, NodeId id, Made& made);
  Outcome passFirst(Frame& frame, NodeId id, Made& made);
  Outcome assign(Frame& frame, NodeId id, Made& made);
  bool isOfVariable(RuleNode& n, const Variable& variable);
  void store(Frame& frame, NodeId id, VariableId variable);
  std::optional<TypedId> valueAfter(const RuleNode& n, TypedId before, const std::string& name);
  void forget(VariableId variable, const std::string& name, Span at);
  void forgetAssigned(Frame& frame, NodeId id);
  Outcome variableShape(Frame& frame, NodeId id, Made& made);
  Outcome isInitialized(Frame& frame, NodeId id, Made& made);

  // calls.cc: whether calls and control flow agree with the functions that they name
  void refuseCall(Frame& frame, NodeId id, const DiagnosticCode& code, std::string message, std::string label,
                  std::optional<Label> there);
  bool takes(Frame& frame, NodeId id, FunctionId callee, const std::vector<Attribute>& with, const Made& arguments);
  std::vector<Type> declaredResults(const Frame& frame, const Node& node, FunctionId callee) const;
  bool gives(Frame& frame, NodeId id, FunctionId callee, const Made& results);
  void checkConditions();
  void checkCondition(Frame& frame, NodeId id);

  // What a call of a function makes of these arguments; none where it cannot be followed.
  std::optional<Made> follow(Frame& frame, NodeId id, FunctionId callee, const std::vector<Attribute>& with,
                             std::vector<OutletFact> arguments);
  // The outlet whose number says which of several cases it is: the first is for false or 0, the last one for all
  // numbers that there is none for.
  struct Chooser {
    Frame* frame = nullptr;  // null where nobody knows
    Outlet outlet;
  };
  const OutletFact& numberOf(const Chooser& by) const;
  // Where the number is known.
  std::optional<std::size_t> chosenOf(const Chooser& by, std::size_t count);
  // What errors call the result of branches, and each of them.
  struct CaseNames {
    std::string result;
    std::vector<std::string> cases;
  };
  // What an outlet is that is one of these.
  OutletFact join(std::vector<OutletFact> cases, const Chooser& by, const std::string& name, Span at, CaseNames names);
  OutletFact opaque(const std::string& name, Type type, Shape shape, Span at);
  std::optional<Shape> resolvedShape(const OutletFact& fact);
  // The state of a loop while it runs, from what it starts with and what is declared of it.
  OutletFact loopState(const OutletFact& start, const PartialShape* declared, const std::string& name, Span at);
  // What a state starts with, where it is taken to keep that (steady.cc).
  std::optional<Shape> steadyShape(const OutletFact& start, const PartialShape* declared, const std::string& name);
  // Of cases and of a loop's turns what can be said now; more may be known later. True: something was learnt.
  struct Join {
    std::vector<OutletFact> cases;
    Chooser by;
    OutletFact joined;
    Span at;
    CaseNames names;
  };
  struct Loop {
    OutletFact start, state, next;
    Span at;
  };
  // What a loop ends with has sizes of its own where its state's are open: it may be unrolled.
  struct End {
    OutletFact start, state, end;
    Span at;
  };
  bool settle(const End& end);
  bool settle(Join& join);
  bool settle(const Loop& loop);
  bool settleControl();
  void close(Loop loop);
  bool fixRank(const OutletFact& fact, std::size_t rank, Span at);
  // joined.cc: what is asked of a result of branches, and what each of them gives
  struct Misfit {
    std::optional<std::size_t> axis;  // none where the ranks differ
    ShapePart wanted;
  };
  Shape flatShape(TypedId value);
  std::optional<Misfit> misfitOf(const OutletFact& one, const OutletFact& joined);
  std::string given(const OutletFact& one, const std::optional<Misfit>& misfit);
  void checkJoins();
  void checkJoin(const Join& join);
  void refuseJoin(const Join& join, const Misfit& misfit, const std::string& gives);
  OutletFact scalar(const std::string& name, Type type, std::optional<Dim> value, Span at);
  void finish(Frame& frame, NodeId id, Outcome outcome, std::vector<OutletFact> made);
  void addHintedTypes(NodeId id, std::vector<Type>& types) const;
  bool followValues(Frame& frame, NodeId id, Made& facts);
  bool followAgain();
  bool refine(const Known& before, const Known& now, Span at);
  std::vector<Type> outletTypes(const Frame& frame, const Node& node) const;
  const Hint* samplesOf(Outlet outlet) const;
  OutletFact declared(Frame& frame, NodeId id, std::size_t port, Type type);
  RuleNode ruleNode(Frame& frame, NodeId id);
  void placeHints();
  // Makes it what a hint says, or tells that the two contradict each other.
  void meet(OutletFact& fact, const Hint& hint, Span at);
  void tooManyCalls(Frame& frame, NodeId id, std::string what);
  TypeId typeFor(Type type, Shape shape, Span at);
  Shape shapeOf(const PartialShape& shape);
  PartialShape shapeOf(const Variable& variable) const;
  const GraphPlaces& placesOf(FunctionId id);

  // program.cc
  bool isTaken(Outlet outlet) const;
  void placeKnownValues();
  void noteMakers();
  bool placeFormulas(const std::vector<BindingId>& missing);
  bool placeFormula(Frame& frame, NodeId id);
  bool placeValue(const OutletFact& fact, TypedId value, const std::string& name, Span at, const std::string& subject);
  // A loop: what it starts with, its state in a turn, the next one, and what it ends with.
  struct Turns {
    Frame* frame = nullptr;
    NodeId node;  // a While, or the LoopCond
    Made starts, states, next, ends;
    OutletFact condition;
    Span at;
    std::string name;
    // Of a While: variables that its body may assign, which are its last states, and what all are when it starts.
    std::vector<VariableId> variables;
    std::map<VariableId, TypedId> assigned;
    // Of a loop of Enters: for each state where it comes from, and the Exit that it leaves by, if any.
    struct Place {
      NodeId merge, next;
      std::optional<NodeId> exit;
    };
    std::vector<Place> merges;
  };

  // unrolled.cc: loops whose states change their shapes
  struct Attempt {
    std::optional<Turn> first;  // from states of the shapes that it starts with
    bool isFollowed = false;    // the first turn
    bool isInvariant = false;   // it leaves the shapes as they are, so every turn does
    bool isTried = false;       // to be unrolled
  };
  std::vector<Turns> allLoops();
  bool isOpen(const Turns& loop);
  bool isAssumed(const Turns& loop);
  bool settleLoops();
  bool settleInvariant(const Turns& loop, Attempt& attempt);
  bool unroll(const Turns& loop);
  std::optional<bool> isTrue(const OutletFact& condition);

  // raised.cc: control flow as expressions
  // One of several values, by a number.
  struct Choice {
    Chooser by;
    std::vector<Made> cases;  // of each: what the outlets give
    Made chosen;
    Span at;
    std::string name;
  };
  void joinAssigned(std::vector<std::map<VariableId, TypedId>> branches, const std::vector<std::string>& names,
                    Choice& choice);
  bool placeControl(Frame& frame, NodeId id);
  std::optional<std::vector<Dim>> shapeBehind(TypedId value);
  bool placeTurns(Turns turns);
  bool placeChoice(const Choice& choice);
  std::optional<Turns> turnsOf(Frame& frame, NodeId exit);
  OutletFact factAt(const Frame& frame, Outlet outlet) const;
  std::optional<Choice> choiceOf(Frame& frame, NodeId merge);
  // With the inputs in the order of the cases.
  static std::optional<std::pair<Outlet, std::vector<std::uint32_t>>> chooserOf(const Frame& frame, NodeId merge);
  static Outlet beforeSwitches(const Frame& frame, Outlet outlet);
  static std::map<Outlet, unsigned> switchesBehind(const Frame& frame, Outlet outlet);
  static bool isWithinLoop(const Frame& frame, Outlet outlet);
  static std::string compositeOf(const Function& function);
  void addComposites();
  void tellNotComputed(const std::vector<Span>& places);

  // guards.cc
  // An input, with the shape that it has before anything takes it.
  struct Input {
    Outlet outlet;
    Shape shape;
  };
  static bool isRankOpen(const Input& input) { return !input.shape.empty() && input.shape[0].isVar; }
  // A size or an open rank of an input.
  struct InputPart {
    const Input* input;
    ShapePart part;
    std::size_t axis = 0;
  };
  // Those that were looked at, by what they are.
  struct InputParts {
    std::map<std::uint32_t, InputPart> sizes;
    std::map<ShapeVar, InputPart> shapes;
    std::set<DimVar> computed;  // that sizes are computed of
  };
  void keepInputs(NodeId id);
  void findGuards();
  void guardInput(const Input& input, InputParts& seen);
  void guardRank(const Input& input, const Shape& now, InputParts& seen);
  void guardSize(const Input& input, std::size_t axis, const ShapePart& size, InputParts& seen);
  std::string boundOf(Dim size, DimVar of);
  // A fact that the solver leaves open.
  struct OpenFact {
    const Constraint* constraint;
    DimFact fact;
    bool isSaid;  // by others
  };
  void simplify(DimFact& fact);
  std::vector<OpenFact> openFacts(const std::vector<Constraint>& pending);
  void guardPending(const Constraint& c, const std::string& text, const Shape& sides, const InputParts& seen);
  void guardStretch(const Constraint& c, const InputParts& seen);
  Span placeOf(const Input& input) const;
  void addInputGuard(const Input& input, const std::string& what, const Reason* why, const ShapePart& part,
                     const Input* same = nullptr);
  Guard* addGuard(std::string text, const Reason* why);
  void addSource(Guard& guard, Span place, std::string label);
  void addOrigins(Guard& guard, const ShapePart& size);
  std::string declaredShape(const Input& input);

  // Sizes that inputs bring or guards speak of have names, each one of its own; others are `?`.
  void nameSizes();
  // Element type, shape, and the value where it is short.
  std::string describe(const OutletFact& fact);
  std::string print(Dim d);
  // With a name for every size, made where there is none.
  std::string printNamed(Dim d);
  void nameSize(DimVar v, const std::string& wish);
  std::string printShape(const OutletFact& fact);
  std::string printValue(const OutletFact& fact);  // empty where it is open, or long

  // causes.cc: what errors and guards say of where their sizes come from.
  struct Site {
    Frame* frame;
    NodeId node;
  };
  std::optional<Site> siteOf(const Label& label, Frame* first);
  std::vector<Site> unknownBehind(Site site);  // program.cc
  std::optional<Site> takenFrom(Site site, Dim value);
  Site beginOfValue(Site site, Dim value);
  std::optional<Site> originIn(Site site, Dim value);
  void tellCauses();
  void tellCauses(Diagnostic& diagnostic, Frame* teller);
  // What a message says of sizes, each at the node where it began.
  using Ends = std::vector<std::pair<std::int64_t, Site>>;
  Ends followLabels(Diagnostic& diagnostic, Frame* teller);
  // ways.cc: the chains between.
  // The nodes of the shortest way from the one to the other over outlets that it may pass, both ends with it; none
  // where there is no way.
  std::vector<NodeId> wayTo(const Frame& frame, NodeId begin, NodeId end, const std::function<bool(Outlet)>& passes);
  bool bears(const Frame& frame, Outlet outlet, Dim value);
  void noteWays(Diagnostic& diagnostic, Site culprit, const Ends& ends);
  // How a node that computes a size, or a shape, came to it, and what stands at the beginning.
  std::string howMade(Site made, const std::string& what, std::optional<Dim> size);
  // Where the rank of an outlet arose: what takes other ranks only, or takes nothing.
  NodeId beginOfRank(const Frame& frame, Outlet outlet);
  void noteRanks(Diagnostic& diagnostic, Site culprit);
  std::optional<NodeId> sourceOf(Site made, std::optional<Dim> size);
  std::optional<std::pair<NodeId, Dim>> sizeBehind(const Frame& frame, NodeId node, std::optional<Dim> size);
  std::string typeText(const Frame& frame, Outlet outlet);
  std::vector<std::vector<std::int64_t>> markedSizes(const Diagnostic& diagnostic, Site site);
  void noteInputs(Diagnostic& diagnostic, Site site);
  std::string nameOf(const Frame& frame, Outlet outlet);
  std::string functionOf(const Frame& frame) const;  // whose body it is; empty of the main graph

  const Model& model_;
  SourceMap& sources_;
  Diagnostics& diagnostics_;
  GraphTyper typer_;
  GraphPlaces mainPlaces_;
  std::map<FunctionId, GraphPlaces> functionPlaces_;
  std::deque<Frame> frames_;  // the first is the main graph's
  std::size_t visited_ = 0;   // nodes, those of functions once for each call
  bool gaveUpCalls_ = false;  // which is told
  std::vector<Hint> hints_;
  std::map<NodeId, std::vector<std::pair<std::uint32_t, const Hint*>>> hintsAt_;  // in the main graph
  std::map<std::string, Dim> givenSizes_;                                         // that hints name
  std::size_t nextName_ = 0;
  std::size_t toldBefore_ = 0;            // diagnostics that are none of the analysis
  std::vector<Frame*> tellers_;           // of the others: who was at work
  std::set<NodeId> refused_;              // of the main graph: what they give is unknown
  std::map<DimVar, std::string> called_;  // sizes that have names
  std::set<std::string> taken_;
  std::vector<Waiting> waiting_;
  std::deque<Join> joins_;
  std::deque<Loop> loops_;
  Steady assumed_;
  struct SteadyState {
    std::string name;
    TypedId state;
  };
  std::vector<SteadyState> steady_;
  std::map<std::string, std::size_t> statesOf_;  // how many a loop has so far
  std::deque<End> ends_;
  std::map<std::string, std::size_t> unknown_;
  std::set<std::pair<Frame*, NodeId>> unknownNodes_;
  std::vector<std::variant<std::shared_ptr<const Tensor>, VariableId>> weights_;  // of the program, in its order
  std::map<VariableId, TypedId> variableValues_;                                  // at the start
  std::map<VariableId, TypedId> assigned_;              // what they are now, where that is another
  std::map<std::pair<Frame*, NodeId>, TypedId> reads_;  // what nodes read
  std::map<std::uint32_t, Site> madeBy_;                // by the opaque binding that an outlet comes down to
  struct CompositeCall {
    Site site;
    FunctionId function;
    std::vector<OutletFact> inputs, outputs;
  };
  std::vector<CompositeCall> compositeCalls_;
  std::map<std::pair<Frame*, NodeId>, Turns> turns_;
  std::map<std::pair<Frame*, NodeId>, Attempt> attempts_;  // by the loop
  std::set<std::pair<Frame*, NodeId>> unrolled_;           // its While, or its Exits
  std::map<std::pair<Frame*, NodeId>, std::vector<Choice>> choices_;
  std::set<std::pair<Frame*, NodeId>> tried_;  // nodes whose formulas were written down
  std::vector<DimVar> inputSizes_;             // that inputs bring: printed by name
  std::vector<Input> inputs_;
  std::vector<Guard> guards_;
  std::set<std::string> guarded_;  // their texts
};

// Runs one, and again where the states of a loop do not keep the shape that they were taken to keep: that each turn
// leaves it as it was shows that it is what it was at the start.
void analyse(std::optional<Analysis>& analysis, const Model& model, SourceMap& sources, Diagnostics& diagnostics,
             const std::vector<Hint>& hints);

}  // namespace axle::tensorflow
