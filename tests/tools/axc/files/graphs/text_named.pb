node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 4 } } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 4 } dim { size: 3 } } float_val: 0.5 } } } }
node { name: "product" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "out" op: "Relu" input: "product:0" input: "^w" device: "/device:CPU:0" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1882 }
