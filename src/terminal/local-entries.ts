import type { AgentTool, OpenGate } from '@reborn-agent/client/api';
import type { Local, Note } from './entries.ts';

/** Keeps what only this terminal knows of the thread: notes, answers, ticks, messages on their way, and words of tools. */
export type LocalEntries = {
  now(): Local;
  note(note: Pick<Note, 'text' | 'tone' | 'anchor'>): void;
  markAnswered(gate: OpenGate, answer: string): void;
  /** Ticks or unticks a call of a gate. */
  tick(callId: string): void;
  /** Shows the message meanwhile, unless the service accepts it so soon that it would only flicker. */
  whilePending<T>(text: string, send: () => Promise<T>): Promise<T>;
  learnTools(tools: readonly AgentTool[]): void;
  /** Forgets everything but the tools, without a call of `onChange`. */
  clear(): void;
};

const PENDING_MS = 500;
const NOTHING: Local = { notes: [], answered: [], unticked: new Set(), pending: [], cards: new Map() };

export function createLocalEntries(onChange: () => void): LocalEntries {
  let local = NOTHING;
  let ids = 0;

  function change(next: Partial<Local>): void {
    local = { ...local, ...next };
    onChange();
  }

  return {
    now: () => local,
    note: (note) => change({ notes: [...local.notes, { kind: 'note', id: `note-${++ids}`, ...note }] }),
    markAnswered: (gate, answer) => change({ answered: [...local.answered, { gate, answer }] }),
    tick(callId) {
      const unticked = new Set(local.unticked);
      if (!unticked.delete(callId)) unticked.add(callId);
      change({ unticked });
    },
    async whilePending(text, send) {
      const id = `pending-${++ids}`;
      const showing = setTimeout(
        () => change({ pending: [...local.pending, { kind: 'said', id, role: 'user', text, state: 'pending' }] }),
        PENDING_MS,
      );
      try {
        return await send();
      } finally {
        clearTimeout(showing);
        change({ pending: local.pending.filter((entry) => entry.id !== id) });
      }
    },
    learnTools: (tools) => change({ cards: new Map(tools.map(({ name, card }) => [name, card])) }),
    clear() {
      local = { ...NOTHING, cards: local.cards };
    },
  };
}
