// A session loads a bundle, binds inputs, runs it and gives access to the outputs.
//
//   auto session = Session::fromFile("digits.axb");
//   session->bind({{"images", imagesView}});
//   session->run();
//   TensorView logits = session->output(0);
//
// A session is used by one thread at a time; several sessions may share one bundle's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.h"
#include "runtime/tensor.h"
#include "runtime/threads.h"

namespace axle::runtime {

struct Bundle;
class StepObserver;
struct Step;

struct LoadOptions {
  bool verifyChecksums = true;      // the manifest is checked in either case
  std::uint64_t maxArenaBytes = 0;  // the most memory that a bind may use; 0: the machine's memory
};

// An input or output as the bundle describes it.
struct PortInfo {
  std::string name;
  Elem elem;
  std::string type;  // as the checker printed it: `f32 [n, 3]`, `f32 s @ [n]`
  // One per axis: the size, if it is the same for every run. None while ranks are open.
  std::optional<std::vector<std::optional<std::int64_t>>> sizes;
  // For a port of row splits: the index of the port of the rows. A ragged tensor has a port for its rows, and a port of
  // row splits for each ragged dimension, outermost first.
  std::optional<std::size_t> splitsOf;
};

struct GuardInfo {
  std::string text;  // `d % h == 0`
  std::string reason;
  std::vector<Place> places;
};

// An input, given by name. If its data is null, `bind` only binds sizes, and `setData` must give the data before `run`.
struct NamedTensor {
  std::string_view name;
  TensorView tensor;
};

struct NamedSize {
  std::string name;
  std::int64_t size;
};

struct OperatorCount {
  std::string_view name;  // `CONV2D`
  std::size_t count;      // nodes, including those of bodies: the smallest number in any program shown
  std::size_t most;       // the largest number in any program shown
};

struct SessionInfo {
  std::string producer, entry, entryType;
  std::uint64_t bundleBytes = 0, weightBytes = 0;
  std::vector<OperatorCount> operators;     // by name
  std::optional<std::uint64_t> arenaBytes;  // once bound
  // Once bound: the most bytes that one step needs, a lower bound of any arena for this order of steps.
  std::optional<std::uint64_t> liveBytes;
  std::vector<OperatorCount> calls;   // once bound: the kernel calls of a run, by operator; bodies count once
  std::optional<std::uint64_t> macs;  // once bound, if loop counts are known: multiply-accumulates of one run
};

class Session {
 public:
  // Weights stay mapped from the file; they are never copied.
  static Result<Session> fromFile(const std::string& path, LoadOptions options = {});
  // `owner` keeps `bytes` alive. Bytes that do not start at a multiple of 64 are copied.
  static Result<Session> fromMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                    LoadOptions options = {});

  // Several sessions, and streams (stream.h), share one loaded bundle and its weights.
  explicit Session(std::shared_ptr<const Bundle> bundle);
  const std::shared_ptr<const Bundle>& bundle() const;

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // While ranks are open, these describe the entry, with the symbols that all programs have in common and the guards of
  // any program. After `bind` they describe the chosen program. Names, element types and order never change.
  std::span<const PortInfo> inputs() const;
  std::span<const PortInfo> outputs() const;
  std::span<const std::string> symbols() const;  // without those that nodes compute in the run
  std::span<const GuardInfo> guards() const;
  std::optional<std::size_t> inputNamed(std::string_view name) const;
  std::optional<std::size_t> outputNamed(std::string_view name) const;
  SessionInfo info() const;
  // Returns the ranks of the inputs that the bundle covers, one list for each of its programs; empty if no rank is
  // open.
  std::vector<std::vector<std::size_t>> coveredRanks() const;

  // Returns the shapes of all inputs for given symbols; if ranks are open, those of the first program with these
  // symbols. A missing or unknown symbol is a usage error that names it.
  Result<std::vector<Shape>> inputShapes(std::span<const NamedSize> symbols) const;

  // Returns the last row split of input `splits`, for given symbols.
  Result<std::int64_t> rowsOf(std::size_t splits, std::span<const NamedSize> symbols) const;

  // Checks every input's element type, rank and sizes, binds the symbols, checks the guards and plans the arena. `run`
  // reads the elements in place, so they must stay valid until then, aligned for their type.
  Result<void> bind(std::span<const NamedTensor> tensors);
  Result<void> bind(std::initializer_list<NamedTensor> tensors) {
    return bind(std::span<const NamedTensor>(tensors.begin(), tensors.size()));
  }
  bool bound() const;
  std::span<const NamedSize> boundSizes() const;  // the symbols' values after bind

  // Sets the number of threads of runs, which is at first the number the bundle was planned for. A bound session must
  // be bound again. Results have the same bits for any number. Returns an error for less than one, and for more than
  // one in a program that is linked without threads.
  Result<void> setThreads(const ThreadOptions& options);
  int threads() const;  // the most that a run may use

  // Replaces the elements of one input by others of the same shape, after bind.
  Result<void> setData(std::size_t input, const void* data);

  // Computes the outputs, which stay valid until the next run or bind, or the session's end. Allocates nothing unless
  // it fails.
  Result<void> run();
  // Makes `observer` run the steps of runs (program.h) until the next bind; null: the session runs them. Call it after
  // bind.
  void observe(StepObserver* observer);
  // Returns the names of the model's nodes that a step of this session computes; empty if the bundle has no names.
  std::string nameOf(const Step& step) const;
  // Returns an output. After bind it has type and shape, with upper bounds for sizes known only in the run; after run
  // the actual shape and the elements.
  TensorView output(std::size_t index) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace axle::runtime
