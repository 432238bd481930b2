
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:

CrossCrossx0x1*
T0

y0IdentityCross*
T0"ª