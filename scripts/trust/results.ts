/** Runs parts of a command and writes their figures to a JSON file, which keeps the old figures of other parts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MOST_SHOWN = 20;

export type Figures = Readonly<Record<string, unknown>>;

export class Part {
  passed = 0;
  failed = 0;
  readonly failures: string[] = [];

  constructor(readonly name: string) {}

  pass(count = 1): void {
    this.passed += count;
  }

  fail(message: string): void {
    this.failed++;
    if (this.failures.length >= MOST_SHOWN) return;
    this.failures.push(message);
    this.say(`FAILED ${message}`);
  }

  judge(fault: string | undefined): void {
    if (fault === undefined) this.pass();
    else this.fail(fault);
  }

  say(line: string): void {
    process.stdout.write(`${this.name}: ${line}\n`);
  }
}

export type RunPart = (part: Part) => Promise<Figures>;

interface Saved {
  readonly parts: Readonly<Record<string, Figures>>;
}

/** Runs parts whose names contain `only`, then exits, with 1 if anything failed. `file` may be relative to the root. */
export async function runParts(
  parts: Readonly<Record<string, RunPart>>,
  { command, only, file, about }: { command: string; only: string; file: string; about: Figures },
): Promise<never> {
  const path = fileURLToPath(new URL(file, new URL('../../', import.meta.url)));
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Saved) : { parts: {} };
  const results: Record<string, Figures> = { ...known.parts };
  let [passed, failed] = [0, 0];
  const chosen = Object.entries(parts).filter(([name]) => name.includes(only));
  if (chosen.length === 0) {
    process.stderr.write(
      `--only is ${only}, but it must be part of one of these names: ${Object.keys(parts).join(', ')}.\n`,
    );
    process.exit(2);
  }
  for (const [name, run] of chosen) {
    const part = new Part(name);
    const began = performance.now();
    let figures: Figures = {};
    try {
      figures = await run(part);
    } catch (error) {
      part.fail(`The part threw: ${error instanceof Error ? error.stack : error}`);
    }
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    part.say(`${part.passed} passed, ${part.failed} failed in ${seconds} s`);
    passed += part.passed;
    failed += part.failed;
    const { failures } = part;
    results[name] = {
      command: `${command} --only ${name}`,
      ...about,
      passed: part.passed,
      failed: part.failed,
      seconds,
      ...figures,
      ...(failures.length > 0 ? { failures } : {}),
    };
    const sorted = Object.fromEntries(
      Object.keys(parts).flatMap((each) => (results[each] ? [[each, results[each]]] : [])),
    );
    writeFileSync(path, `${JSON.stringify({ parts: sorted }, undefined, 2)}\n`);
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exit(failed > 0 ? 1 : 0);
}

export function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  process.stderr.write(`--${name} is ${text}, but it must be a whole number.\n`);
  return process.exit(2);
}
