/**
 * Box2D 3 with default settings and the four substeps that its documentation recommends. As in cellstorm, bodies do not
 * rotate. Sleeping is off, because a sleeping pile stands even if the solver cannot hold it.
 */
import { openBox2d } from '../../peers/box2d3';
import { DT, type PhysicsEngine } from '../engine';
import type { PhysicsBody } from '../scene';
import { wallsOf } from './walls';

const SUBSTEPS = 4;

export const BOX2D3: PhysicsEngine = {
  name: 'box2d3',
  about: `Box2D 3: b2World_Step with ${SUBSTEPS} substeps. Bodies neither rotate nor sleep. Only 2D.`,
  dimensions: [2],
  async open(scene) {
    const box2d = await openBox2d();
    const worldOptions = box2d.b2DefaultWorldDef();
    const [gravityX = 0, gravityY = 0] = scene.gravity;
    worldOptions.gravity.Set(gravityX, gravityY);
    worldOptions.enableSleep = false;
    const world = box2d.b2CreateWorld(worldOptions);
    const bodyOptions = box2d.b2DefaultBodyDef();
    const shapeOptions = box2d.b2DefaultShapeDef();
    shapeOptions.material.friction = scene.friction;
    shapeOptions.material.restitution = scene.restitution;
    const vector = new box2d.b2Vec2();
    const circle = new box2d.b2Circle();
    const create = ({ position, velocity, size }: PhysicsBody) => {
      const [x = 0, y = 0] = position;
      vector.Set(x, y);
      bodyOptions.position = vector;
      const body = box2d.b2CreateBody(world, bodyOptions);
      if (typeof size === 'number') {
        circle.radius = size;
        box2d.b2CreateCircleShape(body, shapeOptions, circle);
      } else {
        const [halfWidth = 0, halfHeight = 0] = size;
        const box = box2d.b2MakeBox(halfWidth, halfHeight);
        box2d.b2CreatePolygonShape(body, shapeOptions, box);
        box.delete();
      }
      if (velocity) {
        const [speedX = 0, speedY = 0] = velocity;
        vector.Set(speedX, speedY);
        box2d.b2Body_SetLinearVelocity(body, vector);
      }
      return body;
    };
    for (const fixed of [...wallsOf(scene), ...scene.obstacles]) create(fixed);
    bodyOptions.type = box2d.b2BodyType.b2_dynamicBody;
    const bodies = scene.bodies.map((given) => {
      const body = create(given);
      // Without inertia, Box2D does not turn a body. `motionLocks.angularZ` acts only once per substep: friction would
      // turn the body instead of stopping it.
      const mass = box2d.b2Body_GetMassData(body);
      mass.rotationalInertia = 0;
      box2d.b2Body_SetMassData(body, mass);
      mass.delete();
      return body;
    });
    for (const options of [worldOptions, bodyOptions, shapeOptions, vector, circle]) options.delete();
    /** Copies a vector and frees the original in Box2D's memory. */
    const copyOf = (original: { readonly x: number; readonly y: number; delete(): void }) => {
      const copy = [original.x, original.y];
      original.delete();
      return copy;
    };
    return {
      step: () => box2d.b2World_Step(world, DT, SUBSTEPS),
      read: () => ({
        positions: Float32Array.from(bodies.flatMap((body) => copyOf(box2d.b2Body_GetPosition(body)))),
        velocities: Float32Array.from(bodies.flatMap((body) => copyOf(box2d.b2Body_GetLinearVelocity(body)))),
      }),
      destroy: () => box2d.b2DestroyWorld(world),
    };
  },
};
