// AST -> typed AST: name resolution, Hindley-Milner inference with shape constraints, entries (docs/language.md).
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dims/decide/decider.h"
#include "frontend/diagnostic.h"
#include "frontend/modules.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle {

// The type of a tensor in a weights file.
struct WeightType {
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
};

// The weights file as the checker sees it.
struct WeightSource {
  std::string path;
  std::function<std::optional<WeightType>(const std::string& tensor)> find;
  std::function<std::optional<std::string>(const std::string& tensor)>
      unreadable;                  // why a tensor that is in the file is not found
  std::vector<std::string> names;  // for "did you mean"
};

// How to treat a size that an entry's signature or a `param` names and that inference finds to be a number or another
// name.
enum class Narrowing : std::uint8_t { warned, refused, allowed };

struct CheckOptions {
  const WeightSource* weights = nullptr;  // none: types of `param`s come from annotations and uses alone
  std::span<const CoreOp> operators = coreOps();
  bool keepProofs = false;     // for `functionFacts` and `Entry::proved`
  std::string entry = "main";  // the sizes that its parameters name are promised; empty: no entry
  Narrowing narrowing = Narrowing::warned;
  // Streamed dimensions may be needed whole and equal other sizes, as in a batch run; analysis of the lowered graph
  // reports what cannot stream (ir/stream/analysis.h).
  bool streamsAreSizes = false;
  // A check gives up past this many terms in the arithmetic of sizes, or this much work on shapes.
  std::uint64_t dimWork = maxDimWork, work = maxWork;
  // Once set, checks and queries of the checked program throw Interrupted. Null: never.
  const std::atomic<bool>* interrupt = nullptr;
};

class Checked;
struct CheckedDeleter {
  void operator()(Checked* checked) const;
};
using CheckedPtr = std::unique_ptr<Checked, CheckedDeleter>;

// Checks all modules. Returns a result even after errors, as far as it goes (bindings with errors have error types).
// `modules` and `sources` must outlive it.
CheckedPtr check(const Modules& modules, const SourceMap& sources, const CheckOptions& options,
                 Diagnostics& diagnostics);

// Checks more of a program: the items of the last of its modules, which was added since and is read in the program's
// scope. This may refine the types of existing names.
void checkMore(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics);

// One printed line: NAME : TYPE [where ...].
struct BindingType {
  std::string name;
  std::string type;
};
using BindingPrinter = std::string (*)(Checked&, BindingId);  // `printBinding` or `printSignature` of report/query.h
std::vector<BindingType> bindingTypes(Checked& checked, BindingPrinter print);

// A fact that an operator or a callee requires and that holds.
struct ProvedFact {
  DimFact fact;
  decide::Tier tier = decide::Tier::normalForm;
};

// A clause that a user may state so that a fact is no longer left open: it implies the fact, and some sizes satisfy it.
struct Proposal {
  std::string where;     // "n % 2 == 0", in the names of the signature
  bool isNeeded = true;  // the fact implies it, too
};

struct LeftFact {
  std::string text;
  DimFact fact;
  std::optional<Proposal> proposal;
};

// The facts of one top-level binding of the root module.
struct FunctionFacts {
  std::string name;
  std::vector<std::pair<std::string, ProvedFact>> proved;  // with their texts, in the names of the type
  std::vector<std::pair<std::string, DimFact>> assumed;    // its `where`
  std::vector<LeftFact> left;                              // left to callers
  std::vector<std::pair<std::string, DimFact>> leftToRun;  // checked during the run, at their place in the program
  std::vector<std::pair<std::string, DimFact>> delays;     // facts that streams satisfy after a delay
};
std::vector<FunctionFacts> functionFacts(Checked& checked);  // bindings with facts, in program order

struct EntryOptions {
  std::string name = "main";
  std::map<std::string, std::int64_t> dims;                 // --set n=4
  std::map<std::string, std::vector<std::int64_t>> shapes;  // --set s=[2,3]
  std::map<std::string, std::size_t> inputRanks;            // of known inputs: specialises a rank-polymorphic entry
};

struct EntryPort {
  std::string
      name;     // flat: a parameter's `x`, or `x.0`, `x.1.0`, ... if it is a tuple; a result's `out`, or `out.0`, ...
  TypeId type;  // a tensor, resolved
  std::string text;  // as printed
  // Axes of an input whose size is a number with a name given by the user, and that symbol: a guard compares them.
  std::vector<std::pair<std::size_t, Dim>> named;
};

// A ragged length of the inputs.
struct RaggedLength {
  DimVar length;
  DimVar rows;  // the symbol of the total of its lengths
};

// An entry made monomorphic: elements defaulted, ranks known, every size of an input a polynomial of `symbols`.
struct Entry {
  std::string name;
  TypedId function;                // the lambda
  std::vector<TypeId> parameters;  // their types, resolved; the inputs are the tensors of all, in order
  Substitution substitution;       // to read its body with
  std::vector<EntryPort> inputs;
  std::vector<EntryPort> outputs;
  std::vector<DimVar> symbols;  // in an order in which they can be bound from the inputs
  std::vector<RaggedLength> lengths;
  std::vector<DimFact> guards;     // facts to check once sizes are known, including those of the run
  std::vector<ProvedFact> proved;  // proved facts that the function left open
  std::string type;
};

// An entry that cannot be prepared before the rank of one of its inputs is known.
struct OpenEntry {
  std::string input;  // the first input whose rank decides a shape
  std::size_t least = 0;
  std::size_t variables = 0;  // number of open shapes
  std::string type;
  std::vector<std::string> inputs, outputs;  // as printed, in the names of the type
};

// Prepares an entry. Returns none, with diagnostics, if the entry is missing, is not a function of tensors, or has an
// open rank. If some input's rank would decide it and `open` is given, sets `open` instead of reporting an error. A
// value (not a function) is an entry without inputs.
std::optional<Entry> prepareEntry(Checked& checked, const EntryOptions& options, Diagnostics& diagnostics,
                                  std::optional<OpenEntry>* open = nullptr);

// A tensor by which an input is given. A ragged input is given by its rows, and row splits for each of its lengths,
// outermost first.
struct InputTensor {
  std::string name;   // `x`, `x.splits`, `x.splits.1`
  std::size_t input;  // index of the entry's input
  std::vector<Dim> shape;
  std::optional<DimVar> splitsOf;  // the length
  Dim rows;                        // of row splits: the value of the last one
};
// With `named`, a number with a name given by the user is that symbol.
std::vector<InputTensor> inputTensors(Solution& solution, const Entry& entry, bool named);

// Returns the name of the row splits of a ragged input or result, outermost first.
std::string splitsName(const std::string& port, std::size_t level);
// Returns the ragged length if the size is one.
std::optional<DimVar> raggedLength(Solution& solution, Dim size);
// Returns the dimensions before a ragged length, of which it is a function.
std::vector<Dim> dimensionsBefore(Solution& solution, DimVar length);

const TypedProgram& program(const Checked& checked);
Solution& solution(Checked& checked);
const OperatorTable& operators(const Checked& checked);
decide::Statistics solverStatistics(const Checked& checked);
std::string printFact(Checked& checked, const DimFact& fact);
// Returns for each guard of an entry the clause that its function may state instead.
std::vector<std::optional<Proposal>> proposals(Checked& checked, const Entry& entry);

}  // namespace axle
