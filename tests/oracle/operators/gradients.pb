
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
%
ReluGradReluGradx1x0*
T0
+
SigmoidGradSigmoidGradx0x1*
T0
%
TanhGradTanhGradx0x1*
T0
#
EluGradEluGradx1x0*
T0
-
SoftplusGradSoftplusGradx1x0*
T0
-
SoftsignGradSoftsignGradx1x0*
T0
1
ReciprocalGradReciprocalGradx0x1*
T0
?
LeakyReluGradLeakyReluGradx1x0*
T0*
alpha%š™™>
'
	Relu6Grad	Relu6Gradx1x0*
T0
!
y0IdentityReluGrad*
T0
$
y1IdentitySigmoidGrad*
T0
!
y2IdentityTanhGrad*
T0
 
y3IdentityEluGrad*
T0
%
y4IdentitySoftplusGrad*
T0
%
y5IdentitySoftsignGrad*
T0
'
y6IdentityReciprocalGrad*
T0
&
y7IdentityLeakyReluGrad*
T0
"
y8Identity	Relu6Grad*
T0"ª