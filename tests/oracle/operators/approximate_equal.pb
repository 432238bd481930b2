
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
I
ApproximateEqualApproximateEqualx0x1*
T0*
	tolerance%млл=
)
y0IdentityApproximateEqual*
T0
"╙