// Makes the error of a run that stopped.
#pragma once

#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/program.h"

namespace axle::runtime {

// Names the node of `manifest` where the run stopped, and its places.
RunError faultError(const manifest::Manifest& manifest, Fault& fault);

}  // namespace axle::runtime
