import { type Option, options } from '#config/options.ts';
import { code, table } from './markdown.ts';

/** The page about every setting. */
export function configurationPage(): string {
  return `# Configuration

Written by \`npm run reference\` from [src/options.ts](../../src/config/options.ts): what is not here is not read.

A setting comes from the environment, or else from \`settings.env\` in the home folder, or else it is the default.
\`reborn config\` shows each with its value and where that comes from; \`reborn config set\` changes \`settings.env\`. A wrong
value stops the start, and all wrong ones are told at once (exit code 78). The values of those marked as secret are
never shown.

${table([['setting', 'without it', 'must be', 'meaning'], ...Object.entries<Option>(options).map(toRow)])}
`;
}

function toRow([name, option]: [string, Option]): string[] {
  const without = option.default === undefined ? (option.unset ?? '') : code(option.default);
  return [code(name), without, option.parser.expects, option.help + (option.secret ? ' Secret.' : '')];
}
