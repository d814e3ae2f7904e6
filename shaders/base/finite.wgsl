// Compilers may assume that NaN and infinity do not exist, so is_finite tests the bits. Only some devices flush
// subnormal numbers to zero; snap flushes them on all devices.

const EXPONENT_BITS = 0x7f800000u;
const MAGNITUDE_BITS = 0x7fffffffu;

fn snap(vector: Vector) -> Vector {
  return select(vector, Vector(), abs(vector) < Vector(SMALLEST_NORMAL));
}

fn is_finite(vector: Vector) -> bool {
  return all((bitcast<Extent>(vector) & Extent(EXPONENT_BITS)) != Extent(EXPONENT_BITS));
}
