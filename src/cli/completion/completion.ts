import { Argument, type Command } from 'commander';
import { oneLine } from '#terminal/screen/printable.ts';
import { printLine, printPiece } from '../print.ts';
import { SHELLS, type Shell, scriptFor } from './scripts.ts';
import { isValueKind, readValues } from './values.ts';

/** What is shown of the words about a value. */
const MOST_WORDS = 60;

/** `reborn completion`, and what its scripts ask when a person presses Tab. */
export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('Print a script that lets the shell complete commands, options, ids and names.')
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => printLine(scriptFor(shell, program)));
  completion
    .command('values', { hidden: true })
    .argument('<kind>')
    .action(async (kind: string) => {
      if (!isValueKind(kind)) return;
      const values = await readValues(kind).catch(() => []); // a Tab has no place for an error
      for (const [value, words] of values) printPiece(`${value}\t${oneLine(words).slice(0, MOST_WORDS)}\n`);
    });
}

const EXAMPLES = `
Examples:
  echo 'source <(reborn completion bash)' >> ~/.bashrc
  reborn completion zsh > "\${fpath[1]}/_reborn"
  reborn completion fish > ~/.config/fish/completions/reborn.fish
  reborn completion powershell >> $PROFILE`;
