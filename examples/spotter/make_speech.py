#!/usr/bin/env python3
"""Writes speech.wav, words of a voice that the spotter was not trained on with noise 20 dB below, and words.txt, the keywords in it."""
import pathlib
import wave

import numpy as np
from speech import KEYWORDS, RATE, STEP, noise, speak

HERE = pathlib.Path(__file__).resolve().parent
WORDS = ("stop", "window", "yes", "right", "music", "no")
PAUSE = 0.35  # seconds before each word and behind the last one


def main():
    silence = np.zeros(int(PAUSE * RATE))
    spoken = [speak(word, "en-us+m7", 150, 50) for word in WORDS]
    parts = [part for word in spoken for part in (silence, word * 0.1 / np.sqrt(np.mean(word ** 2)))]
    sound = np.concatenate([*parts, silence])
    sound = sound[:len(sound) // STEP * STEP]
    sound = (sound + 0.01 * noise(np.random.default_rng(3), len(sound))).clip(-1, 1)
    with wave.open(str(HERE / "speech.wav"), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    (HERE / "words.txt").write_text("".join(f"{word}\n" for word in WORDS if word in KEYWORDS))


if __name__ == "__main__":
    main()
