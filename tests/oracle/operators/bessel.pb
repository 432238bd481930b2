
/
x0Placeholder*
dtype0*
shape:
+
bessel_i0/BesselI0BesselI0x0*
T0
+
bessel_i1/BesselI1BesselI1x0*
T0
.
bessel_i0e/BesselI0e	BesselI0ex0*
T0
.
bessel_i1e/BesselI1e	BesselI1ex0*
T0
+
bessel_j0/BesselJ0BesselJ0x0*
T0
+
bessel_j1/BesselJ1BesselJ1x0*
T0
+
y0Identitybessel_i0/BesselI0*
T0
+
y1Identitybessel_i1/BesselI1*
T0
-
y2Identitybessel_i0e/BesselI0e*
T0
-
y3Identitybessel_i1e/BesselI1e*
T0
+
y4Identitybessel_j0/BesselJ0*
T0
+
y5Identitybessel_j1/BesselJ1*
T0"ª