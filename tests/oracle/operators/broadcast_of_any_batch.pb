
@
x0Placeholder*
dtype0* 
shape:ÿÿÿÿÿÿÿÿÿ
<
x1Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
9
ShapeShapex0*
T0*
out_type0:íÏ
;
Shape_1Shapex1*
T0*
out_type0:íÏ
7
BroadcastArgsBroadcastArgsShapeShape_1*
T0
B
BroadcastToBroadcastTox0BroadcastArgs*

Tidx0*
T0
&
y0IdentityBroadcastArgs*
T0
$
y1IdentityBroadcastTo*
T0"ª