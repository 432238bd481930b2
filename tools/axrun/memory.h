// Handles running out of memory in axrun.
#pragma once

namespace axle {

int reportNoMemory();  // prints the error and returns the exit code

}  // namespace axle
