import { readdir } from 'node:fs/promises';
import type { AutocompleteItem, AutocompleteProvider } from '@earendil-works/pi-tui';
import { resolvePath } from '../resolve-path.ts';
import { printable } from './printable.ts';

const MOST = 50;

/** Completes `@` with the names of files. `others` completes commands; it would offer files after any space, too. */
export function completeFiles(others: AutocompleteProvider, folder: string): AutocompleteProvider {
  return {
    triggerCharacters: [...(others.triggerCharacters ?? []), '@'],
    async getSuggestions(lines, line, column, options) {
      const typed = /(?:^|\s)(@[^\s"]*)$/.exec(lines[line]?.slice(0, column) ?? '')?.[1];
      if (typed === undefined)
        return lines[0]?.startsWith('/') ? others.getSuggestions(lines, line, column, options) : null;
      const items = await listFiles(typed.slice(1), folder);
      return items.length > 0 ? { items, prefix: typed } : null;
    },
    applyCompletion(lines, line, column, item, prefix) {
      if (!prefix.startsWith('@')) return others.applyCompletion(lines, line, column, item, prefix);
      const text = lines[line] ?? '';
      const start = column - prefix.length;
      const isFolder = item.value.endsWith('/');
      const name = /\s/.test(item.value) && !isFolder ? `@"${item.value}"` : `@${item.value}`;
      const inserted = isFolder ? name : `${name} `;
      return {
        lines: lines.with(line, text.slice(0, start) + inserted + text.slice(column)),
        cursorLine: line,
        cursorCol: start + inserted.length,
      };
    },
    shouldTriggerFileCompletion: () => false,
  };
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
      return { value: within + name, label: name };
    });
}
