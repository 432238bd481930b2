"""Small Keras models: a name, and a function that makes the model. Weights are random; inputs are random with a batch of 2 unless
`INPUTS` has them."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

MODELS = {}
INPUTS = {}  # name: function of the random generator that returns a list of arrays


def model(*shapes, inputs=None, dtype="float32"):
    """Makes a model of a function of tensors; `shapes` are those of its inputs, without the batch."""
    def made(function):
        def make():
            given = [keras.Input(shape, dtype=dtype) for shape in shapes]
            return keras.Model(given, function(*given))
        MODELS[function.__name__] = make
        if inputs:
            INPUTS[function.__name__] = inputs
        return function
    return made


def words(*shape, most=11):
    return lambda random: [random.integers(0, most, size=shape).astype(np.int32)]


# ---- dense
@model((6,))
def dense_activations(x):
    return [L.Dense(3, activation=name)(x) for name in ("selu", "elu", "softplus", "softsign", "mish", "hard_sigmoid", "hard_swish", "gelu", "exponential", "relu6", "celu", "silu",
                                                        "leaky_relu", "log_softmax", "tanh_shrink", "soft_shrink", "hard_shrink", "squareplus", "sparse_plus", "linear")]


@model((6,))
def dense_norms(x):
    x = L.BatchNormalization()(L.Dense(8)(x))
    x = L.PReLU()(x)
    x = L.LayerNormalization()(L.Dense(8)(x))
    x = L.LeakyReLU(negative_slope=.2)(x)
    x = L.UnitNormalization()(x)
    x = L.RMSNormalization()(L.Dense(4, use_bias=False)(x))
    return L.Softmax()(L.ActivityRegularization(l2=.1)(L.Dropout(.4)(x)))


@model((5, 4), (4,))
def dense_rows(x, y):
    y = L.RepeatVector(5)(L.Dense(4, activation="tanh")(y))
    return L.EinsumDense("abc,cd->abd", output_shape=(None, 3), bias_axes="d")(L.Concatenate()([x, y])), L.Permute((2, 1))(x)


@model((4,), (4,), (4,))
def merges(x, y, z):
    return [L.Add()([x, y, z]), L.Subtract()([x, y]), L.Multiply()([x, y, z]), L.Average()([x, y, z]), L.Maximum()([x, y, z]), L.Minimum()([x, y]), L.Dot(axes=1)([x, y]), L.Dot(axes=1, normalize=True)([x, z]), L.Concatenate()([x, y, z])]


@model((7,))
def highway(x):
    for _ in range(2):
        gate = L.Dense(7, activation="sigmoid", bias_initializer=keras.initializers.Constant(-1))(x)
        x = gate * L.Dense(7, activation="relu")(x) + (1 - gate) * x
    return x


@model((6,), (6,))
def siamese(x, y):
    tower = keras.Sequential([L.Dense(8, activation="relu"), L.Dense(4)])
    a, b = tower(x), tower(y)
    return keras.ops.sqrt(keras.ops.sum(keras.ops.square(a - b), axis=1, keepdims=True) + 1e-7)


@model((3, 8))
def mixture_of_experts(x):
    weights = L.Dense(3, activation="softmax")(x)
    experts = keras.ops.stack([L.Dense(5, activation="relu")(x) for _ in range(3)], axis=-2)
    return keras.ops.sum(experts * keras.ops.expand_dims(weights, -1), axis=-2)


# ---- convolutions over time
@model((16, 3))
def temporal_convolutions(x):
    for dilation in (1, 2, 4):
        y = L.Conv1D(4, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
        y = L.SpatialDropout1D(.1)(L.Conv1D(4, 3, padding="causal", dilation_rate=dilation)(y))
        x = L.Activation("relu")(y + L.Conv1D(4, 1)(x))
    return L.Dense(2)(x[:, -1])


@model((12, 4))
def convolutions_1d(x):
    a = L.SeparableConv1D(5, 3, strides=2, padding="same", depth_multiplier=2)(x)
    b = L.DepthwiseConv1D(3, padding="valid", depth_multiplier=2)(x)
    c = L.Conv1DTranspose(3, 4, strides=2, padding="same")(x)
    d = L.Conv1D(4, 3, groups=2, strides=3, padding="same")(x)
    return a, b, c, d, L.MaxPooling1D(3, 2, padding="same")(x), L.AveragePooling1D(2)(x), L.UpSampling1D(3)(x), L.ZeroPadding1D((1, 2))(x), L.Cropping1D((2, 1))(x), L.GlobalMaxPooling1D()(x), L.GlobalAveragePooling1D(keepdims=True)(x)


@model((None, 3))
def convolutions_any_length(x):
    x = L.Conv1D(6, 5, strides=2, padding="same", activation="relu")(x)
    x = L.MaxPooling1D(2, padding="same")(x)
    return L.Dense(3)(L.GlobalAveragePooling1D()(x))


INPUTS["convolutions_any_length"] = lambda random: [random.normal(size=(2, 19, 3)).astype(np.float32)]


@model((20, 2))
def wave_net(x):
    x, skips = L.Conv1D(4, 1)(x), []
    for dilation in (1, 2, 4):
        gate = L.Conv1D(4, 2, dilation_rate=dilation, padding="causal", activation="sigmoid")(x)
        y = L.Multiply()([L.Conv1D(4, 2, dilation_rate=dilation, padding="causal", activation="tanh")(x), gate])
        skips.append(L.Conv1D(3, 1)(y))
        x = L.Add()([x, L.Conv1D(4, 1)(y)])
    return L.Conv1D(5, 1, activation="softmax")(L.ReLU()(L.Add()(skips)))


# ---- images
def normalised(x, channels, size=3, strides=1, activation="relu"):
    x = L.Conv2D(channels, size, strides=strides, padding="same", use_bias=False)(x)
    return L.Activation(activation)(L.BatchNormalization()(x))


@model((12, 12, 3))
def residual_net(x):
    x = normalised(x, 4)
    for channels, strides in ((4, 1), (8, 2)):
        short = x if strides == 1 else L.BatchNormalization()(L.Conv2D(channels, 1, strides=strides, use_bias=False)(x))
        y = L.BatchNormalization()(L.Conv2D(channels, 3, padding="same", use_bias=False)(normalised(x, channels, strides=strides)))
        x = L.ReLU()(L.Add()([short, y]))
    return L.Dense(5, activation="softmax")(L.GlobalAveragePooling2D()(x))


@model((10, 10, 3))
def mobile_net(x):
    x = normalised(x, 4, strides=2, activation="hard_swish")
    y = normalised(x, 8, 1, activation="relu6")
    y = L.DepthwiseConv2D(5, padding="same", use_bias=False)(y)
    y = L.ReLU(6.)(L.BatchNormalization()(y))
    gate = L.Conv2D(8, 1, activation="hard_sigmoid")(L.Conv2D(2, 1, activation="relu")(L.GlobalAveragePooling2D(keepdims=True)(y)))
    x = x + L.BatchNormalization()(L.Conv2D(4, 1, use_bias=False)(y * gate))
    x = L.SeparableConv2D(6, 3, strides=2, padding="same", dilation_rate=1)(L.ZeroPadding2D(((0, 1), (1, 0)))(x))
    return L.Dense(3)(L.Flatten()(x))


@model((8, 8, 2))
def dense_net(x):
    for _ in range(3):
        x = L.Concatenate()([x, L.Conv2D(2, 3, padding="same")(L.ReLU()(L.BatchNormalization()(x)))])
    return L.AveragePooling2D(2)(L.Conv2D(4, 1)(x))


@model((9, 9, 2))
def inception(x):
    return L.Concatenate()([L.Conv2D(2, 1, activation="relu")(x), L.Conv2D(3, (1, 7), padding="same")(L.Conv2D(2, (7, 1), padding="same")(x)), L.Conv2D(2, 1)(L.AveragePooling2D(3, 1, padding="same")(x)),
                            L.Conv2D(2, 1)(L.MaxPooling2D(3, 1, padding="same")(x))])


@model((8, 8, 3))
def u_net(x):
    down, skips = x, []
    for channels in (4, 6):
        down = L.Conv2D(channels, 3, padding="same", activation="relu")(down)
        skips.append(down)
        down = L.MaxPooling2D()(down)
    up = L.Conv2D(8, 3, padding="same", activation="relu")(down)
    for channels, skip in zip((6, 4), reversed(skips)):
        up = L.Concatenate()([L.Conv2DTranspose(channels, 2, strides=2)(up), skip])
        up = L.Conv2D(channels, 3, padding="same", activation="relu")(up)
    return L.Conv2D(1, 1, activation="sigmoid")(up)


@model((6, 6, 8))
def shuffle_net(x):
    y = L.Conv2D(8, 1, groups=4)(x)
    y = L.Reshape((6, 6, 8))(L.Permute((1, 2, 4, 3))(L.Reshape((6, 6, 4, 2))(y)))
    a, b = keras.ops.split(y, 2, axis=-1)
    return L.Concatenate()([a, L.DepthwiseConv2D(3, padding="same")(b)])


@model((5, 6, 2))
def resizes(x):
    return [L.UpSampling2D((2, 3))(x), L.UpSampling2D(2, interpolation="bilinear")(x), L.UpSampling2D(2, interpolation="bicubic")(x), L.Resizing(3, 4)(x), L.Resizing(7, 9, interpolation="nearest")(x),
            L.CenterCrop(3, 4)(x), L.Cropping2D(((1, 1), (2, 1)))(x), L.Rescaling(1 / 127.5, offset=-1)(x), L.Resizing(4, 4, crop_to_aspect_ratio=True)(x), L.Resizing(8, 8, pad_to_aspect_ratio=True)(x)]


@model((4, 5, 6, 2))
def volumes(x):
    return L.Conv3D(3, 2, padding="same", strides=(1, 2, 2))(x), L.MaxPooling3D(2)(x), L.AveragePooling3D((1, 2, 2), padding="same")(x), L.Conv3DTranspose(2, 3, strides=2, padding="same")(x), L.UpSampling3D(2)(x), L.ZeroPadding3D(1)(x), \
        L.GlobalMaxPooling3D()(x)


@model((6, 6, 8))
def image_norms(x):
    return L.GroupNormalization(4)(x), L.GroupNormalization(-1)(x), L.LayerNormalization(axis=[1, 2, 3])(x), L.BatchNormalization(axis=1)(x), L.SpatialDropout2D(.2)(x), L.GlobalMaxPooling2D(keepdims=True)(x), L.Softmax(axis=1)(x)


@model((None, None, 3))
def fully_convolutional(x):
    y = L.Conv2D(4, 3, strides=2, padding="same", activation="relu")(x)
    y = L.Conv2D(4, 3, dilation_rate=2, padding="same", activation="relu")(y)
    return L.Conv2DTranspose(2, 4, strides=2, padding="same")(y)


INPUTS["fully_convolutional"] = lambda random: [random.normal(size=(1, 10, 12, 3)).astype(np.float32)]


@model((8, 8, 1))
def le_net_permuted(x):
    x = L.Permute((3, 1, 2))(x)
    x = L.Permute((3, 1, 2))(L.Conv2D(3, 3, activation="tanh")(L.Permute((2, 3, 1))(x)))
    return L.Dense(4)(L.Flatten()(L.Permute((2, 3, 1))(x)))


@model((6, 6, 3))
def vision_transformer(x):
    patches = L.Reshape((9, 12))(L.Conv2D(12, 2, strides=2)(x))
    x = patches + keras.ops.reshape(L.Embedding(9, 12)(keras.ops.arange(9)), (1, 9, 12))
    y = L.LayerNormalization(epsilon=1e-6)(x)
    x = x + L.MultiHeadAttention(3, 4)(y, y)
    y = L.LayerNormalization(epsilon=1e-6)(x)
    x = x + L.Dense(12)(L.Dense(24, activation="gelu")(y))
    return L.Dense(5)(x[:, 0])


@model((8, 8, 4))
def conv_mixer(x):
    x = keras.activations.gelu(L.Conv2D(6, 2, strides=2)(x))
    for _ in range(2):
        x = L.BatchNormalization()(keras.activations.gelu(L.DepthwiseConv2D(3, padding="same")(x), approximate=True)) + x
        x = L.BatchNormalization()(keras.activations.gelu(L.Conv2D(6, 1)(x)))
    return L.GlobalAveragePooling2D()(x)


# ---- recurrent
@model((6, 3))
def lstm_stack(x):
    x = L.LSTM(4, return_sequences=True)(x)
    all_, h, c = L.LSTM(3, return_sequences=True, return_state=True, use_bias=False)(x)
    return L.Dense(2)(all_), h, c


@model((6, 3))
def lstm_variants(x):
    return L.LSTM(3, go_backwards=True, return_sequences=True)(x), L.LSTM(3, activation="relu", recurrent_activation="hard_sigmoid")(x), L.LSTM(3, unroll=True)(x)


@model((None, 3))
def lstm_any_length(x):
    return L.Dense(2, activation="softmax")(L.LSTM(5)(L.LSTM(4, return_sequences=True)(x)))


INPUTS["lstm_any_length"] = lambda random: [random.normal(size=(3, 7, 3)).astype(np.float32)]


@model((5, 3))
def gru_variants(x):
    return L.GRU(4)(x), L.GRU(3, reset_after=False, return_sequences=True)(x), L.GRU(3, go_backwards=True, return_state=True)(x)[1], L.GRU(2, use_bias=False, unroll=True)(x)


@model((None, 3))
def gru_stack(x):
    x = L.GRU(4, return_sequences=True)(x)
    return L.Dense(2, activation="softmax")(L.GRU(5, go_backwards=True)(x))


INPUTS["gru_stack"] = lambda random: [random.normal(size=(3, 7, 3)).astype(np.float32)]


@model((5, 3))
def bidirectional(x):
    return L.Bidirectional(L.LSTM(3, return_sequences=True))(x), L.Bidirectional(L.GRU(3), merge_mode="sum")(x), L.Bidirectional(L.SimpleRNN(3, return_sequences=True), merge_mode="ave")(x), L.Bidirectional(L.LSTM(2), merge_mode="mul")(x)


@model((5, 3))
def simple_rnn(x):
    return L.SimpleRNN(4, return_sequences=True)(x), L.SimpleRNN(4, activation="relu", go_backwards=True)(x)


@model((5, 3))
def stacked_cells(x):
    return L.RNN([L.LSTMCell(3), L.GRUCell(2), L.SimpleRNNCell(4)], return_sequences=True)(x)


@model((7,), inputs=words(2, 7), dtype="int32")
def masked_embedding(x):
    y = L.Embedding(11, 4, mask_zero=True)(x)
    return L.LSTM(3)(y), L.GRU(3, return_sequences=True)(y), L.GlobalAveragePooling1D()(y)


@model((6, 3))
def masking(x):
    return L.Bidirectional(L.LSTM(3))(L.Masking(0.)(x)), L.TimeDistributed(L.Dense(2, activation="relu"))(L.Masking()(x))


INPUTS["masking"] = lambda random: [random.normal(size=(2, 6, 3)).astype(np.float32) * (np.arange(6) < np.array([[4], [6]]))[..., None].astype(np.float32)]


@model((4, 6, 2))
def conv_lstm_1d(x):
    return L.ConvLSTM1D(3, 3, padding="same", return_sequences=True)(x)


@model((3, 5, 5, 2))
def conv_lstm_2d(x):
    return L.ConvLSTM2D(2, 3, padding="valid")(x), L.TimeDistributed(L.Conv2D(3, 2, activation="relu"))(x)


@model((5, 3), (4, 3))
def encoder_decoder(x, y):
    _, h, c = L.LSTM(4, return_state=True)(x)
    return L.Dense(3, activation="softmax")(L.LSTM(4, return_sequences=True)(y, initial_state=[h, c]))


@model((8, 3))
def recurrent_convolutions(x):
    x = L.MaxPooling1D(2)(L.Conv1D(4, 3, padding="same", activation="relu")(x))
    return L.Dense(1, activation="sigmoid")(L.Bidirectional(L.GRU(3))(x))


# ---- attention
def causal(n):
    return keras.ops.tril(keras.ops.ones((1, n, n), "bool"))


@model((5, 8))
def transformer_encoder(x):
    for _ in range(2):
        x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4, dropout=.1)(x, x))
        x = L.LayerNormalization()(x + L.Dense(8)(L.Dense(16, activation="relu")(x)))
    return L.Dense(3)(L.GlobalAveragePooling1D()(x))


@model((5, 8), (4, 8))
def transformer_decoder(x, memory):
    x = x + L.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    y, scores = L.MultiHeadAttention(2, 4, value_dim=3)(x, memory, return_attention_scores=True)
    return L.RMSNormalization()(x + y), scores


@model((5, 8), (3, 8))
def attentions(x, y):
    return L.Attention()([x, y]), L.AdditiveAttention()([x, y]), L.Attention(use_scale=True, score_mode="concat")([x, y]), L.GroupQueryAttention(4, 4, 2)(x, y), L.MultiHeadAttention(2, 3, attention_axes=(1,), use_bias=False, output_shape=5)(x, y)


@model((6,), inputs=words(2, 6), dtype="int32")
def language_model(x):
    table = L.Embedding(11, 8)
    positions = keras.ops.arange(6)
    h = table(x) + L.Embedding(6, 8)(positions)
    h = h + L.MultiHeadAttention(2, 4)(h, h, use_causal_mask=True)
    h = L.LayerNormalization()(h + L.Dense(8)(L.Dense(16, activation="gelu")(h)))
    return keras.ops.matmul(h, keras.ops.transpose(table.embeddings))


@model((6, 8))
def rotary_attention(x):
    n, d = 6, 8
    angles = keras.ops.outer(keras.ops.arange(n, dtype="float32"), 1 / keras.ops.power(10000., keras.ops.arange(0, d, 2, dtype="float32") / d))
    q, k = L.Dense(d)(x), L.Dense(d)(x)

    def turned(t):
        a, b = t[..., ::2], t[..., 1::2]
        return keras.ops.reshape(keras.ops.stack([a * keras.ops.cos(angles) - b * keras.ops.sin(angles), a * keras.ops.sin(angles) + b * keras.ops.cos(angles)], -1), (-1, n, d))
    scores = keras.ops.einsum("bqd,bkd->bqk", turned(q), turned(k)) / d ** .5
    scores = keras.ops.where(causal(n), scores, -1e9)
    return keras.ops.einsum("bqk,bkd->bqd", keras.ops.softmax(scores), L.Dense(d)(x))


@model((6, 4))
def linear_attention(x):
    q, k, v = (L.Dense(4)(x) for _ in range(3))
    q, k = keras.ops.elu(q) + 1, keras.ops.elu(k) + 1
    return keras.ops.einsum("bnd,bde->bne", q, keras.ops.einsum("bnd,bne->bde", k, v)) / keras.ops.einsum("bnd,bd->bn", q, keras.ops.sum(k, 1))[..., None]


# ---- sound and preparation
@model((800,))
def mel_spectrogram(x):
    return L.MelSpectrogram(fft_length=256, sequence_stride=128, sampling_rate=8000, num_mel_bins=20)(x)


@model((600, 1))
def stft_spectrogram(x):
    return L.STFTSpectrogram(mode="log", frame_length=128, frame_step=64, fft_length=128)(x)


@model((640,))
def log_mel_net(x):
    spectrum = L.Lambda(lambda x: tf.abs(tf.signal.stft(x, 128, 64)))(x)
    mel = L.Lambda(lambda s: tf.math.log(tf.tensordot(s, tf.signal.linear_to_mel_weight_matrix(12, 65, 8000), 1) + 1e-6))(spectrum)
    mfcc = L.Lambda(lambda m: tf.signal.mfccs_from_log_mel_spectrograms(m)[..., :8])(mel)
    return L.Dense(3, activation="softmax")(L.GRU(4)(mfcc))


@model((4,))
def preparation(x):
    return L.Normalization(mean=[1., 2., 3., 4.], variance=[1., 4., .5, 2.])(x), L.Discretization([-1., 0., 1.])(x), L.Rescaling(2., 1.)(x), L.GaussianNoise(.1)(x), L.AlphaDropout(.2)(x)


@model((3,), inputs=words(2, 3, most=5), dtype="int32")
def categories(x):
    return L.CategoryEncoding(5, output_mode="multi_hot")(x), L.CategoryEncoding(5, output_mode="count")(x), L.CategoryEncoding(5, output_mode="one_hot")(x)


# ---- operators that keras.ops names
@model((4, 6))
def reductions(x):
    o = keras.ops
    return [o.max(x, 1), o.min(x, -1), o.argmax(x, -1), o.argmin(x, 1), o.std(x, 1), o.var(x, (1, 2)), o.prod(x, 1), o.logsumexp(x, -1), o.norm(x, axis=-1), o.cumsum(x, 1), o.cumprod(x, 2), o.median(x, axis=-1), o.quantile(x, .3, axis=-1),
            o.count_nonzero(x > 0, 1), o.any(x > 1, 1), o.all(x > -1, 2), o.mean(x, 1, keepdims=True), o.average(x, 1)]


@model((4, 6))
def rearrangements(x):
    o = keras.ops
    return [o.flip(x, 1), o.roll(x, 2, 1), o.tile(x, (1, 2, 1)), o.repeat(x, 2, axis=1), o.sort(x, -1), o.argsort(x, 1), *o.top_k(x, 3), o.swapaxes(x, 1, 2), o.moveaxis(x, -1, 1), o.pad(x, ((0, 0), (1, 2), (2, 0)), mode="reflect"),
            o.pad(x, ((0, 0), (1, 1), (0, 1)), mode="symmetric"), o.take(x, [0, 2, 2], axis=1), o.take_along_axis(x, o.argsort(x, -1)[..., :2], -1), o.diagonal(x, axis1=1, axis2=2), o.tril(x), o.triu(x, 1), o.expand_dims(x, -2),
            o.where(x > 0, x, 0.), o.one_hot(o.argmax(x, -1), 6), o.diff(x), x[:, 1:-1, ::2], x[:, ::-1], o.concatenate([x, x], 1), o.digitize(x, np.array([-1., 0., 1.], np.float32)), o.nan_to_num(x / 0.), o.searchsorted(np.array([-1., 0., 2.], np.float32), x[0, 0])]


@model((4, 4))
def linear_algebra(x):
    o = keras.ops
    y = o.matmul(x, o.transpose(x, (0, 2, 1))) + 3 * o.eye(4)
    return [o.cholesky(y), o.inv(y), o.solve(y, x), o.det(y), o.trace(x, axis1=1, axis2=2), o.einsum("bij,bjk->bik", x, y), o.tensordot(x, x[0], 1), o.cross(x[..., :3], x[..., 1:]), o.outer(x[0, 0], x[0, 1]), o.inner(x, x[0]), o.vdot(x[0, 0], x[0, 1])]


@model((6,))
def pointwise(x):
    o = keras.ops
    p = o.abs(x) + .1
    return [o.log1p(p), o.expm1(x), o.log2(p), o.log10(p), o.erf(x), o.erfinv(o.clip(x, -.9, .9)), o.rsqrt(p), o.cbrt(p) if hasattr(o, "cbrt") else o.sqrt(p), o.round(x), o.floor(x), o.ceil(x), o.trunc(x), o.sign(x), o.arctan2(x, p), o.sinh(x), o.arcsinh(x), o.arctanh(o.clip(x, -.9, .9)),
            o.logaddexp(x, p), o.hypot(x, p), o.sinc(x), o.mod(x, .7), o.floor_divide(x, .7), o.power(p, x), o.isnan(x), o.square(x), o.reciprocal(p), o.logical_xor(x > 0, x > 1), o.heaviside(x, p), o.cast(x * 5, "int32") // 2, o.bitwise_and(o.cast(x * 5, "int32"), o.cast(p * 3, "int32"))]


@model((6, 6, 2))
def image_operators(x):
    o = keras.ops
    return [o.image.resize(x, (4, 9), interpolation="bilinear"), o.image.resize(x, (9, 4), interpolation="nearest"), o.image.extract_patches(x, 2), o.image.pad_images(x, 1, 1, target_height=9, target_width=8), o.image.crop_images(x, 1, 1, target_height=3, target_width=3),
            o.image.map_coordinates(x[0, ..., 0], o.array([[0.5, 1.2], [2.1, 3.3]]), 1), o.image.affine_transform(x, o.array([[1., .1, .2, 0., .9, -.3, 0., 0.]] * 2), interpolation="bilinear"), o.image.gaussian_blur(x) if hasattr(o.image, "gaussian_blur") else x]


def steps(x):
    """Loops and branches as TensorFlow has them."""
    total = tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1)
    _, grown = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * .5 + x), (0, total))
    scanned = tf.scan(lambda carry, v: carry * .9 + v, tf.transpose(x), tf.zeros_like(x[:, 0]))
    return grown, scanned, tf.map_fn(lambda row: tf.reduce_sum(row * row), x), tf.vectorized_map(lambda row: row[::-1] * 2, x), tf.switch_case(tf.cast(tf.reduce_sum(x) > 0, tf.int32), [lambda: x, lambda: -x, lambda: x * 0])


@model((6,))
def control(x):
    return L.Lambda(steps)(x)


@model((4, 3))
def own_cell(x):
    """A cell of one's own, with two states."""
    class Cell(L.Layer):
        state_size, output_size = [3, 2], 3

        def build(self, shape):
            self.kernel = self.add_weight(shape=(6, 3), name="kernel")
            self.narrow = self.add_weight(shape=(3, 2), name="narrow")
            self.built = True

        def call(self, x, states):
            h, m = states
            h = keras.ops.tanh(keras.ops.matmul(keras.ops.concatenate([x, h], -1), self.kernel))
            return h, [h, keras.ops.maximum(m, keras.ops.matmul(h, self.narrow))]
    return L.RNN(Cell(), return_state=True)(x)


