/**
 * The methods and packages that the benchmark compares cellstorm with. Each package is used as its authors recommend,
 * and imported when its engine first opens.
 */
import type { CpuEngine } from '../harness/engine';
import { BOX_INTERSECT } from './box-intersect';
import { BOX2D3 } from './box2d3';
import { D3_QUADTREE } from './d3-quadtree';
import { FLATBUSH } from './flatbush';
import { KDBUSH } from './kdbush';
import { MAP_HASH } from './map-hash';
import { MATTER_JS } from './matter-js';
import { RAPIER2D } from './rapier2d';
import { RBUSH } from './rbush';

export const PEERS: readonly CpuEngine[] = [
  KDBUSH,
  FLATBUSH,
  RBUSH,
  BOX_INTERSECT,
  D3_QUADTREE,
  MAP_HASH,
  RAPIER2D,
  BOX2D3,
  MATTER_JS,
];
