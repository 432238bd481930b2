
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:

XdivyXdivyx0x1*
T0
#
Xlog1pyXlog1pyx0x1*
T0

y0IdentityXdivy*
T0
 
y1IdentityXlog1py*
T0"ª