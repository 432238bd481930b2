// Stores the results of a kernel in the output, or through the epilogue of its call.
#pragma once

#include <array>
#include <optional>

#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {

// Sets the fault unless an epilogue `succeeded`, and returns `succeeded`.
inline bool reportDivision(bool succeeded, Fault& fault) {
  if (succeeded) return true;
  fault.code = ErrorCode::divisionByZero;
  fault.message = "an integer is divided by zero";
  return false;
}

// The output's rows are all axes but the last, row-major; its columns are the last axis.
class Results {
 public:
  explicit Results(const Step& step) : step_(step) {}

  // Makes results go to `data` instead of the output, as rows without gaps from row `first` on.
  void moveTo(std::byte* data, std::int64_t first) { data_ = data, firstRow_ = first, outPitch_ = out_.columns(); }

  // Returns where results from this place on go: the output, or `tile` if there is an epilogue.
  template <class T>
  T* at(std::int64_t row, std::int64_t column, T* tile) const {
    return step_.chain.links.empty() ? reinterpret_cast<T*>(data_) + (row - firstRow_) * outPitch_ + column : tile;
  }

  // Returns an operand of the epilogue, from a place of the result on.
  StripOperand operandAt(int index, std::int64_t row, std::int64_t column) const;

  // Returns the number of elements from one row of an operand to the next, if it is the same for all rows.
  std::optional<std::int64_t> rowPitchOf(int index) const {
    const OperandLayout& layout = step_.chain.layouts[static_cast<std::size_t>(index)];
    return layout.isEven ? std::optional(layout.rowStep) : std::nullopt;
  }

  // Applies the epilogue to `count` <= stripWidth results; call it after all results that `at` gave a place for.
  bool store(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) const {
    return step_.chain.links.empty() || runEpilogue(tile, row, column, count, fault);
  }

 private:
  bool runEpilogue(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) const;
  std::int64_t offsetOf(const OperandLayout& layout, std::int64_t row) const;

  const Step& step_;
  const TensorView& out_ = step_.out(0);
  std::byte* data_ = out_.as<std::byte>();
  std::int64_t firstRow_ = 0, outPitch_ = out_.rowPitch();
  const std::int64_t outBytes_ = static_cast<std::int64_t>(info(out_.elem).bytes);
};

// Stores results that a kernel computes one after another, in row-major order, from result `first` on.
template <class T>
class ResultsInOrder {
 public:
  ResultsInOrder(Step& step, Fault& fault, std::int64_t first)
      : results_(step),
        fault_(fault),
        columns_(step.out(0).columns()),
        row_(first / columns_),
        column_(first % columns_) {
    begin();
  }

  // Returns false after setting the fault.
  bool put(T value) {
    to_[count_++] = value;
    return count_ < stripWidth && column_ + count_ < columns_ ? true : flush();
  }
  bool flush() {
    if (count_ > 0 && !results_.store(tile_, row_, column_, count_, fault_)) return false;
    column_ += count_;
    if (column_ == columns_) ++row_, column_ = 0;
    begin();
    return true;
  }

 private:
  void begin() {
    count_ = 0;
    to_ = results_.at(row_, column_, tile_);
  }

  const Results results_;
  Fault& fault_;
  const std::int64_t columns_;
  std::int64_t row_, column_, count_ = 0;
  T* to_ = nullptr;
  T tile_[stripWidth];
};

}  // namespace axle::runtime
