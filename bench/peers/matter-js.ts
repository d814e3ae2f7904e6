/**
 * Purpose: the collision detector of matter-js. Its circles are polygons inside the circle, and would miss pairs; so bodies
 * are squares around the discs, which it tests by separating axes, and the discs are tested after.
 */
import type { CpuEngine } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuseSpace } from './overlaps';

/** A body takes a few thousand bytes, so that a million would take more than a heap may. */
const MOST_BODIES = 200_000;

export const MATTER_JS: CpuEngine = {
  name: 'matter-js',
  peer: 'matter-js',
  backend: 'cpu',
  about:
    'Rigid-body engine, its Detector alone: squares around the discs, sorted along x and tested by separating axes.',
  refuse(scene) {
    if (scene.count > MOST_BODIES) {
      return `It takes thousands of bytes a body, so no more than ${MOST_BODIES} are tried.`;
    }
    return refuseSpace(scene);
  },
  async open(scene) {
    const { default: Matter } = await loadPeer('matter-js', () => import('matter-js'));
    const { Bodies, Body, Detector } = Matter;
    const overlaps = new Overlaps(scene);
    const bodies = Array.from({ length: scene.count }, (_, body) => {
      const width = 2 * overlaps.radiusOf(body);
      return Bodies.rectangle(0, 0, width, width);
    });
    const places = new Map(bodies.map(({ id }, body) => [id, body]));
    const detector = Detector.create();
    // Its own order, kept from build to build where bodies move on.
    Detector.setBodies(detector, bodies);
    return {
      place: (positions) => overlaps.place(positions),
      build() {
        const { positions } = overlaps;
        bodies.forEach((body, index) => {
          const place = { x: positions[2 * index] as number, y: positions[2 * index + 1] as number };
          Body.setPosition(body, place);
        });
        if (!scene.moves) Detector.setBodies(detector, bodies);
      },
      query() {
        overlaps.clear();
        for (const { bodyA, bodyB } of Detector.collisions(detector)) {
          overlaps.consider(places.get(bodyA.id) as number, places.get(bodyB.id) as number);
        }
        return overlaps;
      },
    };
  },
};
