#!/usr/bin/env python3
"""Writes SavedModels whose signature declares other types than the graph has, in files/graphs.

The graph is a product with a weight [20, 10]. In `declared_otherwise` and `placed_otherwise` the signature declares the input as
[5, 30]. In `declared_otherwise` the placeholder has no sizes and the signature declares 11 columns of the result; in the others the
placeholder has 20 columns. In `counted_otherwise` the signature declares 7 rows, in `typed_otherwise` elements of f64.
"""
import pathlib

HERE = pathlib.Path(__file__).parent / "files" / "graphs"


def shape(*sizes):
    return "{ " + "".join(f"dim {{ size: {size} }} " for size in sizes) + "}"


def saved_model(placed, declared, columns, dtype="DT_FLOAT"):
    """The text of a model whose placeholder has `placed` columns; the signature declares the shape of the input, `columns` of the
    result, and the type of both. -1 is open."""
    return f"""saved_model_schema_version: 1
meta_graphs {{
  meta_info_def {{ tags: "serve" }}
  graph_def {{
    node {{ name: "serving_default_x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "shape" value {{ shape {shape(-1, placed)} }} }} }}
    node {{ name: "w" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {shape(20, 10)}  }} }} }} }}
    node {{ name: "product" op: "MatMul" input: "serving_default_x" input: "w" attr {{ key: "T" value {{ type: DT_FLOAT }} }}  }}
    versions {{ producer: 2000 }}
  }}
  signature_def {{
    key: "serving_default"
    value {{
      inputs {{ key: "x" value {{ name: "serving_default_x:0" dtype: {dtype} tensor_shape {shape(*declared)} }} }}
      outputs {{ key: "y" value {{ name: "product:0" dtype: {dtype} tensor_shape {shape(-1, columns)} }} }}
      method_name: "tensorflow/serving/predict"
    }}
  }}
}}
"""


MODELS = {
    "declared_otherwise": (-1, (5, 30), 11),
    "placed_otherwise": (20, (5, 30), 10),
    "counted_otherwise": (20, (7, 20), 10),
    "typed_otherwise": (20, (-1, 20), 10, "DT_DOUBLE"),
}
for name, arguments in MODELS.items():
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / "saved_model.pbtxt").write_text(saved_model(*arguments))
