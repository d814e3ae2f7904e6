/** Purpose: names of the packages that peers come from: what the command is built without. */
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
