import { helpOf, listCommands } from './commands.ts';

/** `man reborn`, in the language of manual pages, from the help texts of all commands. */
export async function manualPage(version: string): Promise<string> {
  const [reborn, ...commands] = await listCommands();
  if (!reborn) throw new Error('There are no commands.');
  const sections = commands.map(({ name, command }) => `.SS "${name}"\n${asItIs(helpOf(command))}`);
  return `.TH REBORN 1 "" "Reborn ${version}" "Reborn"
.SH NAME
reborn \\- ${escapeRoff(reborn.command.description())}
.SH SYNOPSIS
${asItIs(helpOf(reborn.command))}
.SH COMMANDS
${sections.join('\n')}
`;
}

const asItIs = (text: string) => `.nf\n${escapeRoff(text.trim())}\n.fi`;

/** A point or an apostrophe at the beginning of a line would be a request, and letters beyond ASCII depend on the locale. */
const escapeRoff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&')
    .replace(
      /\P{ASCII}/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
