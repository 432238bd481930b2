"""Words that espeak-ng speaks, and noisy recordings made of them: sounds are f32 arrays of 16,000 samples in a second."""
import ctypes
import functools
import pathlib

import numpy as np

RATE = 16000
WINDOW, STEP = 480, 160  # samples of one frame, and from frame to frame: 30 ms and 10 ms
LABELS = pathlib.Path(__file__).with_name("labels.txt").read_text().split()  # the first one is that of everything else
KEYWORDS = LABELS[1:]
# Words that are not keywords. Some sound nearly like one.
OTHERS = """apple water seven table window yellow music paper garden river letter number orange hello winter summer question answer
mother father people little second morning evening because before after never always under over maybe please thank house mouse light
night dark door floor more four note boat low snow stone step shop stock often office upper cup town brown crown list lift
ride rice guess yet chess less life gold home open one two three five six eight nine ten zero about again against all also am an and
another any are around ask away back bad bag ball bank bed been began being best better between big bird black blue body book both
box boy bread bring build bus but buy call came can car care carry cat change child city class clear close cold color come could
country cut day did do does dog done draw drink drive early earth eat end enough even every example eye face fact fall family
far fast feel feet felt few field fill find fine fire first fish follow food foot form found free friend from front full game gave get
girl give glass goat good great green ground group grow had half hand hard has have head hear heart heat help her here high him his hold
horse hot hour hundred idea ice if inch just keep kind king knee lad land large last late laugh lead learn leave leg let
letter line listen live long look lost lot loud love made make man many map mark may mean measure men might mile milk mind
minute miss money moon most mountain mouth move much must name near need new next nose notice noun now object ocean oil old once
only onion order other our out page pair part pass pattern pay picture piece place plan plane plant play point poor power
press problem pull push put rain ran read ready real red rest road rock room round rule run safe said sail salt same sand saw say
school sea see self send sentence set shall she sheep ship short should show sick side sign simple since sing sister sit size sky sleep
slow small smile so soap soft some song soon sound south space spell spoke spring square stand star start state stay still stood story
street strong study such sugar sun sure swim take talk tall teach tell test than that them then there these they thing think this those
thought thousand through time tiny tire today together told tomorrow too took top tree true try turn understand unit until us use
usual vary very voice vote wait walk wall want war warm was wash watch wave way we week weight well went were west what wheel when
where which while white who whole why wide wife wild will win wind wing wish with woman wonder wood word work world would year
young your stopping stopped yesterday golden going gone gulp rightly writing bright fright lefty leftover cleft theft
rested upset uppercase puppet pupil cuppa none known noble nobody nose notebook dawn drown clown offer coffee cough awful
stomach stuff staff stove stamp loft soften rifle rival rye wry ripe rude""".split()
# The words and sentences that nothing is trained on.
UNSEEN = """bottle candle camera dinner engine finger hammer jacket kitchen ladder market needle oyster pencil quarter rabbit saddle
ticket umbrella violin wallet zebra anchor basket circle dragon eagle feather ginger honest insect jungle kettle lemon mirror napkin
olive pepper ribbon silver tunnel useful valley whistle student planet forest bridge blanket carpet doctor empty flower guitar
hospital magnet nephew oxygen parrot rocket soldier thunder vinegar weather elbow branch cloud dress frost grape heavy
juice knife lunch month north ounce peace queen score truth wheat youth toast broke host sofa union nest flight slight shift
gift drop crop lock clock lawn thorn mess guest""".split()
SENTENCES = """The old teacher found a small wooden box behind the school. Many birds fly south when the weather turns cold. She poured hot
coffee into a blue cup and sat beside the window. Our train will leave the station at half past seven. A child was singing a song about
the moon and the stars. Please bring me the red book that lies beneath the lamp. They walked for three hours through the forest and saw
a deer. He wrote a long letter to his sister in another country. Fresh bread smells best early in the morning. The farmer sold
eleven sheep and bought a new tractor. Music was playing somewhere in the building across the street. I would like some soup with
beans and a glass of water. The engine made a strange noise and then it was quiet. Nine men were needed to lift the heavy
stone. Her brother studies medicine at a university near the sea. We have lived in this village since the winter of that
year.""".replace("\n", " ").split(". ")
ACCENTS = ("en-us", "en", "en-gb-scotland", "en-gb-x-rp", "en-us-nyc", "en-gb-x-gbclan", "en-gb-x-gbcwmd")
TRAINING_VARIANTS = """m1 m2 m3 m4 m5 m6 f1 f2 f3 f4 klatt klatt2 klatt3 klatt4 Alex Andy Annie Denis Diogo Gene Jacky Lee Marco Mike Michael
Storm anika antonio aunty belinda boris caleb david edward grandma grandpa gustave iven john marcelo michel miguel
norbert pablo paul pedro rob robert sandro shelby steph travis zac""".split()
TEST_VARIANTS = "m7 m8 f5 adam Alicia linda benjamin quincy".split()
TRAINING_VOICES = [f"{accent}+{variant}" for accent in ACCENTS for variant in TRAINING_VARIANTS]
TEST_VOICES = [f"{accent}+{variant}" for accent in ACCENTS[:5] for variant in TEST_VARIANTS]


