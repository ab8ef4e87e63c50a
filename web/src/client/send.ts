import * as sending from '@reborn-agent/client/send';
import { createStore } from '../parts/store.ts';
import { client } from './client.ts';

type Options = Omit<sending.SendOptions, 'onWait'>;

/** When the service takes messages again that it has refused because there were too many; undefined if it takes them. */
const takesAgainAt = createStore<number | undefined>(undefined);
export const useTakesAgainAt = takesAgainAt.useValue;

const noteWait = (seconds: number | undefined) =>
  takesAgainAt.set(seconds === undefined ? undefined : Date.now() + seconds * 1000);

export const sendMessage = (body: Parameters<typeof sending.sendMessage>[1], options: Options = {}) =>
  sending.sendMessage(client, body, { ...options, onWait: noteWait });

export const sendVersion = (body: Parameters<typeof sending.sendVersion>[1], options: Options = {}) =>
  sending.sendVersion(client, body, { ...options, onWait: noteWait });
