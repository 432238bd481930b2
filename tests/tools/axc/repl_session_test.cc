// Checks that questions of a session leave no trace: later text gets the same types as without them, and no memory
// stays in use.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tools/repl/interruptible.h"
#include "tools/repl/session.h"
#include "typecheck/checked.h"
#include "typecheck/report/query.h"

namespace axle::repl {
namespace {

// Later definitions decide what earlier ones left open.
const std::vector<std::string> definitions = {
    "import nn\n",
    "param w\n",
    "x = full([3, 4], 1.0)\n",
    "f = fn (a, b) { a + b }\n",
    "g = fn (a : f32 [h, r], k : f32 [r]) { matmul(a, w) }\n",
    "halves = fn (a : f32 [2*n, 3]) { reshape(a, [n, 6]) }\n",
    "split = fn (a : f32 [n, d]; heads = 2) where d % heads == 0 { reshape(a, [n, heads, d / heads]) }\n",
    "y = g(full([2, 5], 1f32), full([5], 1f32))\n",
    "w2 = w + 1f32\n",
    "s = fn (a : f32 [~T, 4]) { a[2:] }\n",
    "z = f(x, full([4], 1f64))\n",
    "d = nn.dense\n",
    "u = matmul(w2, full([7, 2], 1f32))\n",
};

// Some have errors, some need modules that the session does not import.
const std::vector<std::string> questions = {
    ":type x + 1f32\n",
    ":type f(w, x)\n",
    ":type matmul(w, full([9, 9], 1f32))\n",
    ":type nonsense(x)\n",
    ":type fn (a) { matmul(a, w) }\n",
    ":type rnn.simple_rnn_from\n",
    ":type split(full([4, 6], 1f32), heads=4)\n",
    ":shape f with a=[2, 3], b=[3]\n",
    ":shape g with h=2, r=4\n",
    ":shape g with q=2\n",
    ":shape halves with n=7\n",
    ":shape nn.dense with x=[8, 64]\n",
    ":solve f(x, q) = f32 [3, 4]\n",
    ":solve matmul(w, q : f32 [4, n]) = [3, 2]\n",
    ":solve matmul(x, q : f32 [5, n]) = [3, 2]\n",
    ":unify f32 [n] with t [3]\n",
    ":unify f32 [n, 3] with f32 [4]\n",
    ":why w\n",
    ":where split\n",
    ":where g\n",
    ":stream s\n",
};

std::mt19937& generator() {
  static std::mt19937 random(20);
  return random;
}

// Runs an entry and returns what it prints on stdout and stderr.
std::string entered(Session& session, const std::string& text) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  session.enter(text);
  std::fflush(stdout);
  const std::string out = testing::internal::GetCapturedStdout();
  return out + testing::internal::GetCapturedStderr();
}

void ask(Session& session, int count) {
  std::uniform_int_distribution<std::size_t> any(0, questions.size() - 1);
  for (int i = 0; i < count; ++i) entered(session, questions[any(generator())]);
}

// Returns the sizes of a session's data, besides the text that was typed.
std::vector<std::size_t> sizesOf(Session& session) {
  const Program& program = session.program();
  const Checked& c = *program.checked;
  return {c.program.exprs.size(),
          c.program.lets.size(),
          c.program.bindings.size(),
          c.program.weights.size(),
          c.program.topLevel.size(),
          c.schemes.size(),
          c.moduleScopes.size(),
          c.rootNames.size(),
          c.written.size(),
          c.scalars.size(),
          c.proofs.size(),
          c.failed.size(),
          c.solution.dims.variableCount(),
          c.solution.typeVars.size(),
          c.solution.elemVars.size(),
          c.solution.shapeVars.size(),
          c.solution.staticVars.size(),
          c.solver.slots.size(),
          c.solver.live.size(),
          c.solver.assumptions.size(),
          c.solver.proofs.size(),
          static_cast<std::size_t>(c.solver.decider.statistics().work),
          program.modules.modules.size(),
          program.modules.imports.size(),
          program.modules.program.size(),
          program.types.size(),
          program.open.size()};
}

int forks = 0;

class ReplSession : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    catchInterrupts(false);
    ::pthread_atfork([] { ++forks; }, nullptr, nullptr);
  }
};

TEST_F(ReplSession, DefinitionsAfterQuestionsTypeAsWithoutThem) {
  constexpr int rounds = 4, mostQuestions = 6;
  std::vector<std::string> expected;
  Session quiet{{}};
  for (const std::string& definition : definitions) expected.push_back(entered(quiet, definition));
  std::uniform_int_distribution<int> howMany(0, mostQuestions);
  for (int round = 0; round < rounds; ++round) {
    Session asked{{}};
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      ask(asked, howMany(generator()));
      EXPECT_EQ(entered(asked, definitions[i]), expected[i]) << definitions[i];
    }
    EXPECT_EQ(asked.program().types, quiet.program().types);
    EXPECT_EQ(sizesOf(asked), sizesOf(quiet));
  }
}

