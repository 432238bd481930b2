#include "driver/run/inputs.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "driver/run/draw.h"
#include "io/joined.h"
#include "io/npy.h"
#include "io/sorting.h"
#include "io/wav.h"
#include "runtime/named_inputs.h"

namespace axle::run {
namespace {

using runtime::PortInfo;
using runtime::Session;

// The inputs or the outputs of a session, and their names in messages.
struct Side {
  std::string_view noun;    // `input`
  std::string_view option;  // `-i`
  std::span<const PortInfo> ports;
  std::string_view verb;  // `the entry takes`
};

Side inputsOf(const Session& session) { return {"input", "-i", session.inputs(), "the entry takes"}; }
Side outputsOf(const Session& session) { return {"output", "--expect", session.outputs(), "the entry gives"}; }

std::string described(const PortInfo& port) { return joined({port.name, " : ", port.type}); }

// Finds a port by name. `:0`, the end of an imported tensor's name, may be left out or added.
std::optional<std::size_t> portOf(const Side& side, std::string_view name) {
  const std::span<const PortInfo> ports = side.ports;
  if (const auto found = runtime::portNamed(ports, name)) return found;
  if (name.ends_with(":0")) return runtime::portNamed(ports, name.substr(0, name.size() - 2));
  return runtime::portNamed(ports, joined({name, ":0"}));
}

tl::unexpected<Failure> unknown(const Side& side, std::string_view name) {
  std::string text = joined({side.noun, " ", name, " is unknown; ", side.verb, " "});
  std::string ports;
  for (const PortInfo& port : side.ports)
    if (!port.splitsOf) ports += (ports.empty() ? "" : ", ") + described(port);
  text += ports;
  if (side.ports.empty()) text += "none";
  return fail(exitUsage, std::move(text));
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Uses the elements in place, or a copy if they are not aligned for the runtime.
void setElements(PortValue& value, const TensorBytes& data) {
  const std::size_t width = std::max<std::size_t>(1, info(value.view.elem).bytes);
  value.owner = data.owner;
  const std::byte* at = data.bytes.data();
  if (reinterpret_cast<std::uintptr_t>(at) % width != 0) {
    auto copy = std::make_shared<std::vector<std::byte>>(data.bytes.begin(), data.bytes.end());
    at = copy->data();
    value.owner = std::move(copy);
  }
  value.view.data = const_cast<std::byte*>(at);
}

// Reads the samples of a WAV file for an input: as [n, channels]; if its type requires it, as [n] or [1, n] for one
// channel, or as [1, n, channels]. Sets `note` if the file was cut off.
FileResult<NpyArray> readSamples(const std::string& file, const PortInfo& port, std::string& note) {
  auto wav = readWav(file);
  if (!wav) return tl::unexpected(wav.error());
  if (wav->lost > 0)
    note = joined({file, " is cut off: it has ", wav->frames, " of the ", wav->frames + wav->lost,
                   " samples that its header states"});
  std::vector<std::uint64_t> shape{wav->frames, wav->channels};
  const std::size_t rank = port.sizes ? port.sizes->size() : 2;
  const bool isMono = wav->channels == 1, isOneSequence = port.sizes && rank > 1 && port.sizes->front() == 1;
  if (rank == 1 && isMono) shape.pop_back();
  if (rank == 2 && isMono && isOneSequence && port.sizes->back() != 1) shape = {1, wav->frames};
  if (rank == 3 && isOneSequence) shape.insert(shape.begin(), 1);
  return NpyArray{Elem::f32, std::move(shape), {wav->samples, std::as_bytes(std::span(*wav->samples))}};
}

Outcome<PortValue> readPort(const Side& side, std::size_t port, const std::string& file) {
  const std::string who = joined({side.noun, " ", side.ports[port].name});
  if (file.find(',') != std::string::npos && !exists(file))
    return fail(exitRun,
                joined({who, ": values and splits make a ragged tensor, and this input is not ragged; its type is ",
                        side.ports[port].type}));
  std::string note;
  const auto array = file.ends_with(".wav") ? readSamples(file, side.ports[port], note) : readNpy(file);
  if (!array) return fail(exists(file) ? exitErrors : exitUsage, joined({who, ": ", describe(array.error())}));
  auto value = portValue(port, who, file, array->elem, array->shape, array->data);
  if (!value)
    value.error().message += joined({"; the type is ", side.ports[port].type});
  else
    value->note = std::move(note);
  return value;
}

// Returns the ports of a tensor: its own and, if it is ragged, those of its row splits, from the outermost.
std::vector<std::size_t> portsOf(const Side& side, std::size_t port) {
  std::vector<std::size_t> all{port};
  for (std::size_t i = 0; i < side.ports.size(); ++i)
    if (side.ports[i].splitsOf == port) all.push_back(i);
  return all;
}

// Splits `values.npy,splits.npy` at its commas.
std::vector<std::string> filesOf(const std::string& words) {
  std::vector<std::string> files;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    files.push_back(words.substr(at, comma - at));
    at = comma + 1;
  }
  return files;
}

// Splits NAME=FILE.
Outcome<std::pair<std::string, std::string>> splitWord(const std::string& word, std::string_view option) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    return fail(exitUsage, joined({option, " takes NAME=FILE, not ", word}));
  return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

Outcome<std::vector<PortValue>> readPorts(const Side& side, const std::vector<std::string>& words) {
  std::vector<PortValue> values;
  for (const std::string& word : words) {
    const auto named = splitWord(word, side.option);
    if (!named) return tl::unexpected(named.error());
    const auto& [name, file] = *named;
    const auto port = portOf(side, name);
    if (!port) return unknown(side, name);
    if (const auto of = side.ports[*port].splitsOf) {
      const std::string& whole = side.ports[*of].name;
      return fail(exitUsage, joined({name, " are the row splits of ", whole, ", which come with it: ", side.option, " ",
                                     whole, "=values.npy,splits.npy"}));
    }
    if (std::any_of(values.begin(), values.end(), [&](const PortValue& value) { return value.port == *port; }))
      return fail(exitUsage, joined({side.noun, " ", name, " is given twice"}));
    const std::vector<std::size_t> ports = portsOf(side, *port);
    const std::vector<std::string> files = ports.size() == 1 ? std::vector{file} : filesOf(file);
    if (files.size() != ports.size())
      return fail(exitUsage,
                  joined({side.noun, " ", name, " : ", side.ports[*port].type, " is ragged: it takes its rows and ",
                          ports.size() - 1, " row splits, as in ", name, "=values.npy,splits.npy"}));
    for (std::size_t i = 0; i < files.size(); ++i) {
      auto value = readPort(side, ports[i], files[i]);
      if (!value) return tl::unexpected(std::move(value.error()));
      values.push_back(std::move(*value));
    }
  }
  return values;
}

// Draws row splits that divide `rows` rows at random. The same seed, rows and number of splits give the same result.
// Returns false if there are rows but no split can hold them.
bool drawSplits(std::uint64_t seed, std::int64_t rows, std::span<std::byte> bytes) {
  const std::size_t count = bytes.size() / sizeof(std::int64_t);
  if (count < 2) return count == 1 && rows == 0;
  std::vector<std::int64_t> splits(count);
  std::vector<std::uint32_t> drawn(count);
  draw(Elem::f32, seed, count, std::as_writable_bytes(std::span(drawn)));
  for (std::size_t i = 0; i + 1 < count; ++i) {
    float at = 0;
    std::memcpy(&at, &drawn[i], sizeof at);
    splits[i] = static_cast<std::int64_t>((static_cast<double>(at) + 1) / 2 * static_cast<double>(rows));
  }
  splits.front() = 0;
  splits.back() = rows;
  sortItems(std::span(splits));
  std::memcpy(bytes.data(), splits.data(), bytes.size());
  return true;
}

Outcome<std::vector<PortValue>> drawInputs(const Session& session, const RunOptions& options) {
  const auto sizes = takeSizes(options.sets);
  if (!sizes) return tl::unexpected(sizes.error());
  const auto shapes = session.inputShapes(*sizes);
  if (!shapes) {
    auto failure = fail(shapes.error());
    if (shapes.error().code == runtime::ErrorCode::missingInput)
      failure.value().help.push_back("no -i is given, so inputs are drawn; --set NAME=SIZE says how large");
    return failure;
  }
  std::vector<PortValue> values;
  for (std::size_t port = 0; port < shapes->size(); ++port) {
    const Elem elem = session.inputs()[port].elem;
    auto made = runtime::Tensor::make(elem, (*shapes)[port]);
    if (!made) return fail(made.error());
    auto tensor = std::make_shared<runtime::Tensor>(std::move(*made));
    if (session.inputs()[port].splitsOf) {
      const auto rows = session.rowsOf(port, *sizes);
      if (!rows) return fail(rows.error());
      if (!drawSplits(options.seed, *rows, tensor->bytes()))
        return fail(exitRun, joined({*rows, " rows of input ", session.inputs()[*session.inputs()[port].splitsOf].name,
                                     " cannot be divided among 0 places"}));
    } else {
      draw(elem, options.seed, port, tensor->bytes());
    }
    const runtime::TensorView view = tensor->view();
    values.push_back({port, {}, view, std::move(tensor)});
  }
  return values;
}

}  // namespace

Outcome<PortValue> portValue(std::size_t port, const std::string& who, const std::string& file, Elem elem,
                             const std::vector<std::uint64_t>& shape, const TensorBytes& data) {
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  const auto known = runtime::Shape::of(sizes);
  if (!known)
    return fail(exitRun,
                joined({who, ": ", file, " holds ", axle::typeText(elem, shape), ", a rank above ", runtime::maxRank}));
  PortValue value{port, file, {elem, *known, nullptr}, nullptr};
  setElements(value, data);
  return value;
}

Outcome<void> checkFiles(const RunOptions& options) {
  for (const auto& [words, option] : {std::pair(&options.inputs, "-i"), std::pair(&options.expects, "--expect")})
    for (const std::string& word : *words) {
      const auto named = splitWord(word, option);
      if (!named) return tl::unexpected(named.error());
      for (std::size_t at = exists(named->second) ? word.size() + 1 : 0; at <= named->second.size();) {
        const std::size_t comma = std::min(named->second.find(',', at), named->second.size());
        const std::string file = named->second.substr(at, comma - at);
        if (!exists(file)) return fail(exitUsage, joined({option, " ", word, ": there is no file ", file}));
        at = comma + 1;
      }
    }
  return {};
}

Outcome<std::vector<runtime::NamedSize>> takeSizes(const std::vector<std::string>& sets) {
  std::vector<runtime::NamedSize> sizes;
  for (const std::string& word : sets) {
    const std::size_t equals = word.find('=');
    std::int64_t size = -1;
    const char* end = word.data() + word.size();
    if (equals != std::string::npos && equals > 0) {
      const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, size);
      if (error != std::errc() || stop != end) size = -1;
    }
    if (size < 0 && word.find("=[") != std::string::npos)
      return fail(exitUsage,
                  joined({"--set ", word,
                          ": a bundle takes only sizes; shapes come from -i files, or from `axc run` of the source"}));
    if (size < 0) return fail(exitUsage, joined({"--set takes NAME=SIZE with a size of 0 or more, not ", word}));
    const std::string name = word.substr(0, equals);
    const auto known = std::find_if(sizes.begin(), sizes.end(), [&](const auto& given) { return given.name == name; });
    if (known == sizes.end())
      sizes.push_back({name, size});
    else if (known->size != size)
      return fail(exitUsage, joined({"--set gives `", name, "` two sizes: ", known->size, " and ", size}));
  }
  return sizes;
}

