
/
x0Placeholder*
dtype0*
shape:
/
PopulationCountPopulationCountx0*
T0
(
y0IdentityPopulationCount*
T0"ª