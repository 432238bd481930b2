#include <algorithm>
#include <iterator>

#include "bundle.nano.h"
#include "runtime/kernels/kernels.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

constexpr int any = OpRow::any;
#define AXLE_OP(name) axle_bundle_Op_##name, #name

// clang-format off
constexpr OpRow operators[] = {
    // operator                     in   out  ints bodies
    {AXLE_OP(NEG),                  1,   1,   0,   0, preparePointwise, rowNeg},
    {AXLE_OP(NOT),                  1,   1,   0,   0, preparePointwise, rowNot},
    {AXLE_OP(EXP),                  1,   1,   0,   0, preparePointwise, rowExp},
    {AXLE_OP(LOG),                  1,   1,   0,   0, preparePointwise, rowLog},
    {AXLE_OP(SQRT),                 1,   1,   0,   0, preparePointwise, rowSqrt},
    {AXLE_OP(TANH),                 1,   1,   0,   0, preparePointwise, rowTanh},
    {AXLE_OP(SIGMOID),              1,   1,   0,   0, preparePointwise, rowSigmoid},
    {AXLE_OP(ABS),                  1,   1,   0,   0, preparePointwise, rowAbs},
    {AXLE_OP(ERF),                  1,   1,   0,   0, preparePointwise, rowErf},
    {AXLE_OP(RSQRT),                1,   1,   0,   0, preparePointwise, rowRsqrt},
    {AXLE_OP(FLOOR),                1,   1,   0,   0, preparePointwise, rowFloor},
    {AXLE_OP(CEIL),                 1,   1,   0,   0, preparePointwise, rowCeil},
    {AXLE_OP(ROUND),                1,   1,   0,   0, preparePointwise, rowRound},
    {AXLE_OP(SIGN),                 1,   1,   0,   0, preparePointwise, rowSign},
    {AXLE_OP(RELU),                 1,   1,   0,   0, preparePointwise, rowRelu},
    {AXLE_OP(SIN),                  1,   1,   0,   0, preparePointwise, rowSin},
    {AXLE_OP(COS),                  1,   1,   0,   0, preparePointwise, rowCos},
    {AXLE_OP(CAST),                 1,   1,   0,   0, preparePointwise, rowCast},
    {AXLE_OP(ADD_),                 2,   1,   0,   0, preparePointwise, rowAdd},
    {AXLE_OP(SUB_),                 2,   1,   0,   0, preparePointwise, rowSub},
    {AXLE_OP(MUL_),                 2,   1,   0,   0, preparePointwise, rowMul},
    {AXLE_OP(DIV_),                 2,   1,   0,   0, preparePointwise, rowDiv},
    {AXLE_OP(MOD_),                 2,   1,   0,   0, preparePointwise, rowMod},
    {AXLE_OP(MAXIMUM),              2,   1,   0,   0, preparePointwise, rowMaximum},
    {AXLE_OP(MINIMUM),              2,   1,   0,   0, preparePointwise, rowMinimum},
    {AXLE_OP(POW),                  2,   1,   0,   0, preparePointwise, rowPow},
    {AXLE_OP(LESS),                 2,   1,   0,   0, preparePointwise, rowLess},
    {AXLE_OP(LESS_EQUAL),           2,   1,   0,   0, preparePointwise, rowLessEqual},
    {AXLE_OP(GREATER),              2,   1,   0,   0, preparePointwise, rowGreater},
    {AXLE_OP(GREATER_EQUAL),        2,   1,   0,   0, preparePointwise, rowGreaterEqual},
    {AXLE_OP(EQUAL),                2,   1,   0,   0, preparePointwise, rowEqual},
    {AXLE_OP(NOT_EQUAL),            2,   1,   0,   0, preparePointwise, rowNotEqual},
    {AXLE_OP(AND),                  2,   1,   0,   0, preparePointwise, rowAnd},
    {AXLE_OP(OR),                   2,   1,   0,   0, preparePointwise, rowOr},
    {AXLE_OP(SELECT),               3,   1,   0,   0, preparePointwise, rowSelect},
    {AXLE_OP(ASIN),                 1,   1,   0,   0, preparePointwise, rowAsin},
    {AXLE_OP(ACOS),                 1,   1,   0,   0, preparePointwise, rowAcos},
    {AXLE_OP(ATAN),                 1,   1,   0,   0, preparePointwise, rowAtan},
    {AXLE_OP(TAN),                  1,   1,   0,   0, preparePointwise, rowTan},
    {AXLE_OP(SINH),                 1,   1,   0,   0, preparePointwise, rowSinh},
    {AXLE_OP(COSH),                 1,   1,   0,   0, preparePointwise, rowCosh},
    {AXLE_OP(ASINH),                1,   1,   0,   0, preparePointwise, rowAsinh},
    {AXLE_OP(ACOSH),                1,   1,   0,   0, preparePointwise, rowAcosh},
    {AXLE_OP(ATANH),                1,   1,   0,   0, preparePointwise, rowAtanh},
    {AXLE_OP(LOG1P),                1,   1,   0,   0, preparePointwise, rowLog1p},
    {AXLE_OP(EXPM1),                1,   1,   0,   0, preparePointwise, rowExpm1},
    {AXLE_OP(LOG2),                 1,   1,   0,   0, preparePointwise, rowLog2},
    {AXLE_OP(EXP2),                 1,   1,   0,   0, preparePointwise, rowExp2},
    {AXLE_OP(CBRT),                 1,   1,   0,   0, preparePointwise, rowCbrt},
    {AXLE_OP(TRUNC),                1,   1,   0,   0, preparePointwise, rowTrunc},
    {AXLE_OP(BIT_NOT),              1,   1,   0,   0, preparePointwise, rowBitNot},
    {AXLE_OP(BITCAST),              1,   1,   0,   0, preparePointwise, rowBitcast},
    {AXLE_OP(ATAN2),                2,   1,   0,   0, preparePointwise, rowAtan2},
    {AXLE_OP(BIT_AND),              2,   1,   0,   0, preparePointwise, rowBitAnd},
    {AXLE_OP(BIT_OR),               2,   1,   0,   0, preparePointwise, rowBitOr},
    {AXLE_OP(BIT_XOR),              2,   1,   0,   0, preparePointwise, rowBitXor},
    {AXLE_OP(SHIFT_LEFT),           2,   1,   0,   0, preparePointwise, rowShiftLeft},
    {AXLE_OP(SHIFT_RIGHT),          2,   1,   0,   0, preparePointwise, rowShiftRight},
    {AXLE_OP(CHAIN),                any, 1,   0,   0, prepareChain},
    {AXLE_OP(MATMUL),               2,   1,   0,   0, prepareMatmul},
    {AXLE_OP(CONV),                 2,   1,   any, 0, prepareConv},
    {AXLE_OP(CONV_NCHW),            2,   1,   0,   0, prepareConvNchw},
    {AXLE_OP(MAX_POOL),             1,   1,   any,  0, prepareMaxPool},
    {AXLE_OP(AVG_POOL),             1,   1,   any,  0, prepareAvgPool},
    {AXLE_OP(TRANSPOSE),            1,   1,   any, 0, prepareTranspose},
    {AXLE_OP(RESHAPE),              1,   1,   0,   0, prepareReshape},
    {AXLE_OP(CONCAT),               any, 1,   1,   0, prepareConcat},
    {AXLE_OP(SLICE),                1,   1,   3,   0, prepareSlice},
    {AXLE_OP(REVERSE),              1,   1,   1,   0, prepareReverse},
    {AXLE_OP(PAD),                  any, 1,   any, 0, preparePad},
    {AXLE_OP(UPSAMPLE),             1,   1,   2,   0, prepareUpsample},
    {AXLE_OP(GATHER),               2,   1,   1,   0, prepareGather},
    {AXLE_OP(BROADCAST),            1,   1,   0,   0, prepareBroadcast},
    {AXLE_OP(DIMS),                 0,   1,   any, 0, prepareDims},
    {AXLE_OP(COPY),                 1,   1,   0,   0, prepareCopy},
    {AXLE_OP(NONZERO),              1,   1,   0,   0, prepareNonzero},
    {AXLE_OP(SEGMENT),              2,   1,   0,   0, prepareSegment},
    {AXLE_OP(SIZE),                 1,   1,   0,   0, prepareSize},
    {AXLE_OP(GUARD),                any, 1,   any, 0, prepareGuard},
    {AXLE_OP(REQUIRE),              3,   1,   1,   0, prepareRequire},
    {AXLE_OP(REDUCE_SUM),           2,   1,   1,   0, prepareReduceSum},
    {AXLE_OP(REDUCE_PROD),          2,   1,   1,   0, prepareReduceProd},
    {AXLE_OP(REDUCE_MAX),           2,   1,   1,   0, prepareReduceMax},
    {AXLE_OP(REDUCE_MIN),           2,   1,   1,   0, prepareReduceMin},
    {AXLE_OP(CUM_SUM),              1,   1,   3,   0, prepareCumSum},
    {AXLE_OP(CUM_PROD),             1,   1,   3,   0, prepareCumProd},
    {AXLE_OP(CUM_MAX),              1,   1,   3,   0, prepareCumMax},
    {AXLE_OP(CUM_MIN),              1,   1,   3,   0, prepareCumMin},
    {AXLE_OP(ARGSORT),              1,   1,   2,   0, prepareArgsort},
    {AXLE_OP(TOP_PLACES),           1,   1,   3,   0, prepareTopPlaces},
    {AXLE_OP(ARG_MAX),              1,   1,   1,   0, prepareArgMax},
    {AXLE_OP(ARG_MIN),              1,   1,   1,   0, prepareArgMin},
    {AXLE_OP(SEARCH_SORTED),        2,   1,   1,   0, prepareSearchSorted},
    {AXLE_OP(GATHER_ELEMENTS),      2,   1,   1,   0, prepareGatherElements},
    {AXLE_OP(GATHER_ND),            2,   1,   0,   0, prepareGatherNd},
    {AXLE_OP(SCATTER_ELEMENTS),     3,   1,   2,   0, prepareScatterElements},
    {AXLE_OP(SCATTER_ND),           3,   1,   1,   0, prepareScatterNd},
    {AXLE_OP(IOTA),                 0,   1,   1,   0, prepareIota},
    {AXLE_OP(RANDOM_BITS),          1,   1,   1,   0, prepareRandomBits},
    {AXLE_OP(RESIZE),               1,   1,   2,   0, prepareResize},
    {AXLE_OP(FRAME),                1,   1,   2,   0, prepareFrame},
    {AXLE_OP(OVERLAP_ADD),          1,   1,   2,   0, prepareOverlapAdd},
    {AXLE_OP(FOURIER),              1,   1,   1,   0, prepareFourier},
    {AXLE_OP(REDUCE),               any, 1,   1,   1, prepareReduce},
    {AXLE_OP(MAP),                  any, any, 1,   1, prepareMap},
    {AXLE_OP(LOOP),                 any, any, 2,   1, prepareLoop},
    {AXLE_OP(WHILE),                any, any, 1,   2, prepareWhile},
    {AXLE_OP(IF),                   any, any, 0,   2, prepareIf},
};
// clang-format on

}  // namespace

