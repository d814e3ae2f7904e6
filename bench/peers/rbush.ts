/** Wraps rbush's dynamic R-tree: loads boxes in bulk, and searches with each box. */
import type { CpuEngine, Work } from '../harness/engine';
import { loadPeer } from './load';
import { Overlaps, refuse3D } from './overlaps';

interface Box {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

interface Item extends Box {
  readonly body: number;
}

type Node = Box &
  (
    | { readonly leaf: true; readonly children: readonly Item[] }
    | { readonly leaf: false; readonly children: readonly Node[] }
  );

export const RBUSH: CpuEngine = {
  name: 'rbush',
  peer: 'rbush',
  backend: 'cpu',
  boxes: true,
  about: 'Dynamic R-tree: a build clears it and loads reused items in bulk; a query searches once per item.',
  refuse: refuse3D,
  async open(scene) {
    const { default: RBush } = await loadPeer('rbush', () => import('rbush'));
    const { count } = scene;
    const overlaps = new Overlaps(scene);
    const tree = new RBush<Item>();
    const items = Array.from({ length: count }, (_, body): Item => {
      return { minX: 0, minY: 0, maxX: 0, maxY: 0, body };
    });
    /** Repeats the search. Each body that it compares or finds is a candidate. */
    function countWork(): Work {
      let candidates = 0;
      let tests = 0;
      for (const item of items) {
        const walk = (node: Node): void => {
          if (node.leaf) {
            for (const other of node.children) {
              if (other !== item) candidates++;
              if (other.body > item.body && doMeet(item, other)) tests++;
            }
          } else {
            // If a node is inside the item's box, rbush finds its bodies without comparing them.
            for (const child of node.children) if (doMeet(item, child)) walk(child);
          }
        };
        const root = tree.toJSON() as unknown as Node;
        if (doMeet(item, root)) walk(root);
      }
      return { candidates, tests, counted: 'loop' };
    }

    return {
      place: (positions) => overlaps.place(positions),
      countWork,
      build() {
        const { positions } = overlaps;
        for (const item of items) {
          const x = positions[2 * item.body] as number;
          const y = positions[2 * item.body + 1] as number;
          const halfX = overlaps.extentOf(item.body, 0);
          const halfY = overlaps.extentOf(item.body, 1);
          item.minX = x - halfX;
          item.minY = y - halfY;
          item.maxX = x + halfX;
          item.maxY = y + halfY;
        }
        tree.clear();
        tree.load(items);
      },
      query() {
        overlaps.clear();
        for (const item of items) {
          for (const { body } of tree.search(item)) {
            if (body > item.body) overlaps.testPair(item.body, body);
          }
        }
        return overlaps;
      },
    };
  },
};

function doMeet(a: Box, b: Box): boolean {
  return b.minX <= a.maxX && b.minY <= a.maxY && b.maxX >= a.minX && b.maxY >= a.minY;
}
