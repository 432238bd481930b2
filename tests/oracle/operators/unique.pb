
/
x0Placeholder*
dtype0*
shape:
@
UniqueWithCountsUniqueWithCountsx0*
T0*
out_idx0
)
y0IdentityUniqueWithCounts*
T0
+
y1IdentityUniqueWithCounts:1*
T0
+
y2IdentityUniqueWithCounts:2*
T0"ª