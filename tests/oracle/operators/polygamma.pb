
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
'
	Polygamma	Polygammax0x1*
T0
"
y0Identity	Polygamma*
T0"ª