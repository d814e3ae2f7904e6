// Mixes the bits of a weak hash, so that every bit of it affects the result. Twin: mixBlock in src/core/world/cells.ts.

fn mix_bits(hash: u32) -> u32 {
  let once = (hash ^ (hash >> 15u)) * 0x2c1b3c6du;
  let twice = (once ^ (once >> 12u)) * 0x297a2d39u;
  return twice ^ (twice >> 15u);
}
