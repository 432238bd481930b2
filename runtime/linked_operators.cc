// The operators of a program that names none itself: all. A program that defines `linkedOperators`, as those of
// `axc build --runtime` do, does not link this file, and of the kernels only those of its operators.
#include "runtime/program.h"

namespace axle::runtime {

const OpRow* const linkedOperators[] = {
#define OPERATOR(name, ...) &rows::name,
#define PRIMITIVE(name, ...) &rows::name,
#include "runtime/ops.def"
    nullptr};

}  // namespace axle::runtime