std::span<const OpRow> operatorTable() { return operators; }

const OpRow* operatorRow(std::uint32_t op) {
  for (const OpRow& row : operators)
    if (row.op == op) return &row;
  return nullptr;
}

const char* prepareStep(Step& step) {
  if (const char* problem = step.row->prepare(step)) return problem;
  return step.node->epilogue.empty() || step.node->op == axle_bundle_Op_CHAIN ? nullptr : bindChain(step, true);
}

KernelTraits kernelTraits(std::uint32_t op) {
  struct Row {
    std::uint32_t op;
    KernelTraits traits;
  };
  constexpr std::uint32_t all = ~0u;
  static constexpr Row rows[] = {
      // operator                      pitched: inputs, output  epilogue  alias
      {axle_bundle_Op_CHAIN,           {all,            true,    true,    false}},
      {axle_bundle_Op_CONV,            {0b01,           true,    true,    false}},
      {axle_bundle_Op_MATMUL,          {0b11,           true,    true,    false}},
      {axle_bundle_Op_MAX_POOL,        {0b01,           true,    true,    false}},
      {axle_bundle_Op_AVG_POOL,        {0b01,           true,    true,    false}},
      {axle_bundle_Op_TRANSPOSE,       {all,            true,    false,   false}},
      {axle_bundle_Op_REVERSE,         {all,            true,    false,   false}},
      {axle_bundle_Op_BROADCAST,       {all,            true,    false,   false}},
      {axle_bundle_Op_PAD,             {0b01,           true,    false,   false}},
      {axle_bundle_Op_RESHAPE,         {0,              false,   false,   true}},
      {axle_bundle_Op_SLICE,           {all,            true,    false,   true}},
      {axle_bundle_Op_CONCAT,          {all,            true,    false,   true}},
  };
  for (const Row& row : rows)
    if (row.op == op) return row.traits;
  const OpRow* row = operatorRow(op);
  if (row != nullptr && row->choose != nullptr) return {all, true, false, false};
  return {};
}

bool operatorFindsSizes(std::uint32_t op) {
  constexpr std::uint32_t finding[] = {axle_bundle_Op_NONZERO, axle_bundle_Op_SEGMENT, axle_bundle_Op_SIZE,
                                       axle_bundle_Op_MAP, axle_bundle_Op_LOOP};
  return std::find(std::begin(finding), std::end(finding), op) != std::end(finding);
}

bool operatorTakesGuards(std::uint32_t op) { return op == axle_bundle_Op_GUARD; }
bool operatorChecksInputs(std::uint32_t op) { return op == axle_bundle_Op_GUARD || op == axle_bundle_Op_REQUIRE; }

}  // namespace axle::runtime
