/** Packages that the compared engines come from; they are not bundled into the command. */
export const PEER_PACKAGES = [
  '@dimforge/rapier2d-compat',
  'box-intersect',
  'box2d3-wasm',
  'd3-quadtree',
  'flatbush',
  'kdbush',
  'matter-js',
  'rbush',
] as const;
