// Prepares products (runtime/prepared_product.h).
#pragma once

#include <span>

#include "runtime/kernels/products.h"
#include "runtime/program.h"

namespace axle::runtime {

// More pointers would take more memory than they save time.
inline constexpr std::int64_t mostPreparedPointers = 4096;

// Prepares a product, if the step runs in one part and its epilogue is in registers or one direct chain. `ranges`: of
// columns, without addresses, which differ in their columns and right factor only. Returns whether it did; then `point`
// and what that needs is to be set, or the pointers before each run.
bool prepareProduct(Step& step, std::span<const PanelProduct> ranges);

// Runs a prepared product whose left factor lies at `left`.
bool runPrepared(Step& step, const float* left, Fault& fault);
// The same for the step's first input; a Kernel.
bool runPreparedStep(Step& step, Fault& fault);

inline bool isPrepared(const Step& step) { return !step.product.calls.empty(); }
// Sets the pointers for a left factor at `left`.
void pointPrepared(Step& step, const float* left);
// Runs the product, whose pointers are set, for results from row `firstRow` on, which it stores at `out`. The epilogue
// must be in registers.
void runPreparedRows(Step& step, float* out, std::int64_t firstRow);

// The same as prepareProduct for a left factor whose rows are evenly apart, in pieces that begin where `pieces` says,
// in units of `piecePitch` elements.
bool prepareEvenProduct(Step& step, std::span<const PanelProduct> ranges, std::int64_t pitch,
                        std::span<const std::int64_t> pieces = onePiece, std::int64_t piecePitch = 0);

}  // namespace axle::runtime
