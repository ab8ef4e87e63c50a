const KEY = 'reborn.open-projects';

export const isProjectOpen = (id: string): boolean => readIds().includes(id);

/** Projects are closed until they are opened in this browser. */
export function keepProjectOpen(id: string, isOpen: boolean): void {
  const others = readIds().filter((other) => other !== id);
  localStorage.setItem(KEY, [...others, ...(isOpen ? [id] : [])].join(' '));
}

const readIds = (): string[] => (localStorage.getItem(KEY) ?? '').split(' ');
