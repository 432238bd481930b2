
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
/
ComplexComplexx0x1*

Tout0*
T0

SqrtSqrtComplex*
T0
'
RealRealSqrt*

Tout0*
T0
1
	Complex_1Complexx0x1*

Tout0*
T0
"
Sqrt_1Sqrt	Complex_1*
T0
)
ImagImagSqrt_1*

Tout0*
T0
1
	Complex_2Complexx0x1*

Tout0*
T0
"
RsqrtRsqrt	Complex_2*
T0
*
Real_1RealRsqrt*

Tout0*
T0
1
	Complex_3Complexx0x1*

Tout0*
T0
$
Rsqrt_1Rsqrt	Complex_3*
T0
,
Imag_1ImagRsqrt_1*

Tout0*
T0

y0IdentityReal*
T0

y1IdentityImag*
T0

y2IdentityReal_1*
T0

y3IdentityImag_1*
T0

init_all_tablesNoOp"ª