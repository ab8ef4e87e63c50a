import { readdir } from 'node:fs/promises';
import { type AutocompleteItem, type AutocompleteProvider, CombinedAutocompleteProvider } from '@earendil-works/pi-tui';
import { COMMANDS } from '../commands.ts';
import type { Offers } from '../offers.ts';
import { resolvePath } from '../resolve-path.ts';
import { printable } from './printable.ts';

const MOST = 50;

/** Completes `/` with commands, templates and prompts, and `@` with the names of files, notes, skills and resources. */
export function createCompletion(offers: Offers, folder: string): AutocompleteProvider {
  const commands = async () => new CombinedAutocompleteProvider([...COMMANDS, ...(await templates())], '/');
  const templates = async () => {
    const known = new Set<string>(COMMANDS.map(({ name }) => name));
    return (await offers.commands()).filter(({ value }) => !known.has(value));
  };
  const plain = new CombinedAutocompleteProvider([], '/');

  return {
    triggerCharacters: ['@'],
    async getSuggestions(lines, line, column, options) {
      const typed = /(?:^|\s)(@[^\s"]*)$/.exec(lines[line]?.slice(0, column) ?? '')?.[1];
      if (typed === undefined)
        return lines[0]?.startsWith('/') ? (await commands()).getSuggestions(lines, line, column, options) : null;
      const items = await listMentions(typed.slice(1), folder, offers);
      const isComplete = items.every(({ value }) => value === typed); // so that Enter sends
      return isComplete ? null : { items, prefix: typed };
    },
    applyCompletion(lines, line, column, item, prefix) {
      if (!prefix.startsWith('@')) return plain.applyCompletion(lines, line, column, item, prefix);
      const text = lines[line] ?? '';
      const start = column - prefix.length;
      const inserted = item.value.endsWith('/') ? item.value : `${item.value} `;
      return {
        lines: lines.with(line, text.slice(0, start) + inserted + text.slice(column)),
        cursorLine: line,
        cursorCol: start + inserted.length,
      };
    },
    shouldTriggerFileCompletion: () => false,
  };
}

async function listMentions(typed: string, folder: string, offers: Offers): Promise<AutocompleteItem[]> {
  const [files, others] = await Promise.all([listFiles(typed, folder), offers.mentions(typed)]);
  return [...files, ...others];
}

/** The files and folders whose path begins with `typed`. Hidden ones are listed only after a dot. */
async function listFiles(typed: string, folder: string): Promise<AutocompleteItem[]> {
  const within = typed.slice(0, typed.lastIndexOf('/') + 1);
  const start = typed.slice(within.length).toLowerCase();
  const found = await readdir(resolvePath(folder, within), { withFileTypes: true }).catch(() => []);
  return found
    .filter(({ name }) => name.toLowerCase().startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .filter(({ name }) => name === printable(name) && !name.includes('"'))
    .toSorted((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || a.name.localeCompare(b.name))
    .slice(0, MOST)
    .map((entry) => {
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
      const path = within + name;
      return { value: /\s/.test(path) && !entry.isDirectory() ? `@"${path}"` : `@${path}`, label: name };
    });
}
