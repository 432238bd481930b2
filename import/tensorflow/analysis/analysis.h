// Facts on every outlet of an imported graph, by the inference and the solver of the language
// (papers/tfdeploy-report.txt, section 2).
//
// `Analysis` is the state. Its phases are functions over it, each in a file of its own: see README.md.
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

// An input of the graph, with the shape that it has before anything takes it.
struct Input {
  Outlet outlet;
  Shape shape;
  bool hasOpenRank() const { return !shape.empty() && shape[0].isVar; }
};

// What the command line says of tensors of the main graph.
struct PlacedHints {
  std::vector<Hint> all;
  std::map<NodeId, std::vector<std::pair<std::uint32_t, const Hint*>>> byNode;  // with the port
  std::map<std::string, Dim> sizes;                                             // that hints name
};

struct Analysis {
  // `model` and `sources` must outlive it. Errors are added to `diagnostics`; facts are there all the same.
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
  std::size_t visitedNodes = 0;                         // those of functions once for each call
  std::vector<Site> waiting;                            // nodes whose rules wait for a rank or a value
  std::map<std::string, std::size_t> unknownOperators;  // reached, without a rule: how many nodes
  std::set<Site> unknownNodes;

  // ---- inputs and their sizes
  PlacedHints hints;
  std::set<std::string> graphShapes;  // inputs that the graph alone declares, as it contradicts the signature
  std::vector<Input> inputs;
  InferredRanks inferredRanks;
  std::vector<DimVar> inputSizes;  // that inputs bring
  std::size_t nextInputName = 0;   // of a size that an input leaves open
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
  std::size_t firstDiagnostic = 0;     // those before are not of this analysis
  std::vector<Frame*> reportingFrame;  // by diagnostic from the first: the frame that was visited; null for none
  std::set<NodeId> refused;            // nodes of the main graph with an error: their facts are not printed
};

// Adds an error or a warning, found while `frame` (null for none) was visited.
void report(Analysis& analysis, Diagnostic diagnostic, Frame* frame);

// Attributes all diagnostics that no frame reported yet to `frame` (null for none).
void attributeDiagnostics(Analysis& analysis, Frame* frame);

// Visits every node until nothing new is learnt, then adds guards and the origins of conflicts to errors.
void run(Analysis& analysis);

// Runs an analysis that takes the states of loops to keep their shape, and again without those that do not
// (loop_invariants.h); then again with the ranks that it found for inputs declared without one. `analysis` is filled.
void analyse(std::optional<Analysis>& analysis, const Model& model, SourceMap& sources, Diagnostics& diagnostics,
             const std::vector<Hint>& hints);

// Whether more is known of what nodes of this operator give than what the registry says.
bool hasRule(std::string_view op);

// What is known of an outlet: NODE:PORT ELEM SHAPE [= VALUE].
struct FactLine {
  std::string node;
  std::uint32_t port = 0;
  std::string elem, shape, value;  // `value` is empty where it is open, or long
};
// Of the main graph; `withFunctions` also of the functions that it calls, under their paths (node_list.h).
std::vector<FactLine> factLines(Analysis& analysis, bool withFunctions = false);

}  // namespace axle::tensorflow
