/** Where somebody was who left for a provider's page; only this tab knows. */
const KEY = 'reborn.way-back';

export function keepWayBack(): void {
  sessionStorage.setItem(KEY, location.pathname);
}

export function takeWayBack(): string {
  const path = sessionStorage.getItem(KEY) ?? '/tools';
  sessionStorage.removeItem(KEY);
  return path;
}
