
/
x0Placeholder*
dtype0*
shape:
3
InvertPermutationInvertPermutationx0*
T0
*
y0IdentityInvertPermutation*
T0"ª