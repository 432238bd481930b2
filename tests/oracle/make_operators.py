"""Writes the cases of operators/ with TensorFlow 2.21: make_operators.py [NAME...]. Each is one operator, or a few: a graph
(`NAME.pb`) and what went in and came out (`NAME.npz`: `in.TENSOR`, `out.TENSOR`)."""
import pathlib
import sys

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent / "operators"
RAW = tf.raw_ops
RANDOM = np.random.default_rng(7)


def reals(*shape, dtype=np.float32):
    return RANDOM.normal(size=shape).astype(dtype)


def whole(*shape, low=-9, high=9, dtype=np.int32):
    return RANDOM.integers(low, high, size=shape, dtype=dtype)


def counted(*shape, dtype=np.float32):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def positive(*shape):
    matrix = reals(*shape)
    return matrix @ np.swapaxes(matrix, -1, -2) + 3 * np.eye(shape[-1], dtype=np.float32)


EDGES = np.array([0.5, -0.5, -1.7, 300.2, -129.9, np.nan, np.inf, -np.inf, 3e9, -1e20], np.float32)
SPECIAL = np.array([0, -1, np.nan, np.inf, -np.inf, 1, 2, .5, -.5, 4.25, 60], np.float32)
IMAGE = RANDOM.uniform(size=(2, 5, 4, 3)).astype(np.float32)


def singular(a, full):
    """The singular values, and what the vectors make, whose signs are free."""
    values, left, right = tf.linalg.svd(a, full_matrices=full)
    rows, columns = left.shape[-1], right.shape[-1]
    middle = tf.pad(tf.linalg.diag(values), [[0, 0]] * (len(a.shape) - 2) + [[0, size - values.shape[-1]] for size in (rows, columns)])
    return values, left @ middle @ tf.linalg.matrix_transpose(right), tf.matmul(left, left, transpose_a=True), tf.matmul(right, right, transpose_a=True)


def eigen(a):
    values, vectors = tf.linalg.eigh(a)
    return values, tf.matmul(vectors * values[..., None, :], vectors, transpose_b=True), tf.linalg.eigvalsh(a)


def boxes(count):
    corners = RANDOM.uniform(size=(count, 2))
    return np.concatenate([corners, corners + RANDOM.uniform(.3, .8, (count, 2))], 1).astype(np.float32), RANDOM.permutation(count).astype(np.float32) / count


def ragged(values, splits, rows):
    def dense(shape, partitions, types, default=values[0] * 0 - 1, values=values):
        return RAW.RaggedTensorToTensor(shape=shape, values=values, default_value=default, row_partition_tensors=partitions, row_partition_types=types)
    open_shape = tf.constant([-1, -1, -1], tf.int64)
    outer = tf.constant([0, 1, 1, 4], tf.int64)
    gathered = RAW.RaggedGather(params_nested_splits=[splits], params_dense_values=values, indices=tf.constant([2, 0, 2, 1]), OUTPUT_RAGGED_RANK=1)
    return (dense(open_shape, [splits], ["ROW_SPLITS"]), dense(tf.constant([-1, 2, 2], tf.int64), [splits], ["ROW_SPLITS"], values[0, 0]),
            dense(open_shape, [tf.constant(5, tf.int64), rows], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
            dense(tf.constant(-1, tf.int64), [outer, splits], ["ROW_SPLITS", "ROW_SPLITS"]), gathered.output_nested_splits[0], gathered.output_dense_values)


def ranges_of(starts, limits, deltas):
    made = RAW.RaggedRange(starts=starts, limits=limits, deltas=deltas)
    return made.rt_nested_splits, made.rt_dense_values


def codes(x, low, high):
    made = []
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for to in (tf.quint8, tf.qint8):
            for way in ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")[:2 if mode == "SCALED" else 1]:
                q = RAW.QuantizeV2(input=x, min_range=-1.2, max_range=1.7, T=to, mode=mode, round_mode=way, narrow_range=way == "HALF_TO_EVEN")
                made += [tf.cast(tf.bitcast(q.output, tf.uint8 if to == tf.quint8 else tf.int8), tf.int32), q.output_min, q.output_max,
                         RAW.Dequantize(input=q.output, min_range=q.output_min, max_range=q.output_max, mode=mode, narrow_range=way == "HALF_TO_EVEN")]
    q = RAW.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.qint8, mode="SCALED", axis=2)
    return (*made, tf.bitcast(q.output, tf.int8), RAW.Dequantize(input=q.output, min_range=q.output_min, max_range=q.output_max, mode="SCALED", axis=2))


def there_and_back(x, low, high):
    made = [RAW.QuantizeAndDequantizeV4(input=x, input_min=-1., input_max=.8, signed_input=signed, num_bits=bits, range_given=given, narrow_range=narrow, round_mode=way)
            for signed, bits, given, narrow, way in ((True, 8, True, True, "HALF_UP"), (False, 4, True, False, "HALF_TO_EVEN"), (True, 3, False, False, "HALF_UP"))]
    return (*made, RAW.QuantizeAndDequantizeV4(input=x, input_min=low, input_max=high, range_given=False, axis=2), RAW.QuantizeAndDequantizeV3(input=x, input_min=0., input_max=0., num_bits=5, range_given=False),
            RAW.QuantizeAndDequantizeV2(input=tf.cast(x, tf.float64), input_min=tf.constant(-1., tf.float64), input_max=tf.constant(1., tf.float64), range_given=True, narrow_range=True))


def counting(x, n):
    """Nested loops, a branch, an array that is written and read."""
    def step(i, total, rows):
        total = tf.cond(tf.equal(i % 2, 0), lambda: total + x, lambda: total * 2 - x)
        inner = tf.while_loop(lambda k, v: k < i, lambda k, v: (k + 1, v + total * tf.cast(k, tf.float32)), (0, x))[1]
        return i + 1, total, rows.write(i, inner)
    rows = tf.TensorArray(tf.float32, 4, element_shape=[3], clear_after_read=False)
    count, total, rows = tf.while_loop(lambda i, *_: i < n, step, (tf.constant(0), tf.zeros([3]), rows))
    return count, total, rows.stack(), rows.read(1)


def first_generation(make):
    """As TensorFlow 1 wrote control flow: Switch, Merge, Enter, Exit."""
    def made(*inputs):
        tf.compat.v1.disable_control_flow_v2()
        try:
            return make(*inputs)
        finally:
            tf.compat.v1.enable_control_flow_v2()
    return made


def choosing(x, k):
    return (tf.cond(k > 1, lambda: tf.reduce_sum(x), lambda: tf.constant(5.)), tf.switch_case(k, [lambda: x + 1, lambda: x * x, lambda: -x]))


def lists(x):
    rows = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    return tf.map_fn(lambda row: row * 2 + 1, x), tf.scan(lambda a, row: a + row, x), rows.gather([3, 0])


def assigning(x, n):
    """A variable that is assigned, in a row, in a branch, in each turn of a loop; and read between."""
    v = tf.compat.v1.get_variable("v", [3], use_resource=True, initializer=tf.zeros_initializer)
    read = []

    def reading(after):
        with tf.control_dependencies([after]):
            read.append(v.read_value())
        return tf.control_dependencies([read[-1]])

    with reading(v.assign(x)), reading(v.assign_add(2 * x)):
        branch = tf.cond(n > 1, lambda: v.assign_sub(x).read_value(), lambda: -x)
    with reading(branch):
        def step(i):
            with tf.control_dependencies([v.assign(v.read_value() * 2 + x)]):
                return i + 1
        turns = tf.while_loop(lambda i: i < n, step, (tf.constant(0),))
    with reading(turns[0] if isinstance(turns, (tuple, list)) else turns):
        return (*read, branch)


