
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
9

UpperBound
UpperBoundx0x1*
T0*
out_type0
9

LowerBound
LowerBoundx0x1*
T0*
out_type0
#
y0Identity
UpperBound*
T0
#
y1Identity
LowerBound*
T0"ª