
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
%
DivNoNanDivNoNanx0x1*
T0
!
y0IdentityDivNoNan*
T0"ª