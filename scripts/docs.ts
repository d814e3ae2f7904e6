/**
 * Builds the documentation, a folder of static pages: guides, and a reference of all entries. `npm run docs` fails on
 * dead links, on exports without documentation, and on types that the reference does not contain.
 * Usage: node scripts/run.mjs scripts/docs.ts [FOLDER [--unchecked]]
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Application,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  Logger,
  LogLevel,
  PageEvent,
  ReflectionCategory,
} from 'typedoc';
import { LIBRARY } from './build';
import { CATEGORIES, listDocuments, REFERENCE, topicOf } from './docs/contents';
import { findDeadLinks } from './docs/links';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'dist/page/docs');

/** Stands for the path from a page to the folder, in options that are the same for all pages. */
const HERE = 'here:';
/** The pages beside the folder, to which every page of the documentation links. */
const PAGES = { Playground: '../index.html', Explainer: '../explainer.html' };

/** Returns one sentence per fault of the documentation; none if `isChecked` is false. */
export async function buildDocs(folder: string, isChecked: boolean): Promise<string[]> {
  const documents = listDocuments(ROOT);
  const app = await Application.bootstrap({
    name: 'cellstorm',
    readme: join(ROOT, 'README.md'),
    projectDocuments: [...documents.keys()].map((path) => join(ROOT, path)),
    entryPoints: Object.values(LIBRARY).map((file) => join(ROOT, file)),
    tsconfig: join(ROOT, 'tsconfig.build.json'),
    basePath: ROOT,
    // `npm run types` checks types.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeProtected: true,
    excludeExternals: true,
    // The repository has no address to link to.
    disableGit: true,
    disableSources: true,
    githubPages: false,
    includeVersion: true,
    hideGenerator: true,
    includeHierarchySummary: false,
    customCss: join(ROOT, 'scripts/docs/style.css'),
    headings: { readme: false, document: false },
    navigation: { includeCategories: true, includeGroups: false },
    navigationLinks: Object.fromEntries(
      Object.entries(PAGES).map(([name, path]) => [name, `${HERE}${path}`]),
    ),
    sidebarLinks: { 'Start page': `${HERE}index.html` },
    categorizeByGroup: false,
    defaultCategory: REFERENCE,
    categoryOrder: CATEGORIES,
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables', 'Methods', '*'],
    groupReferencesByType: true,
    kindSortOrder: ['Module', 'Function', 'Class', 'Interface', 'TypeAlias', 'Variable'],
    sort: ['static-first', 'required-first', 'kind', 'alphabetical-ignoring-documents'],
    sortEntryPoints: false,
    visibilityFilters: {},
    highlightLanguages: ['typescript', 'javascript', 'html', 'json', 'bash', 'wgsl', 'yaml', 'docker'],
    useFirstParagraphOfCommentAsSummary: true,
    searchGroupBoosts: { Documents: 3 },
    searchInComments: true,
    searchInDocuments: true,
    validation: {
      invalidLink: isChecked,
      invalidPath: isChecked,
      notDocumented: isChecked,
      notExported: isChecked,
    },
  });
  const messages: string[] = [];
  app.logger = new Listener(messages);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document: DocumentReflection) => {
    const path = `${document.name}.md`;
    document.frontmatter.category = documents.get(path) ?? '';
    document.name = titleOf(path);
  });
  // Sort after TypeDoc has sorted.
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => project.children?.forEach(sortByTopic),
    -1000,
  );
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    const here = '../'.repeat(page.url.split('/').length - 1);
    page.contents = (page.contents ?? '').replaceAll(`href="${HERE}`, `href="${here}`);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error(messages.join('\n'));
  app.validate(project);
  await app.generateDocs(project, folder);
  if (!isChecked) return [];
  return [...messages, ...findDeadLinks(folder, Object.values(PAGES))];
}

/** Sorts the exports of an entry into topics, if every export has a topic. */
function sortByTopic(entry: DeclarationReflection): void {
  const topics = new Map(CATEGORIES.map((title) => [title, new ReflectionCategory(title)]));
  for (const child of entry.children ?? []) {
    const target = child.isReference() ? child.getTargetReflectionDeep() : child;
    const path = entry.project.getSymbolIdFromReflection(target)?.packagePath ?? '';
    const topic = topics.get(topicOf(path) ?? '');
    if (topic === undefined) return;
    topic.children.push(child);
  }
  entry.categories = [...topics.values()].filter(({ children }) => children.length > 0);
}

class Listener extends Logger {
  constructor(readonly messages: string[]) {
    super();
  }

  override log(message: string, level: LogLevel): void {
    super.log(message, level);
    if (level >= LogLevel.Warn) this.messages.push(message);
  }
}

function titleOf(path: string): string {
  const [, title] = /^# (.*)/.exec(readFileSync(join(ROOT, path), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${path} must begin with a title: "# …".`);
  return title;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = FOLDER, flag] = process.argv.slice(2);
  const messages = await buildDocs(resolve(folder), flag !== '--unchecked');
  for (const message of messages) process.stderr.write(`${message}\n`);
  if (messages.length > 0) process.exitCode = 1;
}
