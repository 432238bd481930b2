// The end `:0` of a tensor's name: `x` and `x:0` are one tensor.
#pragma once

#include <string>

namespace axle::tensorflow {

inline std::string withoutPortZero(std::string name) {
  if (name.ends_with(":0")) name.resize(name.size() - 2);
  return name;
}

}  // namespace axle::tensorflow