def assigning_references(x, n):
    v = tf.compat.v1.get_variable("v", [3], use_resource=False, initializer=tf.zeros_initializer)
    put = tf.compat.v1.assign(v, x)
    more = tf.compat.v1.assign_add(put, x)
    with tf.control_dependencies([more]):
        less = tf.cond(n > 1, lambda: tf.identity(tf.compat.v1.assign_sub(v, [1., 2., 3.])), lambda: -x)
    with tf.control_dependencies([less]):
        return less, tf.identity(v)


def complex_parts(x, y):
    """What only rearranges complex numbers, is linear, or is a product of two."""
    z, w = tf.complex(x, x[::-1] - 1), tf.complex(y, 2 - y)
    made = [tf.transpose(z), tf.reshape(z, [2, -1]), z[1:, ::2], tf.concat([z, z], 1), tf.stack([w, w]), tf.gather(z, [2, 0], axis=1), tf.pad(z, [[0, 1], [2, 0]]),
            tf.reduce_sum(z, 0), tf.reduce_mean(z, 1, keepdims=True), tf.cumsum(z, 1), tf.tile(w, [2]), tf.reverse(z, [1]), tf.roll(z, 1, 0), *tf.split(z, 2, 1), *tf.unstack(z),
            tf.where(x > 0, z, w), tf.zeros_like(z), z / w, tf.math.reciprocal(w), tf.square(z), tf.math.log(z), z + w, w - z,
            tf.matmul(z, z, adjoint_b=True), tf.matmul(z, z, transpose_a=True), tf.einsum("ab,b->a", z, w), tf.cast(z, tf.complex128)]
    return [f(tf.cast(value, tf.complex64)) for value in made for f in (tf.math.real, tf.math.imag)]


def composites(x, ids):
    """Functions that say what they implement: of the interface, of another, one that nobody knows, one in a loop."""
    implements = lambda name: lambda f: tf.function(f, experimental_implements=name, autograph=False)
    look = implements("embedding_lookup")(lambda table, ids: tf.gather(table, ids))
    scaled = implements("embedding_lookup")(lambda table, ids, by: tf.gather(table, ids) * by)
    gelu = implements("gelu")(lambda v: .5 * v * (1 + tf.math.erf(v / 2 ** .5)))
    block = implements("our_block")(lambda v: gelu(v + 1))
    rows = look(x, ids)
    turns = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, gelu(v) + rows), (0, rows))[1]
    return scaled(x, ids, .5), block(rows), turns


def growing_lists(x):
    """Arrays that are written past their end, in a loop and outside."""
    outside = tf.TensorArray(tf.float32, 1, dynamic_size=True, clear_after_read=False)
    for i in (0, 3, 1):
        outside = outside.write(i, x[0] + i)
    inside = tf.while_loop(lambda i, _: i < 3, lambda i, rows: (i + 1, rows.write(i, x[i % 2] * tf.cast(i, tf.float32))),
                           (tf.constant(0), tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])))[1]
    return outside.stack(), outside.size(), outside.read(3), inside.stack()


def growing(x):
    """States whose shapes change from turn to turn; a loop that does not turn at all."""
    rows = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.concat([v, v[-1:] * 2 + tf.cast(i, tf.float32)], 0)),
                         (0, x), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 2])))
    never = tf.while_loop(lambda i, _: i < 0, lambda i, v: (i + 1, tf.concat([v, v], 1)),
                          (0, x), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])))
    return (*rows, *never)


def nested(x):
    """A sum within a sum: that it keeps its shape follows from the first turn only."""
    def outer(i, total):
        return i + 1, tf.while_loop(lambda j, _: j < i, lambda j, part: (j + 1, part + x * tf.cast(i + j, tf.float32)), (0, total))[1]
    return tf.while_loop(lambda i, _: i < 4, outer, (0, tf.zeros_like(x)))[1]


def sloped(x):
    """The gradient of a loop, which walks its values backwards."""
    y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.sin(v) * x), (0, x), maximum_iterations=5)[1]
    return tf.gradients(y, x)[0]


