// The property that keeps the pieces together: what the signature says of an application, its evaluation does.
// Applications are drawn from the signatures, so a new operator is covered as it is declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/operators/application.h"
#include "tests/operators/case_file.h"

namespace axle::test {
namespace {

// AXLE_PROPERTY_ROUNDS: how many applications of each operator must have run.
int rounds() {
  const char* text = std::getenv("AXLE_PROPERTY_ROUNDS");
  return text ? std::max(1, std::atoi(text)) : 12;
}

PortType typeOf(const runtime::TensorView& view) {
  PortType type{view.elem, {}};
  for (std::int64_t size : view.shape) type.sizes.emplace_back(size);
  return type;
}

std::vector<std::byte> bytesOf(const runtime::TensorView& view) {
  const auto* first = view.as<std::byte>();
  return {first, first + view.bytes()};
}

struct Results {
  std::vector<PortType> types;
  std::vector<std::vector<std::byte>> bytes;
};

Results resultsOf(const runtime::Session& session) {
  Results out;
  for (std::size_t i = 0; i < session.outputs().size(); ++i) {
    out.types.push_back(typeOf(session.output(i)));
    out.bytes.push_back(bytesOf(session.output(i)));
  }
  return out;
}

bool refusedForTypes(const Program& program) {
  return program.refusal().find("error[E01") == std::string::npos &&
         program.refusal().find("error[E02") == std::string::npos;
}

// With names for sizes the same holds: the type's sizes, evaluated, are those of the run, and so are the elements.
// Names may be refused where numbers are not (a tuple of n results), and a name never stretches.
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
  EXPECT_EQ(results.types, expected.types) << text;
  EXPECT_EQ(results.bytes, expected.bytes) << text;
}

// Whether one kernel is all that the graph is, so that what it checks is all that is checked.
bool isOneKernel(const ir::Model& model) {
  const std::vector<ir::Node>& nodes = model.graphs[0].nodes;
  return model.graphs.size() == 1 && std::count_if(nodes.begin(), nodes.end(), [](const ir::Node& node) {
                                       return node.op != ir::Op::input && node.op != ir::Op::constant;
                                     }) == 1;
}

// One size of one argument is another one. What the signature refuses then, the kernel must refuse too, given the step
// of the application that was taken. Sizes of 0 and 1 are left alone: a kernel may stretch them.
void expectBothRefuse(Application application, Program& taken, Random& random) {
  std::size_t which = random() % application.arguments.size();
  Argument& changed = application.arguments[which];
  std::size_t axis = changed.shape.empty() ? 0 : random() % changed.shape.size();
  bool fits = !changed.shape.empty() && changed.shape[axis] > 1 && isOneKernel(taken.model());
  for (const Argument& argument : application.arguments)
    fits = fits && std::count(argument.shape.begin(), argument.shape.end(), 0) == 0;
  if (!fits) return;
  ++changed.shape[axis];
  Program program(application.program(false));
  if (program.refusal().empty()) return;
  EXPECT_TRUE(refusedForTypes(program)) << program.refusal();
  ir::Graph& graph = taken.model().graphs[0];
  Dim& size = graph[graph.inputs[which]].fact.shape[axis];
  Dim before = std::exchange(size, taken.model().dims->constant(changed.shape[axis]));
  std::string what;
  auto session = taken.session(what);
  size = before;
  if (!session) return;
  std::vector<runtime::Tensor> inputs;
  for (const Argument& argument : application.arguments) inputs.push_back(fill(argument, random));
  Ran ran = run(*session, inputs);
  EXPECT_FALSE(ran.problem.empty() || ran.fault) << "only the signature refuses " << application.program(false) << "\n"
                                                 << program.refusal();
}

// Draws until enough have run; gives how many did.
int drawn(const OperatorTable::Entry& entry, Random& random) {
  int ran = 0;
  for (int attempt = 0; attempt < 60 * rounds() && ran < rounds(); ++attempt) {
    std::string reason;
    auto application = draw(entry, random, reason);
    EXPECT_TRUE(application) << entry.text << ": " << reason;
    if (!application) return 0;
    std::string text = application->program(false);
    Program program(text);
    if (!program.refusal().empty()) {
      EXPECT_TRUE(refusedForTypes(program)) << text << "\n" << program.refusal();
      continue;
    }
    EXPECT_EQ(program.problem(), "") << text;
    if (!program.problem().empty()) return 0;
    std::string what;
    auto session = program.session(what);
    EXPECT_TRUE(session) << text << what;
    if (!session) return 0;
    std::vector<runtime::Tensor> inputs;
    for (const Argument& argument : application->arguments) inputs.push_back(fill(argument, random));
    Ran one = run(*session, inputs);
    EXPECT_TRUE(one.problem.empty() || one.fault) << text << "\n" << one.problem;
    if (!one.problem.empty()) continue;  // an index out of range, a division by zero
    ++ran;
    Results results = resultsOf(*session);
    EXPECT_EQ(results.types, program.results()) << text;
    expectSymbolicAgrees(*application, inputs, results);
    if (!application->arguments.empty()) expectBothRefuse(*application, program, random);
  }
  return ran;
}

TEST(Property, TheTypeOfAnApplicationIsThatOfItsEvaluation) {
  OperatorTable table;
  Random random(20240607);
  for (const CoreOp& op : coreOps()) {
    if (op.text.find('?') != std::string_view::npos || op.text.find("*l") != std::string_view::npos ||
        op.text.find("*]") != std::string_view::npos)
      continue;
    std::size_t arity = op.name == "-" && op.text.find(',') == std::string_view::npos ? 1 : 2;
    int ran = drawn(table[*table.find(op.name, arity)], random);
    EXPECT_GE(ran, std::min(rounds(), 4)) << op.name << ": the signature alone draws too few that run; it needs a row";
  }
}

}  // namespace
}  // namespace axle::test
