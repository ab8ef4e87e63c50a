const ITEM = 'reborn.session-key';

/**
 * The part of the session that only pages of this origin have. The cookie alone goes to every port of the host, and is
 * not enough.
 */
export const sessionKey = {
  headers: (): Record<string, string> => {
    const key = localStorage.getItem(ITEM);
    return key ? { 'x-session-key': key } : {};
  },
  /** A WebSocket can't carry headers. */
  protocols: (): string[] => {
    const key = localStorage.getItem(ITEM);
    return key ? ['reborn', `reborn.key.${key}`] : [];
  },
  keep: (key: string) => localStorage.setItem(ITEM, key),
  drop: () => localStorage.removeItem(ITEM),
};