def guarded(x, k, i):
    """Branches that fail where they are not taken."""
    return (tf.cond(k > 0, lambda: 12 // k + 1, lambda: -k), tf.cond(i < 3, lambda: tf.gather(x, i) * 2, lambda: x[0]),
            tf.while_loop(lambda n, _: n < 3, lambda n, v: (n + 1, tf.cond(n > 0, lambda: v + 6 // n, lambda: v)), (0, k))[1])


def draws(x):
    """With seeds, that TensorFlow draws the same each time."""
    return (RAW.RandomUniform(shape=[3, 2], dtype=tf.float32, seed=7, seed2=5 << 33) + x, RAW.RandomStandardNormal(shape=[9], dtype=tf.float32, seed=0, seed2=3) + x,
            RAW.RandomUniformInt(shape=[6], minval=-5, maxval=1000, seed=1 << 40, seed2=0), RAW.RandomUniform(shape=[0], dtype=tf.float32),
            tf.floor(RAW.RandomUniform(shape=[50], dtype=tf.float32) + 1))


def drawn_of(shape, seed):
    """Of each type of element, in one that files hold."""
    seeds = {"seed": seed, "seed2": seed // 3}
    ways = [(RAW.RandomUniform, tf.float16), (RAW.RandomUniform, tf.bfloat16), (RAW.RandomUniform, tf.float64), (RAW.RandomStandardNormal, tf.float16), (RAW.RandomStandardNormal, tf.float64),
            (RAW.TruncatedNormal, tf.float32), (RAW.TruncatedNormal, tf.float64)]
    return [tf.cast(make(shape=shape, dtype=dtype, **seeds), tf.float64) for make, dtype in ways] + [
        RAW.RandomUniformInt(shape=shape, minval=tf.constant(low, tf.int64), maxval=tf.constant(high, tf.int64), **seeds) for low, high in ((-5, 1000), (-2**62, 2**62))]


def draws_of_any_batch(x):
    shape = tf.shape(x)
    return [x + RAW.RandomUniform(shape=shape, dtype=tf.float32, seed=3, seed2=1), x + RAW.RandomStandardNormal(shape=shape, dtype=tf.float32, seed=3, seed2=2),
            RAW.RandomUniformInt(shape=shape, minval=2, maxval=70, seed=4, seed2=0)]


def equal_of_any_batch(x, y, b):
    """As `==` and `!=` are written, whose sizes may be equal."""
    def equal(make, *both):
        return make(x=both[0], y=both[1], incompatible_shape_error=False)
    return (equal(RAW.Equal, y, tf.argmax(x, 1)), equal(RAW.NotEqual, b, tf.concat([[-1], b[:-1]], 0)), equal(RAW.Equal, x[:, 1:], x[:, :-1]), equal(RAW.NotEqual, tf.pad(b[1:], [[1, 0]]), b),
            tf.reduce_mean(tf.cast(equal(RAW.Equal, y, tf.argmax(x, 1)), tf.float32)), equal(RAW.Equal, x[:, :2], x[:, :3]))


def means_beyond_elements(x):
    """Sums that the elements cannot hold."""
    made = []
    for dtype, most in ((tf.uint8, 200), (tf.int8, -101), (tf.uint16, 60000), (tf.int16, -30001), (tf.int32, 2**30), (tf.uint32, 2**32 - 5), (tf.int64, -2**61), (tf.bfloat16, 3e38)):
        y = tf.cast(x, dtype) + tf.constant(most, dtype)
        made += [tf.reduce_mean(y), tf.reduce_mean(y, 1)]
    return made[:-2] + [tf.cast(value, tf.float32) for value in made[-2:]]


def frozen_scatters(x, places, updates):
    """Of variables in whose place freezing puts a constant; what is assigned to it first is what counts."""
    made = []
    for k, op in enumerate(("Add", "Sub", "Mul", "Div", "Max", "Min", "Update", "NdAdd", "NdSub", "NdMax", "NdMin", "NdUpdate")):
        v = tf.compat.v1.get_variable(f"frozen_{k}", [4, 3], use_resource=False, initializer=tf.zeros_initializer)
        more = dict(indices=tf.expand_dims(places, 1)) if op.startswith("Nd") else dict(indices=places)
        made.append(getattr(RAW, f"Scatter{op}")(ref=tf.compat.v1.assign(v, x), updates=updates, **more))
    row, total = (tf.compat.v1.get_variable(f"frozen_{name}", [4, 3], use_resource=False, initializer=tf.zeros_initializer) for name in ("row", "total"))
    return *made, RAW.ScatterAdd(ref=tf.compat.v1.assign(row, x), indices=places, updates=2.), tf.compat.v1.assign_add(tf.compat.v1.assign(total, x), x)


def frozen(definition):
    """With constants for variables of that name, whose values they are after a run."""
    for node in definition.node:
        if node.op == "VariableV2" and node.name.startswith("frozen"):
            shape, kind = [d.size for d in node.attr["shape"].shape.dim], node.attr["dtype"].type
            node.op = "Const"
            node.attr.clear()
            node.attr["dtype"].type = kind
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(9, kind, shape))
    return definition


# name: (function of tensors that returns one or several, input arrays)
def walked(x):
    """Rows, one after the other: a loop over them, whose length is never more than theirs."""
    w, (top, low) = tf.constant(counted(3, 3) / 9), tf.unstack(tf.constant(counted(2, 3) / 6))
    given = tf.TensorArray(tf.float32, 4).unstack(x)

    def step(i, h, made):
        h = tf.tanh(tf.matmul(given.read(i), w) + top + h * low)
        return i + 1, h, made.write(i, h)
    _, last, made = tf.while_loop(lambda i, *_: i < tf.minimum(4, tf.maximum(1, 4)), step, (0, tf.zeros([2, 3]), tf.TensorArray(tf.float32, 4)))
    return made.stack(), last


def cuts(x, i, j):
    """Bounds that the run computes, on both sides, past the ends and backwards."""
    return (x[i], x[:, j], x[:, i:i + 2], x[i:j], x[..., j:i:-1], x[::-2, i:], x[1, i, None, 1:], x[:, i + 9:], x[:, -20:i], x[j:i],
            tf.slice(x, [0, i, 0], [2, 2, -1]), tf.slice(x, [i, 0, 1], [-1, i, -j]), tf.math.imag(tf.complex(x, -x)[..., j]))


def rows_in_turn(x):
    """Each row by the loop's counter: as one row, as a part with one row."""
    def step(t, h):
        return t + 1, tf.tanh(x[:, t] + tf.reduce_sum(x[:, t:t + 1], 1) - h)
    return tf.while_loop(lambda t, *_: t < tf.shape(x)[1], step, (0, tf.zeros([2, 3])))[1]


def grown_turns(x):
    """A list that is longer by one after each turn, of elements with an open batch."""
    def step(t, h, rows):
        h = tf.tanh(x[:, t] + h)
        return t + 1, h, rows.write(t, h)
    start = (0, tf.zeros([tf.shape(x)[0], 3]), tf.TensorArray(tf.float32, 0, dynamic_size=True))
    return tf.transpose(tf.while_loop(lambda t, *_: t < 4, step, start)[2].stack(), [1, 0, 2])


def open_images(x):
    """Other sizes of images whose own the graph leaves open."""
    v1 = tf.compat.v1.image
    return (tf.image.resize(x, [5, 7]), tf.image.resize(x, [3, 9], "nearest"), v1.resize_bilinear(x, [4, 6], align_corners=True), v1.resize_bilinear(x, [1, 3]),
            v1.resize_nearest_neighbor(x, [7, 2], align_corners=True), tf.image.resize(x, 2 * tf.shape(x)[1:3]))


def sparse(i, v, b):
    shape = tf.constant([4, 3], tf.int64)
    return (RAW.SparseToDense(sparse_indices=i, output_shape=shape, sparse_values=v, default_value=-1.), RAW.SparseToDense(sparse_indices=[1, 3], output_shape=[5], sparse_values=2, default_value=0),
            RAW.SparseToDense(sparse_indices=2, output_shape=[4], sparse_values=True, default_value=False),
            *(RAW.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=shape, b=b if turned else b[:3], adjoint_a=turned) for turned in (False, True)),
            RAW.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=shape, b=tf.transpose(b[:3]), adjoint_b=True),
            *(f(input_indices=i, input_values=v, input_shape=shape, reduction_axes=axes, keep_dims=keep) for f in (RAW.SparseReduceSum, RAW.SparseReduceMax)
              for axes, keep in (([0], False), ([-1], True), (tf.constant([], tf.int32), False), ([0, 1], False))),
            *(f(data=b, indices=[0, 3, 1, 1], segment_ids=ids) for f in (RAW.SparseSegmentSum, RAW.SparseSegmentMean, RAW.SparseSegmentSqrtN) for ids in ([0, 0, 2, 2], tf.cast(i[:, 0], tf.int32))))


def detections(b, s):
    made = []
    for boxes, each, total, flags in ((b, 3, 5, {}), (b, 2, 9, {"pad_per_class": True}), (b[:, :, :1], 7, 40, {"clip_boxes": False})):
        made += RAW.CombinedNonMaxSuppression(boxes=boxes, scores=s, max_output_size_per_class=each, max_total_size=total, iou_threshold=.4, score_threshold=.15, **flags)
    return tuple(made)


def open_batches(x, b, s, i, t, k):
    """What needs to know the sizes of an image, or how many classes there are, but not how many of them come."""
    return (RAW.LRN(input=x, depth_radius=1), RAW.InTopKV2(predictions=s, targets=t, k=2), *RAW.NonMaxSuppressionV4(boxes=b, scores=s[:, 0], max_output_size=2, iou_threshold=.3, score_threshold=-9.),
            RAW.NonMaxSuppressionV3(boxes=b, scores=s[:, 1], max_output_size=k[0], iou_threshold=.5, score_threshold=-9.), RAW.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=[2, 3]),
            RAW.ExtractImagePatches(images=x, ksizes=[1, 2, 2, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="SAME"), RAW.Dilation2D(input=x, filter=x[0, :2, :2], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="SAME"),
            *RAW.MaxPoolWithArgmax(input=x, ksize=[1, 2, 3, 1], strides=[1, 2, 2, 1], padding="SAME", include_batch_in_index=True), *RAW.SparseSoftmaxCrossEntropyWithLogits(features=s, labels=t),
            *RAW.SoftmaxCrossEntropyWithLogits(features=s, labels=tf.nn.softmax(s)), *RAW.FusedBatchNormV3(x=x, scale=x[0, 0, 0], offset=x[0, 0, 1], mean=[], variance=[], is_training=True)[:3],
            *RAW.UniqueWithCounts(x=k), tf.math.imag(tf.exp(tf.complex(b, b))), tf.nn.embedding_lookup_sparse(b, tf.SparseTensor(tf.constant([[0, 0], [0, 1], [2, 0]], tf.int64), tf.constant([3, 0, 1], tf.int64), [3, 2]), None, combiner="mean"))


def images_of_any_rank(x, i, r, u):
    """Inputs whose rank only a later node tells, after their shape was asked for."""
    n, h, w, _ = tf.unstack(tf.shape(x), num=4)
    kernel = tf.constant(counted(3, 3, 4, 3) / 50)
    grown = RAW.Conv2DBackpropInput(input_sizes=tf.stack([n, 2 * h + 1, 2 * w + 1, 4]), filter=kernel, out_backprop=x, strides=[1, 2, 2, 1], padding="VALID")
    apart = RAW.SpaceToBatchND(input=x, block_shape=[2, 2], paddings=[[0, 0], [0, 1]])
    apart = RAW.Conv2D(input=apart, filter=tf.constant(counted(2, 2, 3, 2) / 20), strides=[1, 1, 1, 1], padding="VALID")
    rows = tf.compat.v1.get_variable("frozen_rows", [4, 3], use_resource=False, initializer=tf.zeros_initializer)
    return (RAW.ResizeNearestNeighbor(images=x, size=tf.shape(x)[1:3] * [2, 3]), grown, RAW.BatchToSpaceND(input=apart, block_shape=[2, 2], crops=[[0, 0], [0, 1]]),
            RAW.ScatterAdd(ref=tf.compat.v1.assign(rows, r), indices=i, updates=tf.reshape(u, [3])))


def diagonals_of_any_sizes(x):
    rows, columns = tf.unstack(tf.shape(x))[-2:]
    return (tf.eye(rows, columns), tf.linalg.set_diag(x, x[:, :3, 0]), tf.linalg.set_diag(x, x[:, :-2, 0], k=-2), tf.linalg.set_diag(x, x[:, 0, 1:], k=1), tf.linalg.diag(x[:, 0]),
            tf.linalg.diag(x[:, 0], k=1, padding_value=7.))


def broadcast_of_any_batch(x, y):
    shape = RAW.BroadcastArgs(s0=tf.shape(x), s1=tf.shape(y))
    return shape, tf.broadcast_to(x, shape)


KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")


CASES = {
    # control flow
    **{f"loops{suffix}": (kind(counting), [reals(3), np.int32(4)]) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))},
    **{f"choices{suffix}_{k}": (kind(choosing), [reals(3), np.int32(k)]) for k in range(3) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))},
    **{f"lists{suffix}": (kind(lists), [reals(4, 2)]) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))},
    # element by element
    "div_no_nan": (lambda x, y: RAW.DivNoNan(x=x, y=y), [reals(4), np.array([0, 2, -1, 0], np.float32)]),
    "mul_no_nan": (lambda x, y: RAW.MulNoNan(x=x, y=y), [EDGES, np.zeros(10, np.float32)]),
    "xdivy": (lambda x, y: (RAW.Xdivy(x=x, y=y), RAW.Xlog1py(x=x, y=y)), [np.array([0, 1, 2], np.float32), np.array([np.nan, 2, .5], np.float32)]),
    "whole_division": (lambda x, y: (RAW.Div(x=x, y=y), RAW.TruncateDiv(x=x, y=y), RAW.TruncateMod(x=x, y=y), RAW.FloorDiv(x=x, y=y), RAW.FloorMod(x=x, y=y)),
                       [np.array([7, -7, 7, -7, 6, 0], np.int32), np.array([2, 2, -2, -2, 3, 5], np.int32)]),
    "real_division": (lambda x, y: (RAW.FloorMod(x=x, y=y), RAW.TruncateMod(x=x, y=y), RAW.TruncateDiv(x=x, y=y)),
                      [np.array([7, -7, 7, -7, 6, -5], np.float32), np.array([2, 2, -2, -2, 3, np.inf], np.float32)]),
    "population_count": (lambda x: RAW.PopulationCount(x=x), [whole(6)]),
    "approximate_equal": (lambda x, y: RAW.ApproximateEqual(x=x, y=y, tolerance=.1), [np.array([1, 2], np.float32), np.array([1.05, 2.2], np.float32)]),
    "casts_to_wide": (lambda x: (tf.cast(x, tf.int32), tf.cast(x, tf.int64)), [EDGES]),
    "casts_to_narrow": (lambda x: (tf.cast(x, tf.int8), tf.cast(x, tf.uint8), tf.cast(x, tf.int16), tf.cast(x, tf.bool)), [EDGES[:5]]),
    "gradients": (lambda y, d: (RAW.ReluGrad(gradients=d, features=y), RAW.SigmoidGrad(y=y, dy=d), RAW.TanhGrad(y=y, dy=d), RAW.EluGrad(gradients=d, outputs=y),
                                RAW.SoftplusGrad(gradients=d, features=y), RAW.SoftsignGrad(gradients=d, features=y), RAW.ReciprocalGrad(y=y, dy=d),
                                RAW.LeakyReluGrad(gradients=d, features=y, alpha=.3), RAW.Relu6Grad(gradients=d, features=y)), [reals(5), reals(5)]),
    "equal_shapes_differ": (lambda x, y: (RAW.Equal(x=x, y=y, incompatible_shape_error=False), RAW.NotEqual(x=x, y=y, incompatible_shape_error=False)), [reals(2), reals(3)]),
    # arrays
    "bitcast_narrower": (lambda x: (RAW.Bitcast(input=x, type=tf.uint8), RAW.Bitcast(input=x, type=tf.int16), RAW.Bitcast(input=x, type=tf.int32)), [reals(2, 3)]),
    "bitcast_wider": (lambda x: (RAW.Bitcast(input=x, type=tf.float32), RAW.Bitcast(input=x, type=tf.uint32)), [whole(3, 4, low=-99, high=99, dtype=np.int8)]),
    "ranges": (lambda x: (tf.range(2., -1., -.5) + x, tf.range(tf.constant(9), tf.constant(1), tf.constant(-3)) + tf.cast(x, tf.int32)), [np.float32(2)]),
    "where": (lambda x: tf.where(x), [np.array([[0, 1.5], [np.nan, 0]], np.float32)]),
    "invert_permutation": (lambda x: RAW.InvertPermutation(x=x), [np.array([2, 0, 1, 3], np.int32)]),
    "stitch": (lambda a, b: tf.dynamic_stitch([tf.constant([0, 2]), tf.constant([[1, 2]])], [a, b]), [reals(2, 3), reals(1, 2, 3)]),
    "partition": (lambda x, p: tf.dynamic_partition(x, p, 3), [reals(5, 2), np.array([2, 0, 2, 0, 0], np.int32)]),
    "gather_nd": (lambda x, i: tf.gather_nd(x, i), [reals(3, 4), np.array([[0, 1], [2, 3]], np.int32)]),
    "gather_batches": (lambda x, i: tf.gather(x, i, axis=2, batch_dims=1), [reals(2, 3, 4, 2), np.array([[0, 3, 1], [2, 2, 0]], np.int32)]),
    # blocks and diagonals
    "space_batch": (lambda x: (tf.space_to_batch(x, [2, 3], [[1, 0], [1, 1]]), tf.batch_to_space(tf.tile(x, [6, 1, 1, 1]), [2, 3], [[1, 2], [0, 3]])), [reals(2, 5, 4, 3)]),
    "band_part": (lambda x: (tf.linalg.band_part(x, 1, 0), tf.linalg.band_part(x, -1, 1)), [reals(2, 4, 3)]),
    "diagonals": (lambda x: (RAW.MatrixDiagPartV3(input=x, k=(-1, 2), padding_value=7.), RAW.MatrixDiagPartV3(input=x, k=(-2, 1), padding_value=7., align="LEFT_RIGHT"),
                             RAW.MatrixDiagPartV2(input=x, k=1, padding_value=7.), RAW.MatrixDiagPart(input=x)), [reals(2, 3, 4)]),
    "make_diagonals": (lambda d: (RAW.MatrixDiagV3(diagonal=d, k=(-1, 0), num_rows=-1, num_cols=-1, padding_value=9.), RAW.MatrixDiag(diagonal=d), RAW.Diag(diagonal=d[0])), [reals(2, 3)]),
    "set_diagonals": (lambda x, d: (RAW.MatrixSetDiagV3(input=x, diagonal=d, k=(0, 1)), RAW.MatrixSetDiag(input=x, diagonal=d[:, 0])), [reals(2, 3, 4), reals(2, 2, 3)]),
    "diag_part": (lambda x: RAW.DiagPart(input=x), [reals(2, 3, 2, 3)]),
    # groups
    "segments": (lambda x: tuple(f(x, tf.constant([0, 0, 2, 3, 3])) for f in (tf.math.segment_sum, tf.math.segment_mean, tf.math.segment_prod, tf.math.segment_max, tf.math.segment_min)), [reals(5, 2)]),
    "unsorted_segments": (lambda x, i: tuple(f(x, i, 4) for f in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_prod, tf.math.unsorted_segment_max, tf.math.unsorted_segment_min)),
                          [reals(5, 2), np.array([3, 0, -1, 3, 0], np.int32)]),
    "sparse_segments": (lambda x: tuple(f(x, tf.constant([0, 2, 4]), tf.constant([0, 0, 2])) for f in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n)), [reals(5, 2)]),
    "bincounts": (lambda x, w: (RAW.Bincount(arr=x, size=4, weights=tf.zeros([0], tf.float32)), RAW.Bincount(arr=x, size=4, weights=w)), [np.array([1, 3, 3, 9, 0], np.int32), reals(5)]),
    "histogram": (lambda x: tf.histogram_fixed_width(x, [0., 5.], 5), [np.array([-1, 0, 1.5, 2, 5, 15], np.float32)]),
    "bucketize": (lambda x: RAW.Bucketize(input=x, boundaries=[0, 1.5, 4]), [np.array([-1, 0, 1.4, 1.5, 9], np.float32)]),
    "bounds": (lambda s, x: (RAW.UpperBound(sorted_inputs=s, values=x), RAW.LowerBound(sorted_inputs=s, values=x)), [np.sort(whole(2, 5)), whole(2, 3)]),
    "nth_element": (lambda x: (RAW.NthElement(input=x, n=1), RAW.NthElement(input=x, n=1, reverse=True)), [reals(3, 5)]),
    "in_top_k": (lambda x: RAW.InTopKV2(predictions=x, targets=[1, 7], k=2), [reals(2, 4)]),
    "unique": (lambda x: RAW.UniqueWithCounts(x=x), [np.array([3, 1, 3, 2, 1], np.int32)]),
    # normalisation, losses, quantisation
    "batch_norm": (lambda x, s: tuple(RAW.FusedBatchNormV3(x=x, scale=s, offset=s, mean=s, variance=s * s, is_training=False)[:1]), [IMAGE, reals(3)]),
    "batch_norm_training": (lambda x, s: tuple(RAW.FusedBatchNorm(x=x, scale=s, offset=s, mean=[], variance=[], is_training=True)[:3]), [IMAGE, reals(3)]),
    "batch_norm_average": (lambda x, s: tuple(RAW.FusedBatchNormV3(x=x, scale=s, offset=s, mean=s, variance=s * s, is_training=True, exponential_avg_factor=.3)[:3]), [IMAGE, reals(3)]),
    "local_response": (lambda x: RAW.LRN(input=x, depth_radius=1, bias=2., alpha=.3, beta=.7), [reals(1, 2, 2, 5)]),
    "losses": (lambda x, y: (*RAW.SoftmaxCrossEntropyWithLogits(features=x, labels=y), *RAW.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[1, 0]), RAW.L2Loss(t=x)),
               [reals(2, 3), np.array([[0, .5, .5], [1, 0, 0]], np.float32)]),
    "fake_quant": (lambda x: (RAW.FakeQuantWithMinMaxArgs(inputs=x, min=-1, max=1), RAW.FakeQuantWithMinMaxArgs(inputs=x, min=5, max=6), RAW.FakeQuantWithMinMaxVars(inputs=x, min=-3., max=1.5, num_bits=4, narrow_range=True),
                              RAW.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=[-1., -2.], max=[1., .5])), [np.array([[-2, -1], [.12, .2], [5.5, 1]], np.float32)]),
    # images
    **{f"resize_{name}": (lambda x, op=op: tuple(op(images=x, size=size, **flags) for size in ([3, 7], [8, 3]) for flags in choices), [IMAGE])
       for name, op, choices in (("bilinear", RAW.ResizeBilinear, ({}, {"align_corners": True}, {"half_pixel_centers": True})),
                                 ("bicubic", RAW.ResizeBicubic, ({}, {"align_corners": True}, {"half_pixel_centers": True})),
                                 ("nearest", RAW.ResizeNearestNeighbor, ({}, {"align_corners": True}, {"half_pixel_centers": True})),
                                 ("area", RAW.ResizeArea, ({}, {"align_corners": True})))},
    "colours": (lambda x: (RAW.RGBToHSV(images=x), RAW.HSVToRGB(images=x), RAW.AdjustHue(images=x, delta=.3), RAW.AdjustSaturation(images=x, scale=.4), RAW.AdjustContrastv2(images=x, contrast_factor=1.7)), [IMAGE]),
    "patches": (lambda x: tuple(RAW.ExtractImagePatches(images=x, ksizes=[1, 2, 2, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding=p) for p in ("SAME", "VALID")), [IMAGE]),
    "dilation": (lambda x, w: RAW.Dilation2D(input=x, filter=w, strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="SAME"), [IMAGE, reals(2, 3, 3)]),
    "composites": (composites, [reals(5, 3), np.array([4, 0, 1], np.int32)]),
    "pool_places": (lambda x: (*RAW.MaxPoolWithArgmax(input=x, ksize=[1, 2, 3, 1], strides=[1, 2, 2, 1], padding="SAME"),
                               *RAW.MaxPoolWithArgmax(input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID", include_batch_in_index=True)), [reals(2, 5, 4, 3)]),
    "boxes": (lambda x, s: (RAW.NonMaxSuppressionV3(boxes=x, scores=s, max_output_size=3, iou_threshold=.3, score_threshold=.1), *RAW.NonMaxSuppressionV4(boxes=x, scores=s, max_output_size=7, iou_threshold=.2, score_threshold=.3, pad_to_max_output_size=True)),
              [np.array([[0, 0, 1, 1], [.1, 0, 1.1, 1], [1, 1, 0, .1], [0, 2, 1, 3], [0, 2.1, 1, 3.1], [5, 5, 6, 6]], np.float32), np.array([.9, .8, .7, .2, .6, .05], np.float32)]),
    "crops": (lambda x, b: tuple(RAW.CropAndResize(image=x, boxes=b, box_ind=[0, 1, 0], crop_size=size, method=m, extrapolation_value=.5) for size in ([2, 3], [1, 1]) for m in ("bilinear", "nearest")),
              [IMAGE, np.array([[.1, .2, .9, .8], [-.2, 0, .5, 1.3], [.7, .7, .2, .1]], np.float32)]),
    # recurrent cells
    "lstm_cell": (lambda x, w, p: tuple(RAW.LSTMBlockCell(x=x, cs_prev=x[:, :2], h_prev=x[:, 1:], w=w, wci=p, wcf=p, wco=p, b=tf.tile(p, [4]), use_peephole=True, cell_clip=.4)), [reals(2, 3), reals(5, 8), reals(2)]),
    "lstm_block": (lambda x, w, p: tuple(RAW.BlockLSTM(seq_len_max=tf.constant(3, tf.int64), x=x, cs_prev=x[0, :, :2], h_prev=x[0, :, 1:], w=w, wci=p, wcf=p, wco=p, b=tf.tile(p, [4]))[k] for k in (1, 6)), [reals(4, 2, 3), reals(5, 8), reals(2)]),
    "gru_cell": (lambda x, w, v: tuple(RAW.GRUBlockCell(x=x, h_prev=x[:, :2], w_ru=w, w_c=v, b_ru=w[0], b_c=v[0])), [reals(2, 3), reals(5, 4), reals(5, 2)]),
    # spectra and sound
    "spectra": (lambda x: (tf.abs(tf.signal.rfft(x, [6])), tf.math.imag(tf.signal.rfft(x, [10])), tf.signal.irfft(tf.signal.rfft(x), [7]), tf.math.angle(tf.complex(x, x + 1)),
                           tf.math.real(tf.signal.fft2d(tf.complex(x, -x)) * tf.math.conj(tf.complex(x, x))), tf.cast(tf.exp(tf.complex(x, x)), tf.float32)), [reals(3, 8)]),
    "complex_parts": (complex_parts, [reals(3, 4), reals(4)]),
    "sizes_by_reals": (lambda x: (tf.image.resize(x, tf.cast(tf.round(tf.cast(tf.shape(x)[1:3], tf.float32) * 1.7), tf.int32)), tf.reshape(x, tf.cast(tf.math.ceil(tf.stack([10., 11.5])), tf.int32))), [IMAGE]),
    "sound": (lambda x: (RAW.AudioSpectrogram(input=x, window_size=200, stride=80), RAW.Mfcc(spectrogram=RAW.AudioSpectrogram(input=x, window_size=400, stride=160, magnitude_squared=True), sample_rate=16000)), [reals(1600, 2)]),
    # matrices and special functions
    "matrices": (lambda a, b: (tf.linalg.solve(a, b), tf.linalg.solve(a, b, adjoint=True), tf.linalg.inv(a), tf.linalg.det(a), *tf.linalg.slogdet(a), *tf.linalg.lu(a)), [reals(2, 4, 4), reals(2, 4, 3)]),
    "triangles": (lambda a, b: (tf.linalg.triangular_solve(a, b), tf.linalg.triangular_solve(a, b, lower=False), tf.linalg.triangular_solve(a, b, adjoint=True), tf.linalg.cholesky(a)), [positive(2, 3, 3), reals(2, 3, 2)]),
    "cross": (lambda a, b: tf.linalg.cross(a, b), [reals(2, 3), reals(2, 3)]),
    "product_of_bytes": (lambda a, b: RAW.BatchMatMulV3(x=a, y=b, Tout=tf.int32), [whole(2, 3, low=-99, high=99, dtype=np.int8), whole(3, 2, low=-99, high=99, dtype=np.int8)]),
    "special": (lambda x: (tf.math.erfc(x), tf.math.lgamma(x), tf.math.digamma(x)), [np.array([.3, 1, 2.5, 30, -1.5, -2.2], np.float32)]),
    "polygamma": (lambda n, x: tf.math.polygamma(n, x), [np.array([0, 1, 2, 3, -1, .5], np.float32), np.array([.3, 1.5, 2, 9, 1, 1], np.float32)]),
    "singular_values": (lambda a, b: (*singular(a, False), *singular(a, True), *singular(b, True), tf.linalg.svd(b, compute_uv=False), tf.linalg.svd(a[:, :0])[0]),
                        [reals(2, 4, 3), np.round(reals(3, 5, dtype=np.float64) * [[1], [1], [0]], 1)]),
    "reflections": (lambda a, b: (*tf.linalg.qr(a), *tf.linalg.qr(a, full_matrices=True), *tf.linalg.qr(b)), [reals(2, 4, 3), reals(3, 5, dtype=np.float64)]),
    "eigenvalues": (lambda a: eigen(a) + eigen(tf.cast(a[0, :3, :3], tf.float64)), [reals(2, 4, 4)]),
    "least_squares": (lambda a, b, c: (RAW.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(.5, tf.float64)), RAW.MatrixSolveLs(matrix=c, rhs=b, l2_regularizer=tf.constant(0., tf.float64))),
                      [reals(2, 5, 3), reals(2, 5, 2), reals(2, 5, 7)]),
    "tridiagonal": (lambda d, b: (RAW.TridiagonalSolve(diagonals=d, rhs=b), RAW.TridiagonalMatMul(superdiag=d[:, :1], maindiag=d[:, 1:2], subdiag=d[:, 2:], rhs=b)), [reals(2, 3, 4), reals(2, 4, 2)]),
    "empty_matrices": (lambda a: (tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.cholesky(a), tf.linalg.svd(a)[0]), [reals(2, 0, 0)]),
    "elimination": (lambda a: (tf.linalg.inv(a), tf.linalg.cholesky(a), tf.linalg.slogdet(a)[1]), [positive(40, 40)]),
    "incomplete": (lambda a, x: (tf.math.igamma(a, x), tf.math.igammac(a, x), tf.math.igamma(tf.cast(a, tf.float64), tf.cast(x, tf.float64)), tf.math.zeta(a, x),
                                 tf.math.betainc(a, x[::-1], tf.clip_by_value(x, 0., 1.))), np.meshgrid(SPECIAL, SPECIAL)),
    "quantiles": (lambda p: (tf.math.ndtri(p), tf.math.erfinv(p), tf.math.ndtri(tf.cast(p, tf.float64))), [np.array([0, 1e-30, 1e-5, .3, .5, .9, 1, -.7, -2, np.nan], np.float32)]),
    "bessel": (lambda x: tuple(getattr(tf.math.special, f"bessel_{name}")(x) for name in ("i0", "i1", "i0e", "i1e", "j0", "j1")),
               [np.array([0, .5, -3, 29.9, 30.1, -70, np.nan], np.float32)]),
    # states
    **{f"states_{k}": (assigning, [reals(3), np.int32(k)]) for k in (0, 3)},
    **{f"states_v1_{k}": (first_generation(assigning_references), [reals(3), np.int32(k)]) for k in (0, 3)},
    "found_ranges": (lambda n, x: (tf.range(n), tf.range(n, -4, -3), tf.range(x, 2., .5), tf.sequence_mask(tf.stack([n, n - 2, 0])), tf.range(n - n)), [np.int32(5), np.float32(.25)]),
    "found_sizes": (lambda n, x: (tf.fill([n, 2], x), tf.broadcast_to(x, tf.stack([2, n])), tf.zeros([n + 1, n], tf.int32), tf.scatter_nd([[1], [0], [1]], [[x, 1.], [2., 3.], [4., x]], tf.stack([n, 2]))),
                    [np.int32(3), np.float32(.5)]),
    "found_groups": (lambda x, i: (*(f(x, i, tf.reduce_max(i) + 2) for f in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_prod, tf.math.unsorted_segment_max, tf.math.unsorted_segment_mean)),
                                   tf.math.segment_mean(x, tf.sort(tf.nn.relu(i))), tf.math.segment_max(x, tf.sort(tf.nn.relu(i)))), [reals(5, 2), np.array([3, 0, -1, 3, 1], np.int32)]),
    "found_shapes": (lambda n, x: (tf.tile(x, tf.stack([n, 1])), tf.tile(x, tf.stack([1, n - 1])), tf.reshape(x, tf.stack([n, -1])), tf.reshape(x, tf.stack([n * 2, 1])), tf.repeat(x, [2, 0, n], axis=0)),
                     [np.int32(3), reals(3, 2)]),
    "ragged": (lambda v, s, i: (*ragged(v, s, i), *ragged(tf.cast(v, tf.int32), s, i)), [reals(6, 2), np.array([0, 2, 2, 5, 6]), np.array([0, 1, 1, 3, 3, 3])]),
    "ragged_ranges": (lambda a, b: (*ranges_of(a, b, -2), *ranges_of(tf.cast(a, tf.float32), 3.5, tf.constant([.5, 1., 2.]))), [np.array([5, 0, 3], np.int32), np.array([-2, 4, 3], np.int32)]),
    "suppressed": (lambda b, s: tuple(value for sigma in (0., .5) for limit in (0., .5) for value in RAW.NonMaxSuppressionV5(
        boxes=b, scores=s, max_output_size=6, iou_threshold=limit, score_threshold=.1, soft_nms_sigma=sigma, pad_to_max_output_size=sigma > 0)), [*boxes(8)]),
    "suppressed_half": (lambda b, s: RAW.NonMaxSuppressionV5(boxes=tf.cast(b, tf.float16), scores=tf.cast(s, tf.float16), max_output_size=5, iou_threshold=tf.constant(.4, tf.float16),
                        score_threshold=tf.constant(.1, tf.float16), soft_nms_sigma=tf.constant(.3, tf.float16)), [*boxes(8)]),
    "pool_places_of_integers": (lambda x, y: (*tf.nn.max_pool_with_argmax(x, 3, 2, "SAME"), *tf.nn.max_pool_with_argmax(y, 2, 1, "SAME", include_batch_in_index=True)),
                                [whole(1, 5, 4, 2, dtype=np.int64), np.zeros((2, 2, 3, 1), np.uint8)]),
    "codes": (codes, [reals(2, 3, 4), np.array([-1, -.5, 0, 0], np.float32), np.array([1, 2, 1.5, 0], np.float32)]),
    "there_and_back": (there_and_back, [reals(2, 3, 4), np.array([-1, -.5, 0, -2], np.float32), np.array([1, 2, 1.5, 0], np.float32)]),
    "drawn": (lambda n: tuple(tf.floor(x) for x in (tf.random.uniform([2, n]), tf.random.uniform([3], dtype=tf.float64))) + (tf.random.uniform([2, 2], 5, 6, tf.int32), tf.shape(tf.random.normal([n, 3]))), [np.int32(4)]),
    "differences": (lambda x, y: (*RAW.ListDiff(x=x, y=y), *RAW.UniqueV2(x=tf.reshape(x, [3, 2]), axis=[1]), *RAW.UniqueWithCountsV2(x=tf.reshape(y, [4, 1]), axis=[0])),
                    [np.array([1, 1, 4, 4, np.nan, np.nan], np.float32), np.array([1, 2, 1, 3], np.float32)]),
    "means_of_integers": (lambda x, y: (tf.reduce_mean(x, 1), tf.reduce_mean(y, [0, 1]), tf.reduce_mean(x[:0], 0), RAW.EuclideanNorm(input=x, axis=[1]), RAW.SegmentMean(data=x, segment_ids=[0, 0, 2])),
                          [whole(3, 4), whole(2, 2, 3, low=0, high=60, dtype=np.uint8)]),
    "powers_of_integers": (lambda x, y: (x ** y, tf.cast(x, tf.int8) ** tf.cast(y, tf.int8)), [whole(2, 4), whole(4, low=0, high=7)]),
    "places_beside_nan": (lambda x: (tf.argmax(x, 1), tf.argmin(x, 1), tf.argmax(tf.cast(x, tf.float16), 0)), [np.array([[np.nan, 1, 3, 2], [np.nan] * 4, [np.inf, np.nan, np.inf, 1]], np.float32)]),
    "gradients_more": (lambda x, y: (RAW.BiasAddGrad(out_backprop=x), RAW.BiasAddGrad(out_backprop=x, data_format="NCHW"), RAW.SeluGrad(gradients=x, outputs=y), RAW.InvGrad(y=x, dy=y), x // y, (x / 0) // y),
                       [reals(2, 3, 4), reals(2, 3, 4)]),
    "found_stitch": (lambda i, x: (tf.dynamic_stitch(tf.dynamic_partition(tf.range(5), i, 2), tf.dynamic_partition(x, i, 2)), RAW.ParallelDynamicStitch(indices=[i, i + 2], data=[x, -x])),
                     [np.array([1, 0, 0, 1, 1], np.int32), reals(5, 2)]),
    # growing lists, failing branches, random numbers
    **{f"{f.__name__}{suffix}": (kind(f), [reals(2, 2)]) for f in (growing_lists, growing, nested, sloped) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))
       if f is not sloped or not suffix},
    "frozen_scatters": (frozen_scatters, [reals(4, 3), np.array([2, 0], np.int32), reals(2, 3)]),
    "draws": (draws, [np.float32(1)]),
    **{f"guarded{suffix}": (kind(guarded), [reals(3), np.int32(0), np.int32(7)]) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))},
    "axes_of_any_rank": (lambda x: (tf.reduce_sum(x), tf.reduce_max(2 * x)), [reals(2, 3)]),
    "walked": (first_generation(walked), [reals(4, 2, 3)]),
    "top_k_unsorted": (lambda x, y: [tf.sort(found) for data, k in ((x, 7), (y, 6), (y, 4), (y, 1)) for found in RAW.TopKV2(input=data, k=k, sorted=False)],
                       [reals(3, 40), whole(5, 6)]),
    "dense_bincounts": (lambda x, w, k: (*(RAW.DenseBincount(input=x, size=4, weights=by, binary_output=is_binary) for by, is_binary in ((tf.zeros([0]), False), (w, False), (tf.zeros([0]), True))),
                                         RAW.DenseBincount(input=x[0], size=k, weights=w[1]), RAW.DenseBincount(input=x, size=k + 1, weights=tf.zeros([0], tf.int32))),
                        [whole(2, 5, low=0, high=6), reals(2, 5), np.int32(3)]),
    "projections": (lambda x, t, v: tuple(RAW.ImageProjectiveTransformV3(images=x, transforms=transforms, output_shape=[4, 6], fill_value=v, interpolation=way, fill_mode=mode)
                                          for way in ("NEAREST", "BILINEAR") for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST") for transforms in (t, t[:1]))
                    + (RAW.ImageProjectiveTransformV2(images=tf.cast(x * 9, tf.uint8), transforms=t, output_shape=[5, 4], interpolation="NEAREST"),),
                    [IMAGE, np.array([[1.1, .2, -1.3, .1, .8, .4, .01, -.02], [-.9, 0, 7.3, .3, 1.7, -6.2, -.25, 0]], np.float32), np.float32(.25)]),
    "matrices_of_any_batch": (lambda a, b, i: (tf.linalg.cholesky(a), tf.linalg.inv(a), tf.linalg.solve(a, b), tf.linalg.solve(a, b, adjoint=True), tf.linalg.det(a), *tf.linalg.slogdet(a), *tf.linalg.lu(a),
                                               tf.linalg.triangular_solve(a, b, lower=False), tf.linalg.lstsq(b, a), tf.linalg.diag_part(b, k=(-1, 1)), tf.linalg.set_diag(b, b[:, 0]), tf.linalg.diag(b[..., 0], k=1),
                                               tf.gather(b, i, batch_dims=1), tf.gather(a, i, axis=2, batch_dims=1)),
                              [positive(2, 4, 4), reals(2, 4, 3), whole(2, 3, low=0, high=4)]),
    # positions computed in the run
    "cuts": (cuts, [reals(3, 5, 4), np.int32(2), np.int32(-1)]),
    **{f"rows_in_turn{suffix}": (kind(rows_in_turn), [reals(2, 4, 3)]) for suffix, kind in (("", lambda f: f), ("_v1", first_generation))},
    "grown_turns": (grown_turns, [reals(2, 4, 3)]),
    "open_images": (open_images, [reals(2, 4, 5, 3)]),
    "draws_of_each_type": (lambda n: [made for seed in (7, 1 << 40) for made in drawn_of([13, n], seed)], [np.int32(3)]),
    "draws_of_any_batch": (draws_of_any_batch, [reals(5, 3)]),
    "equal_of_any_batch": (equal_of_any_batch, [whole(5, 4, low=0, high=3).astype(np.float32), np.array([2, 0, 1, 3, 0]), np.array([3, 3, 5, 5, 3])]),
    "means_beyond_elements": (means_beyond_elements, [whole(7, 3, low=0, high=3)]),
    "sparse": (sparse, [np.array([[0, 2], [1, 0], [1, 2], [3, 1]]), reals(4), reals(4, 2)]),
    "greedy": (lambda x, n: tuple(value for flags in ({}, {"merge_repeated": True}, {"blank_index": 1}) for value in RAW.CTCGreedyDecoder(inputs=x, sequence_length=n, **flags)),
               [np.round(reals(9, 3, 3)), np.array([9, 0, 6], np.int32)]),
    "cumulated": (lambda x: tuple(RAW.CumulativeLogsumexp(x=value, axis=axis, exclusive=exclusive, reverse=reverse) for value in (x, tf.cast(x[0, :1], tf.float64)) for axis in (0, -1)
                                  for exclusive in (False, True) for reverse in (False, True)), [np.concatenate([reals(2, 3, 5), np.full((2, 1, 5), -300, np.float32)], 1)]),
    "detections": (detections, [np.stack([np.stack([boxes(6)[0] for _ in range(3)], 1) for _ in range(2)]), RANDOM.permutation(36).reshape(2, 6, 3).astype(np.float32) / 36]),
    "scaled": (lambda x, s, t: tuple(RAW.ScaleAndTranslate(images=x, size=[7, 3], scale=s, translation=t, kernel_type=kernel, antialias=antialias) for kernel in KERNELS for antialias in (True, False))
               + tuple(tf.image.resize(x, size, way, antialias=True) for size in ([3, 7], [9, 2]) for way in ("bilinear", "lanczos3", "mitchellcubic")),
               [IMAGE, np.array([1.3, .7], np.float32), np.array([-.4, .6], np.float32)]),
    "integrals": (lambda x: tuple(f(value) for value in (x, tf.cast(x, tf.float64)) for f in (tf.math.special.dawsn, tf.math.special.expint, tf.math.special.spence, tf.math.special.fresnel_cos, tf.math.special.fresnel_sin)),
                  [np.array([0, .01, .019, .3, .5, .9, 1, 1.19, 1.3, 2, 2.1, 3.7, 6.2, 7.1, 11, 39, 41, 70, 3e4, -.2, -1.5, -9, np.nan, np.inf], np.float32)]),
    "next_numbers": (lambda x, y: (tf.math.nextafter(x, y), tf.math.nextafter(tf.cast(y, tf.float64), tf.cast(x, tf.float64))),
                     [np.array([1, 1, -1, -1, 1, 0, np.inf, np.nan, -4], np.float32), np.array([2, 0, 0, -2, 1, -1, 0, 1, 1], np.float32)]),
    "complex_roots": (lambda x, y: tuple(part(f(tf.complex(x, y))) for f in (tf.sqrt, tf.math.rsqrt) for part in (tf.math.real, tf.math.imag)), np.meshgrid(np.array([-2, -.5, 1, 3], np.float32), np.array([-1.5, -1e-3, .2, 4], np.float32))),
    "window_gradients": (lambda x, g, h: (*(RAW.Conv2DBackpropFilter(input=x, filter_sizes=[3, 2, 3, 2], out_backprop=back, strides=[1, 2, 1, 1], padding=p, **more)
                                            for back, p, more in ((g, "SAME", {}), (g[:, :2, :3], "VALID", {}), (g[:, :2, :3], "EXPLICIT", {"explicit_paddings": [0, 0, 1, 0, 0, 0, 0, 0]}))),
                                          RAW.MaxPoolGrad(orig_input=x, orig_output=RAW.MaxPool(input=x, ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME"), grad=h, ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME")),
                         [np.round(reals(2, 5, 4, 3)), reals(2, 3, 4, 2), reals(2, 3, 4, 3)]),
    "open_batches": (open_batches, [IMAGE, *(lambda b, s: (b, np.stack([s, s[::-1], s * 2, -s], 1)))(*boxes(4)), np.array([1, 0, 0, 1], np.int32), np.array([3, 0, 2, 1], np.int32), np.array([3, 1, 3, 2, 1], np.int32)]),
    "few": (lambda x, b: (*RAW.Unique(x=x), *RAW.UniqueWithCounts(x=x[:3]), *RAW.UniqueWithCounts(x=b), *RAW.Unique(x=x[:0]), *RAW.UniqueV2(x=tf.reshape(x[:0], [0, 2]), axis=[0])),
            [np.array([2, -1, 2, np.nan, 7, -1, np.nan, 2], np.float32), np.array([True, False, True])]),
    "images_of_any_rank": (images_of_any_rank, [reals(2, 4, 5, 3), np.int32(2), reals(4, 3), reals(3)]),
    "diagonals_of_any_sizes": (diagonals_of_any_sizes, [reals(2, 5, 3)]),
    "broadcast_of_any_batch": (broadcast_of_any_batch, [reals(3, 1, 2), reals(4, 1)]),
}


OF_ANY_RANK = {"axes_of_any_rank", "images_of_any_rank"}  # the graph has no shapes for their inputs
OF_ANY_BATCH = {"broadcast_of_any_batch", "draws_of_any_batch", "equal_of_any_batch", "grown_turns", "matrices_of_any_batch", "open_batches"}  # nor first sizes
OF_ANY_SIZES = {"diagonals_of_any_sizes", "open_images"}  # nor sizes except the last


def shape_of(name, array):
    """What the graph says of an input."""
    if name in OF_ANY_RANK:
        return None
    if name in OF_ANY_SIZES:
        return [None] * (np.ndim(array) - 1) + [np.shape(array)[-1]]
    return [None, *np.shape(array)[1:]] if name in OF_ANY_BATCH else np.shape(array)


def write(name):
    make, arrays = CASES[name]
    with tf.Graph().as_default() as graph:
        inputs = [tf.compat.v1.placeholder(array.dtype, shape_of(name, array), f"x{i}") for i, array in enumerate(arrays)]
        made = make(*inputs)
        outputs = [tf.identity(value, f"y{i}") for i, value in enumerate(made if isinstance(made, (tuple, list)) else [made])]
        with tf.compat.v1.Session(graph=graph) as session:
            session.run([variable.initializer for variable in tf.compat.v1.global_variables()])
            values = session.run(outputs, dict(zip(inputs, arrays)))
    (HERE / f"{name}.pb").write_bytes(frozen(graph.as_graph_def()).SerializeToString(deterministic=True))
    np.savez(HERE / f"{name}.npz", **{f"in.x{i}": array for i, array in enumerate(arrays)}, **{f"out.y{i}": value for i, value in enumerate(values)})


if __name__ == "__main__":
    for name in CASES:  # draws all from one seed, whichever are written
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            write(name)
