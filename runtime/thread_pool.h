// Makes the threads of a session.
#pragma once

#include "runtime/threads.h"

namespace axle::runtime {

ThreadTeam* makeThreadPool(const ThreadOptions& options);

}  // namespace axle::runtime
