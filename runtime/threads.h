// The threads that run one call together. They are linked by `linked_threads.cc`, unless the program defines
// `linkedThreads` itself, as runtimes for bundles of one thread do.
#pragma once

#include <algorithm>
#include <cstdint>

namespace axle::runtime {

struct Fault;
struct Step;

inline constexpr int maxThreads = 256;

// One of `count` parts of a call. Items are divided evenly, in order.
struct Part {
  int index = 0, count = 1;

  std::int64_t begin(std::int64_t items) const {
    return items / count * index + std::min<std::int64_t>(index, items % count);
  }
  std::int64_t end(std::int64_t items) const { return Part{index + 1, count}.begin(items); }
};

// A part of a table of items.
struct GridPart {
  Part rows, columns;
};

// Computes a part of a step's results; returns false after setting the fault.
using PartKernel = bool (*)(Step& step, Part part, Fault& fault);

// The calling thread and its workers.
class ThreadTeam {
 public:
  virtual ~ThreadTeam() = default;

  virtual int threads() const = 0;
  virtual std::uint64_t leastWork() const = 0;  // as in ThreadOptions
  // Starts the workers, unless they run already. If the system refuses to start some, the team is smaller.
  virtual void start() = 0;
  // Between beginRun and endRun, waiting threads poll for a short time before they sleep.
  virtual void beginRun() = 0;
  virtual void endRun() = 0;
  // Runs all parts of a step, part i on thread i while there are enough threads. Reports the fault of the first part
  // that fails. Allocates nothing.
  virtual bool run(Step& step, Fault& fault) = 0;
  // Divides a table evenly; of several ways that are about as good, takes the one with most parts along the rows.
  virtual GridPart partOfGrid(Part part, std::int64_t rows, std::int64_t columns) const = 0;
};

// The least work of a part that is worth handing to a polling thread, in nanoseconds of one thread.
inline constexpr std::uint64_t workOfPart = 15'000;

struct ThreadOptions {
  // The calling thread included, >= 1; there are no more than processors.
  std::int64_t most = 1;
  // That the threads may use; 0: those that the process may use.
  std::int64_t processors = 0;
  // For which threads poll for the next run before they sleep; at most 100000.
  std::int64_t spinMicroseconds = 0;
  // Calls are divided so that each part takes this long, in nanoseconds; 0: all calls are divided among all threads.
  std::uint64_t leastWork = workOfPart;
};

// A team, or null where one thread is enough.
using MakeThreads = ThreadTeam* (*)(const ThreadOptions&);
extern const MakeThreads linkedThreads;  // null in a program of one thread

}  // namespace axle::runtime
