// Tests the threads of a session.
#include "runtime/threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "runtime/parts.h"
#include "tests/runtime/allocations.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

std::ptrdiff_t threadsOfProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// Returns the number of threads before a session starts any, but including those that a sanitizer starts with the first
// thread.
std::ptrdiff_t threadsBefore() {
  std::thread([] {}).join();
  ::usleep(50'000);
  return threadsOfProcess();
}

// The system lists a thread for a moment after it has ended.
::testing::AssertionResult hasThreads(std::ptrdiff_t expected) {
  for (int tries = 0; tries < 1000 && threadsOfProcess() != expected; ++tries) ::usleep(5'000);
  const std::ptrdiff_t found = threadsOfProcess();
  if (found == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << found << " threads, not " << expected;
}

constexpr std::int64_t size = 300;

// x : f32 [300, 300]; out = x @ x
Maker square() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const auto dims = maker.constantDims({size, size});
  const std::uint32_t x = maker.input("x", "f32 [300, 300]", Elem::f32, dims);
  const std::uint32_t product = Maker::value(graph, Elem::f32, dims);
  Maker::node(graph, op::matmulVector, {x, x}, {product});
  maker.output("out", "f32 [300, 300]", product);
  return maker;
}

// a : i32 [5000], b : i32 [5000]; out = a / b
Maker quotient() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const auto dims = maker.constantDims({5000});
  const std::uint32_t a = maker.input("a", "i32 [5000]", Elem::i32, dims);
  const std::uint32_t b = maker.input("b", "i32 [5000]", Elem::i32, dims);
  const std::uint32_t result = Maker::value(graph, Elem::i32, dims);
  Maker::node(graph, op::div, {a, b}, {result});
  maker.output("out", "i32 [5000]", result);
  return maker;
}

Tensor numbers() {
  Tensor tensor = Tensor::make(Elem::f32, {size, size}).value();
  for (std::int64_t i = 0; i < size * size; ++i)
    tensor.view().as<float>()[i] = static_cast<float>(i * 2654435761 % 1000) / 1000 - 0.5f;
  return tensor;
}

TEST(Threads, PartsDivideAllItemsInOrder) {
  for (const int count : {1, 2, 3, 7, 256})
    for (const std::int64_t items : {0, 1, 2, 5, 7, 100, 1001}) {
      std::int64_t next = 0;
      for (int index = 0; index < count; ++index) {
        const Part part{index, count};
        ASSERT_EQ(part.begin(items), next);
        next = part.end(items);
        ASSERT_LE(next - part.begin(items), items / count + 1);
      }
      ASSERT_EQ(next, items);
    }
}

TEST(Threads, TheirNumberIsChecked) {
  auto session = load(square().bundle());
  EXPECT_EQ(session->threads(), 1);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN})
    EXPECT_EQ(errorText(session->setThreads({wrong})),
              "error[E0812]: " + std::to_string(wrong) + " threads: a session has 1 or more\n");
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  for (const std::int64_t many : {std::int64_t{100000}, INT64_MAX}) {
    ASSERT_TRUE(session->setThreads({many}));
    EXPECT_GE(session->threads(), 1);
    EXPECT_LE(session->threads(), processors);
    ASSERT_TRUE(session->setThreads({many, INT64_MAX}));
    EXPECT_EQ(session->threads(), maxThreads);
  }
  ASSERT_TRUE(session->setThreads({3, 2}));
  EXPECT_EQ(session->threads(), 2);
  ASSERT_TRUE(session->setThreads({1, 2}));
  EXPECT_EQ(session->threads(), 1);
}

TEST(Threads, ABundleMayPlanThem) {
  Maker maker = square();
  maker.manifest.threads = 100000;
  auto session = load(maker.bundle());
  ASSERT_TRUE(session);
  EXPECT_GE(session->threads(), 1);
  EXPECT_LE(session->threads(), ::sysconf(_SC_NPROCESSORS_ONLN));
}

TEST(Threads, GiveTheSameBitsAndEndWithTheSession) {
  const std::ptrdiff_t before = threadsBefore();
  const Tensor x = numbers();
  auto session = load(square().bundle());
  ASSERT_TRUE(session->bind({{"x", x.view()}}));
  ASSERT_TRUE(session->run());
  EXPECT_TRUE(hasThreads(before)) << "a session of one thread starts none";
  const std::vector<float> one = elementsOf<float>(session->output(0));
  for (const std::int64_t threads : {2, 3, 7, 64}) {
    ASSERT_TRUE(session->setThreads({threads, threads, 0, 0}));
    EXPECT_EQ(errorText(session->run()), "error[E0810]: the session's inputs are not bound\n");
    ASSERT_TRUE(session->bind({{"x", x.view()}}));
    EXPECT_TRUE(hasThreads(before + threads - 1));
    for (int round = 0; round < 3; ++round) {
      const std::size_t allocated = allocations();
      const bool ran = session->run().has_value();
      EXPECT_EQ(allocations(), allocated);
      ASSERT_TRUE(ran);
      const std::vector<float> many = elementsOf<float>(session->output(0));
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << threads;
    }
  }
  ASSERT_TRUE(session->setThreads({}));
  EXPECT_TRUE(hasThreads(before));
}

// Threads may sleep or poll between runs.
TEST(Threads, AreReadyForTheNextRun) {
  const Tensor x = numbers();
  for (const std::int64_t spin : {0, 1000}) {
    auto session = load(square().bundle());
    ASSERT_TRUE(session->setThreads({2, 2, spin, 0}));
    ASSERT_TRUE(session->bind({{"x", x.view()}}));
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(session->run());
      if (round % 4 == 0) ::usleep(2000);
    }
  }
}

TEST(Threads, ARunWithLittleWorkStartsNone) {
  const std::ptrdiff_t before = threadsBefore();
  auto session = load(quotient().bundle());
  const Tensor a = tensorOf<std::int32_t>(Elem::i32, {5000}, std::vector<std::int32_t>(5000, 6));
  ASSERT_TRUE(session->setThreads({4, 4}));
  ASSERT_TRUE(session->bind({{"a", a.view()}, {"b", a.view()}}));
  ASSERT_TRUE(session->run());
  EXPECT_TRUE(hasThreads(before));
}

// Any part may fail.
TEST(Threads, AFaultOfAnyPartIsReported) {
  for (const std::size_t zero : {std::size_t{0}, std::size_t{2500}, std::size_t{4999}}) {
    std::vector<std::int32_t> divisors(5000, 3);
    divisors[zero] = 0;
    const Tensor a = tensorOf<std::int32_t>(Elem::i32, {5000}, std::vector<std::int32_t>(5000, 6)),
                 b = tensorOf<std::int32_t>(Elem::i32, {5000}, divisors);
    auto session = load(quotient().bundle());
    ASSERT_TRUE(session->setThreads({3, 3, 0, 0}));
    ASSERT_TRUE(session->bind({{"a", a.view()}, {"b", b.view()}}));
    for (int round = 0; round < 2; ++round) {
      const auto ran = session->run();
      ASSERT_FALSE(ran) << zero;
      EXPECT_EQ(ran.error().code, ErrorCode::divisionByZero);
      EXPECT_NE(ran.error().message.find("an integer is divided by zero"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace axle::runtime::test
