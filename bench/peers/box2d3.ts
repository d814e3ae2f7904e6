/**
 * Finds contacts of discs with Box2D 3's public API. A build creates a world or, after the first build of a moving
 * scene, moves the bodies. Then it steps and reads the events of contacts. The step simulates a microsecond, because a
 * step of zero time finds no contacts.
 */
import type { CpuEngine } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

const INSTANT = 1e-6;

/** Greater than any shape index, so that `first * SHIFT + second` identifies a pair. */
const SHIFT = 2 ** 26;

const open = async () => {
  const { default: load } = await loadPeer('box2d3-wasm', () => import('box2d3-wasm'));
  // Use one thread, as all CPU engines do.
  return await load({ pthreadCount: 0 });
};

let opened: ReturnType<typeof open> | undefined;

type Box2d = Awaited<ReturnType<typeof open>>;
type WorldId = ReturnType<Box2d['b2CreateWorld']>;
type BodyId = ReturnType<Box2d['b2CreateBody']>;

/** Loads Box2D once. The memory of a WebAssembly module cannot be freed, so all worlds share one module. */
export function openBox2d(): ReturnType<typeof open> {
  opened ??= open();
  return opened;
}

export const BOX2D3: CpuEngine = {
  name: 'box2d3',
  peer: 'box2d3-wasm',
  backend: 'cpu',
  about:
    'Rigid-body engine: a build steps discs by a microsecond and reads the events of contacts that began or ended; one thread.',
  refuse: refuse3D,
  async open(scene) {
    const box2d = await openBox2d();
    const { count, moves } = scene;
    const overlaps = new Overlaps(scene);
    const bodies: BodyId[] = [];
    const contacts = new Set<number>();
    const position = new box2d.b2Vec2();
    let world: WorldId | undefined;

    function create(): WorldId {
      if (world) box2d.b2DestroyWorld(world);
      bodies.length = 0;
      contacts.clear();
      const worldOptions = box2d.b2DefaultWorldDef();
      worldOptions.gravity.Set(0, 0);
      worldOptions.enableSleep = false;
      worldOptions.enableContinuous = false;
      const made = box2d.b2CreateWorld(worldOptions);
      const bodyOptions = box2d.b2DefaultBodyDef();
      bodyOptions.type = box2d.b2BodyType.b2_dynamicBody;
      const shapeOptions = box2d.b2DefaultShapeDef();
      shapeOptions.enableContactEvents = true;
      const circle = new box2d.b2Circle();
      const { positions } = overlaps;
      for (let body = 0; body < count; body++) {
        position.Set(positions[2 * body] as number, positions[2 * body + 1] as number);
        bodyOptions.position = position;
        const id = box2d.b2CreateBody(made, bodyOptions);
        circle.radius = overlaps.radiusOf(body);
        // Shapes of a new world are numbered from 1, so `index1` is body + 1.
        box2d.b2CreateCircleShape(id, shapeOptions, circle);
        bodies.push(id);
      }
      for (const options of [worldOptions, bodyOptions, shapeOptions, circle]) options.delete();
      return made;
    }

    function move(): void {
      const { positions } = overlaps;
      bodies.forEach((id, body) => {
        position.Set(positions[2 * body] as number, positions[2 * body + 1] as number);
        box2d.b2Body_SetTransform(id, position, box2d.b2Rot_identity);
      });
    }

    function query(): Overlaps {
      overlaps.clear();
      for (const pair of contacts) {
        const first = Math.floor(pair / SHIFT);
        overlaps.testPair(first - 1, pair - first * SHIFT - 1);
      }
      return overlaps;
    }

    function counterOf(name: 'byteCount' | 'contactCount'): number {
      const counters = box2d.b2World_GetCounters(world as WorldId);
      const count = counters[name];
      counters.delete();
      return count;
    }

    return {
      place: (positions) => overlaps.place(positions),
      build() {
        if (world && moves) move();
        else world = create();
        box2d.b2World_Step(world, INSTANT, 1);
        const events = box2d.b2World_GetContactEvents(world);
        for (let index = 0; index < events.endCount; index++) {
          const { shapeIdA, shapeIdB } = events.GetEndEvent(index);
          contacts.delete(shapeIdA.index1 * SHIFT + shapeIdB.index1);
        }
        for (let index = 0; index < events.beginCount; index++) {
          const event = events.GetBeginEvent(index);
          contacts.add(event.shapeIdA.index1 * SHIFT + event.shapeIdB.index1);
          event.delete();
        }
        events.delete();
      },
      query,
      // The step compares the shapes of all pairs whose enlarged boxes meet. The query then tests the touching pairs
      // again.
      countWork: () => ({
        tests: counterOf('contactCount') + overlaps.countTests(query),
        counted: 'package',
      }),
      get memoryBytes() {
        return world && counterOf('byteCount');
      },
      destroy() {
        if (world) box2d.b2DestroyWorld(world);
        world = undefined;
        position.delete();
      },
    };
  },
};
