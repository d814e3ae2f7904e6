/**
 * Wraps Rapier's broad phase through its public API. Colliders have no bodies, so a step does not move them. Colliders
 * are not sensors, because the narrow phase would also test the pairs of sensors. A build steps by the default time,
 * because queries would miss moved colliders after a step of zero time.
 */
import type { CpuEngine } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

export const openRapier = async () => {
  const { default: rapier } = await loadPeer(
    '@dimforge/rapier2d-compat',
    () => import('@dimforge/rapier2d-compat'),
  );
  await rapier.init();
  return rapier;
};

export const RAPIER2D: CpuEngine = {
  name: 'rapier2d',
  peer: '@dimforge/rapier2d-compat',
  backend: 'cpu',
  about:
    'Rigid-body engine, only its broad phase: a build steps balls without bodies; a query calls collidersWithAabbIntersectingAabb once per ball.',
  refuse: refuse3D,
  async open(scene) {
    const { World, ColliderDesc } = await openRapier();
    const { count, moves } = scene;
    const overlaps = new Overlaps(scene);
    // A handle has two words. In a new world, the first word is the collider's number, from 0.
    const handle = new Float64Array(1);
    const handleWords = new Uint32Array(handle.buffer);
    let world: InstanceType<typeof World> | undefined;

    function create(): void {
      world?.free();
      world = new World({ x: 0, y: 0 });
      const { positions } = overlaps;
      for (let body = 0; body < count; body++) {
        const description = ColliderDesc.ball(overlaps.radiusOf(body));
        world.createCollider(
          description.setTranslation(positions[2 * body] as number, positions[2 * body + 1] as number),
        );
      }
    }

    function move(): void {
      const { positions } = overlaps;
      const position = { x: 0, y: 0 };
      let body = 0;
      world?.forEachCollider((collider) => {
        position.x = positions[2 * body] as number;
        position.y = positions[2 * body + 1] as number;
        collider.setTranslation(position);
        body++;
      });
    }

    function find(centres: Float32Array): Overlaps {
      overlaps.clear();
      const centre = { x: 0, y: 0 };
      const half = { x: 0, y: 0 };
      let body = 0;
      const take = (collider: { readonly handle: number }) => {
        handle[0] = collider.handle;
        const other = handleWords[0] as number;
        if (other > body) overlaps.testPair(body, other);
        return true;
      };
      for (; body < count; body++) {
        centre.x = centres[2 * body] as number;
        centre.y = centres[2 * body + 1] as number;
        half.x = overlaps.radiusOf(body);
        half.y = half.x;
        world?.collidersWithAabbIntersectingAabb(centre, half, take);
      }
      return overlaps;
    }

    return {
      place: (positions) => overlaps.place(positions),
      build() {
        if (world && moves) move();
        else create();
        world?.step();
      },
      query: () => find(overlaps.positions),
      countWork: (positions) => ({
        tests: overlaps.countTests(() => find(positions)),
        counted: 'package',
      }),
      destroy() {
        world?.free();
        world = undefined;
      },
    };
  },
};
