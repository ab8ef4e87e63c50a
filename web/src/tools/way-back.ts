/** The page that a person left for a sign-in at a provider; kept in this tab only. */
const KEY = 'reborn.way-back';

export function keepWayBack(path: string = location.pathname): void {
  sessionStorage.setItem(KEY, path);
}

export function takeWayBack(): string {
  const path = sessionStorage.getItem(KEY) ?? '/tools';
  sessionStorage.removeItem(KEY);
  return path;
}
