/**
 * Wraps matter-js's collision detector. Its circles are inscribed polygons, which would miss pairs, so bodies are
 * squares around the discs; the discs are tested afterwards.
 */
import type { CpuEngine, Work } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

/** A body takes a few thousand bytes, so a million would exceed the heap. */
const MOST_BODIES = 200_000;

export const MATTER_JS: CpuEngine = {
  name: 'matter-js',
  peer: 'matter-js',
  backend: 'cpu',
  about:
    'Rigid-body engine, only its Detector: squares around the discs, sorted along x and tested by separating axes.',
  refuse(scene) {
    if (scene.count > MOST_BODIES) {
      return `It takes thousands of bytes per body, so it accepts at most ${MOST_BODIES} bodies.`;
    }
    return refuse3D(scene);
  },
  async open(scene) {
    const { default: Matter } = await loadPeer('matter-js', () => import('matter-js'));
    const { Bodies, Body, Detector } = Matter;
    const overlaps = new Overlaps(scene);
    const bodies = Array.from({ length: scene.count }, (_, body) => {
      const width = 2 * overlaps.radiusOf(body);
      return Bodies.rectangle(0, 0, width, width);
    });
    const indices = new Map(bodies.map(({ id }, body) => [id, body]));
    const detector = Detector.create();
    // In moving scenes, the detector keeps its sorted order.
    Detector.setBodies(detector, bodies);
    function query(): Overlaps {
      overlaps.clear();
      for (const { bodyA, bodyB } of Detector.collisions(detector)) {
        overlaps.testPair(indices.get(bodyA.id) as number, indices.get(bodyB.id) as number);
      }
      return overlaps;
    }

    /** Repeats the sweep of Detector.collisions, which has sorted the bodies along x. */
    function countWork(): Work {
      const sorted = (detector as unknown as { readonly bodies: typeof bodies }).bodies;
      let candidates = 0;
      let tests = overlaps.countTests(query);
      for (const [index, { bounds }] of sorted.entries()) {
        for (let next = index + 1; next < sorted.length; next++) {
          const other = (sorted[next] as (typeof bodies)[number]).bounds;
          if (other.min.x > bounds.max.x) break;
          candidates++;
          if (bounds.max.y >= other.min.y && bounds.min.y <= other.max.y) tests++;
        }
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      build() {
        const { positions } = overlaps;
        bodies.forEach((body, index) => {
          const position = { x: positions[2 * index] as number, y: positions[2 * index + 1] as number };
          Body.setPosition(body, position);
        });
        if (!scene.moves) Detector.setBodies(detector, bodies);
      },
      query,
      countWork,
    };
  },
};
