
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
%
FloorModFloorModx0x1*
T0
+
TruncateModTruncateModx0x1*
T0
+
TruncateDivTruncateDivx0x1*
T0
!
y0IdentityFloorMod*
T0
$
y1IdentityTruncateMod*
T0
$
y2IdentityTruncateDiv*
T0"ª