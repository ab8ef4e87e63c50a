import * as sending from '@reborn-agent/client/send';
import { useSyncExternalStore } from 'react';
import { client } from './client.ts';

type Options = Omit<sending.SendOptions, 'onWait'>;

/** When the service takes messages again that it has refused because there were too many; undefined if it takes them. */
let takesAgainAt: number | undefined;
const listeners = new Set<() => void>();

function setTakesAgainAt(at: number | undefined): void {
  takesAgainAt = at;
  for (const listener of listeners) listener();
}

const noteWait = (seconds: number | undefined) =>
  setTakesAgainAt(seconds === undefined ? undefined : Date.now() + seconds * 1000);

export const sendMessage = (body: Parameters<typeof sending.sendMessage>[1], options: Options = {}) =>
  sending.sendMessage(client, body, { ...options, onWait: noteWait });

export const sendVersion = (body: Parameters<typeof sending.sendVersion>[1], options: Options = {}) =>
  sending.sendVersion(client, body, { ...options, onWait: noteWait });

export function useTakesAgainAt(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => takesAgainAt,
  );
}
