import type { Shown } from './thread-view.ts';

type Options = {
  readonly setTitle: (title: string) => void;
  /** Makes the terminal beep, or blink, as the person has set it. */
  readonly ring: () => void;
  readonly now?: () => number;
};

/** No one has looked away from a shorter turn. */
const LONG_MS = 10_000;

/** Tells a person who does something else that the agent has a question, or that it is done. */
export function createAttention({ setTitle, ring, now = Date.now }: Options) {
  let since: number | undefined;
  let asked: string | undefined;
  let title = '';

  return {
    update({ running, began, entries }: Pick<Shown, 'running' | 'began' | 'entries'>): void {
      const gate = entries.findLast((entry) => entry.kind === 'gate' && entry.answer === undefined);
      const wasLong = since !== undefined && now() - since >= LONG_MS;
      since = running === undefined ? undefined : (since ?? Math.min(now(), Date.parse(began ?? '') || now()));
      if (gate ? gate.id !== asked : since === undefined && wasLong) ring();
      asked = gate?.id;
      const next = gate ? 'Reborn has a question' : running === undefined ? 'Reborn' : 'Reborn is working';
      if (next !== title) setTitle(next);
      title = next;
    },
    /** Seconds since the turn began. */
    workedFor: (): number => (since === undefined ? 0 : Math.floor((now() - since) / 1000)),
  };
}
