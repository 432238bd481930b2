// Links the thread pool by default. A runtime of `axc build --runtime` for one thread defines `linkedThreads` as null,
// so it links neither this file nor the thread pool.
#include "runtime/thread_pool.h"

namespace axle::runtime {

const MakeThreads linkedThreads = makeThreadPool;

}  // namespace axle::runtime
