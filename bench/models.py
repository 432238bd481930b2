#!/usr/bin/env python3
"""Writes the large models that bench/reach checks: models.py transformer|resnet|heads [LAYERS].

    transformer  a pre-norm encoder, every block with weights of its own; batch n, length t, heads h and width h*e symbolic
    resnet       bottleneck blocks as in ResNet-152 (LAYERS scales the third stage); batch, image and channels symbolic
    heads        attention layers over a shared set of weights, with d % h == 0 for symbolic heads
"""
import sys

TRANSFORMER = """\
import nn;
layer_norm = fn (x : f32 [n, t, d], g : f32 [d], b : f32 [d]) {
  c = x - reduce(+, 0f, x, axis=-1, keep=true) / cast(d);
  c / sqrt(reduce(+, 0f, c * c, axis=-1, keep=true) / cast(d) + 0.00001) * g + b
};
linear = fn (x : f32 [n, t, d], w : f32 [d, k], b : f32 [k]) {
  reshape(matmul(reshape(x, [n*t, d]), w) + b, [n, t, k])
};
attention = fn (x : f32 [n, t, h*e], wq, wk, wv, wo, bq, bk, bv, bo, mask : f32 [h, t, t]) {
  split_heads = fn (y : f32 [n, t, h*e]) { transpose(reshape(y, [n, t, h, e]), perm=[0, 2, 1, 3]) };
  q = split_heads(linear(x, wq, bq));
  k = split_heads(linear(x, wk, bk));
  v = split_heads(linear(x, wv, bv));
  s = nn.softmax(matmul(q, transpose(k, perm=[0, 1, 3, 2])) / sqrt(cast(e)) + mask);
  linear(reshape(transpose(matmul(s, v), perm=[0, 2, 1, 3]), [n, t, h*e]), wo, bo)
};
block = fn (x, g1, b1, wq, wk, wv, wo, bq, bk, bv, bo, g2, b2, w1, c1, w2, c2, mask) {
  y = x + attention(layer_norm(x, g1, b1), wq, wk, wv, wo, bq, bk, bv, bo, mask);
  y + linear(nn.gelu(linear(layer_norm(y, g2, b2), w1, c1)), w2, c2)
};
"""

BLOCK = {"g1": "[h*e]", "b1": "[h*e]", "wq": "[h*e, h*e]", "wk": "[h*e, h*e]", "wv": "[h*e, h*e]", "wo": "[h*e, h*e]",
         "bq": "[h*e]", "bk": "[h*e]", "bv": "[h*e]", "bo": "[h*e]", "g2": "[h*e]", "b2": "[h*e]",
         "w1": "[h*e, 4*h*e]", "c1": "[4*h*e]", "w2": "[4*h*e, h*e]", "c2": "[h*e]"}

RESNET = """\
import nn;
conv = fn (x, w, g, b; stride = [1, 1]) { nn.conv2d(x, w, stride=stride, padding="same") * g + b };
bottleneck = fn (x, w1, g1, b1, w2, g2, b2, w3, g3, b3) {
  y = nn.relu(conv(nn.relu(conv(x, w1, g1, b1)), w2, g2, b2));
  nn.relu(conv(y, w3, g3, b3) + x)
};
down = fn (x, w1, g1, b1, w2, g2, b2, w3, g3, b3, ws, gs, bs; stride = [1, 1]) {
  y = nn.relu(conv(nn.relu(conv(x, w1, g1, b1)), w2, g2, b2, stride=stride));
  nn.relu(conv(y, w3, g3, b3) + conv(x, ws, gs, bs, stride=stride))
};
param stem.w : f32 [7, 7, 3, c];
param stem.g : f32 [c];
param stem.b : f32 [c];
"""

HEADS = """\
import nn;
attend = fn (x : f32 [n, t, d], wq : f32 [d, d], wk : f32 [d, d], wv : f32 [d, d], heads : f32 [h]) where d % h == 0 {
  part = fn (w : f32 [d, d]) {
    transpose(reshape(matmul(reshape(x, [n*t, d]), w), [n, t, h, d / h]), perm=[0, 2, 1, 3])
  };
  s = nn.softmax(matmul(part(wq), transpose(part(wk), perm=[0, 1, 3, 2])));
  x + reshape(transpose(matmul(s, part(wv)), perm=[0, 2, 1, 3]), [n, t, d])
};
main = fn (x : f32 [n, t, d], wq, wk, wv, heads : f32 [h]) where d % h == 0 {
"""


def chained(layers, call):
    """The lines of a block that passes a value through `layers` calls."""
    lines = [f"  x{i + 1} = {call(i, f'x{i}' if i else 'x')};\n" for i in range(layers)]
    return "".join(lines) + f"  x{layers}\n}};\n"


def transformer(layers=96):
    params = "".join(f"param l{i}.{name} : f32 {shape};\n" for i in range(layers) for name, shape in BLOCK.items())
    weights = [", ".join(f"l{i}.{name}" for name in BLOCK) for i in range(layers)]
    return (TRANSFORMER + params + "main = fn (x : f32 [n, t, h*e], mask : f32 [h, t, t]) {\n"
            + chained(layers, lambda i, x: f"block({x}, {weights[i]}, mask)"))


def resnet(third_stage=36):
    params, calls, wide = [], [], "c"
    for stage, count in enumerate((3, 8, third_stage, 3)):
        narrow, out = f"{2 ** stage}*c", f"{4 * 2 ** stage}*c"
        for j in range(count):
            convolutions = {"1": (1, wide, narrow), "2": (3, narrow, narrow), "3": (1, narrow, out)}
            if j == 0:
                convolutions["s"] = (1, wide, out)
            k, names = len(calls), []
            for name, (size, before, after) in convolutions.items():
                params.append(f"param b{k}.w{name} : f32 [{size}, {size}, {before}, {after}];\n"
                              f"param b{k}.g{name} : f32 [{after}];\nparam b{k}.b{name} : f32 [{after}];\n")
                names += [f"b{k}.{kind}{name}" for kind in "wgb"]
            stride = ", stride=[2, 2]" if j == 0 and stage else ""
            calls.append(("down" if j == 0 else "bottleneck", ", ".join(names) + stride))
            wide = out
    head = (f"param fc.w : f32 [{wide}, classes];\nparam fc.b : f32 [classes];\n"
            "main = fn (image : f32 [n, height, width, 3]) {\n"
            "  x = nn.max_pool(nn.relu(conv(image, stem.w, stem.g, stem.b, stride=[2, 2])), size=[3, 3], stride=[2, 2], "
            'padding="same");\n')
    body = chained(len(calls), lambda i, x: f"{calls[i][0]}({x}, {calls[i][1]})")
    last = f"x{len(calls)}"
    classify = f"  matmul(reduce(+, 0f, reduce(+, 0f, {last}, axis=1), axis=1), fc.w) + fc.b\n}};\n"
    return RESNET + "".join(params) + head + body[:body.rindex(f"  {last}\n")] + classify


def heads(layers=24):
    return HEADS + chained(layers, lambda i, x: f"attend({x}, wq, wk, wv, heads)")


if __name__ == "__main__":
    models = {"transformer": transformer, "resnet": resnet, "heads": heads}
    if len(sys.argv) < 2 or sys.argv[1] not in models:
        sys.exit(__doc__)
    sys.stdout.write(models[sys.argv[1]](*map(int, sys.argv[2:3])))
