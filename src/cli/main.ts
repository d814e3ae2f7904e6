/** Purpose: the command line. A placeholder until the commands exist. */
process.stderr.write('cellstorm: no command exists yet.\n');
process.exitCode = 2;
