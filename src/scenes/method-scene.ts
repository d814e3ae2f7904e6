/** Generates the scenes of methods.ts, by name. The page loads this file when it starts such a scene. */
import type { FlockScene, LifeRequest, LifeScene, MethodRequest, PositionFluidScene } from './definition';
import { murmuration } from './flock-scene';
import { particleLife } from './life-scene';
import { splash } from './pbf-scene';
import { requireScene } from './registry';

export { type AttractionKind, attractionTable } from './life-scene';

const FLOCKS: Readonly<Record<string, (request: MethodRequest) => FlockScene>> = { murmuration };
const LIVES: Readonly<Record<string, (request: LifeRequest) => LifeScene>> = {
  'particle-life': particleLife,
};
const POSITION_FLUIDS: Readonly<Record<string, (request: MethodRequest) => PositionFluidScene>> = { splash };

export function createFlockScene(name: string, request: MethodRequest): FlockScene {
  return generate(FLOCKS, requireScene('flock', name).name, request);
}

export function createLifeScene(name: string, request: LifeRequest): LifeScene {
  return generate(LIVES, requireScene('life', name).name, request);
}

export function createPositionFluidScene(name: string, request: MethodRequest): PositionFluidScene {
  return generate(POSITION_FLUIDS, requireScene('pbf', name).name, request);
}

function generate<Request, Scene>(
  generators: Readonly<Record<string, (request: Request) => Scene>>,
  name: string,
  request: Request,
): Scene {
  // No generator is missing: a test creates every scene of the registry.
  return (generators[name] as (request: Request) => Scene)(request);
}
