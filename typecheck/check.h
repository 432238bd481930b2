// AST -> typed AST: names, Hindley-Milner inference with shape constraints, entries (docs/language.md).
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

// What the checker asks of a weights file.
struct WeightSource {
  std::string path;
  std::function<std::optional<WeightType>(const std::string& tensor)> find;
  std::function<std::optional<std::string>(const std::string& tensor)>
      unreadable;                  // why one that is there is not found
  std::vector<std::string> names;  // for "did you mean"
};

// What becomes of a size that an entry's signature or a `param` names and inference makes a number or another name.
enum class Narrowing : std::uint8_t { warned, refused, allowed };

struct CheckOptions {
  const WeightSource* weights = nullptr;  // none: types of `param`s come from annotations and uses alone
  std::span<const CoreOp> operators = coreOps();
  bool keepProofs = false;     // for `functionFacts` and `Entry::proved`
  std::string entry = "main";  // the sizes that its parameters name are promised; empty: there is none
  Narrowing narrowing = Narrowing::warned;
  // Streamed dimensions may be needed whole and be equal to other sizes, as in a batch run: what cannot stream is told
  // of the lowered graph (ir/stream/analysis.h).
  bool streamsAreSizes = false;
  // A check is given up past so many terms of arithmetic of sizes, and past so much looking at shapes.
  std::uint64_t dimWork = maxDimWork, work = maxWork;
  // Once it is set, checks and queries of the checked program throw Interrupted. Null: never.
  const std::atomic<bool>* interrupt = nullptr;
};

class Checked;
struct CheckedDeleter {
  void operator()(Checked* checked) const;
};
using CheckedPtr = std::unique_ptr<Checked, CheckedDeleter>;

// Checks all modules; the result is there also when there were errors, as far as it goes (bindings with errors have
// error types). `modules` and `sources` must outlive it.
CheckedPtr check(const Modules& modules, const SourceMap& sources, const CheckOptions& options,
                 Diagnostics& diagnostics);

// Checks more of a program: the items of the last of its modules, which was added since and is read in the program's
// scope. What it says of names that were there may become better known.
void checkMore(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics);

// One printed line: NAME : TYPE [where ...].
struct BindingType {
  std::string name;
  std::string type;
};
std::vector<BindingType> bindingTypes(Checked& checked);

// A fact that an operator or a callee asked for and that holds.
struct ProvedFact {
  DimFact fact;
  decide::Tier tier = decide::Tier::normalForm;
};

// A clause that a user may state so that a fact is left no more: it suffices, and some sizes satisfy it.
struct Proposal {
  std::string where;     // "n % 2 == 0", in the names of the signature
  bool isNeeded = true;  // the fact says no less
};

struct LeftFact {
  std::string text;
  DimFact fact;
  std::optional<Proposal> proposal;
};

// What became of the facts of one top-level binding of the root module.
struct FunctionFacts {
  std::string name;
  std::vector<std::pair<std::string, ProvedFact>> proved;  // with their texts, in the names of the type
  std::vector<std::pair<std::string, DimFact>> assumed;    // its `where`
  std::vector<LeftFact> left;                              // to callers
  std::vector<std::pair<std::string, DimFact>> leftToRun;  // checked where it stands
  std::vector<std::pair<std::string, DimFact>> delays;     // that a stream comes to meet
};
std::vector<FunctionFacts> functionFacts(Checked& checked);  // those with facts, in program order

struct EntryOptions {
  std::string name = "main";
  std::map<std::string, std::int64_t> dims;                 // --set n=4
  std::map<std::string, std::vector<std::int64_t>> shapes;  // --set s=[2,3]
  std::map<std::string, std::size_t> inputRanks;            // of known inputs: specialises a rank-polymorphic entry
};

struct EntryPort {
  std::string
      name;  // flat: a parameter's `x`, or `x.0`, `x.1.0`, ... where it is a tuple; a result's `out`, or `out.0`, ...
  TypeId type;       // a tensor, resolved
  std::string text;  // as printed
  // Axes of an input whose size is a number and bears a name of the user's, with that symbol: a guard compares them.
  std::vector<std::pair<std::size_t, Dim>> named;
};

// A ragged length of the inputs.
struct RaggedLength {
  DimVar length;
  DimVar rows;  // the symbol of the sum of its lengths
};

// An entry made monomorphic: elements defaulted, ranks known, every size of an input a polynomial of `symbols`.
struct Entry {
  std::string name;
  TypedId function;                // the lambda
  std::vector<TypeId> parameters;  // their types, resolved; the inputs are the tensors of all, in order
  Substitution substitution;       // to read its body with
  std::vector<EntryPort> inputs;
  std::vector<EntryPort> outputs;
  std::vector<DimVar> symbols;  // in the order in which they can be bound from the inputs
  std::vector<RaggedLength> lengths;
  std::vector<DimFact> guards;     // what is left to check when sizes are known, those of the run included
  std::vector<ProvedFact> proved;  // of what the function left open
  std::string type;
};

// An entry that cannot be prepared before the rank of one of its inputs is known.
struct OpenEntry {
  std::string input;  // the first of those whose rank decides a shape
  std::size_t least = 0;
  std::size_t variables = 0;  // shapes that are open in all
  std::string type;
  std::vector<std::string> inputs, outputs;  // as printed, in the names of the type
};

// None, with diagnostics, where the entry is missing, is no function of tensors, or stays open in rank; of one that
// some input's rank would decide `open`, where it is given, tells instead. A value (no function) is an entry without
// inputs.
std::optional<Entry> prepareEntry(Checked& checked, const EntryOptions& options, Diagnostics& diagnostics,
                                  std::optional<OpenEntry>* open = nullptr);

// What an input is given as: a tensor; of a ragged one its rows, and row splits for each of its lengths, outermost
// first.
struct InputTensor {
  std::string name;   // `x`, `x.splits`, `x.splits.1`
  std::size_t input;  // of the entry
  std::vector<Dim> shape;
  std::optional<DimVar> splitsOf;  // the length
  Dim rows;                        // of row splits: what the last one is
};
// With `named` a number that bears a name of the user's is that symbol.
std::vector<InputTensor> inputTensors(Solution& solution, const Entry& entry, bool named);

// The name of the row splits of a ragged input or result, outermost first.
std::string splitsName(const std::string& port, std::size_t level);
// A ragged length that a size is, if it is one.
std::optional<DimVar> raggedLength(Solution& solution, Dim size);
// The dimensions before it, whose function a ragged length is.
std::vector<Dim> dimensionsBefore(Solution& solution, DimVar length);

const TypedProgram& program(const Checked& checked);
Solution& solution(Checked& checked);
const OperatorTable& operators(const Checked& checked);
decide::Statistics solverStatistics(const Checked& checked);
std::string printFact(Checked& checked, const DimFact& fact);
// For each guard of an entry what its function may state instead.
std::vector<std::optional<Proposal>> proposals(Checked& checked, const Entry& entry);

}  // namespace axle
