/** The order of the documentation: its guides by category, and the exports of an entry point by topic. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Guides in docs/ by category, in the order in which a newcomer needs them. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  Simulation: [
    'simulation',
    'drawing',
    'worlds',
    'sizes',
    'shapes',
    'obstacles',
    'fast-movers',
    'crowds',
    'grains',
    'exact',
    'lockstep',
  ],
  Neighbours: ['structures', 'pairs', 'queries', 'kernels', 'boxes', 'incremental', 'sort', 'cell-size'],
  'Fluids and flocks': ['fluid', 'pbf', 'boids', 'life'],
  Tools: ['node', 'testing', 'testing-ci', 'command', 'verify', 'bench', 'bench-method', 'bench-physics'],
};
const OTHER_GUIDES = 'Tools';

const INSIDE = 'How it works';
const PROJECT = 'Project';
const PROJECT_DOCUMENTS = ['docs/GLOSSARY.md', 'bench/RESULTS.md', 'bench/NOTES.md', 'CONTRIBUTING.md'];

export const REFERENCE = 'Reference';

/** The topic of an export, by the beginning of its file's path. The first entry that matches counts. */
const TOPICS: readonly (readonly [path: string, topic: string])[] = [
  ['src/gpu/', 'Device'],
  ['src/core/base/errors', 'Errors'],
  ['src/core/contact/size-ratio', 'Advice and memory'],
  ['src/core/simulation/crowding', 'Advice and memory'],
  ['src/core/world/cell-size', 'Advice and memory'],
  ['src/engine/simulation/memory', 'Advice and memory'],
  ['src/core/world/', 'Worlds and cells'],
  ['src/core/particles/keys', 'Sorting'],
  ['src/core/particles/swept', 'Boxes'],
  ['src/core/', 'Simulation'],
  ['src/engine/simulation/', 'Simulation'],
  ['src/engine/box-', 'Boxes'],
  ['src/engine/radix-sort', 'Sorting'],
  ['src/engine/', 'Grid and neighbours'],
  ['src/cpu/solver/', 'Simulation'],
  ['src/cpu/boxes/', 'Boxes'],
  ['src/cpu/', 'Grid and neighbours'],
  ['src/scenes/', 'Scenes'],
];

export const CATEGORIES = [
  ...Object.keys(GUIDES),
  REFERENCE,
  INSIDE,
  PROJECT,
  'Device',
  'Grid and neighbours',
  'Worlds and cells',
  'Boxes',
  'Sorting',
  'Advice and memory',
  'Scenes',
  'Errors',
];

export function topicOf(path: string): string | undefined {
  return TOPICS.find(([beginning]) => path.startsWith(beginning))?.[1];
}

/** Returns the documents, as paths relative to the root, with their categories. */
export function listDocuments(root: string): Map<string, string> {
  const documents = new Map<string, string>();
  const add = (category: string, paths: readonly string[]) => {
    for (const path of paths) {
      if (!documents.has(path) && existsSync(join(root, path))) documents.set(path, category);
    }
  };
  const inFolder = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`);
  for (const [category, names] of Object.entries(GUIDES)) {
    add(
      category,
      names.map((name) => `docs/${name}.md`),
    );
  }
  add(INSIDE, ['ARCHITECTURE.md', ...inFolder('docs/design')]);
  add(PROJECT, PROJECT_DOCUMENTS);
  add(OTHER_GUIDES, inFolder('docs'));
  return documents;
}
