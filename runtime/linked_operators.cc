// Defines the operators of a program as all of them. A runtime of `axc build --runtime` defines `linkedOperators`
// itself, so it does not link this file, and links only the kernels of its operators.
#include "runtime/program.h"

namespace axle::runtime {

const OpRow* const linkedOperators[] = {
#define OPERATOR(name, ...) &rows::name,
#define PRIMITIVE(name, ...) &rows::name,
#include "runtime/ops.def"
    nullptr};

}  // namespace axle::runtime
