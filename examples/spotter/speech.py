"""Words that espeak-ng speaks, and noisy recordings made of them: sounds are f32 arrays of 16,000 samples in a second."""
import concurrent.futures
import pathlib
import subprocess

import numpy as np

RATE = 16000
WINDOW, STEP = 480, 160  # samples of one frame, and from frame to frame: 30 ms and 10 ms
LABELS = pathlib.Path(__file__).with_name("labels.txt").read_text().split()  # the first one is that of everything else
KEYWORDS = LABELS[1:]
OTHERS = """apple water seven table window yellow music paper garden river letter number orange hello winter summer question answer
mother father people little second morning evening because before after never always under over maybe please thank house mouse light
night dark door floor more four note boat low snow stone step shop stock often office upper cup town brown crown list lift
ride rice guess yet chess less life gold home open""".split()  # some sound nearly like a keyword
ACCENTS = ("en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-us-nyc", "en-gb-x-gbclan", "en-gb-x-gbcwmd")
TRAINING_VOICES = [f"{accent}+{variant}" for accent in ACCENTS for variant in "m1 m2 m3 m4 m5 m6 f1 f2 f3 f4".split()]
TEST_VOICES = [f"{accent}+{variant}" for accent in ACCENTS[:5] for variant in "m7 m8 f5".split()]


def resample(sound, rate):
    """The sound with 16,000 samples in a second, without the frequencies that these cannot hold."""
    count = round(len(sound) * RATE / rate)
    return np.fft.irfft(np.fft.rfft(sound)[:count // 2 + 1], n=count) * count / len(sound)


def trimmed(sound, floor=0.02):
    """The sound without the silence at both ends."""
    loud = np.flatnonzero(np.abs(sound) > floor * np.abs(sound).max())
    return sound[loud[0]:loud[-1] + 1]


def speak(word, voice, speed, pitch):
    """One word, as loud as a full scale sine at most."""
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout", word]
    wav = subprocess.run(command, capture_output=True, check=True).stdout
    rate = int.from_bytes(wav[24:28], "little")
    samples = np.frombuffer(wav[44:len(wav) - len(wav) % 2], "<i2") / 32768
    sound = trimmed(resample(samples, rate))
    return (sound / np.abs(sound).max()).astype(np.float32)


def spoken(rng, words, voices, times):
    """[(word, sound)]: each of the words `times` times, by voices, speeds and pitches drawn at random."""
    orders = [(word, voices[rng.integers(len(voices))], int(rng.integers(120, 220)), int(rng.integers(20, 80)))
              for word in words for _ in range(times)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(zip([order[0] for order in orders], pool.map(lambda order: speak(*order), orders)))


def noise(rng, count):
    """Noise whose power falls with a drawn power of the frequency, with drawn loudness over time."""
    spectrum = rng.standard_normal(count // 2 + 1) + 1j * rng.standard_normal(count // 2 + 1)
    spectrum *= np.maximum(np.arange(count // 2 + 1), 20) ** -rng.uniform(0, 0.9)
    sound = np.fft.irfft(spectrum, n=count)
    swell = np.interp(np.arange(count), np.linspace(0, count, 8), rng.uniform(0.5, 1, 8))
    return sound * swell / np.sqrt(np.mean((sound * swell) ** 2))


def varied(rng, sound):
    """A word at another speed and pitch, and duller or brighter."""
    count = int(len(sound) * rng.uniform(0.88, 1.14))
    sound = np.interp(np.linspace(0, len(sound) - 1, count), np.arange(len(sound)), sound)
    return sound - rng.uniform(-0.5, 0.6) * np.concatenate([[0], sound[:-1]])


def recording(rng, words, seconds, decibels, pause=0.5, vary=False):
    """(sound, [(word, its first sample, the sample behind its last)]): words one after another, with pauses drawn around `pause` seconds,
    as many as fit, and noise `decibels` below them (None: none that can be heard)."""
    sound = np.zeros(int(seconds * RATE))
    spans, at = [], int(rng.uniform(0.3, 1) * pause * RATE)
    while True:
        word, one = words[rng.integers(len(words))]
        one = varied(rng, one) if vary else one
        if at + len(one) + RATE // 4 > len(sound):
            break
        sound[at:at + len(one)] += one * 0.1 / np.sqrt(np.mean(one ** 2))
        spans.append((word, at, at + len(one)))
        at += len(one) + int(rng.uniform(0.5, 1.5) * pause * RATE)
    sound += noise(rng, len(sound)) * 0.1 * 10 ** (-(60 if decibels is None else decibels) / 20)
    return (sound * rng.uniform(0.5, 1.5)).astype(np.float32).clip(-1, 1), spans
