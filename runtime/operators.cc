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
    {AXLE_OP(NEG),                  1,   1,   0,   0, prepareNeg},
    {AXLE_OP(NOT),                  1,   1,   0,   0, prepareNot},
    {AXLE_OP(EXP),                  1,   1,   0,   0, prepareExp},
    {AXLE_OP(LOG),                  1,   1,   0,   0, prepareLog},
    {AXLE_OP(SQRT),                 1,   1,   0,   0, prepareSqrt},
    {AXLE_OP(TANH),                 1,   1,   0,   0, prepareTanh},
    {AXLE_OP(SIGMOID),              1,   1,   0,   0, prepareSigmoid},
    {AXLE_OP(ABS),                  1,   1,   0,   0, prepareAbs},
    {AXLE_OP(ERF),                  1,   1,   0,   0, prepareErf},
    {AXLE_OP(RSQRT),                1,   1,   0,   0, prepareRsqrt},
    {AXLE_OP(FLOOR),                1,   1,   0,   0, prepareFloor},
    {AXLE_OP(CEIL),                 1,   1,   0,   0, prepareCeil},
    {AXLE_OP(ROUND),                1,   1,   0,   0, prepareRound},
    {AXLE_OP(SIGN),                 1,   1,   0,   0, prepareSign},
    {AXLE_OP(RELU),                 1,   1,   0,   0, prepareRelu},
    {AXLE_OP(SIN),                  1,   1,   0,   0, prepareSin},
    {AXLE_OP(COS),                  1,   1,   0,   0, prepareCos},
    {AXLE_OP(CAST),                 1,   1,   0,   0, prepareCast},
    {AXLE_OP(ADD_),                 2,   1,   0,   0, prepareAdd},
    {AXLE_OP(SUB_),                 2,   1,   0,   0, prepareSub},
    {AXLE_OP(MUL_),                 2,   1,   0,   0, prepareMul},
    {AXLE_OP(DIV_),                 2,   1,   0,   0, prepareDiv},
    {AXLE_OP(MOD_),                 2,   1,   0,   0, prepareMod},
    {AXLE_OP(MAXIMUM),              2,   1,   0,   0, prepareMaximum},
    {AXLE_OP(MINIMUM),              2,   1,   0,   0, prepareMinimum},
    {AXLE_OP(POW),                  2,   1,   0,   0, preparePow},
    {AXLE_OP(LESS),                 2,   1,   0,   0, prepareLess},
    {AXLE_OP(LESS_EQUAL),           2,   1,   0,   0, prepareLessEqual},
    {AXLE_OP(GREATER),              2,   1,   0,   0, prepareGreater},
    {AXLE_OP(GREATER_EQUAL),        2,   1,   0,   0, prepareGreaterEqual},
    {AXLE_OP(EQUAL),                2,   1,   0,   0, prepareEqual},
    {AXLE_OP(NOT_EQUAL),            2,   1,   0,   0, prepareNotEqual},
    {AXLE_OP(AND),                  2,   1,   0,   0, prepareAnd},
    {AXLE_OP(OR),                   2,   1,   0,   0, prepareOr},
    {AXLE_OP(SELECT),               3,   1,   0,   0, prepareSelect},
    {AXLE_OP(ASIN),                 1,   1,   0,   0, prepareAsin},
    {AXLE_OP(ACOS),                 1,   1,   0,   0, prepareAcos},
    {AXLE_OP(ATAN),                 1,   1,   0,   0, prepareAtan},
    {AXLE_OP(TAN),                  1,   1,   0,   0, prepareTan},
    {AXLE_OP(SINH),                 1,   1,   0,   0, prepareSinh},
    {AXLE_OP(COSH),                 1,   1,   0,   0, prepareCosh},
    {AXLE_OP(ASINH),                1,   1,   0,   0, prepareAsinh},
    {AXLE_OP(ACOSH),                1,   1,   0,   0, prepareAcosh},
    {AXLE_OP(ATANH),                1,   1,   0,   0, prepareAtanh},
    {AXLE_OP(LOG1P),                1,   1,   0,   0, prepareLog1p},
    {AXLE_OP(EXPM1),                1,   1,   0,   0, prepareExpm1},
    {AXLE_OP(LOG2),                 1,   1,   0,   0, prepareLog2},
    {AXLE_OP(EXP2),                 1,   1,   0,   0, prepareExp2},
    {AXLE_OP(CBRT),                 1,   1,   0,   0, prepareCbrt},
    {AXLE_OP(TRUNC),                1,   1,   0,   0, prepareTrunc},
    {AXLE_OP(BIT_NOT),              1,   1,   0,   0, prepareBitNot},
    {AXLE_OP(BITCAST),              1,   1,   0,   0, prepareBitcast},
    {AXLE_OP(ATAN2),                2,   1,   0,   0, prepareAtan2},
    {AXLE_OP(BIT_AND),              2,   1,   0,   0, prepareBitAnd},
    {AXLE_OP(BIT_OR),               2,   1,   0,   0, prepareBitOr},
    {AXLE_OP(BIT_XOR),              2,   1,   0,   0, prepareBitXor},
    {AXLE_OP(SHIFT_LEFT),           2,   1,   0,   0, prepareShiftLeft},
    {AXLE_OP(SHIFT_RIGHT),          2,   1,   0,   0, prepareShiftRight},
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

bool operatorFindsSizes(std::uint32_t op) {
  constexpr std::uint32_t finding[] = {axle_bundle_Op_NONZERO, axle_bundle_Op_SEGMENT, axle_bundle_Op_SIZE,
                                       axle_bundle_Op_MAP, axle_bundle_Op_LOOP};
  return std::find(std::begin(finding), std::end(finding), op) != std::end(finding);
}

bool operatorTakesGuards(std::uint32_t op) { return op == axle_bundle_Op_GUARD; }
bool operatorChecksInputs(std::uint32_t op) { return op == axle_bundle_Op_GUARD || op == axle_bundle_Op_REQUIRE; }

}  // namespace axle::runtime
