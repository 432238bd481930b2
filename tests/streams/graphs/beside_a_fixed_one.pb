
;
xPlaceholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
1
gainPlaceholder*
dtype0*
shape:

mulMulxgain*
T0

outIdentitymul*
T0
"
IdentityIdentityout*
T0"ª