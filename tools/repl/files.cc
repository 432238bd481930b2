// Commands that load programs and tensors from files.
#include <charconv>
#include <cstdio>

#include "io/npz.h"
#include "io/wav.h"
#include "tools/repl/handlers.h"
#include "tools/repl/statements.h"

namespace axle::repl {

namespace {

constexpr std::string_view waveEnd = ".wav";

FileResult<NamedTensor> readTensor(const std::string& path) {
  NamedTensor tensor;
  tensor.file = path;
  if (std::string_view(path).ends_with(waveEnd)) {
    auto wav = readWav(path);
    if (!wav) return tl::unexpected(wav.error());
    tensor.shape = {static_cast<std::int64_t>(wav->frames), static_cast<std::int64_t>(wav->channels)};
    tensor.bytes = {wav->samples, std::as_bytes(std::span<const float>(*wav->samples))};
    return tensor;
  }
  auto file = openTensorFile(path, plainFormats());
  if (!file) return tl::unexpected(file.error());
  if (file->tensors.size() != 1)
    return fileError(path, "it holds " + std::to_string(file->tensors.size()) + " tensors, not one");
  tensor.elem = file->tensors.front().elem;
  tensor.shape.assign(file->tensors.front().shape.begin(), file->tensors.front().shape.end());
  auto bytes = file->readAt(0);
  if (!bytes) return tl::unexpected(bytes.error());
  tensor.bytes = std::move(*bytes);
  return tensor;
}

}  // namespace

bool loadFile(Session& session, const InputText& typed) {
  constexpr std::string_view option = "--weights";
  std::vector<std::string> words;
  for (std::string_view rest = typed.text; !rest.empty();) {
    auto [word, behind] = firstWord(rest);
    words.emplace_back(word);
    rest = behind;
  }
  const bool hasWeights = words.size() == 3 && words[1] == option;
  if (words.size() != 1 && !hasWeights) return printError("`:load` takes a file: `:load FILE.ax [--weights W]`");
  return session.load(words[0], hasWeights ? words[2] : "");
}

bool reload(Session& session, const InputText&) { return session.reload(); }

bool letTensor(Session& session, const InputText& typed) {
  const std::size_t equals = findOutside(typed.text, "=");
  if (equals == std::string_view::npos) return printError("`:let` takes a name and a file: `:let x = FILE.npy`");
  const std::string name(trimmed(typed.text.substr(0, equals))), path(trimmed(typed.text.substr(equals + 1)));
  auto tensor = readTensor(path);
  if (!tensor) return printError(describe(tensor.error()));
  return session.nameTensor(name, std::move(*tensor));
}

bool forgetName(Session& session, const InputText& typed) {
  if (typed.text.empty()) return printError("`:forget` takes a name: `:forget x`");
  return session.drop(std::string(typed.text));
}

bool setSeed(Session& session, const InputText& typed) {
  std::uint64_t seed = 0;
  const char* end = typed.text.data() + typed.text.size();
  auto [stop, error] = std::from_chars(typed.text.data(), end, seed);
  if (error != std::errc{} || stop != end) return printError("`:seed` takes a number");
  session.setSeed(seed);
  return true;
}

}  // namespace axle::repl
