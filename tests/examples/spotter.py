#!/usr/bin/env python3
"""The spotter hears the same words in a stream as in a batch: spotter.py AXC AXRUN FOLDER.

The model in `.ax` and its imported graph, in chunks of several sizes, give the labels of a batch run at every frame, and the delay that is
seen is the one that `--stream` states. `axrun stream --print` lists the changes of these labels, also of samples on stdin, which Ctrl-C ends. How many of the
keywords of words.txt are heard is printed.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import wave

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "streams"))
from streamed import expect, output_in, run, stated  # noqa: E402

AXC, AXRUN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
STEP, DELAY = 160, 479  # samples
RATE, LATE = 16000, 0.5  # samples per second; within how many seconds after a word it is heard
LABELS = (FOLDER / "labels.txt").read_text().split()


def timeline(folder):
    """The label of each frame of the output [frames, labels] that was written to a folder."""
    _, values = output_in(folder)
    rows = [values[at:at + len(LABELS)] for at in range(0, len(values), len(LABELS))]
    return [LABELS[row.index(max(row))] for row in rows]


def changes(labels):
    """The lines that `--print --labels` has for them, without the elements."""
    return [f"{frame * STEP / RATE:.3f} s: {label}" for frame, label in enumerate(labels) if frame == 0 or labels[frame - 1] != label]


def check_streams(name, bundle, labels, folder):
    for chunk in (1, 100, STEP, 1000, "random:1"):
        words = [AXRUN, "stream", bundle, "-i", f"audio={FOLDER / 'speech.wav'}", "--chunk", chunk, "-o", folder / "out", "--format=json"]
        seen = json.loads(run(*words))["stream"]["delay"]
        expect(timeline(folder / "out") == labels, f"{name} in chunks of {chunk}: other labels than in a batch")
        # A frame also waits for the rest of the chunk that completes it.
        most = DELAY + (chunk - 1 if isinstance(chunk, int) else 15)
        expect(DELAY <= seen <= most and (chunk not in (1, STEP) or seen == DELAY), f"{name} in chunks of {chunk}: a delay of {seen} is seen")


def check_lines(bundle, labels):
    """What --print says of samples on stdin: each change of the label, and with --every the words."""
    with wave.open(str(FOLDER / "speech.wav")) as file:
        samples = file.readframes(file.getnframes())
    words = [AXRUN, "stream", bundle, "-i", "audio=-", "--raw", "s16le:16000", "--print", "--labels", FOLDER / "labels.txt"]
    lines = [line.rpartition(" ")[0] for line in run(*words, stdin=samples).splitlines() if " s: " in line]
    expect(lines == changes(labels), f"other lines than the changes of labels: {lines}, not {changes(labels)}")
    few = [line.rpartition(" ")[0] for line in run(*words, "--every", 25, stdin=samples).splitlines() if " s: " in line]
    expect(len(few) <= len(labels) // 25 + 1, f"{len(few)} lines of {len(labels)} frames")
    heard = [(word, float(time) + (DELAY + 1) / RATE) for time, _, word in map(str.split, few) if word != LABELS[0]]
    check_accuracy(heard)


def check_interrupt(bundle):
    """Ctrl-C ends samples on stdin that go on: what was read is computed, and told."""
    words = [AXRUN, "stream", bundle, "-i", "audio=-", "--raw", "s16le:16000", "--print", "--labels", FOLDER / "labels.txt"]
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as stream:
        stream.stdin.write(bytes(2 * RATE + 1))  # and half a sample
        stream.stdin.flush()
        first = stream.stdout.readline().decode()
        stream.send_signal(signal.SIGINT)
        rest = stream.stdout.read().decode()
        code = stream.wait(timeout=60)
    told = re.search(r"^(\d+) frames in, (\d+) out", rest, re.MULTILINE)
    expect(code == 0 and " s: " in first and told, f"exit code {code} after an interrupt: {first}{rest}")
    frames_in, frames_out = map(int, told.groups())
    expect(frames_out == max(0, frames_in // STEP - 2), f"{frames_out} frames out of {frames_in}")


def check_accuracy(heard):
    """A keyword is heard between its middle and LATE behind its end. `heard`: (label, seconds of the last sample that it needs)."""
    words = [(word, float(start), float(stop)) for start, stop, word in map(str.split, (FOLDER / "words.txt").read_text().splitlines())]
    wanted = [(word, (start + stop) / 2, stop + LATE) for word, start, stop in words if word in LABELS]
    found = sum(any(label == word and first <= at <= last for label, at in heard) for word, first, last in wanted)
    alarms = sum(not any(label == word and first <= at <= last for word, first, last in wanted) for label, at in heard)
    print(f"{found} of {len(wanted)} keywords are heard, and {alarms} where there is none")
    expect(5 * found >= 4 * len(wanted) and 5 * alarms <= len(words), f"too few are heard: {heard}, of {words}")


def main():
    source = [FOLDER / "spotter.ax", "--weights", FOLDER / "spotter.safetensors"]
    graph = [FOLDER / "spotter.pb", "--input", "audio=f32[~T]"]
    for command, words in (("check", source), ("import", graph)):
        stated(words[0].name, AXC, [command, *words], {"delay": DELAY, "stride": [STEP, 1]})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        timelines = []
        for number, words in enumerate((source, graph)):
            bundle = folder / f"{number}.axb"
            run(AXC, "build", *words, "-o", bundle)
            run(AXRUN, "run", bundle, "-i", f"audio={FOLDER / 'speech.wav'}", "-o", folder / "batch")
            timelines.append(timeline(folder / "batch"))
            check_streams(words[0].name, bundle, timelines[-1], folder)
        expect(timelines[0] == timelines[1], "the graph gives other labels than the model in .ax")
        check_lines(folder / "0.axb", timelines[0])
        check_interrupt(folder / "0.axb")


if __name__ == "__main__":
    main()
