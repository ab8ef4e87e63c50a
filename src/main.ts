import { constants } from 'node:os';
import { createProgram } from '#cli/program.ts';

// The reader of a pipe has what it needs, as with `reborn thread list | head`: end like other programs do then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(128 + constants.signals.SIGPIPE);
  process.stderr.write(`reborn: The output can't be written (${error.message}).\n`);
  process.exit(1);
});

const program = await createProgram(process.argv.slice(2));
await program.parseAsync();
