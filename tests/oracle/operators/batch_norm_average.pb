
;
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:

mulMulx1x1*
T0
¨
FusedBatchNormV3FusedBatchNormV3x0x1x1x1mul*
T0*
U0*
data_formatNHWC*
epsilon%·Ñ8*
exponential_avg_factor%š™™>*
is_training(
)
y0IdentityFusedBatchNormV3*
T0
+
y1IdentityFusedBatchNormV3:1*
T0
+
y2IdentityFusedBatchNormV3:2*
T0"ª