#include "driver/link_runtime.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "io/elem.h"
#include "io/mapped_file.h"
#include "io/whole_file.h"
#include "runtime/bundle_format.h"
#include "runtime/manifest.h"
#include "runtime/ops.h"
#include "runtime/stream/messages.h"

namespace axle::driver {
namespace {

namespace fs = std::filesystem;

// Processors that `axrun` has vector kernels for, as GCC names them. A program chooses its kernels when it starts.
constexpr std::string_view arm64Processors[] = {"cortex-a35", "cortex-a53", "cortex-a55", "cortex-a57",
                                                "cortex-a72", "cortex-a73", "cortex-a75", "cortex-a76",
                                                "cortex-a77", "cortex-a78", "neoverse-n1"};
constexpr std::string_view armhfProcessors[] = {"cortex-a7", "cortex-a15", "cortex-a17", "cortex-a53", "cortex-a72"};
constexpr std::string_view x86Processors[] = {"nehalem",        "haswell", "skylake", "skylake-avx512",
                                              "icelake-server", "znver2",  "znver3",  "znver4"};

struct Target {
  const char* name;
  const char* compiler;  // the cross compiler
  const char* package;   // the Debian package of the compiler
  const char* library;   // the Debian package of nanopb's library
  std::span<const std::string_view> processors;
};
constexpr Target targets[] = {
    {"arm64", "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu", "libnanopb-dev:arm64", arm64Processors},
    {"armhf", "arm-linux-gnueabihf-g++", "g++-arm-linux-gnueabihf", "libnanopb-dev:armhf", armhfProcessors},
    {"x86-64", "x86_64-linux-gnu-g++", "g++-x86-64-linux-gnu", "libnanopb-dev:amd64", x86Processors},
};
constexpr const char* hostName = "host";

#if defined(__aarch64__)
constexpr const Target& host = targets[0];
#elif defined(__arm__)
constexpr const Target& host = targets[1];
#else
constexpr const Target& host = targets[2];
#endif

const Target* targetNamed(std::string_view name) {
  const auto found =
      std::find_if(std::begin(targets), std::end(targets), [&](const Target& t) { return t.name == name; });
  return found == std::end(targets) ? nullptr : &*found;
}

constexpr const char* libraryName = "libaxrun.a";

tl::unexpected<run::Failure> failWith(std::string what, std::string help) {
  auto failure = run::fail(exitUsage, std::move(what));
  failure.value().help.push_back(std::move(help));
  return failure;
}

// ---- the operators of a bundle

// By operator: whether it takes and gives only f32.
using Operators = std::map<std::uint32_t, bool>;

void collect(const runtime::manifest::Graph& graph, Operators& operators) {
  constexpr auto f32 = static_cast<std::uint32_t>(Elem::f32);
  for (const runtime::manifest::Node& node : graph.nodes) {
    bool isF32 = true;
    for (const auto* values : {&node.inputs, &node.outputs})
      for (const std::uint32_t value : *values) isF32 = isF32 && graph.values[value].elem == f32;
    for (const runtime::manifest::Pointwise& pointwise : node.epilogue) isF32 = isF32 && pointwise.elem == f32;
    const auto add = [&](std::uint32_t op) { operators.try_emplace(op, true).first->second &= isF32; };
    add(node.op);
    for (const runtime::manifest::Pointwise& pointwise : node.epilogue) add(pointwise.op);
  }
}

// The parts that a runtime for a bundle links.
struct Parts {
  Operators operators;
  bool hasThreads = false, hasStream = false, runsByRows = false, runsInStrips = false;
};

void collect(const runtime::manifest::Graph& graph, Parts& parts) {
  collect(graph, parts.operators);
  for (const runtime::manifest::Node& node : graph.nodes) {
    const bool isOfProducts = node.op == op::matmulVector || node.op == op::rows;
    (isOfProducts ? parts.runsInStrips : parts.runsByRows) |= node.byRows;
  }
}

void collect(const runtime::manifest::Manifest& manifest, Parts& parts) {
  collect(manifest.graph, parts);
  for (const runtime::manifest::Graph& body : manifest.bodies) collect(body, parts);
  for (const runtime::manifest::Manifest& variant : manifest.variants) collect(variant, parts);
}

run::Outcome<Parts> partsOf(std::span<const std::byte> bundle) {
  const auto sections = runtime::readBundleFrame(bundle, true);
  if (!sections) return run::fail(sections.error());
  const auto manifest = runtime::manifest::readManifest(sections->manifest, {});
  if (!manifest) return run::fail(manifest.error());
  Parts parts;
  collect(*manifest, parts);
  parts.hasThreads = manifest->threads > 1;
  parts.hasStream = !manifest->stream.empty();
  if (parts.hasStream) {
    const auto stream = runtime::manifest::readStream(manifest->stream, {}, 1);
    if (!stream) return run::fail(stream.error());
    for (const runtime::manifest::Manifest& program : stream->programs) collect(program, parts);
  }
  return parts;
}

// Returns an operator's name in `runtime/ops.def`; null for an unknown number.
const char* nameOf(std::uint32_t op) {
  switch (op) {
#define OPERATOR(name, number, ...) \
  case number:                      \
    return #name;
#define PRIMITIVE(name, number, ...) \
  case number:                       \
    return #name;
#include "runtime/ops.def"
    default:
      return nullptr;
  }
}

bool hasF32Kernels(std::uint32_t op) {
  switch (op) {
#define F32(name, ...) case op::name:
#define F32_POINTWISE(name, ...) case op::name:
#define F32_REDUCTION(name, ...) case op::name:
#include "runtime/f32_kernels.def"
    return true;
    default:
      return false;
  }
}

// Returns a source that defines `linkedOperators` (runtime/program.h); `linkedThreads` (runtime/threads.h) if runs have
// one thread; `linkedByRows` (runtime/by_rows.h) and `linkedStrips` (runtime/strips.h) if no calls run that way;
// `linkedStreaming` (driver/run/streaming.h) if the bundle has no stream; and `linkedMeasuring`
// (driver/run/measuring.h) and `linkedBundleHelp` (driver/run/bundle_help.h), which are left out. It includes no
// headers of the runtime, because an installation has none.
std::string operatorSource(const Parts& parts) {
  std::string all, f32, list;
  for (const auto& [op, isF32] : parts.operators) {
    const char* name = nameOf(op);
    if (name == nullptr) continue;
    const bool linksF32 = isF32 && hasF32Kernels(op);
    (linksF32 ? f32 : all) += std::string("extern const OpRow ") + name + ";\n";
    list += std::string(linksF32 ? "&rows::f32::" : "&rows::") + name + ", ";
  }
  const std::string noThreads =
      "class ThreadTeam;\nstruct ThreadOptions;\nusing MakeThreads = ThreadTeam* (*)(const ThreadOptions&);\n"
      "extern const MakeThreads linkedThreads;\nconst MakeThreads linkedThreads = nullptr;\n";
  const std::string noRows =
      "struct RunningByRows;\nextern const RunningByRows* const linkedByRows;\n"
      "const RunningByRows* const linkedByRows = nullptr;\n";
  const std::string noStrips =
      "struct RunningInStrips;\nextern const RunningInStrips* const linkedStrips;\n"
      "const RunningInStrips* const linkedStrips = nullptr;\n";
  const std::string noStreams =
      "struct Streaming;\nextern const Streaming* const linkedStreaming;\n"
      "const Streaming* const linkedStreaming = nullptr;\n";
  return "namespace axle::runtime {\n" + (parts.hasThreads ? "" : noThreads) + (parts.runsByRows ? "" : noRows) +
         (parts.runsInStrips ? "" : noStrips) + "struct OpRow;\nnamespace rows {\n" + all + "namespace f32 {\n" + f32 +
         "}\n}\nextern const OpRow* const linkedOperators[];\nconst OpRow* const linkedOperators[] = {" + list +
         "nullptr};\n}\n"
         "namespace axle::run {\nstruct Measuring;\nextern const Measuring* const linkedMeasuring;\n"
         "const Measuring* const linkedMeasuring = nullptr;\n"
         "}\n#include <string>\n#include <vector>\nnamespace axle::run {\n"
         "using BundleHelp = void (*)(const std::string&, std::vector<std::string>&);\n"
         "extern const BundleHelp linkedBundleHelp;\nconst BundleHelp linkedBundleHelp = nullptr;\n" +
         (parts.hasStream ? "" : noStreams) + "}\n";
}

// ---- compiler and library

// A temporary folder that is removed with its contents. If it cannot be created, `errno` says why.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    if (failed) {
      errno = failed.value();
      return;
    }
    std::string path = (parent / "axc-runtime-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool exists() const { return !path_.empty(); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Runs a program found in PATH, with both outputs to `log`. Returns its exit code, or the error of starting it.
struct Ended {
  int error = 0;
  int exitCode = 0;
};
Ended runProgram(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  Ended ended;
  ended.error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (ended.error != 0) return ended;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

// Returns the folder with the device library: the given one, that of an installation, or that of a build tree beside
// axc's.
run::Outcome<fs::path> libraryFolder(const Target& target, const std::string& given) {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const fs::path inside = fs::path("lib") / "axle" / target.name;
  std::vector<fs::path> folders{prefix / inside, prefix.parent_path() / target.name / inside};
  if (!given.empty()) folders = {given};
  std::string sought;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / libraryName, none)) return folder;
    sought += (sought.empty() ? "" : " and ") + folder.string();
  }
  const std::string preset = &target == &host ? "release" : target.name;
  return failWith(
      std::string("there is no device library for ") + target.name + ": no " + libraryName + " in " + sought,
      "`scripts/build " + preset + "` makes it in build/" + preset + "/" + inside.string() +
          "; --device-lib names another folder");
}

