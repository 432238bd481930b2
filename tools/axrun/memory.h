// What axrun does where memory ends.
#pragma once

namespace axle {

int reportNoMemory();  // prints the error; gives the exit code

}  // namespace axle
