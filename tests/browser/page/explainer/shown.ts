import type { Page, SerializedAXNode } from 'puppeteer';
import { expect } from 'vitest';
import { entryText } from '../../../../src/page/explainer/array-view';
import { ARRAYS, type ArrayName, shownArrays, stagesOf } from '../../../../src/page/explainer/methods';
import { type Choice, createScene, DEFAULT_CHOICE } from '../../../../src/page/explainer/scene';
import { createTrace } from '../../../../src/page/explainer/trace';
import type { Step } from '../../../../src/page/explainer/trace-recorder';

export const trace = createTrace();
export const { steps } = trace;
export const STAGES = stagesOf('grid');

export interface Shown {
  readonly place: string;
  readonly text: string;
  readonly detail: string;
  readonly stage: string;
  readonly arrays: readonly {
    readonly name: string;
    readonly values: readonly string[];
    readonly read: readonly number[];
    readonly written: readonly number[];
  }[];
}

/** Reads what the page shows at these steps, by default at the current step. */
export async function readSteps(page: Page, indices: readonly number[] = [-1]): Promise<Shown[]> {
  return page.evaluate((wanted) => {
    const scrub = document.querySelector<HTMLInputElement>('#scrub');
    return wanted.map((index) => {
      if (scrub && index >= 0) {
        scrub.value = String(index);
        scrub.dispatchEvent(new Event('input'));
      }
      const lists = [...document.querySelectorAll<HTMLElement>('.array:not([hidden]) .list')];
      return {
        place: document.querySelector('#place')?.textContent ?? '',
        text: document.querySelector('#text')?.textContent ?? '',
        detail: document.querySelector('#detail')?.textContent ?? '',
        stage: document.querySelector('[aria-current="step"]')?.getAttribute('href') ?? '',
        arrays: lists.map((list) => {
          const entries = [...list.querySelectorAll<HTMLElement>('li')];
          const marked = (...marks: string[]) =>
            entries.flatMap((entry, index) => (marks.includes(entry.dataset.mark ?? '') ? [index] : []));
          return {
            name: list.dataset.array ?? '',
            values: entries.map((entry) => entry.querySelector('.value')?.textContent ?? ''),
            read: marked('read', 'both'),
            written: marked('written', 'both'),
          };
        }),
      };
    });
  }, indices);
}

export function expectedStep(index: number, { scene, steps: all } = trace): Shown {
  const step = all[index] as Step;
  const { text, detail, stage } = step;
  const of = (entries: Step['reads'], name: ArrayName) => {
    const indices = entries.filter(({ array }) => array === name).map(({ index: entry }) => entry);
    return [...new Set(indices)].toSorted((a, b) => a - b);
  };
  const names = Object.keys(ARRAYS) as ArrayName[];
  const arrays = names
    .filter((name) => shownArrays(scene.method, stage).includes(name))
    .map((name) => {
      const length = step.arrays[name].length / ARRAYS[name].components;
      const values = Array.from({ length }, (_, entry) => entryText(step.arrays[name], name, entry));
      return { name, values, read: of(step.reads, name), written: of(step.writes, name) };
    });
  return { place: `${index + 1} of ${all.length}`, text, detail, stage: `#${stage}`, arrays };
}

export async function expectStep(page: Page, index: number, of = trace): Promise<void> {
  const [shown] = await readSteps(page);
  expect(shown?.place).toBe(`${index + 1} of ${of.steps.length}`);
  expect(shown).toEqual(expectedStep(index, of));
}

export function traceOf(choice: Partial<Choice>) {
  return createTrace(createScene({ ...DEFAULT_CHOICE, ...choice }));
}

/** Returns the middle of a particle's disc and the width of a cell, in pixels of the window. */
export async function middleOf(page: Page, id: number): Promise<{ x: number; y: number; cell: number }> {
  return page.$eval(`#world [data-id="${id}"] .disc`, (disc) => {
    const { x, y, width, height } = disc.getBoundingClientRect();
    const cell = document.querySelector('#world .cell')?.getBoundingClientRect().width ?? 0;
    return { x: x + width / 2, y: y + height / 2, cell };
  });
}

/** Returns a particle's position in the world of the current trace. */
export async function positionOf(page: Page, id: number): Promise<number[]> {
  return page.evaluate(
    (particle) =>
      Array.from(window.explainer?.trace.scene.positions.slice(2 * particle, 2 * particle + 2) ?? []),
    id,
  );
}

export function firstOf(stage: string): number {
  return steps.findIndex((step) => step.stage === stage);
}

export function lastOf(stage: string): number {
  return steps.findLastIndex((step) => step.stage === stage);
}

export async function scrubTo(page: Page, id: string, value: number): Promise<void> {
  await page.$eval(
    `#${id}`,
    (slider, to) => {
      (slider as HTMLInputElement).value = String(to);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    },
    value,
  );
}

export async function verdictOf(
  page: Page,
  id: string,
): Promise<{ state: string | undefined; text: string }> {
  return page.$eval(`#${id}-verdict`, (verdict) => ({
    state: (verdict as HTMLElement).dataset.state,
    text: verdict.textContent ?? '',
  }));
}

/** Returns what screen readers get: the status texts, and the text in each picture by the picture's name. */
export async function readAloud(
  page: Page,
): Promise<{ statuses: string[]; pictures: Record<string, string> }> {
  const tree = await page.accessibility.snapshot({ interestingOnly: false });
  const textIn = ({ role, name, children = [] }: SerializedAXNode): string =>
    role === 'StaticText' ? (name ?? '') : children.map(textIn).filter(Boolean).join(' ');
  const statuses: string[] = [];
  const pictures: Record<string, string> = {};
  const visit = (node: SerializedAXNode) => {
    if (node.role === 'status') statuses.push(textIn(node));
    if (node.role === 'image') pictures[node.name ?? ''] = textIn(node);
    node.children?.forEach(visit);
  };
  if (tree) visit(tree);
  return { statuses, pictures };
}

export function numbersIn(text: string): number[] {
  return (text.match(/(\d{1,3}(,\d{3})+|\d+)(\.\d+)?/g) ?? []).map((digits) =>
    Number(digits.replaceAll(',', '')),
  );
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
}

export const last = steps.length - 1;
