#!/usr/bin/env python3
"""How well the spotter hears words of voices that it was not trained on: measure.py AXC AXRUN [--minutes N].

A word is heard where a label's probability rises to SURE; for PAUSE seconds after that none is heard. A keyword is found if its label is
heard between the middle of the word and 0.5 s behind its end. The delay runs from the end of the word to the last sample that the frame
needs. What is heard at any other place is a false alarm.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from speech import (KEYWORDS, OTHERS, RATE, SENTENCES, STEP, TEST_VOICES, UNSEEN, WINDOW, babble, no_keywords, noise, recording,
                    spoken)

HERE = pathlib.Path(__file__).resolve().parent
SURE, PAUSE = 0.7, 0.4  # chosen for voices of the training
SECONDS = 30  # of a recording


def detections(sound, axrun, bundle, folder):
    """[(label, the first sample that is not needed to know it)]"""
    np.save(folder / "audio.npy", sound)
    subprocess.run([axrun, "stream", bundle, "-i", f"audio={folder / 'audio.npy'}", "-o", folder], check=True, capture_output=True)
    probabilities = np.load(folder / "out.npy")[:, 1:]
    found, silent = [], 0
    for frame in np.flatnonzero(probabilities.max(axis=1) >= SURE):
        label, at = KEYWORDS[probabilities[frame].argmax()], frame * STEP + WINDOW
        if at >= silent:
            found.append((label, at))
        if at >= silent or label == found[-1][0]:
            silent = at + PAUSE * RATE
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
        used.update(hits[:1])
        if hits:
            delays.append((found[hits[0]][1] - stop) / RATE)
    return delays, keywords, len(found) - len(used)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("axc"), parser.add_argument("axrun")
    parser.add_argument("--minutes", type=float, default=10, help="of sound for each line")
    given = parser.parse_args()
    rng = np.random.default_rng(2)
    keywords, known = spoken(rng, KEYWORDS, TEST_VOICES, 40), spoken(rng, OTHERS, TEST_VOICES, 1)
    unseen = spoken(rng, no_keywords(UNSEEN), TEST_VOICES, 5) + spoken(rng, SENTENCES, TEST_VOICES, 5)

    def among(*banks):
        def draw():
            bank = banks[rng.integers(len(banks))]
            return bank[rng.integers(len(bank))]
        return draw

    count = SECONDS * RATE
    sounds = {"hum": lambda: noise(rng, count), "voices": lambda: babble(rng, known, count)}
    lines = [("keywords and words", among(keywords, known), kind, decibels)
             for kind, decibels in (("hum", 60), ("hum", 20), ("hum", 10), ("hum", 5), ("hum", 0), ("voices", 10), ("voices", 5))]
    lines += [("words, sentences", among(unseen), "hum", decibels) for decibels in (60, 10, 0)]
    lines += [("nothing", None, kind, 0) for kind in ("hum", "voices")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bundle = folder / "spotter.axb"
        subprocess.run([given.axc, "build", HERE / "spotter.ax", "--weights", HERE / "spotter.safetensors", "-o", bundle],
                       check=True, capture_output=True)
        print("what is said          noise             found   median delay   90 % within   false alarms an hour", flush=True)
        for title, draw, kind, decibels in lines:
            delays, words, alarms = [], 0, 0
            for _ in range(round(given.minutes * 60 / SECONDS)):
                hum = sounds[kind]()
                sound, spans = recording(rng, draw, SECONDS, decibels, hum) if draw else ((0.1 * hum).astype(np.float32), [])
                some, more, false = judge(spans, detections(sound, given.axrun, bundle, folder))
                delays += some
                words, alarms = words + more, alarms + false
            found = f"{len(delays) / words:.1%}" if words else "-"
            middle, most = (f"{q * 1000:.0f} ms" for q in np.quantile(delays, [0.5, 0.9])) if delays else ("-", "-")
            behind = f"{kind} {-decibels} dB" if decibels < 60 else "none"
            print(f"{title:<22}{behind:<16}{found:>7}{middle:>15}{most:>14}{alarms * 60 / given.minutes:>23.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
