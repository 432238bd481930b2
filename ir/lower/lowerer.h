// One run of lowering. Errors are recorded once; from then on everything returns nothing.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/lower/lower.h"
#include "ir/lower/value.h"
#include "ir/ops/table.h"
#include "typecheck/entry/composite.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::ir {

class Lowerer;
class Formula;
struct RaggedAxes;
struct Results;

// An application of a core operator, its types and attributes read for this instance.
struct Application {
  const TypedExpr* expr = nullptr;
  const TypedApply* apply = nullptr;
  Frame* frame = nullptr;
  const Substitution* with = nullptr;
  TypeId type;  // of the result, resolved
};

struct CoreOperator {
  std::string_view name;
  std::size_t arity;  // only to tell prefix minus; 0 for all others
  Op op;              // none where the rule knows
  std::optional<Value> (Lowerer::*lower)(const Application&, const CoreOperator&);
  Results (*formula)(Formula&) = nullptr;  // of the rules that carry out formulas
};
const std::vector<CoreOperator>& coreOperators();
// Those that are formulas over others, a family for each file.
std::span<const CoreOperator> elementwiseFormulas();
std::span<const CoreOperator> reductionFormulas();
std::span<const CoreOperator> structureFormulas();
std::span<const CoreOperator> indexingFormulas();

// A graph while it is built, within the one that its operator stands in.
struct Scope {
  GraphId graph;
  std::uint32_t parent = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OutletId> imported;  // (scope, outlet) seen from here
  std::vector<std::pair<Tensor, OutletId>> captures;                     // what is outside, the input here
  std::unordered_map<std::uint32_t, OutletId> constants;                 // by ConstantId
  std::vector<DimVar> outerSizes;                                        // mentioned here, found outside
};

class Lowerer {
 public:
  Lowerer(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits, bool traces);
  Lowered run();

