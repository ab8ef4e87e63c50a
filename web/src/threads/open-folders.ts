const KEY = 'reborn.open-folders';

export const isFolderOpen = (id: string): boolean => readIds().includes(id);

/** Folders are closed until they are opened in this browser. */
export function keepFolderOpen(id: string, isOpen: boolean): void {
  const others = readIds().filter((other) => other !== id);
  localStorage.setItem(KEY, [...others, ...(isOpen ? [id] : [])].join(' '));
}

const readIds = (): string[] => (localStorage.getItem(KEY) ?? '').split(' ');
