// Training steps. Those on resources have no results; those on references give the variable.
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::training {

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                 type
    {"ApplyAdaMax",                         likeFirstInput},
    {"ApplyAdadelta",                       likeFirstInput},
    {"ApplyAdagrad",                        likeFirstInput},
    {"ApplyAdagradDA",                      likeFirstInput},
    {"ApplyAdagradV2",                      likeFirstInput},
    {"ApplyAdam",                           likeFirstInput},
    {"ApplyAddSign",                        likeFirstInput},
    {"ApplyCenteredRMSProp",                likeFirstInput},
    {"ApplyFtrl",                           likeFirstInput},
    {"ApplyFtrlV2",                         likeFirstInput},
    {"ApplyGradientDescent",                likeFirstInput},
    {"ApplyMomentum",                       likeFirstInput},
    {"ApplyPowerSign",                      likeFirstInput},
    {"ApplyProximalAdagrad",                likeFirstInput},
    {"ApplyProximalGradientDescent",        likeFirstInput},
    {"ApplyRMSProp",                        likeFirstInput},
    {"SparseApplyAdadelta",                 likeFirstInput},
    {"SparseApplyAdagrad",                  likeFirstInput},
    {"SparseApplyAdagradDA",                likeFirstInput},
    {"SparseApplyAdagradV2",                likeFirstInput},
    {"SparseApplyCenteredRMSProp",          likeFirstInput},
    {"SparseApplyFtrl",                     likeFirstInput},
    {"SparseApplyFtrlV2",                   likeFirstInput},
    {"SparseApplyMomentum",                 likeFirstInput},
    {"SparseApplyProximalAdagrad",          likeFirstInput},
    {"SparseApplyProximalGradientDescent",  likeFirstInput},
    {"SparseApplyRMSProp",                  likeFirstInput},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::training
