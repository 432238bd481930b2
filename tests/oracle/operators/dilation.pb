
;
x0Placeholder*
dtype0*
shape:
7
x1Placeholder*
dtype0*
shape:
d

Dilation2D
Dilation2Dx0x1*
T0*
paddingSAME*
rates
*
strides

#
y0Identity
Dilation2D*
T0"ª