  // Rules of the core operators; each is named in `coreOperators`.
  std::optional<Value> lowerPointwise(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerCast(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerDirect(const Application& a, const CoreOperator& core);   // inputs in order, no attributes
  std::optional<Value> lowerReshape(const Application& a, const CoreOperator& core);  // to the result's shape
  std::optional<Value> lowerTranspose(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerConv(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerDepthwise(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerConvTranspose(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerPool(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerConcat(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerSplit(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerAlongAxis(const Application& a, const CoreOperator& core);  // reverse, gather
  std::optional<Value> lowerEmbedding(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerPad(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerPadAxis(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerEinsum(const Application& a, const CoreOperator& core);  // and what an equation says
  std::optional<Value> lowerInner(const Application& a, const CoreOperator& core);   // outer too
  std::optional<Value> lowerResize(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerPatches(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerFrame(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerOverlapAdd(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerFourier(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerSlice(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerUpsample(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerShape(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerSize(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerNonzero(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerArangeTo(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerToDense(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerToRagged(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerSameLengths(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerReduce(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerMap(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerLoop(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerWhile(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerElementwise(const Application& a, const CoreOperator& core);  // a formula that broadcasts
  std::optional<Value> lowerFormula(const Application& a, const CoreOperator& core);      // any other formula

 private:
  friend class Formula;

  // expressions.cc
  std::optional<Model> lowerEntry();
  std::optional<Value> eval(TypedId id, Frame* frame, const Substitution* with);
  std::optional<Value> evalNode(const TypedExpr& expr, TypedId id, Frame* frame, const Substitution* with);
  std::optional<Value> evalRef(const TypedExpr& expr, const TypedRef& ref, Frame* frame, const Substitution* with);
  std::optional<Value> evalLiteral(const TypedExpr& expr, const TypedLiteral& literal, const Substitution* with);
  std::optional<Value> evalDim(const TypedExpr& expr, const TypedDim& dim, const Substitution* with);
  std::optional<Value> evalStatic(const TypedExpr& expr, const TypedStatic& given, const Substitution* with);
  std::optional<Value> evalApply(const TypedExpr& expr, const TypedApply& apply, Frame* frame,
                                 const Substitution* with);
  std::optional<Value> evalCall(const TypedExpr& expr, const TypedCall& call, Frame* frame, const Substitution* with);
  std::optional<Value> evalBlock(const TypedBlock& block, Frame* frame, const Substitution* with);
  std::optional<Value> evalTuple(const TypedTuple& tuple, Frame* frame, const Substitution* with);
  std::optional<Value> evalIf(const TypedExpr& expr, const TypedIf& branch, Frame* frame, const Substitution* with);
  std::optional<Value> evalMatch(const TypedMatch& match, Frame* frame, const Substitution* with);
  std::optional<Value> evalWeight(const TypedBinding& binding);
  std::optional<Value> topLevelValue(BindingId binding, Span use);
  std::optional<Value> apply(const Closure& closure, std::vector<Value> arguments, Span span);
  bool bind(const TypedPattern& pattern, const TypedLet& let, std::optional<Value> value, Frame* frame,
            const Substitution* with);
  void trace(BindingId binding, const Value& value, TypeId type, const std::string& name);
  std::string tracedName(BindingId binding, bool isTopLevel) const;
  bool evalLet(const TypedLet& let, Frame* frame, const Substitution* with);
  const Substitution* instantiate(const Substitution& defined, const Substitution& use, const Instantiation& with);

  // graphs.cc
  Graph& graph() { return model_.graphs[scopes_[scope_].graph.index]; }
  const Fact& fact(const Tensor& tensor) const;
  std::optional<Tensor> emit(Op op, const std::vector<Tensor>& inputs, std::vector<Dim> ints, Fact fact);
  std::optional<std::vector<Tensor>> emitNode(Node node, const std::vector<Tensor>& inputs, std::vector<Fact> facts);
  Tensor constant(ConstantId id, Span span);
  Tensor constantHere(ConstantId id);
  OutletId here(const Tensor& tensor);
  OutletId hereFrom(std::uint32_t scope, const Tensor& tensor);
  OutletId source(std::uint32_t scope, Op op, Fact fact);
  std::optional<Tensor> whole(const Tensor& tensor);  // a splat materialised
  bool flatten(const Value& value, std::vector<Tensor>& into, Span span, const char* where);
  Value rebuild(TypeId type, const std::vector<Tensor>& flat, std::size_t& next);
  bool factsOf(TypeId type, std::vector<Fact>& into, Span span, const char* where);
  std::optional<Fact> factOf(TypeId type, Span span);
  std::optional<Fact> fact(const TypeTerm& tensor, Span span);
  bool sizeIsKnown(Dim dim, Span span);

  // ragged.cc
  struct Ragged {
    std::uint32_t scope = 0;
    Tensor splits;  // i64, from 0; one more than there are elements of the dimensions before it
    Dim rows;       // what the last one is
  };
  const Ragged* raggedOf(DimVar length) const;  // none where it is not known here
  std::vector<DimVar> raggedLengths(TypeId tensor);
  // The shape that a tensor of this type flows in: all dimensions up to the last ragged one are one, of rows.
  std::optional<std::vector<Dim>> flatShape(const Shape& shape, Span span);
  struct RaggedShape {
    DimVar length;         // the last one of the type
    std::size_t axis = 0;  // where it stands; rows are this and all before it
  };
  std::optional<RaggedShape> raggedShape(TypeId type);
  std::vector<Dim> tailOf(TypeId type, const RaggedShape& ragged);
  Ragged lengthsOf(DimVar length);
  Dim placesOf(const Ragged& ragged);
  std::vector<Value> inputValues();  // of the entry's parameters; adds the inputs
  bool addOutputs(const std::vector<Tensor>& outputs);

  // ragged_ops.cc
  struct RaggedRule {
    std::string_view name;
    std::optional<Value> (Lowerer::*lower)(const Application&, const CoreOperator&);  // none: as for dense tensors
  };
  static const RaggedRule* raggedRule(const CoreOperator& core);
  std::nullopt_t notForRagged(const Application& a, const CoreOperator& core, const char* what = "");
  bool isRagged(const Application& a);
  std::optional<Value> lowerRaggedPointwise(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerRaggedTail(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerRaggedReduce(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerRaggedMatmul(const Application& a, const CoreOperator& core);
  std::optional<Value> lowerRaggedConcat(const Application& a, const CoreOperator& core);
  std::optional<Tensor> spread(const Tensor& operand, TypeId type, TypeId resultType, const RaggedShape& result);
  // Rows put together with the start of their place.
  std::optional<Tensor> scatterReduce(Op op, const Tensor& start, const Tensor& rows, const Tensor& places);
  std::optional<Tensor> foldRows(const Closure& combine, const Tensor& start, const Tensor& rows, const Ragged& lengths,
                                 const Fact& slice, Span span);

  // ragged_formulas.cc
  std::optional<Value> lowerRaggedFormula(const Application& a, const CoreOperator& core);
  std::optional<RaggedAxes> groupsOver(TypeId type, const RaggedShape& ragged, const std::vector<std::size_t>& axes);

  // ragged_parts.cc; after a failure they give anything
  Tensor number(Dim value);
  Tensor numbers(std::vector<Dim> values);
  Tensor integers(Op op, const Tensor& a, const Tensor& b);
  Tensor numberAt(const Tensor& vector, Dim index);
  Tensor rowsAt(const Tensor& rows, const Tensor& ids);
  Tensor countUp(Dim count);
  Tensor shapedAs(const Tensor& x, std::vector<Dim> shape);
  Tensor placesOfRows(const Ragged& ragged);
  Tensor splitsOf(const Tensor& lengths);
  void findSize(DimVar size, const Tensor& value, Dim most);

  // found.cc
  struct Found {
    std::uint32_t scope = 0;
    OutletId outlet;  // none until the node that finds it is there
  };
  bool isInside(std::uint32_t scope) const;  // the current one, or one around it
  bool isFound(DimVar v) const;
  // Whether the node that is emitted next is the one to find it; where it is known already, the run compares.
  bool willFind(DimVar v, Dim most);
  void willFindSizes(const Application& a, const std::vector<Tensor>& inputs);
  DimVar newSize(std::string name);
  // What must come before a node, because it finds sizes that the node mentions.
  void orderAfter(Node& node, const std::vector<Tensor>& inputs, const std::vector<Fact>& facts);
  bool matchSizes(TypeId is, TypeId wanted, Span span);
  void checkIsSize(Dim size, Span span, Node& node);
  std::optional<Tensor> checkedShape(const Tensor& tensor, const TypedMatch& match, const Substitution* with);
  // Makes what mentions sizes of `checked` wait for its check; gives who found them.
  std::vector<std::pair<DimVar, Found>> foundBy(const Tensor& checked);
  std::optional<Value> gated(const Value& value, const Tensor& gate);

  struct Body {
    std::uint32_t scope = 0;
    std::vector<OutletId> fed;
    std::vector<Tensor> outputs;
    Value result;
  };
  using BodyValue = std::function<std::optional<Value>(const std::vector<Tensor>&)>;
  std::optional<Body> buildBody(const std::vector<Fact>& fed, Span span, const char* where, const BodyValue& value);
  std::vector<Tensor> closeBodies(
      const std::vector<Body*>& bodies);  // their captures, in the order of the bodies' inputs

  // rounds.cc
  struct Rounds {  // what `map` and `loop` go over
    Dim count;
    std::vector<Tensor> sequences;
    std::vector<TypeId> types;
    bool ragged = false;         // one of them is: its elements are taken in the body, by a count that is fed too
    std::vector<Tensor> fed;     // to the operator
    std::vector<Fact> elements;  // to the body
  };
  struct NewLengths {  // of a ragged result that each round makes
    DimVar length;
    Dim places, most;            // of one round: how many lengths, and their sum at most
    std::optional<DimVar> rows;  // where the rows that the operator collects are their sum
  };
  std::optional<Rounds> roundsOver(const Application& a, std::size_t from);
  std::optional<std::vector<Value>> elementsOf(const Rounds& rounds, const std::vector<Tensor>& fed, const Closure& f,
                                               std::size_t firstParameter, Span span);
  std::optional<Tensor> raggedElement(const Tensor& rows, TypeId whole, TypeId element, const Tensor& index, Span span);
  std::optional<Value> asRows(const Value& value, const std::vector<TypeId>& elements,
                              const std::vector<TypeId>& wholes, std::size_t& leaf);
  std::optional<Value> withLengths(Value result, TypeId element, TypeId whole, std::vector<NewLengths>& made);
  bool collectedFacts(const Body& body, std::size_t states, Dim count, TypeId whole, std::vector<NewLengths>& made,
                      Node& node, std::vector<Fact>& facts, Span span);
  bool keepLengths(const std::vector<Tensor>& outputs, const std::vector<NewLengths>& made, Dim count);
  bool isKnownHere(Dim dim) const;
  TypeId resultOf(const Closure& f);

  // composites.cc
  void leavesOf(const Value& value, std::vector<std::optional<Tensor>>& into) const;
  void leafTypes(TypeId type, Types& into) const;
  void addComposite(Composite composite, const std::vector<std::optional<Tensor>>& inputs,
                    const std::vector<std::optional<Tensor>>& outputs);
  void addCall(const TypedExpr& expr, const TypedCall& call, const TypedBinding& callee,
               const std::vector<Value>& arguments, const Value& result, const Substitution* with);
  void addGraphComposites();

  // preconditions.cc
  bool preconditionsHold(const Application& a, std::string_view op);

  // statics.cc
  StaticId attribute(const Application& a, std::size_t index);
  std::optional<std::size_t> attributeNamed(const Application& a, std::string_view name);
  std::optional<std::vector<Dim>> dimList(const Application& a, std::string_view name, std::size_t count);
  std::optional<Dim> dimAttribute(const Application& a, std::string_view name);
  std::string wordAttribute(const Application& a, std::string_view name);
  bool boolAttribute(const Application& a, std::string_view name);
  std::optional<std::size_t> axisAttribute(const Application& a, std::size_t rank);
  std::optional<std::size_t> flatAxis(const Application& a, const Tensor& first);
  struct Window {
    Dim size, extent, stride, result;  // extent: of the dilated window
  };

  // windows.cc
  std::optional<std::vector<Dim>> padding(const Application& a, const std::vector<Window>& windows);
  std::optional<Tensor> emitConv(const Application& a, Op op, const std::vector<Tensor>& inputs, Dim groups,
                                 Fact result);
  Dim dilated(Dim size, Dim dilation);

  // padding.cc
  std::optional<Tensor> along(std::size_t axis, const Tensor& x, Dim start, Dim length);
  std::optional<Tensor> mirrored(std::size_t axis, const Tensor& x, Dim start, Dim length);
  std::optional<Tensor> repeated(std::size_t axis, const Tensor& x, Dim start, Dim length, Dim times);
  std::optional<Tensor> padAlong(std::size_t axis, const Tensor& x, Dim before, Dim after, const std::string& mode);

  // signal.cc
  std::optional<Tensor> transposed(const Tensor& x, const std::vector<std::size_t>& perm);
  std::optional<Tensor> framed(const Tensor& x, std::size_t axis, Dim frames, Dim length, Dim step);

  // contraction.cc
  struct Labelled;
  std::optional<Tensor> reshaped(const Tensor& x, std::vector<Dim> shape);
  std::optional<Tensor> sumOver(const Tensor& x, std::size_t axis);
  std::optional<Tensor> diagonal(const Tensor& x);
  std::optional<Labelled> simplified(Labelled x, const std::set<int>& elsewhere);
  std::optional<Labelled> ordered(Labelled x, const std::vector<int>& order);
  std::optional<Labelled> product(Labelled a, Labelled b, const std::set<int>& kept);
  std::optional<std::vector<std::vector<int>>> einsumLabels(
      const Application& a, const CoreOperator& core,
      const std::vector<std::size_t>& ranks);  // the result's last
  std::optional<Value> lowerRaggedEinsum(const Application& a, const CoreOperator& core);
  std::optional<Tensor> contract(std::vector<Labelled> operands, const std::vector<int>& result);

  // operators.cc, functional.cc
  std::optional<std::vector<Tensor>> arguments(const Application& a, bool wholes);
  TypeId argumentType(const Application& a, std::size_t index);
  std::optional<Closure> function(const Application& a, std::size_t argument);
  std::optional<Value> tensor(std::optional<Tensor> t);
  std::optional<Value> stretched(Tensor computed, Fact result, Span span);
  std::optional<Op> reductionOf(const Closure& closure) const;
  std::optional<Value> pointwise(const Application& a, const CoreOperator& core, std::vector<Tensor> inputs);
  std::optional<Value> elementwise(const Application& a, const CoreOperator& core, std::vector<Tensor> inputs);
  std::optional<Value> reduceAlong(const Application& a, const CoreOperator& core, std::optional<std::size_t> axis);
  std::optional<Tensor> foldAlong(const Closure& combine, const Tensor& init, const Tensor& x, std::size_t axis,
                                  const Fact& slice, Span span);
  std::optional<std::vector<Tensor>> evalSequences(const Application& a, std::size_t from);

  std::nullopt_t fail(const DiagnosticCode& code, std::string message, Span span, std::string label = {},
                      std::string help = {});
  std::nullopt_t outOfRange(const std::string& number, Elem elem, Span span);
  std::nullopt_t unexpected(const std::string& what, Span span);  // what a checked program should not hold

  Checked& checked_;
  const Entry& entry_;
  Diagnostics& diagnostics_;
  LowerLimits limits_;
  const TypedProgram& program_;
  Solution& solution_;
  const OperatorTable& operators_;
  Model model_;
  std::vector<Scope> scopes_;
  std::uint32_t scope_ = 0;
  std::deque<Frame> frames_;
  std::deque<Substitution> substitutions_;
  const Substitution* top_ = nullptr;  // what top-level bindings are read with
  Frame topFrame_;
  std::unordered_map<std::uint32_t, std::uint32_t> topLets_;  // binding -> let
  std::unordered_set<std::uint32_t> openLets_;                // being lowered
  std::unordered_map<std::uint32_t, Value> weights_;
  std::unordered_map<std::uint32_t, const CoreOperator*> rules_;  // by operator
  std::unordered_set<std::uint32_t> symbols_, knownDims_;
  std::unordered_map<std::uint32_t, Found> found_;    // by DimVar
  std::unordered_map<std::uint32_t, Ragged> ragged_;  // by DimVar of the length
  std::vector<Span> calls_;                           // being inlined
  std::vector<std::string> path_;
  std::vector<Span> spans_;                           // of the expressions being lowered
  std::unordered_map<std::uint32_t, Dim> stretches_;  // by DimVar: 1, or this
  bool traces_;
  std::vector<Traced> traced_;
  bool anyRagged_ = false;
  std::size_t nodes_ = 0, callCount_ = 0, nesting_ = 0;
  std::string bug_;
  bool failed_ = false;
  bool namedSizes_ = false;  // types that were resolved before may know less than they do now
};

}  // namespace axle::ir
