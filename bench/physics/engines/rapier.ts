/**
 * Rapier with default settings, with two exceptions. As in cellstorm, bodies do not rotate. Sleeping is off, because a
 * sleeping pile stands even if the solver cannot hold it.
 */
import { openRapier } from '../../peers/rapier2d';
import { openRapier3d } from '../../peers/rapier3d';
import { DT, type PhysicsEngine } from '../engine';
import type { PhysicsBody } from '../scene';
import { wallsOf } from './walls';

/** In 2D, `z` is missing from results and ignored in arguments. */
interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

interface ColliderDesc {
  setTranslation(...position: number[]): ColliderDesc;
  setFriction(friction: number): ColliderDesc;
  setRestitution(restitution: number): ColliderDesc;
}

interface BodyDesc {
  setTranslation(...position: number[]): BodyDesc;
  setLinvel(...velocity: number[]): BodyDesc;
  lockRotations(): BodyDesc;
  setCanSleep(can: boolean): BodyDesc;
}

interface Body {
  translation(): Vector;
  linvel(): Vector;
}

interface Rapier {
  readonly World: new (gravity: Required<Vector>) => World;
  readonly RigidBodyDesc: { dynamic(): BodyDesc };
  readonly ColliderDesc: { ball(radius: number): ColliderDesc; cuboid(...halves: number[]): ColliderDesc };
}

interface World {
  timestep: number;
  createCollider(description: ColliderDesc, body?: Body): unknown;
  createRigidBody(description: BodyDesc): Body;
  step(): void;
  free(): void;
}

const load = async (dimensions: number): Promise<Rapier> =>
  // The classes have private members, so their types do not match the interfaces.
  (dimensions === 2 ? await openRapier() : await openRapier3d()) as unknown as Rapier;

export const RAPIER: PhysicsEngine = {
  name: 'rapier',
  about: 'Rapier 2D and 3D: World.step with 4 solver iterations. Bodies neither rotate nor sleep.',
  dimensions: [2, 3],
  async open(scene) {
    const { World, RigidBodyDesc, ColliderDesc } = await load(scene.dimensions);
    const [x = 0, y = 0, z = 0] = scene.gravity;
    const world = new World({ x, y, z });
    world.timestep = DT;
    const shapeOf = ({ size }: PhysicsBody) =>
      (typeof size === 'number' ? ColliderDesc.ball(size) : ColliderDesc.cuboid(...size))
        .setFriction(scene.friction)
        .setRestitution(scene.restitution);
    for (const fixed of [...wallsOf(scene), ...scene.obstacles]) {
      world.createCollider(shapeOf(fixed).setTranslation(...fixed.position));
    }
    const bodies = scene.bodies.map((given) => {
      const description = RigidBodyDesc.dynamic().setTranslation(...given.position);
      if (given.velocity) description.setLinvel(...given.velocity);
      const body = world.createRigidBody(description.lockRotations().setCanSleep(false));
      world.createCollider(shapeOf(given), body);
      return body;
    });
    const toNumbers = ({ x, y, z }: Vector) => (z === undefined ? [x, y] : [x, y, z]);
    return {
      step: () => world.step(),
      read: () => ({
        positions: Float32Array.from(bodies.flatMap((body) => toNumbers(body.translation()))),
        velocities: Float32Array.from(bodies.flatMap((body) => toNumbers(body.linvel()))),
      }),
      destroy: () => world.free(),
    };
  },
};
