/**
 * Runs one command of the command line. Exit codes:
 *
 * - 0: success
 * - 1: a check failed, a file could not be written, or the machine cannot run the command
 * - 2: an argument is wrong or missing, or exceeds a limit of the machine
 */

import { version } from '../../package.json';
import { ArgumentError, CellstormError, LimitError } from '../core/base/errors';
import { DRIVER_PREFERENCES } from '../node/drivers';
import { describeFlags, type Flags, nameFlag, parseFlags, suggest, UsageError } from './arguments';
import { INFO_FLAGS, info } from './info';
import { formatTable, formatWrapped, widthOf, wrapText } from './output';
import { SIMULATE_FLAGS, simulate } from './simulate';
import { VERIFY_FLAGS, verify } from './verify';

export interface Command {
  readonly summary: string;
  /** A command line for the help, without `cellstorm`. */
  readonly example: string;
  readonly flags: Flags;
  readonly run: (argv: readonly string[]) => Promise<number>;
}

export type Commands = Readonly<Record<string, Command>>;

export const COMMANDS: Commands = {
  info: {
    summary: 'show the adapter, its limits and how many particles fit',
    example: 'info',
    flags: INFO_FLAGS,
    run: info,
  },
  verify: {
    summary: 'compare the GPU with the reference on every collision scene',
    example: 'verify --scene pile,gas --count 257',
    flags: VERIFY_FLAGS,
    run: verify,
  },
  simulate: {
    summary: 'run a scene and measure the result',
    example: 'simulate --scene drum --count 2000 --image drum.png',
    flags: SIMULATE_FLAGS,
    run: simulate,
  },
};

/** Environment variables of all commands, since all can use the GPU. */
const VARIABLES = [
  [
    '  CELLSTORM_DRIVER',
    `driver of the GPU: ${DRIVER_PREFERENCES.join(', ')} (default auto: a GPU's own if there is one, else a software driver)`,
  ],
  ['  CHROME_PATH', 'path of a Chrome or Chromium, which contains a software driver'],
] as const;

async function runCommand(commands: Commands, argv: readonly string[]): Promise<number> {
  // "help simulate" means "simulate --help".
  const [name, ...rest] = argv[0] === 'help' && argv.length > 1 ? [...argv.slice(1), '--help'] : argv;
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help(commands));
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const known = Object.keys(commands);
    throw new UsageError(
      `"${name}" is not a command of cellstorm, which has the commands ${known.join(', ')}.${suggest(name, known)}`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    const width = widthOf(process.stdout);
    const flags = describeFlags(command.flags, width);
    const variables = formatWrapped(VARIABLES, width);
    process.stdout.write(
      `cellstorm ${name}: ${command.summary}\n\nExample: npx cellstorm ${command.example}\n\n${flags}\n\nEnvironment variables\n\n${variables}\n`,
    );
    return 0;
  }
  return command.run(rest).catch((error: unknown) => {
    if (!(error instanceof ArgumentError)) throw error;
    throw nameFlag(error, parseFlags(name, command.flags, rest));
  });
}

function help(commands: Commands): string {
  const table = formatTable(Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary]));
  return `cellstorm ${version}: exact, deterministic particle collisions on WebGPU

Usage: npx cellstorm COMMAND [FLAG…]

${table}

--help (or -h) after a command lists its flags. --version (or -v) prints the version.
`;
}

function exitCodeOf(error: CellstormError): number {
  return error instanceof UsageError || error instanceof ArgumentError || error instanceof LimitError ? 2 : 1;
}

/** Runs a command and ends the process. If the command throws a CellstormError, prints its message. */
export async function runCommandLine(commands: Commands, argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runCommand(commands, argv);
  } catch (error) {
    if (!(error instanceof CellstormError)) throw error;
    const { stderr } = process;
    const message = `cellstorm: ${error.message}`;
    stderr.write(`${stderr.isTTY ? wrapText(message, widthOf(stderr)) : message}\n`);
    process.exitCode = exitCodeOf(error);
  }
  // Without this, Dawn's threads would keep the process alive.
  process.exit();
}