run::Outcome<void> linkIn(const TemporaryFolder& work, const Target& target, const fs::path& library) {
  const std::string compiler = &target == &host ? "c++" : target.compiler;
  const std::vector<std::string> words{compiler,
                                       "-s",
                                       "-o",
                                       work.file("axrun"),
                                       work.file("operators.cc"),
                                       (library / libraryName).string(),
                                       "@" + (library / "link.options").string()};
  const std::string log = work.file("log");
  const Ended ended = runProgram(words, log);
  if (ended.error != 0)
    return failWith(std::string("no compiler for ") + target.name + ": " + compiler + ": " + std::strerror(ended.error),
                    "Debian's package is " + std::string(&target == &host ? "g++" : target.package) +
                        "; `scripts/setup" + (&target == &host ? "" : " --cross") + "` installs it");
  if (ended.exitCode == 0) return {};
  const auto text = readHead(log, 4000);
  return failWith(compiler + " cannot link the runtime:\n" + (text ? *text : ""),
                  std::string("where libprotobuf-nanopb.a is missing, Debian's package ") +
                      (&target == &host ? "libnanopb-dev" : target.library) + " has it");
}

}  // namespace

std::string refuseTarget(std::string_view word) {
  if (word == hostName || word == portableTarget) return "";
  const std::size_t colon = word.find(':');
  const Target* const target = targetNamed(word.substr(0, colon));
  if (target == nullptr) {
    std::string names = hostName;
    for (const Target& one : targets) names += std::string(", ") + one.name;
    return "takes one of " + names + " and " + portableTarget + ", not " + std::string(word);
  }
  if (colon == std::string_view::npos) return "";
  const std::string_view processor = word.substr(colon + 1);
  std::string known;
  for (const std::string_view one : target->processors) {
    if (one == processor) return "";
    known += (known.empty() ? "" : ", ") + std::string(one);
  }
  return "of " + std::string(target->name) + " it takes " + known + ", not " + std::string(processor);
}