class Espeak:
    """The library of espeak-ng 1.51, which speaks a word in 2 ms: the command takes ten times as long."""

    SYNCHRONOUS, UTF8 = 2, 1
    SPEED, PITCH, RANGE = 1, 3, 4

    def __init__(self):
        self.library = ctypes.CDLL("libespeak-ng.so.1")
        self.rate = self.library.espeak_Initialize(self.SYNCHRONOUS, 0, None, 0)
        self.parts = []

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        def keep(samples, count, _):
            if samples and count:
                self.parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
            return 0

        self.keep = keep  # the library holds its address
        self.library.espeak_SetSynthCallback(keep)
        self.library.espeak_TextToPhonemes.restype = ctypes.c_char_p

    def set_voice(self, voice):
        if self.library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise SystemExit(f"espeak-ng has no voice {voice}")

    def samples(self, text, voice, speed, pitch, pitch_range):
        self.parts.clear()
        self.set_voice(voice)
        for parameter, value in ((self.SPEED, speed), (self.PITCH, pitch), (self.RANGE, pitch_range)):
            self.library.espeak_SetParameter(parameter, value, 0)
        data = text.encode() + b"\0"
        self.library.espeak_Synth(data, len(data), 0, 0, 0, self.UTF8, None, None)
        return np.concatenate(self.parts) / 32768

    def phonemes(self, text):
        """How an American says it, without stress and length."""
        self.set_voice("en-us")
        pointer = ctypes.c_char_p(text.encode())
        found = self.library.espeak_TextToPhonemes(ctypes.byref(pointer), self.UTF8, 0)
        return found.decode().translate(str.maketrans("", "", "',:; _|"))


@functools.cache
def espeak():
    return Espeak()