# ---- element types
def in_policy(policy, name):
    def make():
        before = keras.config.dtype_policy()
        keras.config.set_dtype_policy(policy)
        try:
            x = keras.Input((8, 8, 2))
            y = L.BatchNormalization()(L.Conv2D(4, 3, activation="relu")(x))
            return keras.Model(x, L.Dense(3, activation="softmax", dtype="float32")(L.GlobalAveragePooling2D()(y)))
        finally:
            keras.config.set_dtype_policy(before)
    MODELS[name] = make


in_policy("mixed_float16", "mixed_half")
in_policy("mixed_bfloat16", "mixed_brain")


@model((4, 3), inputs=lambda random: [random.normal(size=(2, 4, 3))], dtype="float64")
def doubles(x):
    return L.Dense(3, dtype="float64")(L.LSTM(4, dtype="float64")(x))


def quantised():
    x = keras.Input((6,))
    made = keras.Model(x, L.Dense(2)(L.Dense(5, activation="relu")(x)))
    made.quantize("int8")
    return made


MODELS["quantised_dense"] = quantised


def shared_twice():
    return keras.Sequential([keras.Input((6,)), *[keras.Sequential([L.Dense(6, activation="relu"), L.LayerNormalization()]) for _ in range(3)], L.Dense(2)])


MODELS["nested_sequential"] = shared_twice
