
/
x0Placeholder*
dtype0*
shape:

/
x1Placeholder*
dtype0*
shape:

%
MulNoNanMulNoNanx0x1*
T0
!
y0IdentityMulNoNan*
T0"ª