TEST_F(ReplSession, AQuestionIsAnsweredAlikeEachTime) {
  Session session{{}};
  for (const std::string& definition : definitions) entered(session, definition);
  std::vector<std::string> first;
  for (const std::string& question : questions) first.push_back(entered(session, question));
  for (std::size_t i = questions.size(); i-- > 0;) {
    if (first[i].find("<repl>:") != std::string::npos) continue;  // the place of an error has another line each time
    EXPECT_EQ(entered(session, questions[i]), first[i]) << questions[i];
  }
}

TEST_F(ReplSession, QuestionsLeaveNothingBehind) {
  Session session{{}};
  for (const std::string& definition : definitions) entered(session, definition);
  const auto before = sizesOf(session);
  std::size_t sources = 0;  // their slots are used again
  for (int round = 0; round < 3; ++round) {
    for (const std::string& question : questions) {
      entered(session, question);
      EXPECT_EQ(sizesOf(session), before) << question;
    }
    if (round == 0) sources = session.program().sources.size();
  }
  EXPECT_EQ(session.program().sources.size(), sources);
}

TEST_F(ReplSession, DefinitionsThatFailLeaveNothingBehind) {
  Session session{{}};
  for (const std::string& definition : definitions) entered(session, definition);
  const auto before = sizesOf(session);
  EXPECT_NE(entered(session, "v = matmul(w, full([9, 9], 1f32))\n").find("error"), std::string::npos);
  EXPECT_EQ(sizesOf(session), before);
  EXPECT_EQ(entered(session, "v = matmul(w, full([7, 2], 1f32))\n").find("error"), std::string::npos);
}

TEST_F(ReplSession, QuestionsAndDefinitionsNeedNoProcess) {
  Session session{{}};
  const int before = forks;
  for (const std::string& definition : definitions) entered(session, definition);
  for (const std::string& question : questions) entered(session, question);
  EXPECT_EQ(forks, before);
  entered(session, "x + 1f32\n");
  EXPECT_EQ(forks, before + 1);  // an evaluation runs in a child process
}

TEST_F(ReplSession, AnErrorInAQuestionIsTakenBack) {
  Session session{{}};
  for (const std::string& definition : definitions) entered(session, definition);
  const auto before = sizesOf(session);
  const std::string text = "matmul(w, full([5, 9], 1f32))";
  testing::internal::CaptureStderr();
  EXPECT_FALSE(session.answer([&]() -> bool {
    session.importModulesOf({"rnn.simple_rnn_from", 0});
    session.defineValue("tried", {session.program().sources.add(typedPath, text), 0, 29});
    throw std::runtime_error("planted");
  }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("planted"), std::string::npos);
  EXPECT_EQ(sizesOf(session), before);
}

TEST_F(ReplSession, AnInterruptEndsAQuestion) {
  Session session{{}};
  for (const std::string& definition : definitions) entered(session, definition);
  const auto before = sizesOf(session);
  const std::string text = "matmul(w, full([5, 9], 1f32))";
  testing::internal::CaptureStderr();
  EXPECT_FALSE(session.answer([&] {
    std::raise(SIGINT);
    return session.defineValue("tried", {session.program().sources.add(typedPath, text), 0, 29}).has_value();
  }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "interrupted\n");
  EXPECT_EQ(sizesOf(session), before);
  EXPECT_EQ(entered(session, ":type w2\n").find("interrupted"), std::string::npos);
  EXPECT_EQ(entered(session, "v = matmul(w, full([7, 2], 1f32))\n").find("error"), std::string::npos);
}

// Returns a definition with facts that take the solver seconds.
std::string longDefinition(int count) {
  std::string parameters, facts, arguments;
  for (int i = 0; i <= count; ++i) {
    const std::string a = "a" + std::to_string(i), next = "a" + std::to_string(i + 1);
    parameters += (i > 0 ? ", x" : "x") + std::to_string(i) + " : f32 [" + a + "]";
    arguments += (i > 0 ? ", x" : "x") + std::to_string(i);
    if (i < count) facts += (i > 0 ? ", " : "") + a + " * " + a + " <= " + next + " * a0 + 1";
  }
  return "asked = fn (" + parameters + ") where " + facts + " { x0 };\nuser = fn (" + parameters + ") { asked(" +
         arguments + ") };\n";
}

TEST_F(ReplSession, AnInterruptEndsALongCheck) {
  Session session{{}};
  entered(session, "x = full([3, 4], 1.0)\n");
  const auto before = session.program().types;
  // While the text is parsed nothing is interrupted.
  std::atomic<bool> isDone = false;
  std::thread interrupter([&isDone, self = ::pthread_self()] {
    while (!isDone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ::pthread_kill(self, SIGINT);
    }
  });
  const std::string shown = entered(session, longDefinition(200));
  isDone = true;
  interrupter.join();
  EXPECT_NE(shown.find("interrupted\n"), std::string::npos) << shown;
  EXPECT_FALSE(session.program().types.count("user"));
  EXPECT_EQ(entered(session, ":type x\n"), before.at("x") + "\n");
}

}  // namespace
}  // namespace axle::repl
