/**
 * Removes comments from declaration files, to keep the package small. A file keeps its comments if editors may show
 * them: entries, files that an entry exports from, and files of types that these extend.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const EXPORTED = /^export [^;]*?from '(\.[^']+)\.js'/gm;
const IMPORTED = /^import (?:type )?\{([^}]*)\} from '(\.[^']+)\.js'/gm;
const EXTENDED = /\bextends ([\w, <>]+?) \{/g;
const COMMENT = /^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n/gm;

const wordsOf = (text: string) => text.match(/\w+/g) ?? [];

/** `entries` are paths below `folder`, without `.d.ts`. Imports must already end in `.js`. */
export async function stripDeclarations(folder: string, entries: readonly string[]): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  const texts = new Map<string, string>();
  for (const file of files) {
    texts.set(file.slice(0, -'.d.ts'.length), await readFile(join(folder, file), 'utf8'));
  }
  const seen = new Set(entries);
  // The loop also visits the files that it adds.
  for (const file of seen) {
    const text = texts.get(file);
    if (text === undefined) throw new Error(`${file}.d.ts was not built.`);
    const extended = new Set([...text.matchAll(EXTENDED)].flatMap(([, names = '']) => wordsOf(names)));
    for (const [, from = ''] of text.matchAll(EXPORTED)) seen.add(join(dirname(file), from));
    for (const [, names = '', from = ''] of text.matchAll(IMPORTED)) {
      if (wordsOf(names).some((name) => extended.has(name))) seen.add(join(dirname(file), from));
    }
  }
  const unseen = [...texts].filter(([file]) => !seen.has(file));
  await Promise.all(
    unseen.map(([file, text]) => writeFile(join(folder, `${file}.d.ts`), text.replace(COMMENT, ''))),
  );
}
