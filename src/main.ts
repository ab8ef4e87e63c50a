import { createProgram } from '#cli/program.ts';

const program = await createProgram(process.argv.slice(2));
await program.parseAsync();
