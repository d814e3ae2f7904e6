/**
 * Purpose: the command line. Exit codes: 0 done, 1 a check failed or the machine could not, 2 the command was
 * not understood or what it asks does not fit.
 */
import { version } from '../../package.json';
import { ArgumentError, CellstormError, LimitError } from '../core/errors';
import { describeFlags, type Flags, nameFlag, parseFlags, UsageError } from './arguments';
import { BENCH_FLAGS, bench } from './bench';
import { INFO_FLAGS, info } from './info';
import { formatTable, widthOf, wrapText } from './output';
import { SIMULATE_FLAGS, simulate } from './simulate';
import { VERIFY_FLAGS, verify } from './verify';

interface Command {
  readonly summary: string;
  readonly flags: Flags;
  readonly run: (argv: readonly string[]) => Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  info: {
    summary: 'adapter, driver, features, limits, how many particles fit',
    flags: INFO_FLAGS,
    run: info,
  },
  verify: { summary: 'hold the GPU against the reference, scene by scene', flags: VERIFY_FLAGS, run: verify },
  simulate: { summary: 'run a scene and measure it', flags: SIMULATE_FLAGS, run: simulate },
  bench: {
    summary: 'broad phases side by side, checked before they are timed',
    flags: BENCH_FLAGS,
    run: bench,
  },
};

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--version') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === 'help') {
    process.stdout.write(help());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    throw new UsageError(
      `"${name}" is not a command of cellstorm, which has ${Object.keys(COMMANDS).join(', ')}.`,
    );
  }
  if (rest.includes('--help')) {
    const flags = describeFlags(command.flags, widthOf(process.stdout));
    process.stdout.write(`cellstorm ${name}: ${command.summary}\n\n${flags}\n`);
    return 0;
  }
  return command.run(rest).catch((error: unknown) => {
    if (!(error instanceof ArgumentError)) throw error;
    throw nameFlag(error, parseFlags(name, command.flags, rest));
  });
}

function help(): string {
  const commands = formatTable(Object.entries(COMMANDS).map(([name, { summary }]) => [`  ${name}`, summary]));
  return `cellstorm ${version}: exact, deterministic particle collisions on WebGPU\n\n${commands}\n\nFlags of a command: cellstorm COMMAND --help\n`;
}

function exitCodeOf(error: CellstormError): number {
  return error instanceof UsageError || error instanceof ArgumentError || error instanceof LimitError ? 2 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CellstormError)) throw error;
  const { stderr } = process;
  const told = `cellstorm: ${error.message}`;
  stderr.write(`${stderr.isTTY ? wrapText(told, widthOf(stderr)) : told}\n`);
  process.exitCode = exitCodeOf(error);
}
// Dawn keeps threads that would keep the process; its work is done.
process.exit();
