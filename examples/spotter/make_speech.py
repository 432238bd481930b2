#!/usr/bin/env python3
"""Writes speech.wav, words that a seed draws, of voices that the spotter was not trained on, with noise 20 dB below; and words.txt, where
each begins and ends in seconds."""
import pathlib
import wave

import numpy as np
from speech import KEYWORDS, RATE, STEP, TEST_VOICES, UNSEEN, noise, no_keywords, recording, spoken

HERE = pathlib.Path(__file__).resolve().parent
SEED, SECONDS, DECIBELS = 1, 10, 20


def main():
    rng = np.random.default_rng(SEED)
    banks = [spoken(rng, words, TEST_VOICES, 1) for words in (KEYWORDS, no_keywords(UNSEEN))]

    def draw():  # two keywords for each other word
        bank = banks[rng.integers(3) // 2]
        return bank[rng.integers(len(bank))]

    sound, spans = recording(rng, draw, SECONDS, DECIBELS, noise(rng, SECONDS * RATE))
    sound = sound[:len(sound) // STEP * STEP]
    with wave.open(str(HERE / "speech.wav"), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    (HERE / "words.txt").write_text("".join(f"{start / RATE:.3f} {stop / RATE:.3f} {word}\n" for word, start, stop in spans))


if __name__ == "__main__":
    main()
