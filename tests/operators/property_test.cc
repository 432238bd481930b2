// Checks that the evaluation of a random application of an operator has the type that the signature gives, and that the
// evaluation refuses the application if the signature does. Applications are drawn from the signatures, so a new
// operator is covered as soon as it is declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/operators/application.h"
#include "tests/operators/case_file.h"
#include "tests/operators/declaration.h"
#include "tests/sanitized.h"

namespace axle::test {
namespace {

// Returns how many applications of each operator must have run: AXLE_PROPERTY_ROUNDS.
int rounds() {
  const char* text = std::getenv("AXLE_PROPERTY_ROUNDS");
  return text ? std::max(1, std::atoi(text)) : isSanitized ? 3 : 12;
}

struct Results {
  std::vector<PortType> types;
  std::vector<std::vector<std::byte>> bytes;
};

Results resultsOf(const runtime::Session& session) {
  Results out;
  for (std::size_t i = 0; i < session.outputs().size(); ++i) {
    const runtime::TensorView view = session.output(i);
    out.types.push_back(typeOf(view));
    const auto* first = view.as<std::byte>();
    out.bytes.emplace_back(first, first + view.bytes());
  }
  return out;
}

// Replaces sizes that the type leaves to the run, so that any are accepted.
std::vector<PortType> openedAs(std::vector<PortType> came, const std::vector<PortType>& said) {
  for (std::size_t i = 0; i < std::min(came.size(), said.size()); ++i)
    for (std::size_t axis = 0; axis < std::min(came[i].sizes.size(), said[i].sizes.size()); ++axis)
      if (!said[i].sizes[axis]) came[i].sizes[axis].reset();
  return came;
}

std::string textOf(const std::vector<PortType>& types) {
  std::string out;
  for (const PortType& type : types) out += textOf(type) + " ";
  return out;
}

bool refusedForTypes(const Program& program) {
  return program.refusal().find("error[E01") == std::string::npos &&
         program.refusal().find("error[E02") == std::string::npos;
}

// Compiles and runs the program; `problem` is set if either refuses it.
Ran evaluated(Program& program, const Application& application, Random& random) {
  if (!program.problem().empty()) return {program.problem(), false};
  std::string what;
  auto session = program.session(what);
  return session ? run(*session, fill(application, random)) : Ran{what, false};
}

// Checks the application with names for sizes: the evaluated sizes of the type, and the elements, are those of the run.
// Names may be refused although numbers are accepted (a tuple of n results), and a name never stretches.
void expectSymbolicAgrees(const Application& application, const std::vector<runtime::Tensor>& inputs,
                          const Results& expected) {
  std::string text = application.program(true);
  Program program(text);
  if (!program.refusal().empty()) return;
  ASSERT_EQ(program.problem(), "") << text;
  std::string what;
  auto session = program.session(what);
  ASSERT_TRUE(session) << text << what;
  Ran ran = run(*session, inputs);
  ASSERT_EQ(ran.problem, "") << text << " of " << application.program(false);
  Results results = resultsOf(*session);
  EXPECT_EQ(textOf(results.types), textOf(expected.types)) << text;
  EXPECT_EQ(results.bytes, expected.bytes) << text;
}

// ---- applications that the signature refuses

// Changes one argument: one of its sizes, its rank, or its element type if another argument has the same (a kernel may
// take more types than the operator). Leaves sizes of 0 and 1, and scalars, because a kernel may stretch them.
bool change(Application& application, std::size_t which, Random& random) {
  Argument& argument = application.arguments[which];
  if (argument.ragged()) {  // one element more
    argument.lengths.push_back(1);
    ++argument.shape[0];
    ++argument.shape[1];
    return true;
  }
  for (const Argument& each : application.arguments)
    if (std::count(each.shape.begin(), each.shape.end(), 0)) return false;
  std::size_t axis = argument.shape.empty() ? 0 : random() % argument.shape.size();
  switch (random() % 3) {
    case 0:
      if (argument.shape.empty() || argument.shape[axis] <= 1) return false;
      ++argument.shape[axis];
      return true;
    case 1:
      if (argument.shape.empty()) return false;
      argument.shape.insert(argument.shape.begin(), 2);
      argument.symbols.insert(argument.symbols.begin(), "extra");
      return true;
    default:
      if (std::count_if(application.arguments.begin(), application.arguments.end(),
                        [&](const Argument& each) { return each.elem == argument.elem; }) < 2)
        return false;
      do argument.elem = static_cast<Elem>(random() % elemCount);
      while (argument.elem == Elem::string);
      return true;
  }
}

// Whether the graph is a single kernel, so that only this kernel checks the arguments.
bool isOneKernel(const ir::Model& model) {
  const std::vector<ir::Node>& nodes = model.graphs[0].nodes;
  return model.graphs.size() == 1 && std::count_if(nodes.begin(), nodes.end(), [](const ir::Node& node) {
                                       return node.op != ir::Op::input && node.op != ir::Op::constant;
                                     }) == 1;
}

// Checks that the kernel of the valid application refuses the changed argument.
void expectKernelRefuses(const Application& changed, std::size_t which, Program& taken, Random& random) {
  ir::Graph& graph = taken.model().graphs[0];
  ir::Fact& fact = graph[graph.inputs[which]].fact;
  ir::Fact before = fact;
  fact.elem = changed.arguments[which].elem;
  fact.shape.clear();
  for (std::int64_t size : changed.arguments[which].shape) fact.shape.push_back(taken.model().dims->constant(size));
  EXPECT_FALSE(evaluated(taken, changed, random).problem.empty()) << "the kernel takes " << changed.program(false);
  graph[graph.inputs[which]].fact = before;
}

const std::vector<CoreOp>& openDeclarations() {
  static std::vector<std::string> texts(coreOps().size());
  static const std::vector<CoreOp> operators = [] {
    std::vector<CoreOp> all(coreOps().begin(), coreOps().end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      texts[i] = openDeclaration(all[i].text);
      all[i].text = texts[i];
    }
    return all;
  }();
  return operators;
}

// Whether the evaluation refuses this application, which the signature refuses. If it can, it must.
bool evaluationRefuses(const Application& application, Random& random) {
  Program open(application.program(false), openDeclarations());
  if (!open.refusal().empty()) return false;
  EXPECT_FALSE(evaluated(open, application, random).problem.empty())
      << "only the signature refuses " << application.program(false);
  return true;
}

// Returns whether the signature refused a changed argument. The evaluation must then refuse it too, with sizes as
// numbers or names.
bool bothRefuseAChange(const Application& application, Program& taken, Random& random) {
  if (application.arguments.empty()) return false;
  Application changed = application;
  std::size_t which = random() % changed.arguments.size();
  if (!change(changed, which, random)) return false;
  Program program(changed.program(false));
  if (program.refusal().empty()) return false;
  EXPECT_TRUE(refusedForTypes(program)) << program.refusal();
  bool ragged =
      std::any_of(changed.arguments.begin(), changed.arguments.end(), [](const Argument& a) { return a.ragged(); });
  if (!ragged && isOneKernel(taken.model())) expectKernelRefuses(changed, which, taken, random);
  evaluationRefuses(changed, random);
  Program named(application.program(true));
  EXPECT_TRUE(!named.refusal().empty() || !evaluated(named, changed, random).problem.empty())
      << application.program(true) << " takes what is refused: " << changed.program(false);
  return true;
}

// ---- the draw

struct Counts {
  int ran = 0, changes = 0, draws = 0;  // applications that ran; changed arguments, and whole draws, that were refused
};

// Draws applications until enough have run.
Counts drawn(const OperatorTable::Entry& entry, Random& random) {
  Counts counts;
  for (int attempt = 0; attempt < 60 * rounds() && counts.ran < rounds(); ++attempt) {
    std::string reason;
    auto application = draw(entry, random, reason);
    EXPECT_TRUE(application) << entry.text << ": " << reason;
    if (!application) return counts;
    std::string text = application->program(false);
    Program program(text);
    if (!program.refusal().empty()) {
      EXPECT_TRUE(refusedForTypes(program)) << text << "\n" << program.refusal();
      if (counts.draws++ < rounds()) evaluationRefuses(*application, random);
      continue;
    }
    EXPECT_EQ(program.problem(), "") << text;
    if (!program.problem().empty()) return counts;
    std::string what;
    auto session = program.session(what);
    EXPECT_TRUE(session) << text << what;
    if (!session) return counts;
    std::vector<runtime::Tensor> inputs = fill(*application, random);
    Ran one = run(*session, inputs);
    EXPECT_TRUE(one.problem.empty() || one.fault) << text << "\n" << one.problem;
    if (!one.problem.empty()) continue;  // an index out of range, a division by zero
    ++counts.ran;
    Results results = resultsOf(*session);
    EXPECT_EQ(textOf(openedAs(results.types, program.results())), textOf(program.results())) << text;
    expectSymbolicAgrees(*application, inputs, results);
    for (int i = 0; i < 3; ++i) counts.changes += bothRefuseAChange(*application, program, random);
  }
  return counts;
}

TEST(Property, TypesMatchEvaluation) {
  OperatorTable table;
  Random random(20240607);
  std::size_t refused = 0;
  for (const CoreOp& op : coreOps()) {
    std::size_t arity = op.name == "-" && op.text.find(',') == std::string_view::npos ? 1 : 2;
    Counts counts = drawn(table[*table.find(op.name, arity)], random);
    EXPECT_GE(counts.ran, rounds()) << op.name << ": the signature alone draws too few that run; it needs a row";
    refused += static_cast<std::size_t>(counts.changes + counts.draws);
  }
  EXPECT_GT(refused, static_cast<std::size_t>(rounds()) * 2 * coreOps().size() / 3);
}

}  // namespace
}  // namespace axle::test