void printNotes(std::span<const PortValue> values, std::FILE* err) {
  for (const PortValue& value : values)
    if (!value.note.empty()) std::fprintf(err, "note: %s\n", value.note.c_str());
}

Outcome<std::vector<PortValue>> takeInputs(const Session& session, const RunOptions& options) {
  if (options.inputs.empty()) return drawInputs(session, options);
  if (!options.sets.empty())
    return fail(exitUsage,
                joined({"--set ", options.sets.front(), " is for drawn inputs; the sizes of given files are known"}));
  return readPorts(inputsOf(session), options.inputs);
}

Outcome<std::vector<PortValue>> takeExpectations(const Session& session, const RunOptions& options) {
  return readPorts(outputsOf(session), options.expects);
}

Outcome<std::vector<std::size_t>> takeOutputs(const Session& session, const RunOptions& options) {
  const Side side = outputsOf(session);
  std::vector<std::size_t> chosen;
  for (const std::string& name : options.outputs) {
    const auto port = portOf(side, name);
    if (!port) return unknown(side, name);
    if (std::find(chosen.begin(), chosen.end(), *port) == chosen.end()) chosen.push_back(*port);
  }
  if (options.outputs.empty())
    for (std::size_t port = 0; port < side.ports.size(); ++port) chosen.push_back(port);
  return chosen;
}

}  // namespace axle::run
