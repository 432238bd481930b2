#!/usr/bin/env python3
"""Writes files/graphs/declared_otherwise and placed_otherwise: SavedModels whose signature declares other shapes than the graph has.

The graph is a product with a weight [20, 10]. The signature of both declares the input as [5, 30]. In `declared_otherwise` the
placeholder has no sizes and the signature declares 11 columns of the result; in `placed_otherwise` the placeholder has 20 columns.
"""
import pathlib

HERE = pathlib.Path(__file__).parent / "files" / "graphs"


def shape(*sizes):
    return "{ " + "".join(f"dim {{ size: {size} }} " for size in sizes) + "}"


def saved_model(placed, columns):
    """The text of a model whose placeholder has `placed` columns; the signature declares `columns` of the result. -1 is open."""
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
      inputs {{ key: "x" value {{ name: "serving_default_x:0" dtype: DT_FLOAT tensor_shape {shape(5, 30)} }} }}
      outputs {{ key: "y" value {{ name: "product:0" dtype: DT_FLOAT tensor_shape {shape(-1, columns)} }} }}
      method_name: "tensorflow/serving/predict"
    }}
  }}
}}
"""


for name, placed, columns in (("declared_otherwise", -1, 11), ("placed_otherwise", 20, 10)):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / "saved_model.pbtxt").write_text(saved_model(placed, columns))
