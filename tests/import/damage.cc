#include "tests/import/damage.h"

#include <gtest/gtest.h>

#include "import/tensorflow/dump.h"

namespace axle::test {

// Calls every query of a model.
void use(const Read& read) {
  if (!read.model) return;
  ASSERT_FALSE(tensorflow::summary(*read.model).empty());
  ASSERT_FALSE(tensorflow::dump(*read.model).empty());
  for (const tensorflow::Variable& variable : read.model->variables)
    if (variable.read) (void)variable.read();
}

std::string mutant(std::string bytes, std::mt19937& random) {
  const auto at = [&] { return random() % (bytes.size() + 1); };
  for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
    if (bytes.empty()) break;
    const std::size_t here = random() % bytes.size();
    switch (random() % 7) {
      case 0:
        bytes[here] = static_cast<char>(bytes[here] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[here] = static_cast<char>(random());
        break;
      case 2:
        bytes[here] = '\xff';
        break;  // a length, a size or a continued number
      case 3:
        bytes.resize(at());
        break;
      case 4:
        bytes.erase(here, 1 + random() % 8);
        break;
      case 5:
        bytes.insert(here, bytes.substr(at(), random() % 40));
        break;
      case 6:
        bytes.insert(here, std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1 + random() % 10));
        break;
    }
  }
  return bytes;
}

}  // namespace axle::test
