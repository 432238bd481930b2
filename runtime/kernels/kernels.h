// For each operator of the table, the function that checks a step and chooses its kernel.
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/program.h"

namespace axle::runtime {

using Prepare = const char*(Step&);

// pointwise.cc
Prepare preparePointwise, prepareChain;
// matmul.cc
Prepare prepareMatmul;
// conv.cc
Prepare prepareConv, prepareConvNchw;
// pool.cc
Prepare prepareMaxPool, prepareAvgPool;
// structure.cc
Prepare prepareTranspose, prepareReshape, prepareConcat, prepareSlice, prepareReverse, preparePad, prepareUpsample,
    prepareGather, prepareBroadcast, prepareDims, prepareCopy;
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