def resample(sound, rate):
    """The sound with 16,000 samples in a second, without the frequencies that these cannot hold."""
    count = round(len(sound) * RATE / rate)
    return np.fft.irfft(np.fft.rfft(sound)[:count // 2 + 1], n=count) * count / len(sound)


def trimmed(sound, floor=0.02):
    """The sound without the silence at both ends."""
    loud = np.flatnonzero(np.abs(sound) > floor * np.abs(sound).max())
    return sound[loud[0]:loud[-1] + 1]


def speak(text, voice, speed, pitch, pitch_range=50):
    """Some words as one sound, whose largest sample is 1."""
    sound = trimmed(resample(espeak().samples(text, voice, speed, pitch, pitch_range), espeak().rate))
    return (sound / np.abs(sound).max()).astype(np.float32)


def spoken(rng, texts, voices, times):
    """[(text, sound)]: each of the texts `times` times, by voices, speeds and pitches drawn at random."""
    return [(text, speak(text, voices[rng.integers(len(voices))], *(int(rng.integers(*ends)) for ends in ((110, 230), (15, 85), (20, 80)))))
            for text in texts for _ in range(times)]


def no_keywords(texts):
    """The texts that do not sound like a keyword, as `know` and `write` do."""
    keywords = {espeak().phonemes(word) for word in KEYWORDS}
    return [text for text in texts if not any(espeak().phonemes(word) in keywords for word in text.split())]


ONSETS = "b br bl ch d dr f fl g gl gr h j k kl kr l m n p pl pr r s sh sk sl sm sn sp st str t th tr v w y z".split() + [""]
NUCLEI = "a e i o u ee oo ai ow oy ar er or oa igh".split()
CODAS = ["", "", *"b d f ft ff g k l ld m n nd ng nt p pt r s sk sp st t th v x".split()]
RHYMES = "ess oe up own eft ite on off op oe".split()  # of the keywords


def invented(rng, count):
    """Words that mean nothing: of one to three syllables, words that rhyme with a keyword, and keywords that go on."""
    def drawn(parts):
        return parts[rng.integers(len(parts))]

    def syllable():
        return drawn(ONSETS) + drawn(NUCLEI) + drawn(CODAS)

    kinds = (lambda: "".join(syllable() for _ in range(rng.integers(1, 4))),
             lambda: drawn(ONSETS) + drawn(RHYMES),
             lambda: drawn(KEYWORDS) + syllable())
    return no_keywords([drawn(kinds)() for _ in range(count)])


def noise(rng, count):
    """Noise whose power falls with a drawn power of the frequency, with drawn loudness over time."""
    spectrum = rng.standard_normal(count // 2 + 1) + 1j * rng.standard_normal(count // 2 + 1)
    spectrum *= np.maximum(np.arange(count // 2 + 1), 20) ** -rng.uniform(0, 0.9)
    sound = np.fft.irfft(spectrum, n=count)
    swell = np.interp(np.arange(count), np.linspace(0, count, 8), rng.uniform(0.5, 1, 8))
    return sound * swell / np.sqrt(np.mean((sound * swell) ** 2))


def babble(rng, words, count, speakers=6):
    """Noise of several voices that speak at once."""
    sound = np.zeros(count)
    for _ in range(speakers):
        at = -int(rng.integers(RATE // 2))
        while at < count:
            one = words[rng.integers(len(words))][1]
            begin, end = max(at, 0), min(at + len(one), count)
            if end > begin:
                sound[begin:end] += one[begin - at:end - at] / np.sqrt(np.mean(one ** 2))
            at += len(one)
    return sound / np.sqrt(np.mean(sound ** 2))


def varied(rng, sound):
    """Speech at another speed and pitch, duller or brighter, louder or softer."""
    count = int(len(sound) * rng.uniform(0.85, 1.18))
    sound = np.interp(np.linspace(0, len(sound) - 1, count), np.arange(len(sound)), sound)
    return sound - rng.uniform(-0.5, 0.6) * np.concatenate([[0], sound[:-1]])


def recording(rng, draw, seconds, decibels, noise, pause=0.5, vary=False):
    """(sound, [(text, its first sample, the sample behind its last)]): what `draw` gives, one after another, with pauses drawn around
    `pause` seconds, as many as fit, and `noise`, as many samples, `decibels` below them."""
    sound = np.zeros(int(seconds * RATE))
    spans, at = [], int(rng.uniform(0.3, 1) * pause * RATE)
    while True:
        text, one = draw()
        one = varied(rng, one) if vary else one
        if at + len(one) + RATE // 4 > len(sound):
            break
        loudness = 10 ** (rng.uniform(-4, 4) / 20) if vary else 1
        sound[at:at + len(one)] += one * 0.1 * loudness / np.sqrt(np.mean(one ** 2))
        spans.append((text, at, at + len(one)))
        at += len(one) + int(rng.uniform(0.5, 1.5) * pause * RATE)
    sound += noise * 0.1 * 10 ** (-decibels / 20)
    return (sound * rng.uniform(0.5, 1.5)).astype(np.float32).clip(-1, 1), spans
