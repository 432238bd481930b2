
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
K
DynamicPartitionDynamicPartitionx0x1*
T0*
num_partitions
)
y0IdentityDynamicPartition*
T0
+
y1IdentityDynamicPartition:1*
T0
+
y2IdentityDynamicPartition:2*
T0"ª