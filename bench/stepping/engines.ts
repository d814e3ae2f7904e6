/** One interface for cellstorm and for rigid-body engines, whose bodies rotate and whose contacts persist. */
import type { Dimensions } from '../../src/core/world/world';
import { createCpuSimulation } from '../../src/cpu';
import { type Scene, sceneOptions } from '../../src/scenes';
import { openBox2d } from '../peers/box2d3';
import { loadPeer } from '../peers/load';
import { openRapier } from '../peers/rapier2d';
import { openRapier3d } from '../peers/rapier3d';
import { threadsReady } from '../threads/ready';

export interface Stepper {
  step(seconds: number): void;
  /** Positions and velocities have `dimensions` numbers per body. */
  positions(): Float32Array;
  velocities(): Float32Array;
  destroy(): void;
}

export interface SteppingEngine {
  readonly name: string;
  readonly dimensions: readonly Dimensions[];
  readonly kind: 'particles' | 'rigid bodies';
  readonly about: string;
  /** `threads`: how many cellstorm uses; the other engines use one. */
  readonly open: (scene: Scene, threads: number) => Stepper | Promise<Stepper>;
}

/** Half the thickness of floor and side walls, in diameters. */
const WALL = 5;

const FRICTION = 0.2;

interface Wall {
  readonly centre: readonly number[];
  readonly half: readonly number[];
}

/** Returns floor and side walls, so thick that no body passes through in one step. The box has no lid. */
function wallsOf({ min, max }: Scene): Wall[] {
  const middle = min.map((low, axis) => (low + (max[axis] as number)) / 2);
  const half = min.map((low, axis) => ((max[axis] as number) - low) / 2 + WALL);
  const beside = (axis: number, side: 1 | -1): Wall => ({
    centre: middle.with(axis, (middle[axis] as number) + side * (half[axis] as number)),
    half: half.with(axis, WALL),
  });
  return min.flatMap((_, axis) => (axis === 1 ? [beside(axis, -1)] : [beside(axis, -1), beside(axis, 1)]));
}

function gravityOf({ settings }: Scene): { x: number; y: number; z: number } {
  const [x = 0, y = 0, z = 0] = settings?.gravity ?? [];
  return { x, y, z };
}

/** In 2D, `z` is missing. */
interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

function pack(dimensions: Dimensions, count: number, read: (body: number) => Vector): Float32Array {
  const packed = new Float32Array(dimensions * count);
  for (let body = 0; body < count; body++) {
    const { x, y, z } = read(body);
    packed[dimensions * body] = x;
    packed[dimensions * body + 1] = y;
    if (z !== undefined) packed[dimensions * body + 2] = z;
  }
  return packed;
}

const CELLSTORM: SteppingEngine = {
  name: 'cellstorm/cpu',
  dimensions: [2, 3],
  kind: 'particles',
  about:
    'createCpuSimulation with default settings: 8 substeps, positions pushed apart, velocities from positions.',
  async open(scene, threads) {
    const simulation = createCpuSimulation({ ...sceneOptions(scene, { friction: FRICTION }), threads });
    await threadsReady(simulation, threads);
    return {
      step: (seconds) => simulation.step(seconds),
      positions: () => simulation.read().positions,
      velocities: () => simulation.read().velocities,
      destroy: () => simulation.destroy(),
    };
  },
};

interface Rapier {
  readonly World: new (gravity: Required<Vector>) => RapierWorld;
  readonly RigidBodyDesc: { dynamic(): { setTranslation(...position: number[]): RapierDesc } };
  readonly ColliderDesc: { ball(radius: number): RapierDesc; cuboid(...half: number[]): RapierDesc };
}

interface RapierDesc {
  setTranslation(...position: number[]): RapierDesc;
  setFriction(friction: number): RapierDesc;
}

interface RapierBody {
  translation(): Vector;
  linvel(): Vector;
}

interface RapierWorld {
  timestep: number;
  createCollider(description: RapierDesc, body?: RapierBody): unknown;
  createRigidBody(description: RapierDesc): RapierBody;
  step(): void;
  free(): void;
}

function rapier(name: string, dimensions: Dimensions): SteppingEngine {
  return {
    name,
    dimensions: [dimensions],
    kind: 'rigid bodies',
    about: 'World.step with default settings: 4 solver iterations, sleeping allowed.',
    async open(scene) {
      // The classes have private members, so their types do not match the interfaces.
      const engine: unknown = await (dimensions === 2 ? openRapier() : openRapier3d());
      const { World, RigidBodyDesc, ColliderDesc } = engine as Rapier;
      const { positions, radius } = scene;
      const world = new World(gravityOf(scene));
      for (const { centre, half } of wallsOf(scene)) {
        world.createCollider(
          ColliderDesc.cuboid(...half)
            .setTranslation(...centre)
            .setFriction(FRICTION),
        );
      }
      const bodies = Array.from({ length: positions.length / dimensions }, (_, index) => {
        const position = positions.subarray(dimensions * index, dimensions * (index + 1));
        const body = world.createRigidBody(RigidBodyDesc.dynamic().setTranslation(...position));
        world.createCollider(ColliderDesc.ball(radius).setFriction(FRICTION), body);
        return body;
      });
      const read = (of: (body: RapierBody) => Vector) =>
        pack(dimensions, bodies.length, (index) => of(bodies[index] as RapierBody));
      return {
        step(seconds) {
          world.timestep = seconds;
          world.step();
        },
        positions: () => read((body) => body.translation()),
        velocities: () => read((body) => body.linvel()),
        destroy: () => world.free(),
      };
    },
  };
}

