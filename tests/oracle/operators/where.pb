
3
x0Placeholder*
dtype0*
shape
:

WhereWherex0*
T0

y0IdentityWhere*
T0	"ª