#include "driver/stream_helps.h"

#include <algorithm>
#include <iterator>

namespace axle::driver {

namespace {

struct Help {
  ir::BlockerKind kind;
  ir::Op op;  // none: for operators without a row
  std::string_view text;
};

using ir::BlockerKind;
using ir::Op;

constexpr std::string_view ofWindow = "compute it over a window of frames (`frame`), or as a running value (`cumsum`)";
constexpr std::string_view position =
    "take it of each frame along another dimension, or of a window of frames: `argmax(frame(x, length=8, step=8), "
    "axis=1)`";
constexpr std::string_view order =
    "sort along another dimension, or windows of frames: `sort(frame(x, length=8, step=8), axis=1)`";
constexpr std::string_view fold =
    "give the running result, frame by frame: `loop(init, fn (s, e) { s' = f(s, e); s', s' }, x)`, or fold windows of "
    "frames (`frame`)";
constexpr std::string_view forward =
    "run forward (reverse=false), or over windows of frames: `cumsum(frame(x, length=8, step=8), axis=1, "
    "reverse=true)`";
constexpr std::string_view rows =
    "let this operator compute each frame for itself, apply it to all elements at once, or give them a fixed number of "
    "at most 64";
constexpr std::string_view steps = "step through the frames with `loop`, which carries a state on";

constexpr std::string_view frames =
    "give frames, as `x[2:]` does; a fixed number of frames can be an operand of what streams";

// By kind and operator. An unknown operator may need the whole input.
constexpr Help helps[] = {
    {BlockerKind::needsAll, Op::reduceSum, ofWindow},
    {BlockerKind::needsAll, Op::reduceProd, ofWindow},
    {BlockerKind::needsAll, Op::reduceMax, ofWindow},
    {BlockerKind::needsAll, Op::reduceMin, ofWindow},
    {BlockerKind::needsAll, Op::argMax, position},
    {BlockerKind::needsAll, Op::argMin, position},
    {BlockerKind::needsAll, Op::argsort, order},
    {BlockerKind::needsAll, Op::topPlaces, order},
    {BlockerKind::needsAll, Op::cumSum, forward},
    {BlockerKind::needsAll, Op::cumProd, forward},
    {BlockerKind::needsAll, Op::cumMax, forward},
    {BlockerKind::needsAll, Op::cumMin, forward},
    {BlockerKind::needsAll, Op::reduce, fold},
    {BlockerKind::needsAll, Op::whileLoop, steps},
    {BlockerKind::needsAll, Op::fourier, "transform windows of frames: `rfft(frame(x, length=512, step=128))`"},
    {BlockerKind::needsAll, Op::matmul, "attend to a bounded window: `attention.windowed`, `attention.causal_cached`"},
    {BlockerKind::needsAll, Op::gather,
     "let the table be fixed and the indices stream; read what lies a fixed number of frames back with a slice "
     "(`x[3:]`) or `frame`"},
    {BlockerKind::needsAll, Op::none, "compute it over a window of frames: `frame(x, length=8, step=8)`"},

    {BlockerKind::mixes, Op::reduce, rows},
    {BlockerKind::mixes, Op::map, rows},
    {BlockerKind::mixes, Op::loop, rows},
    {BlockerKind::mixes, Op::branch, "compute both results, and choose with `select`"},
    {BlockerKind::mixes, Op::whileLoop, steps},
    {BlockerKind::mixes, Op::reshape,
     "join or divide whole frames: `[~(2*T), 3]` to `[~T, 6]`; keep what is not the stream apart from it"},
    {BlockerKind::mixes, Op::resize, "resize by a whole factor (`upsample`, `repeat`), or another dimension"},
    {BlockerKind::mixes, Op::none,
     "apply it along another dimension, or to windows of frames: `frame(x, length=8, step=8)`"},

    {BlockerKind::backwards, Op::none,
     "run forward only, or backwards within windows of frames: `reverse(frame(x, length=8, step=8), axis=1)`"},

    {BlockerKind::fromEnd, Op::pad, "pad with mode=\"edge\", \"reflect\", \"symmetric\" or a number"},
    {BlockerKind::fromEnd, Op::none, "count from the begin, `x[2:]`; frames before the end are `x[:T - 2]`"},

    {BlockerKind::padding, Op::none,
     "pad by numbers, in front only to be causal (`nn.causal_conv1d`), or stream an even length: `~(2*T)`"},

    {BlockerKind::openWindow, Op::none, "give the window a size that is a number, of at least 1"},

    {BlockerKind::needsLength, Op::none,
     "compute with the number of frames so far, which a state of `loop` counts, or give the size as an input"},

    {BlockerKind::late, Op::loop,
     "use the running value, the second result of `loop`, or let the last state only stand behind the stream "
     "(`concat`)"},
    {BlockerKind::late, Op::slice,
     "read from the begin of the stream, `x[:3]`; pad with mode=\"edge\", \"reflect\" or a number, not \"circular\""},
    {BlockerKind::late, Op::none,
     "read from the begin of the stream, `x[:3]`, or let it only stand behind the stream (`concat`)"},

    {BlockerKind::secondStream, Op::none,
     "join streams along another dimension: `concat(a, b, axis=1)`; what stands behind a stream has a fixed size"},

    {BlockerKind::twoAxes, Op::matmul, "attend to a bounded window: `attention.windowed`, `attention.causal_cached`"},
    {BlockerKind::twoAxes, Op::none,
     "let one dimension stream, and give the other one a fixed size, or a window of frames (`frame`); attention to a "
     "bounded window is `attention.windowed` or `attention.causal_cached`"},

    {BlockerKind::starving, Op::none,
     "bring the operands to one rate: pool the faster one, or `repeat` the frames of the slower one"},

    {BlockerKind::unknownRate, Op::none,
     "write its length with the symbol of the first stream: `~T` for the same rate, `~(2*T)` for twice as many frames"},

    {BlockerKind::noFrames, Op::loop, "give the running value, the second result of `loop`"},
    {BlockerKind::noFrames, Op::slice, frames},
    {BlockerKind::noFrames, Op::reshape, frames},
    {BlockerKind::noFrames, Op::none,
     "give a value for each frame, or for windows of frames (`frame`), or a running value (`cumsum`, `loop`)"},

    {BlockerKind::noRule, Op::none, "let its frames come at a regular rate: `~T`, `~(2*T)`"},

    {BlockerKind::noBuffer, Op::none,
     "write it in another way, with `conv1d`, `frame`, `pad` by numbers or `loop`: this is a limit of the compiler"},
};

}  // namespace

std::string_view streamHelp(BlockerKind kind, Op op) {
  const auto find = [](BlockerKind wanted, Op of) {
    return std::find_if(std::begin(helps), std::end(helps),
                        [&](const Help& help) { return help.kind == wanted && help.op == of; });
  };
  auto row = find(kind, op);
  if (row == std::end(helps) && kind == BlockerKind::mixes) row = find(BlockerKind::needsAll, op);
  if (row == std::end(helps)) row = find(kind, Op::none);
  return row == std::end(helps) ? std::string_view() : row->text;
}

}  // namespace axle::driver
