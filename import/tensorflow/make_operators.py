#!/usr/bin/env python3
"""Writes operator_rows.inc, a table of the operators in TensorFlow's registry. Run with TensorFlow 2.21 installed.

There is one row for each operator, sorted by name:  NAME|INPUTS|OUTPUTS|ATTRIBUTES|  and a last column, `stateful` or empty.
An input or output is  name:TYPE.  TYPE is an element type or the attribute that names it; `N*TYPE` stands for N tensors, where N is an
attribute; `[A]` stands for one tensor for each type in the list attribute A; `&` follows a reference. An attribute is  name:KIND  or
name:KIND=DEFAULT.  {A,B,C}  after KIND lists the only allowed values;  {>=LEAST}  is a number's least value or a list's least length.
"""
import os
import pathlib
import re

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from tensorflow.core.framework import op_def_pb2, types_pb2  # noqa: E402
from tensorflow.python.client import pywrap_tf_session  # noqa: E402

# Families that do not occur in graphs of models: accelerators, communication, the registry's own tests.
LEFT_OUT = re.compile(
    r"TPU|Tpu|Xla|^Risc|Mkl|Collective|Experimental|DTensor|Nccl|StatsAggregator|SparseCore|Rpc|Risc"
    r"|Dedup|Minibatch|RefIn|RefOut|^(Attr|TwoInt|TwoFloat|TwoRefs|NIn|NPoly|InPoly|TestAttr|None|OutT|Polymorphic|IntInput|IntOutput|Foo\d|[AB]$"
    r"|FloatInput|FloatOutput|ListInput|ListOutput|TypeList|Test|Namespace|.*Struct$|None$|Simple$|Unary$|Binary$|Int64Output"
    r"|IntAttr|FuncAttr|StringListAttr|ConstructionFails|OpWith|DevicePlacementOp|DtypeWithDefaultOp|Sleep|MultiDevice|Sdca|ImageSummary|DefaultAttrs|KMC2|Kmeans)")
KEPT = {"_Arg", "_Retval", "_SwitchN", "_FusedConv2D", "_FusedMatMul", "_FusedBatchNormEx", "_FusedDepthwiseConv2dNative"}

# Operators of earlier versions that this version no longer has.
EARLIER = ["CompareAndBitpack|input:T threshold:T|output:uint8|T:type|"]


def element(number):
    return types_pb2.DataType.Name(number)[3:].lower()


def argument(arg):
    kind = f"[{arg.type_list_attr}]" if arg.type_list_attr else arg.type_attr or element(arg.type)
    return f"{arg.name}:" + (f"{arg.number_attr}*" if arg.number_attr else "") + kind + ("&" if arg.is_ref else "")


def quoted(text):
    return '"' + text.decode().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def shape(value):
    return ".." if value.unknown_rank else "[" + ",".join(str(dim.size) for dim in value.dim) + "]"


SPELL = {"s": quoted, "i": str, "f": lambda f: f"{f:.9g}", "b": lambda b: str(b).lower(), "type": element, "shape": shape}


def default(value):
    kind = value.WhichOneof("value")
    if kind == "list":
        filled = [(name, items) for name, items in ((k, getattr(value.list, k)) for k in SPELL) if len(items)]
        return "(" + ",".join(SPELL[name](item) for name, items in filled for item in items) + ")"
    return SPELL[kind](getattr(value, kind))


def limits(attr):
    allowed = default(attr.allowed_values)[1:-1] if attr.HasField("allowed_values") else ""
    return (f"{{{allowed}}}" if allowed else "") + (f"{{>={attr.minimum}}}" if attr.has_minimum else "")


def attribute(attr):
    return (f"{attr.name}:{attr.type}{limits(attr)}" +
            (f"={default(attr.default_value)}" if attr.HasField("default_value") else ""))


def main():
    data = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    rows = list(EARLIER)
    for op in op_def_pb2.OpList.FromString(data).op:
        if op.name not in KEPT and (op.name.startswith("_") or LEFT_OUT.search(op.name)):
            continue
        columns = [" ".join(map(argument, op.input_arg)), " ".join(map(argument, op.output_arg)),
                   " ".join(map(attribute, op.attr)), "stateful" if op.is_stateful else ""]
        rows.append(f"{op.name}|" + "|".join(columns))
    lines = "".join(f'    R"row({row})row",\n' for row in sorted(rows, key=lambda row: row.split("|")[0]))
    pathlib.Path(__file__).with_name("operator_rows.inc").write_text(
        f"// Made by make_operators.py from TensorFlow 2.21: {len(rows)} operators.\n{lines}")


if __name__ == "__main__":
    main()