/** Box2D's documentation recommends this number. */
const BOX2D_SUBSTEPS = 4;

const BOX2D: SteppingEngine = {
  name: 'box2d3',
  dimensions: [2],
  kind: 'rigid bodies',
  about: 'b2World_Step with 4 substeps, sleeping allowed, one thread.',
  async open(scene) {
    const box2d = await openBox2d();
    const { positions, radius } = scene;
    const worldOptions = box2d.b2DefaultWorldDef();
    const { x: gravityX, y: gravityY } = gravityOf(scene);
    worldOptions.gravity.Set(gravityX, gravityY);
    const world = box2d.b2CreateWorld(worldOptions);
    const bodyOptions = box2d.b2DefaultBodyDef();
    const shapeOptions = box2d.b2DefaultShapeDef();
    shapeOptions.material.friction = FRICTION;
    const position = new box2d.b2Vec2();
    const create = (x: number, y: number) => {
      position.Set(x, y);
      bodyOptions.position = position;
      return box2d.b2CreateBody(world, bodyOptions);
    };
    for (const { centre, half } of wallsOf(scene)) {
      const wall = box2d.b2MakeBox(half[0] as number, half[1] as number);
      box2d.b2CreatePolygonShape(create(centre[0] as number, centre[1] as number), shapeOptions, wall);
      wall.delete();
    }
    bodyOptions.type = box2d.b2BodyType.b2_dynamicBody;
    const circle = new box2d.b2Circle();
    circle.radius = radius;
    const bodies = Array.from({ length: positions.length / 2 }, (_, disc) => {
      const body = create(positions[2 * disc] as number, positions[2 * disc + 1] as number);
      box2d.b2CreateCircleShape(body, shapeOptions, circle);
      return body;
    });
    for (const options of [worldOptions, bodyOptions, shapeOptions, position, circle]) options.delete();
    /** Copies a vector and frees the original in Box2D's memory. */
    const copyOf = (vector: { readonly x: number; readonly y: number; delete(): void }) => {
      const { x, y } = vector;
      vector.delete();
      return { x, y };
    };
    return {
      step: (seconds) => box2d.b2World_Step(world, seconds, BOX2D_SUBSTEPS),
      positions: () =>
        pack(2, bodies.length, (disc) =>
          copyOf(box2d.b2Body_GetPosition(bodies[disc] as (typeof bodies)[number])),
        ),
      velocities: () =>
        pack(2, bodies.length, (disc) =>
          copyOf(box2d.b2Body_GetLinearVelocity(bodies[disc] as (typeof bodies)[number])),
        ),
      destroy: () => box2d.b2DestroyWorld(world),
    };
  },
};

/** matter-js's velocities are distances per this many milliseconds. */
const MATTER_BASE = 1000 / 60;

const MATTER: SteppingEngine = {
  name: 'matter-js',
  dimensions: [2],
  kind: 'rigid bodies',
  about: 'Engine.update with default settings: 6 position and 4 velocity iterations; circles are polygons.',
  async open(scene) {
    const { default: Matter } = await loadPeer('matter-js', () => import('matter-js'));
    const { Bodies, Body, Composite, Engine } = Matter;
    const { positions, radius } = scene;
    const { x, y } = gravityOf(scene);
    // matter-js measures time in milliseconds.
    const engine = Engine.create({ gravity: { x: x / 1e6, y: y / 1e6, scale: 1 } });
    const options = { friction: FRICTION, frictionAir: 0, restitution: 0 };
    const walls = wallsOf(scene).map(({ centre, half }) =>
      Bodies.rectangle(
        centre[0] as number,
        centre[1] as number,
        2 * (half[0] as number),
        2 * (half[1] as number),
        {
          ...options,
          isStatic: true,
        },
      ),
    );
    // `slop` is the tolerated overlap. Its default of 0.05 suits bodies tens of units wide; these discs are about one
    // unit wide.
    const discs = Array.from({ length: positions.length / 2 }, (_, disc) =>
      Bodies.circle(positions[2 * disc] as number, positions[2 * disc + 1] as number, radius, {
        ...options,
        slop: 0.005,
      }),
    );
    Composite.add(engine.world, [...walls, ...discs]);
    type Disc = (typeof discs)[number];
    return {
      step: (seconds) => {
        Engine.update(engine, 1000 * seconds);
      },
      positions: () => pack(2, discs.length, (disc) => (discs[disc] as Disc).position),
      velocities: () =>
        pack(2, discs.length, (disc) => {
          const { x: along, y: up } = Body.getVelocity(discs[disc] as Disc);
          return { x: (along * 1000) / MATTER_BASE, y: (up * 1000) / MATTER_BASE };
        }),
      destroy: () => Engine.clear(engine),
    };
  },
};

export const STEPPING_ENGINES: readonly SteppingEngine[] = [
  CELLSTORM,
  rapier('rapier2d', 2),
  rapier('rapier3d', 3),
  BOX2D,
  MATTER,
];
