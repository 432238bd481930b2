
;
x0Placeholder*
dtype0*
shape:
!
DiagPartDiagPartx0*
T0
!
y0IdentityDiagPart*
T0"ª