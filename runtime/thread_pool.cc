#include "runtime/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <utility>

#include "runtime/program.h"

namespace axle::runtime {
namespace {

// How long a thread polls during a run before it sleeps. Sleeping and being woken takes 50 microseconds.
constexpr std::uint32_t pollNanoseconds = 100'000;
constexpr std::int64_t mostSpin = 100'000;  // microseconds

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);

void sleepWhile(Word& word, std::uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake(Word& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

std::uint64_t now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// Polls until isDone(), for at most bound() nanoseconds and only while mayPoll(). Returns whether isDone() became true.
template <class Done, class Bound, class MayPoll>
bool poll(Done isDone, Bound bound, MayPoll mayPoll) {
  constexpr int roundsBetweenClocks = 32;
  if (isDone()) return true;
  for (const std::uint64_t start = now(); mayPoll() && now() - start < bound();)
    for (int i = 0; i < roundsBetweenClocks; ++i) {
      pauseBriefly();
      if (isDone()) return true;
    }
  return false;
}

class ThreadPool final : public ThreadTeam {
 public:
  ThreadPool(int threads, std::uint32_t spin, std::uint64_t leastWork)
      : threads_(threads),
        spin_(spin),
        leastWork_(leastWork),
        workers_(new Worker[static_cast<std::size_t>(threads - 1)]) {}

  ~ThreadPool() override {
    for (int i = 0; i < started_; ++i) give(workers_[i], State::end);
    for (int i = 0; i < started_; ++i) ::pthread_join(workers_[i].thread, nullptr);
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const override { return threads_; }
  std::uint64_t leastWork() const override { return leastWork_; }

  void start() override {
    if (started_ > 0) return;
    sigset_t all, before;  // signals are left to the threads of the program
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; started_ + 1 < threads_; ++started_) {
      Worker& worker = workers_[started_];
      worker.pool = this;
      worker.index = started_ + 1;
      if (::pthread_create(&worker.thread, nullptr, work, &worker) != 0) break;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void beginRun() override { bound_.store(pollNanoseconds, std::memory_order_relaxed); }
  void endRun() override { bound_.store(spin_, std::memory_order_relaxed); }

  bool run(Step& step, Fault& fault) override {
    const int others = std::min(started_, step.parts - 1);
    processor_.store(::sched_getcpu(), std::memory_order_relaxed);
    step_ = &step;
    stride_ = others + 1;
    left_.store(static_cast<std::uint32_t>(others), std::memory_order_relaxed);
    for (int i = 0; i < others; ++i) give(workers_[i], State::work);
    Failure first = carryOut(0, fault);
    join(others);
    for (int i = 0; i < others; ++i)
      if (workers_[i].failure < first) {
        first = workers_[i].failure;
        fault = std::move(workers_[i].fault);
      }
    return first == none;
  }

  // Divides rows and columns so that the largest part is nearly as small as possible, with more parts along rows if
  // that makes little difference: the rows that the next call reads are then in the cache of the same processor.
  GridPart partOfGrid(Part part, std::int64_t rows, std::int64_t columns) const override {
    std::int64_t best = 0;
    GridPart found;
    for (int alongRows = part.count; alongRows > 0; --alongRows) {
      if (part.count % alongRows != 0) continue;
      const int alongColumns = part.count / alongRows;
      const std::int64_t largest = ((rows + alongRows - 1) / alongRows) * ((columns + alongColumns - 1) / alongColumns);
      if (best != 0 && largest * 8 >= best * 7) continue;
      best = largest;
      found = {{part.index / alongColumns, alongRows}, {part.index % alongColumns, alongColumns}};
    }
    return found;
  }

 private:
  using Failure = int;  // the number of a part that failed
  static constexpr Failure none = maxThreads;

  enum class State : std::uint32_t { idle, asleep, work, end };

  struct alignas(64) Worker {  // in a separate cache line
    Word state{static_cast<std::uint32_t>(State::idle)};
    int index = 0;
    std::atomic<int> processor{-1};  // on which it ran last
    Failure failure = none;
    ThreadPool* pool = nullptr;
    pthread_t thread{};
    Fault fault;
  };

  static void give(Worker& worker, State state) {
    const std::uint32_t before = worker.state.exchange(static_cast<std::uint32_t>(state));
    if (before == static_cast<std::uint32_t>(State::asleep)) wake(worker.state);
  }

  static State awaited(Worker& worker) {
    constexpr auto idle = static_cast<std::uint32_t>(State::idle), asleep = static_cast<std::uint32_t>(State::asleep);
    const Word& bound = worker.pool->bound_;
    const auto isGiven = [&] { return worker.state.load(std::memory_order_acquire) != idle; };
    const auto mayPoll = [&] { return ::sched_getcpu() != worker.pool->processor_.load(std::memory_order_relaxed); };
    std::uint32_t expected = idle;
    if (!poll(
            isGiven, [&] { return bound.load(std::memory_order_relaxed); }, mayPoll) &&
        worker.state.compare_exchange_strong(expected, asleep))
      while (worker.state.load(std::memory_order_acquire) == asleep) sleepWhile(worker.state, asleep);
    return static_cast<State>(worker.state.load(std::memory_order_acquire));
  }

  static void* work(void* given) {
    Worker& worker = *static_cast<Worker*>(given);
    ThreadPool& pool = *worker.pool;
    while (awaited(worker) != State::end) {
      worker.processor.store(::sched_getcpu(), std::memory_order_relaxed);
      worker.failure = pool.carryOut(worker.index, worker.fault);
      worker.state.store(static_cast<std::uint32_t>(State::idle), std::memory_order_relaxed);
      if (pool.left_.fetch_sub(1) == (callerSleeps | 1)) wake(pool.left_);
    }
    return nullptr;
  }

  // Runs the parts of one thread. Returns the first that fails, or `none`.
  Failure carryOut(int thread, Fault& fault) {
    for (int part = thread; part < step_->parts; part += stride_)
      if (!step_->partKernel(*step_, {part, step_->parts}, fault)) return part;
    return none;
  }

  void join(int others) {
    const auto isDone = [this] { return (left_.load(std::memory_order_acquire) & ~callerSleeps) == 0; };
    // Polling would keep a worker on the same processor from its work.
    const auto mayPoll = [&] {
      const int processor = ::sched_getcpu();
      processor_.store(processor, std::memory_order_relaxed);
      for (int i = 0; i < others; ++i)
        if (workers_[i].processor.load(std::memory_order_relaxed) == processor) return false;
      return true;
    };
    if (poll(isDone, [] { return pollNanoseconds; }, mayPoll)) return;
    left_.fetch_or(callerSleeps);
    for (std::uint32_t left = left_.load(); left != callerSleeps; left = left_.load()) sleepWhile(left_, left);
  }

  static constexpr std::uint32_t callerSleeps = 0x80000000u;

  const int threads_;
  const std::uint32_t spin_;  // nanoseconds
  const std::uint64_t leastWork_;
  int started_ = 0;
  std::atomic<int> processor_{-1};  // on which the caller ran last
  std::unique_ptr<Worker[]> workers_;
  Word bound_{0};  // how long a thread polls for work, in nanoseconds

  Step* step_ = nullptr;      // the step that runs
  int stride_ = 1;            // from one part of a thread to the next
  alignas(64) Word left_{0};  // the number of workers that have not finished, and whether the caller sleeps
};

std::int64_t usableProcessors() {
  cpu_set_t set;  // too small if the machine has more processors than bits: then all count
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return std::max<std::int64_t>(1, ::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

ThreadTeam* makeThreadPool(const ThreadOptions& options) {
  const std::int64_t processors = options.processors > 0 ? options.processors : usableProcessors();
  const std::int64_t threads = std::min({options.most, processors, std::int64_t{maxThreads}});
  const auto spin = static_cast<std::uint32_t>(std::clamp<std::int64_t>(options.spinMicroseconds, 0, mostSpin) * 1000);
  return threads > 1 ? new ThreadPool(static_cast<int>(threads), spin, options.leastWork) : nullptr;
}

}  // namespace axle::runtime
