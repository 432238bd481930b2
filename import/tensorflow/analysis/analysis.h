// Infers facts about every outlet of an imported graph, with the inference and the solver of the language
// (papers/tfdeploy-report.txt, section 2).
//
// `Analysis` is the state. Its phases are functions over it, each in its own file: see README.md.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/builder/graph_typer.h"
#include "import/builder/open_facts.h"
#include "import/builder/size_names.h"
#include "import/tensorflow/analysis/branches.h"
#include "import/tensorflow/analysis/calls.h"
#include "import/tensorflow/analysis/frame.h"
#include "import/tensorflow/analysis/guards.h"
#include "import/tensorflow/analysis/hints.h"
#include "import/tensorflow/analysis/loops.h"
#include "import/tensorflow/analysis/program.h"
#include "import/tensorflow/analysis/variables.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// An input of the graph, with its shape before other nodes restrict it.
struct Input {
  Outlet outlet;
  Shape shape;
  bool hasOpenRank() const { return !shape.empty() && shape[0].isVar; }
};

// The command line's hints about tensors of the main graph.
struct PlacedHints {
  std::vector<Hint> all;
  std::map<NodeId, std::vector<std::pair<std::uint32_t, const Hint*>>> byNode;  // with the port
  std::map<std::string, Dim> sizes;                                             // sizes that hints name
};

struct Analysis {
  // `model` and `sources` must outlive it. Errors are added to `diagnostics`; facts are inferred all the same.
  Analysis(const Model& model, SourceMap& sources, Diagnostics& diagnostics, std::vector<Hint> hints = {},
           LoopShapeAssumptions assumptions = {});
  Analysis(const Analysis&) = delete;

  Checked& checked() { return typer.checked(); }
  Frame& main() { return frames.front(); }
  bool isMain(const Frame& frame) const { return &frame == &frames.front(); }

  const Model& model;
  SourceMap& sources;
  Diagnostics& diagnostics;
  GraphTyper typer;

  // ---- frames and their nodes
  std::deque<Frame> frames;  // the first is the main graph's; references stay valid
  GraphPlaces mainPlaces;
  std::map<FunctionId, GraphPlaces> functionPlaces;
  std::size_t visitedNodes = 0;                         // a function's nodes count once for each call
  std::vector<Site> waiting;                            // nodes whose rules wait for a rank or a value
  std::map<std::string, std::size_t> unknownOperators;  // by reached operator without a rule: the number of its nodes
  std::set<Site> unknownNodes;

  // ---- inputs and their sizes
  PlacedHints hints;
  std::set<std::string> graphShapes;  // inputs whose shape is the graph's, because the graph contradicts the signature
  std::vector<Input> inputs;
  InferredRanks inferredRanks;
  std::vector<DimVar> inputSizes;  // sizes that inputs determine
  std::size_t nextInputName = 0;   // number of the next name for a size that an input leaves open
  SizeNames sizeNames;

  // ---- control flow, calls, variables
  Branches branches;
  Loops loops;
  Calls calls;
  VariableValues variables;

  // ---- results
  std::vector<Guard> guards;  // what a run must check
  ProgramParts program;

  // ---- diagnostics
  std::size_t firstDiagnostic = 0;     // earlier diagnostics are not of this analysis
  std::vector<Frame*> reportingFrame;  // by diagnostic from `firstDiagnostic`: the frame that was visited, or null
  std::set<NodeId> refused;            // nodes of the main graph with an error; their facts are not printed
};

// Adds an error or a warning found during a visit of `frame` (null for none).
void report(Analysis& analysis, Diagnostic diagnostic, Frame* frame);

// Attributes to `frame` (null for none) all diagnostics that are not attributed yet.
void attributeDiagnostics(Analysis& analysis, Frame* frame);

// Visits every node until nothing new is learnt, then adds guards and the origins of conflicts to errors.
void run(Analysis& analysis);

// Runs an analysis that assumes that loop states keep their shape, and repeats it without this assumption for those
// that do not (loop_invariants.h); then repeats it with the ranks that it found for inputs declared without one. Leaves
// the last run in `analysis`. Where the graph contradicts the signature, `model` gets the graph's types and shapes.
void analyse(std::optional<Analysis>& analysis, Model& model, SourceMap& sources, Diagnostics& diagnostics,
             const std::vector<Hint>& hints);

// Whether a rule gives more facts about nodes of this operator than the registry does.
bool hasRule(std::string_view op);

// The facts about an outlet: NODE:PORT ELEM SHAPE [= VALUE].
struct FactLine {
  std::string node;
  std::uint32_t port = 0;
  std::string elem, shape, value;  // `value` is empty if it is open or long
};
// Returns the facts of the main graph, and with `withFunctions` also of the functions that it calls, under their paths
// (node_list.h).
std::vector<FactLine> factLines(Analysis& analysis, bool withFunctions = false);

}  // namespace axle::tensorflow
