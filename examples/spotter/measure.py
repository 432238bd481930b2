#!/usr/bin/env python3
"""How well the spotter hears words of voices that it was not trained on: measure.py AXC AXRUN [--minutes N].

A keyword is found if its label comes between the middle of the word and 0.5 s behind its end. The delay runs from the end of the word to
the last sample that the first frame with the label needs. A label at any other place is a false alarm.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from speech import KEYWORDS, LABELS, OTHERS, RATE, STEP, TEST_VOICES, WINDOW, recording, spoken

HERE = pathlib.Path(__file__).resolve().parent
SURE = 0.5  # the least probability of a label that counts


def detections(sound, axrun, bundle, folder):
    """[(label, the first sample that is not needed to know it)], each label once in half a second."""
    np.save(folder / "audio.npy", sound)
    subprocess.run([axrun, "stream", bundle, "-i", f"audio={folder / 'audio.npy'}", "--chunk", str(STEP), "-o", folder],
                   check=True, capture_output=True)
    probabilities = np.load(folder / "out.npy")
    labels = np.where(probabilities.max(axis=1) >= SURE, probabilities.argmax(axis=1), 0)
    found, last = [], {}
    for frame in np.flatnonzero(labels):
        label, at = LABELS[labels[frame]], frame * STEP + WINDOW
        if at - last.get(label, -RATE) > RATE / 2:
            found.append((label, at))
        last[label] = at
    return found


def judge(spans, found):
    """Of one recording: the delays in seconds of the keywords that were found, how many there are, and how many false alarms."""
    delays, keywords, used = [], 0, set()
    for word, start, stop in spans:
        if word not in KEYWORDS:
            continue
        keywords += 1
        hits = [i for i, (label, at) in enumerate(found)
                if label == word and (start + stop) / 2 <= at <= stop + RATE / 2 and i not in used]
        used.update(hits)
        if hits:
            delays.append((found[hits[0]][1] - stop) / RATE)
    return delays, keywords, len(found) - len(used)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("axc"), parser.add_argument("axrun")
    parser.add_argument("--minutes", type=float, default=4, help="of speech at each loudness of noise")
    given = parser.parse_args()
    rng = np.random.default_rng(2)
    words = spoken(rng, KEYWORDS, TEST_VOICES, 40) + spoken(rng, OTHERS, TEST_VOICES, 5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bundle = folder / "spotter.axb"
        subprocess.run([given.axc, "build", HERE / "spotter.ax", "--weights", HERE / "spotter.safetensors", "-o", bundle],
                       check=True, capture_output=True)
        print("noise     found   median delay   90 % within   false alarms an hour")
        for noise, decibels in (("none", None), ("-20 dB", 20), ("-10 dB", 10), ("0 dB", 0)):
            delays, keywords, alarms = [], 0, 0
            for _ in range(round(given.minutes * 2)):
                sound, spans = recording(rng, words, 30, decibels)
                some, count, false = judge(spans, detections(sound, given.axrun, bundle, folder))
                delays += some
                keywords, alarms = keywords + count, alarms + false
            found = f"{len(delays) / keywords:.1%}" if keywords else "-"
            middle, most = np.quantile(delays, [0.5, 0.9]) * 1000 if delays else (np.nan, np.nan)
            print(f"{noise:<8}{found:>7}{middle:>12.0f} ms{most:>11.0f} ms{alarms * 60 / given.minutes:>23.0f}")


if __name__ == "__main__":
    sys.exit(main())
