
/
x0Placeholder*
dtype0*
shape:

ErfcErfcx0*
T0

LgammaLgammax0*
T0

DigammaDigammax0*
T0

y0IdentityErfc*
T0

y1IdentityLgamma*
T0
 
y2IdentityDigamma*
T0"ª