run::Outcome<std::vector<std::byte>> linkRuntime(std::span<const std::byte> bundle, const RuntimeRequest& request) {
  if (request.target == portableTarget)
    return failWith("a runtime is for one machine, and --target portable names none",
                    "leave --target off to link it for this machine");
  const Target* const named = targetNamed(std::string_view(request.target).substr(0, request.target.find(':')));
  const Target* const target = named == nullptr ? &host : named;
  const auto parts = partsOf(bundle);
  if (!parts) return tl::unexpected(parts.error());
  const auto library = libraryFolder(*target, request.deviceFolder);
  if (!library) return tl::unexpected(library.error());
  const TemporaryFolder work;
  if (!work.exists())
    return run::fail(exitUsage, std::string("no temporary folder can be made: ") + std::strerror(errno));
  const std::string source = operatorSource(*parts);
  const std::array<std::span<const std::byte>, 1> pieces{std::as_bytes(std::span(source))};
  if (const auto written = writeWholeFile(work.file("operators.cc"), pieces); !written)
    return run::fail(exitUsage, written.error().path + ": " + written.error().what);
  if (const auto linked = linkIn(work, *target, *library); !linked) return tl::unexpected(linked.error());
  const auto program = mapFile(work.file("axrun"));
  if (!program) return run::fail(exitUsage, program.error().path + ": " + program.error().what);
  return std::vector<std::byte>(program->bytes.begin(), program->bytes.end());
}

run::Outcome<void> writeProgram(std::span<const std::byte> program, const std::string& path) {
  const std::array<std::span<const std::byte>, 1> pieces{program};
  if (const auto written = writeWholeFile(path, pieces); !written)
    return run::fail(exitUsage, path + ": " + written.error().what);
  std::error_code failed;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                  failed);
  if (failed) return run::fail(exitUsage, path + ": " + failed.message());
  return {};
}

}  // namespace axle::driver
