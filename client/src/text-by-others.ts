import { isByOthers } from './message-text.ts';
import type { ThreadState } from './thread-state.ts';
import type { MessageEntry } from './turn-entries.ts';

/** Whether others wrote a part of this message: it is forwarded or quoted, or a file that is not marked as the person's own. */
export const holdsTextByOthers = ({ role, parts }: Pick<MessageEntry, 'role' | 'parts'>): boolean =>
  parts.some((part) => (part.type === 'text' ? isByOthers(part) : role === 'user' && part.origin !== 'own'));

/** Whether the thread, as far as it is loaded, has read text by others that the person has not trusted. */
export const hasReadOthers = ({ turns, outputs }: ThreadState): boolean =>
  [...outputs.values()].some(({ reads, isVouched }) => reads?.foreign && !isVouched) ||
  turns.some(({ entries }) =>
    entries.some((entry) => entry.kind === 'message' && !entry.isVouched && holdsTextByOthers(entry)),
  );

/** The id of the first message of the first loaded turn that has read text by others: all before it is clean. */
export function firstAfterClean({ turns, outputs }: ThreadState): string | undefined {
  const turn = turns.find(({ entries }) =>
    entries.some((entry) => {
      if (entry.kind === 'message') return !entry.isVouched && holdsTextByOthers(entry);
      const output = entry.kind === 'call' ? outputs.get(entry.callId) : undefined;
      return output?.reads?.foreign && !output.isVouched;
    }),
  );
  return turn?.entries.find((entry) => entry.kind === 'message')?.id;
}
