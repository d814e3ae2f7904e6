/**
 * d3's quadtree, used as in d3-force. Each node stores the greatest radius below it. A query visits the tree once per
 * body.
 */
import type { QuadtreeInternalNode, QuadtreeLeaf } from 'd3-quadtree';
import type { CpuEngine, Work } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

type Node = (QuadtreeInternalNode<number> | QuadtreeLeaf<number>) & { reach?: number };

export const D3_QUADTREE: CpuEngine = {
  name: 'd3-quadtree',
  peer: 'd3-quadtree',
  backend: 'cpu',
  about:
    'Quadtree, used as in d3-force: a build calls addAll and stores the greatest radius in each node; a query visits the tree once per body.',
  refuse: refuse3D,
  async open(scene) {
    const { quadtree } = await loadPeer('d3-quadtree', () => import('d3-quadtree'));
    const { count } = scene;
    const overlaps = new Overlaps(scene);
    const bodies = Array.from({ length: count }, (_, body) => body);
    const create = () =>
      quadtree(
        bodies,
        (body) => overlaps.positions[2 * body] as number,
        (body) => overlaps.positions[2 * body + 1] as number,
      ).visitAfter(storeReach);
    let tree: ReturnType<typeof create> | undefined;

    function storeReach(node: Node): void {
      if (isLeaf(node)) {
        node.reach = overlaps.radiusOf(node.data);
        for (let next = node.next; next; next = next.next) {
          node.reach = Math.max(node.reach, overlaps.radiusOf(next.data));
        }
        return;
      }
      let reach = 0;
      for (let quarter = 0; quarter < 4; quarter++) {
        const child: Node | undefined = node[quarter];
        if (child?.reach !== undefined && child.reach > reach) reach = child.reach;
      }
      node.reach = reach;
    }

    /** Repeats the walk without `visit`: calling `visit` with another function would slow down queries. */
    function countWork(positions: Float32Array): Work {
      let candidates = 0;
      let tests = 0;
      const [[left, top], [right, bottom]] = tree?.extent() ?? [
        [0, 0],
        [0, 0],
      ];
      for (const body of bodies) {
        const x = positions[2 * body] as number;
        const y = positions[2 * body + 1] as number;
        const radius = overlaps.radiusOf(body);
        const walk = (node: Node | undefined, x0: number, y0: number, x1: number, y1: number): void => {
          if (!node) return;
          if (isLeaf(node)) {
            for (let leaf: QuadtreeLeaf<number> | undefined = node; leaf; leaf = leaf.next) {
              if (leaf.data !== body) candidates++;
              if (leaf.data > body) tests++;
            }
            return;
          }
          const reach = radius + (node.reach as number);
          if (x0 > x + reach || x1 < x - reach || y0 > y + reach || y1 < y - reach) return;
          const middleX = (x0 + x1) / 2;
          const middleY = (y0 + y1) / 2;
          walk(node[0], x0, y0, middleX, middleY);
          walk(node[1], middleX, y0, x1, middleY);
          walk(node[2], x0, middleY, middleX, y1);
          walk(node[3], middleX, middleY, x1, y1);
        };
        walk(tree?.root(), left, top, right, bottom);
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      countWork,
      build() {
        tree = create();
      },
      query() {
        const { positions } = overlaps;
        overlaps.clear();
        for (const body of bodies) {
          const x = positions[2 * body] as number;
          const y = positions[2 * body + 1] as number;
          const radius = overlaps.radiusOf(body);
          tree?.visit((node: Node, x0, y0, x1, y1) => {
            if (isLeaf(node)) {
              for (let leaf: QuadtreeLeaf<number> | undefined = node; leaf; leaf = leaf.next) {
                if (leaf.data > body) overlaps.testPair(body, leaf.data);
              }
              return;
            }
            const reach = radius + (node.reach as number);
            return x0 > x + reach || x1 < x - reach || y0 > y + reach || y1 < y - reach;
          });
        }
        return overlaps;
      },
    };
  },
};

function isLeaf(node: QuadtreeInternalNode<number> | QuadtreeLeaf<number>): node is QuadtreeLeaf<number> {
  return !node.length;
}
