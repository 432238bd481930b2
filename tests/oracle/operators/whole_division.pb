
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:

DivDivx0x1*
T0
+
TruncateDivTruncateDivx0x1*
T0
+
TruncateModTruncateModx0x1*
T0
%
FloorDivFloorDivx0x1*
T0
%
FloorModFloorModx0x1*
T0

y0IdentityDiv*
T0
$
y1IdentityTruncateDiv*
T0
$
y2IdentityTruncateMod*
T0
!
y3IdentityFloorDiv*
T0
!
y4IdentityFloorMod*
T0"ª