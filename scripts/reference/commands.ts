import type { Command } from 'commander';
import { createProgram } from '#cli/program.ts';

/** The page about every command, as its own help tells it. */
export async function commandsPage(): Promise<string> {
  return `# Commands

Written by \`npm run reference\` from what \`reborn --help\` and the help of every command below it print.

${withCommandsBelow(await createProgram(['--help']), [])
  .map(toSection)
  .join('\n')}`;
}

type Named = { readonly name: string; readonly command: Command };

function withCommandsBelow(command: Command, above: readonly string[]): Named[] {
  const words = [...above, command.name()];
  return [{ name: words.join(' '), command }, ...command.commands.flatMap((below) => withCommandsBelow(below, words))];
}

function toSection({ name, command }: Named): string {
  return `## ${name}\n\n\`\`\`text\n${helpOf(command).trim()}\n\`\`\`\n`;
}

/** With what is added after the options, which `helpInformation` leaves out. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}
