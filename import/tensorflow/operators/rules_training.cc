// Steps of training. Those on resources give nothing; those on references give the variable.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

Outcome likeFirst(RuleNode& n, std::string_view) {
  n.giveTypesOnly();
  return n.give(n.in(0));
}

constexpr Rule rows[] = {
    {"ApplyAdaMax", likeFirst},
    {"ApplyAdadelta", likeFirst},
    {"ApplyAdagrad", likeFirst},
    {"ApplyAdagradDA", likeFirst},
    {"ApplyAdagradV2", likeFirst},
    {"ApplyAdam", likeFirst},
    {"ApplyAddSign", likeFirst},
    {"ApplyCenteredRMSProp", likeFirst},
    {"ApplyFtrl", likeFirst},
    {"ApplyFtrlV2", likeFirst},
    {"ApplyGradientDescent", likeFirst},
    {"ApplyMomentum", likeFirst},
    {"ApplyPowerSign", likeFirst},
    {"ApplyProximalAdagrad", likeFirst},
    {"ApplyProximalGradientDescent", likeFirst},
    {"ApplyRMSProp", likeFirst},
    {"SparseApplyAdadelta", likeFirst},
    {"SparseApplyAdagrad", likeFirst},
    {"SparseApplyAdagradDA", likeFirst},
    {"SparseApplyAdagradV2", likeFirst},
    {"SparseApplyCenteredRMSProp", likeFirst},
    {"SparseApplyFtrl", likeFirst},
    {"SparseApplyFtrlV2", likeFirst},
    {"SparseApplyMomentum", likeFirst},
    {"SparseApplyProximalAdagrad", likeFirst},
    {"SparseApplyProximalGradientDescent", likeFirst},
    {"SparseApplyRMSProp", likeFirst},
};

}  // namespace

std::span<const Rule> trainingRules() { return rows; }

}  // namespace axle::tensorflow
