import { describe, expect } from 'vitest';
import { LEAF_BITS, nodeWords, ObstacleTree, TREE_HEADER } from '../../../src/core/obstacles/tree';
import { firstObstacle } from '../../../src/core/world/cells';
import { defineLevels } from '../../../src/core/world/level-world';
import { Kernel } from '../../../src/gpu/kernel';
import { obstacleConstants, obstacleStores, worldFlags, worldModules } from '../../../src/passes/modules';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, runPass, share } from '../../helpers/passes';

/** Writes the number of nodes, then per node: the index to skip to, the first body, the end of the bodies. */
const READ_NODES = `// Needs: branch_count, branch_at, links.
@compute @workgroup_size(1)
fn read_nodes() {
  let nodes = branch_count();
  links[0] = nodes;
  for (var node = 0u; node < nodes; node++) {
    let branch = branch_at(node);
    links[3u * node + 1u] = branch.skip;
    links[3u * node + 2u] = branch.first;
    links[3u * node + 3u] = branch.end;
  }
}`;

describe.each(DIMENSIONS)('a tree of obstacles in %dD', (dimensions) => {
  gpuTest(
    'has the links that the host stored, and corrupt words cannot lead from a node back to an earlier one',
    async (_, tools) => {
      const gpu = tools.wrap();
      const [low, high] = [cornersIn(dimensions)(0), cornersIn(dimensions)(16)];
      const sizes = { smallest: 0.5, largest: 2 };
      const world = defineLevels({ dimensions, min: low, max: high, cellSize: 1 }, sizes, 1);
      const variant = { ...world, obstacles: true };
      const kernel = await Kernel.create(gpu, {
        label: 'test.readNodes',
        dimensions,
        sources: [
          ...worldModules(variant),
          ...obstacleStores(variant),
          { name: 'test/read_nodes.wgsl', text: READ_NODES },
        ],
        entryPoint: 'read_nodes',
        bindings: { start: 'read array<u32>', links: 'write array<u32>' },
        flags: worldFlags(variant),
        constants: obstacleConstants(variant),
      });
      const shared = await share(gpu, world, 1);
      const read = async (words: Uint32Array, nodes: number) => {
        const start = new Uint32Array(firstObstacle(world) + words.length);
        start.set(words, firstObstacle(world));
        const links = tools.allocate('links', 4 * (1 + 3 * nodes));
        const buffers = { start: tools.upload('start', start), links };
        runPass(gpu, (pass) => kernel.encode(pass, shared, kernel.bind(buffers), 1));
        return readWords(tools, links, 1 + 3 * nodes);
      };

      const count = 50;
      const positions = scatterIn(createNoise(4), low, high, count);
      const tree = new ObstacleTree(world, { positions, radii: new Float32Array(count).fill(0.5) });
      const words = tree.nodeBits();
      const stride = nodeWords(dimensions);
      const skipOf = (node: number) => TREE_HEADER + stride * node + 2 * dimensions;
      const expected = Array.from({ length: tree.nodes }, (__, node) => {
        const [skip = 0, leaf = 0] = words.subarray(skipOf(node));
        const first = leaf >>> LEAF_BITS;
        return [skip, first, first + (leaf & ((1 << LEAF_BITS) - 1))];
      });
      expect(expected[0]?.[0]).toBe(tree.nodes);
      expectArraysEqual(await read(words, tree.nodes), [tree.nodes, ...expected.flat()], 'links');

      // Make nodes lead back to themselves or to the root, and make their number too large.
      words[0] = 0xffff_ffff;
      for (let node = 0; node < tree.nodes; node++) words[skipOf(node)] = node % 2 ? node : 0;
      const corrupt = await read(words, tree.nodes);
      expect(corrupt[0]).toBe(Math.floor(words.length / stride));
      for (let node = 0; node < tree.nodes; node++) expect(corrupt[3 * node + 1]).toBe(node + 1);
    },
    SHARED,
  );
});
