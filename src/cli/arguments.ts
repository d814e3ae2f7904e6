/** Parses command-line flags. Wrong flags throw a UsageError, which ends the command with exit code 2. */
import { parseArgs } from 'node:util';
import { type ArgumentError, CellstormError } from '../core/base/errors';
import { formatWrapped } from './output';

export class UsageError extends CellstormError {
  override name = 'UsageError';
}

/** `value` is what the help prints in place of the flag's value. A flag without `value` takes no value. */
export interface Flag {
  readonly value?: string;
  /** The value may be left out; then it is empty. */
  readonly isOptional?: boolean;
  readonly help: string;
}

export const SEED_FLAG: Flag = { value: 'n', help: 'seed of the scenes, 0 to 4294967295 (default 1)' };
export const HELP_FLAG: Flag = { help: 'print this help; -h is short for it' };

export type Flags = Readonly<Record<string, Flag>>;

/** The values of the given flags. The value of a flag that takes none is 'true'. */
export type Given = ReadonlyMap<string, string>;

export function parseFlags(command: string, flags: Flags, argv: readonly string[]): Given {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: joinValues(argv, flags), options, strict: false, tokens: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new UsageError(
        `"${token.value}" is not a flag of "cellstorm ${command}"; see cellstorm ${command} --help.`,
      );
    }
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) {
      const known = Object.keys(flags).map((name) => `--${name}`);
      throw new UsageError(
        `${token.rawName} is not a flag of "cellstorm ${command}", which accepts ${known.join(', ')}.${suggest(token.rawName, known)}`,
      );
    }
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`--${token.name} takes no value, but was given "${token.value}".`);
    }
    if (flag.value !== undefined && !flag.isOptional && !token.value) {
      throw new UsageError(
        `--${token.name} needs a value: --${token.name} ${flag.value}. See cellstorm ${command} --help.`,
      );
    }
    if (given.has(token.name)) throw new UsageError(`--${token.name} was given twice.`);
    given.set(token.name, token.value ?? 'true');
  }
  return given;
}

/**
 * Rewords an error about an argument so that it names the flag of the same name. Returns the error unchanged if no such
 * flag was given.
 */
export function nameFlag(error: ArgumentError, given: Given): CellstormError {
  const { argument, message } = error;
  const name = argument.replace(/\[\d+\]$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return given.has(name) ? new UsageError(`--${name}${message.slice(argument.length)}`) : error;
}

/**
 * Turns `--count -5` into `--count=-5`, so that the error is about the number. Turns `--browser --json` into
 * `--browser= --json` if the value of --browser is optional.
 */
function joinValues(argv: readonly string[], flags: Flags): string[] {
  const joined: string[] = [];
  for (const [index, argument] of argv.entries()) {
    const last = joined.at(-1);
    const isBare =
      argument.startsWith('--') &&
      flags[argument.slice(2)]?.isOptional &&
      (argv[index + 1] ?? '-').startsWith('-');
    if (/^-[\d.]/.test(argument) && last?.startsWith('--') && !last.includes('=')) {
      joined[joined.length - 1] = `${last}=${argument}`;
    } else joined.push(isBare ? `${argument}=` : argument);
  }
  return joined;
}

/**
 * Returns a question to append to an error: it names the known word that begins with the wrong word, or else the most
 * similar one. Returns '' if no word is similar, or if the wrong word has fewer than three letters.
 */
export function suggest(wrong: string, known: readonly string[]): string {
  if (wrong.length < 3) return '';
  const begins = known.find((word) => word.startsWith(wrong));
  const distances = known.map((word) => editDistance(wrong, word));
  const least = Math.min(...distances);
  const nearest =
    least <= Math.max(1, Math.floor(wrong.length / 3)) ? known[distances.indexOf(least)] : undefined;
  const meant = begins ?? nearest;
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [done, letter] of [...from].entries()) {
    const next = [done + 1];
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] as number) + (to[index] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** Reads a flag's whole number. Accepts 1e6 and 1_000_000, too. */
export function wholeNumber(given: Given, name: string, low: number, high: number): number | undefined {
  const text = given.get(name);
  return text === undefined ? undefined : parseWhole(`--${name}`, text, low, high);
}

export function wholeNumbers(given: Given, name: string, low: number, high: number): number[] | undefined {
  return given
    .get(name)
    ?.split(',')
    .map((text) => parseWhole(`--${name}`, text, low, high));
}

function parseWhole(name: string, text: string, low: number, high: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text.replaceAll('_', ''));
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new UsageError(`${name} is ${text}, but it must be a whole number from ${low} to ${high}.`);
  }
  return value;
}

/** Parses a number; a fraction such as 1/30 is accepted, too. */
export function realNumber(given: Given, name: string): number | undefined {
  const text = given.get(name);
  if (text === undefined) return undefined;
  const [above = '', below = '1', ...rest] = text.split('/');
  const isBlank = [above, below].some((part) => part.trim() === '');
  const value = isBlank || rest.length > 0 ? Number.NaN : Number(above) / Number(below);
  if (!Number.isFinite(value))
    throw new UsageError(`--${name} is ${text}, but it must be a number, such as 0.25 or 1/4.`);
  return value;
}

export function oneOf<Choice extends string>(
  given: Given,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = given.get(name);
  if (text === undefined) return undefined;
  return choose(`--${name}`, text, choices);
}

export function severalOf<Choice extends string>(
  given: Given,
  name: string,
  choices: readonly Choice[],
): Choice[] | undefined {
  const chosen = given
    .get(name)
    ?.split(',')
    .map((text) => choose(`--${name}`, text, choices));
  return chosen && [...new Set(chosen)];
}

function choose<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined)
    throw new UsageError(
      `${name} is ${text}, but it must be one of ${choices.join(', ')}.${suggest(text, choices)}`,
    );
  return choice;
}

export function describeFlags(flags: Flags, width: number): string {
  const rows = Object.entries(flags).map(([name, { value, isOptional, help }]) => {
    const shown = isOptional ? ` [${value}]` : ` ${value}`;
    return [`  --${name}${value ? shown : ''}`, help];
  });
  return formatWrapped(rows, width);
}
