// The threads of a program that does not say otherwise. One that defines `linkedThreads` as null, as a runtime of
// `axc build --runtime` for one thread does, links neither this file nor the threads.
#include "runtime/thread_pool.h"

namespace axle::runtime {

const MakeThreads linkedThreads = makeThreadPool;

}  // namespace axle::runtime
