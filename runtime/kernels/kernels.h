// For each operator of the table, the function that checks a step and chooses its kernel.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

using Prepare = const char*(Step&);

// pointwise_unary.cc
Prepare prepareNeg, prepareNot, prepareExp, prepareLog, prepareSqrt, prepareTanh, prepareSigmoid, prepareAbs,
    prepareErf, prepareRsqrt, prepareFloor, prepareCeil, prepareRound, prepareSign, prepareRelu, prepareSin, prepareCos,
    prepareAsin, prepareAcos, prepareAtan, prepareTan, prepareSinh, prepareCosh, prepareAsinh, prepareAcosh,
    prepareAtanh, prepareLog1p, prepareExpm1, prepareLog2, prepareExp2, prepareCbrt, prepareTrunc, prepareBitNot;
// cast.cc
Prepare prepareCast;
// pointwise_binary.cc
Prepare prepareAdd, prepareSub, prepareMul, prepareDiv, prepareMod, prepareMaximum, prepareMinimum, preparePow,
    prepareLess, prepareLessEqual, prepareGreater, prepareGreaterEqual, prepareEqual, prepareNotEqual, prepareAnd,
    prepareOr, prepareAtan2, prepareBitAnd, prepareBitOr, prepareBitXor, prepareShiftLeft, prepareShiftRight;
// select.cc
Prepare prepareSelect;
// matmul.cc
Prepare prepareMatmul;
// conv.cc
Prepare prepareConv, prepareConvNchw;
// pool.cc
Prepare prepareMaxPool, prepareAvgPool;
// structure.cc
Prepare prepareTranspose, prepareReshape, prepareConcat, prepareSlice, prepareReverse, preparePad, prepareUpsample,
    prepareGather, prepareBroadcast, prepareDims, prepareCopy, prepareBitcast;
// resize.cc
Prepare prepareResize;
// frames.cc
Prepare prepareFrame, prepareOverlapAdd;
// fourier.cc
Prepare prepareFourier;
// reduce.cc
Prepare prepareReduceSum, prepareReduceProd, prepareReduceMax, prepareReduceMin;
// scan.cc
Prepare prepareCumSum, prepareCumProd, prepareCumMax, prepareCumMin;
// order.cc
Prepare prepareArgsort, prepareTopPlaces, prepareArgMax, prepareArgMin, prepareSearchSorted;
// indexing.cc
Prepare prepareGatherElements, prepareGatherNd, prepareScatterElements, prepareScatterNd;
// run_sizes.cc
Prepare prepareNonzero, prepareSegment, prepareSize, prepareGuard, prepareRequire;
// generate.cc
Prepare prepareIota, prepareRandomBits;
// bodies.cc
Prepare prepareReduce, prepareMap, prepareLoop, prepareWhile, prepareIf;

}  // namespace axle::runtime
