/** The npm packages that `cellstorm bench` compares with. The build of the command does not bundle them. */
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
