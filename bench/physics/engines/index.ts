import { CellstormError } from '../../../src/core/base/errors';
import { requestGpu } from '../../../src/gpu/device';
import { openDawn } from '../../../src/node/dawn';
import { testPreference } from '../../../src/testing/environment';
import type { PhysicsEngine } from '../engine';
import { FULL_PILE } from '../measure';
import { type EngineName, USUAL_ENGINES } from '../options';
import { BOX2D3 } from './box2d3';
import { CELLSTORM_CPU, CELLSTORM_EXACT, cellstormGpu } from './cellstorm';
import { RAPIER } from './rapier';

/** More cells than any scene has. */
const CELLS = 2 ** 20;

async function openGpu(): Promise<PhysicsEngine> {
  const dawn = await openDawn({ driver: testPreference() });
  const gpu = await requestGpu({ particles: FULL_PILE, cells: CELLS, dimensions: 3, gpu: dawn.gpu });
  return cellstormGpu(gpu, dawn.driver);
}

/**
 * Throws if `names` lists `gpu` and there is no GPU. Without names, leaves out a missing `gpu` and tells `onMissing`
 * why.
 */
export async function openEngines(
  names: readonly EngineName[] | undefined,
  onMissing: (reason: string) => void,
  openOnGpu = openGpu,
): Promise<PhysicsEngine[]> {
  const engines: PhysicsEngine[] = [];
  for (const name of names ?? USUAL_ENGINES) {
    if (name === 'cpu') engines.push(CELLSTORM_CPU);
    else if (name === 'exact') engines.push(CELLSTORM_EXACT);
    else if (name === 'box2d3') engines.push(BOX2D3);
    else if (name === 'rapier') engines.push(RAPIER);
    else {
      try {
        engines.push(await openOnGpu());
      } catch (error) {
        if (names || !(error instanceof CellstormError)) throw error;
        onMissing(`The engine gpu is left out: ${error.message}`);
      }
    }
  }
  return engines;
}
