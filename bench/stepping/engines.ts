/** One interface for cellstorm and for rigid-body engines, whose bodies rotate and whose contacts persist. */
import { createCpuSimulation } from '../../src/cpu';
import { type Scene, sceneOptions } from '../../src/scenes';
import { openBox2d } from '../peers/box2d3';
import { loadPeer } from '../peers/load';
import { openRapier } from '../peers/rapier2d';

export interface Stepper {
  step(seconds: number): void;
  /** Two numbers per disc, as in `velocities`. */
  positions(): Float32Array;
  velocities(): Float32Array;
  destroy(): void;
}

export interface SteppingEngine {
  readonly name: string;
  readonly kind: 'particles' | 'rigid bodies';
  readonly about: string;
  readonly open: (scene: Scene) => Stepper | Promise<Stepper>;
}

/** Half the thickness of floor and side walls, in diameters. */
const WALL = 5;

const FRICTION = 0.2;

/** Walls are so thick that no disc passes through in one step. */
function wallsOf({ min, max }: Scene): { x: number; y: number; halfWidth: number; halfHeight: number }[] {
  const [left = 0, bottom = 0] = min;
  const [right = 0, top = 0] = max;
  const middle = (left + right) / 2;
  const halfHeight = (top - bottom) / 2 + WALL;
  return [
    { x: middle, y: bottom - WALL, halfWidth: (right - left) / 2 + 2 * WALL, halfHeight: WALL },
    { x: left - WALL, y: bottom + halfHeight, halfWidth: WALL, halfHeight },
    { x: right + WALL, y: bottom + halfHeight, halfWidth: WALL, halfHeight },
  ];
}

function gravityOf({ settings }: Scene): { x: number; y: number } {
  const [x = 0, y = 0] = settings?.gravity ?? [];
  return { x, y };
}

function pack(
  count: number,
  read: (disc: number) => { readonly x: number; readonly y: number },
): Float32Array {
  const packed = new Float32Array(2 * count);
  for (let disc = 0; disc < count; disc++) {
    const { x, y } = read(disc);
    packed[2 * disc] = x;
    packed[2 * disc + 1] = y;
  }
  return packed;
}

const CELLSTORM: SteppingEngine = {
  name: 'cellstorm/cpu',
  kind: 'particles',
  about:
    'createCpuSimulation with default settings: 8 substeps, positions pushed apart, velocities from positions.',
  open(scene) {
    const simulation = createCpuSimulation(sceneOptions(scene, { friction: FRICTION }));
    return {
      step: (seconds) => simulation.step(seconds),
      positions: () => simulation.read().positions,
      velocities: () => simulation.read().velocities,
      destroy: () => simulation.destroy(),
    };
  },
};

const RAPIER: SteppingEngine = {
  name: 'rapier2d',
  kind: 'rigid bodies',
  about: 'World.step with default settings: 4 solver iterations, sleeping allowed.',
  async open(scene) {
    const { World, RigidBodyDesc, ColliderDesc } = await openRapier();
    const { positions, radius } = scene;
    const world = new World(gravityOf(scene));
    for (const { x, y, halfWidth, halfHeight } of wallsOf(scene)) {
      world.createCollider(
        ColliderDesc.cuboid(halfWidth, halfHeight).setTranslation(x, y).setFriction(FRICTION),
      );
    }
    const bodies = Array.from({ length: positions.length / 2 }, (_, disc) => {
      const position = [positions[2 * disc] as number, positions[2 * disc + 1] as number] as const;
      const body = world.createRigidBody(RigidBodyDesc.dynamic().setTranslation(...position));
      world.createCollider(ColliderDesc.ball(radius).setFriction(FRICTION), body);
      return body;
    });
    return {
      step(seconds) {
        world.timestep = seconds;
        world.step();
      },
      positions: () => pack(bodies.length, (disc) => (bodies[disc] as (typeof bodies)[number]).translation()),
      velocities: () => pack(bodies.length, (disc) => (bodies[disc] as (typeof bodies)[number]).linvel()),
      destroy: () => world.free(),
    };
  },
};

/** Box2D's documentation recommends this number. */
const BOX2D_SUBSTEPS = 4;

const BOX2D: SteppingEngine = {
  name: 'box2d3',
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
    for (const { x, y, halfWidth, halfHeight } of wallsOf(scene)) {
      const wall = box2d.b2MakeBox(halfWidth, halfHeight);
      box2d.b2CreatePolygonShape(create(x, y), shapeOptions, wall);
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
        pack(bodies.length, (disc) =>
          copyOf(box2d.b2Body_GetPosition(bodies[disc] as (typeof bodies)[number])),
        ),
      velocities: () =>
        pack(bodies.length, (disc) =>
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
    const walls = wallsOf(scene).map((wall) =>
      Bodies.rectangle(wall.x, wall.y, 2 * wall.halfWidth, 2 * wall.halfHeight, {
        ...options,
        isStatic: true,
      }),
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
      positions: () => pack(discs.length, (disc) => (discs[disc] as Disc).position),
      velocities: () =>
        pack(discs.length, (disc) => {
          const { x: along, y: up } = Body.getVelocity(discs[disc] as Disc);
          return { x: (along * 1000) / MATTER_BASE, y: (up * 1000) / MATTER_BASE };
        }),
      destroy: () => Engine.clear(engine),
    };
  },
};

export const STEPPING_ENGINES: readonly SteppingEngine[] = [CELLSTORM, RAPIER, BOX2D, MATTER];
