
3
x0Placeholder*
dtype0*
shape
:
+
BitcastBitcastx0*
T0*

type0
-
	Bitcast_1Bitcastx0*
T0*

type0
 
y0IdentityBitcast*
T0
"
y1Identity	Bitcast_1*
T0"ª