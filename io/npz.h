// NumPy's `.npz`: a zip archive of npy members, stored or deflated. Opening reads the members' headers. Reading a
// tensor inflates it and verifies its checksum. A tensor's name is the member's without `.npy`.
#pragma once

#include "io/tensor_file.h"

namespace axle {

extern const FileFormat npzFormat;

// Returns the plain formats and npz.
std::span<const FileFormat> allFormats();

}  // namespace axle
