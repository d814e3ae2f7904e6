/** Runs the `cellstorm` command: the commands of src/cli, and `bench`. */
import { COMMANDS, runCommandLine } from '../../src/cli/commands';
import { BENCH_FLAGS, bench } from './bench';

await runCommandLine(
  {
    ...COMMANDS,
    bench: {
      summary: 'compare broad phases, checked before they are timed',
      example: 'bench --scene uniform --count 1e5 --backend cpu',
      flags: BENCH_FLAGS,
      run: bench,
    },
  },
  process.argv.slice(2),
);
