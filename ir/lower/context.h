// The state of one lowering. It has no behaviour of its own: each phase is a set of free functions over it, declared in
// the headers of this folder. The state records the first error; from then on every function may return nothing or any
// value.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/lower/lower.h"
#include "ir/lower/value.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::ir::lowering {

struct CoreOperator;

using Dims = std::vector<Dim>;

// An offset of an iterator.
inline std::ptrdiff_t offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

// A graph under construction, nested in the graph of its operator's node.
struct Scope {
  GraphId graph;
  std::uint32_t parent = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OutletId> imported;  // (scope, outlet) outside -> the outlet here
  std::vector<std::pair<Tensor, OutletId>> captures;                     // the tensor outside, the input here
  std::unordered_map<std::uint32_t, OutletId> constants;                 // by ConstantId
  std::vector<DimVar> outerSizes;                                        // run-time sizes used here, computed outside
};

// The node that computes a run-time size.
struct RunSizeSource {
  std::uint32_t scope = 0;
  OutletId outlet;  // none until the node is added
};

// The run-time tensors that describe the lengths of one ragged dimension. All tensors with this length share them.
struct RaggedLengths {
  std::uint32_t scope = 0;
  Tensor splits;  // i64, begins with 0; one element more than there are segments
  Dim rows;       // the last element of `splits`
};

struct Context {
  Context(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits);

  // The checked program and the entry; only `solution` grows.
  const Entry& entry;
  const TypedProgram& program;
  Solution& solution;
  const OperatorTable& operators;
  const SourceMap& sources;
  LowerLimits limits;
  Diagnostics& diagnostics;
  bool tracing = false;    // whether to fill `traced`
  bool anyRagged = false;  // whether the program has any ragged dimension

  // The results.
  Model model;
  std::vector<Traced> traced;
  std::string bug;
  bool failed = false;

  // The graphs under construction; scope 0 is the main graph.
  std::vector<Scope> scopes;
  std::uint32_t scope = 0;  // the current one
  std::size_t nodeCount = 0;

  // Names and values.
  std::deque<Frame> frames;
  std::deque<Substitution> substitutions;
  const Substitution* topSubstitution = nullptr;  // of top-level bindings
  Frame topFrame;
  std::unordered_map<std::uint32_t, std::uint32_t> topLets;  // binding -> let
  std::unordered_set<std::uint32_t> startedLets;             // top-level lets whose lowering has begun
  std::unordered_map<std::uint32_t, Value> weights;
  std::unordered_map<std::uint32_t, const CoreOperator*> operatorRows;  // by operator

  // Sizes.
  std::unordered_set<std::uint32_t> symbols;                       // of the entry, by DimVar
  std::unordered_set<std::uint32_t> knownDims;                     // arithmetic over symbols alone, by Dim
  std::unordered_map<std::uint32_t, RunSizeSource> runSizes;       // by DimVar
  std::unordered_map<std::uint32_t, RaggedLengths> raggedLengths;  // by DimVar of the length
  std::unordered_map<std::uint32_t, Dim> broadcastSizes;           // by DimVar of a size that is 1 or this one
  bool matchBoundSizes = false;  // a `match` has bound sizes, so types resolved before have to be resolved again

  // The current place in the program, for names, spans and limits.
  std::vector<Span> calls;            // being inlined, outermost first
  std::vector<std::string> namePath;  // bindings and functions around the current expression
  std::vector<Span> spans;            // of the expressions around the current one
  std::size_t callCount = 0, nesting = 0;

  DimStore& dims() const { return *model.dims; }
  Graph& graphOf(std::uint32_t scope) { return model.graphs[scopes[scope].graph.index]; }
  const Graph& graphOf(std::uint32_t scope) const { return model.graphs[scopes[scope].graph.index]; }
  Graph& graph() { return graphOf(scope); }
  const TypeTerm& type(TypeId id) const { return solution.types[id]; }
};

inline Dim constantDim(Context& c, std::size_t value) { return c.dims().constant(static_cast<std::int64_t>(value)); }

// The type of an expression, for one instance of the code around it.
inline TypeId typeOf(Context& c, TypedId id, const Environment& environment) {
  return c.solution.resolve(c.program[id].type, environment.substitution);
}

// Pushes a value onto a stack; its destructor pops it.
template <class T>
class ScopedPush {
 public:
  ScopedPush(std::vector<T>& stack, T value) : stack_(stack) { stack_.push_back(std::move(value)); }
  ~ScopedPush() { stack_.pop_back(); }
  ScopedPush(const ScopedPush&) = delete;
  ScopedPush& operator=(const ScopedPush&) = delete;

 private:
  std::vector<T>& stack_;
};

// Records the diagnostic, with the call that was inlined there. Only the first failure is recorded.
std::nullopt_t fail(Context& c, Diagnostic diagnostic);
// Records a bug of the compiler: something that a checked program cannot contain.
std::nullopt_t reportBug(Context& c, const std::string& what, Span span);

}  // namespace axle::ir::lowering
