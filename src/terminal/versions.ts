import type { Drafts } from './drafts.ts';
import type { Entry } from './entries.ts';
import { oneLine } from './screen/printable.ts';
import type { Screen } from './screen/screen.ts';
import type { ThreadView } from './thread-view.ts';

type Said = Extract<Entry, { kind: 'said' }>;

type Options = {
  readonly screen: Pick<Screen, 'draft' | 'pick' | 'draw' | 'scrollToEnd'>;
  readonly thread: ThreadView;
  readonly drafts: Pick<Drafts, 'giveBack' | 'whileSending'>;
  readonly chosenModel: () => string | undefined;
  readonly focusOn: (id: string | undefined) => void;
};

/** Asks something else in place of a message, or the same again, and goes from one version to another. */
export type Versions = ReturnType<typeof createVersions>;

export function createVersions({ screen, thread, drafts, chosenModel, focusOn }: Options) {
  /** The message that is replaced by what is sent next, and what was in the composer before. */
  let editing: { readonly threadId: string | undefined; readonly itemId: string; readonly draft: string } | undefined;

  const asked = () => thread.now().entries.filter(isAsked);
  const isEditing = () => editing !== undefined && editing.threadId === thread.now().threadId;

  function stop(): void {
    if (editing) screen.draft.set(editing.draft);
    editing = undefined;
    screen.draw();
  }

  function leave(): void {
    const { draft = '' } = editing ?? {};
    editing = undefined;
    drafts.giveBack(draft);
  }

  function edit(entry: Said): void {
    const draft = editing?.draft ?? screen.draft.get();
    editing = { threadId: thread.now().threadId, itemId: entry.id, draft };
    focusOn(undefined);
    screen.draft.set(entry.written ?? entry.text);
    screen.draw();
  }

  return {
    isEditing,
    edit,
    /** Keeps the message as it is. */
    stop,
    /** What was in the composer before a message was edited. */
    aside: (): string => editing?.draft ?? '',
    /** Edits no more, because another thread is opened, where nothing is edited. */
    forget: () => void (editing = undefined),
    /** Edits the message that the person chooses; the only one without a question. */
    async editOne(): Promise<void> {
      const messages = asked().toReversed();
      if (messages.length === 0) return thread.note('No message to edit yet.');
      const choices = messages.map(({ id, text }) => ({ value: id, label: oneLine(text), description: '' }));
      const picked =
        messages.length === 1
          ? messages[0]?.id
          : await screen.pick('Edit which message? (Enter edits, Esc goes back)', choices);
      const found = messages.find(({ id }) => id === picked);
      if (found) edit(found);
    },
    /** Sends the edited message. If it is refused, it stays in the composer. */
    async send(text: string): Promise<void> {
      if (!editing) return;
      const { itemId } = editing;
      await drafts.whileSending(text, () => thread.startVersion(itemId, text, chosenModel()));
      leave();
      screen.scrollToEnd();
    },
    async regenerate(): Promise<void> {
      const last = asked().at(-1);
      if (!last) return thread.note('No answer yet.');
      await thread.startVersion(last.id, undefined, chosenModel());
      screen.scrollToEnd();
    },
    /** Shows the version before or after it, and stays at its place. */
    async show(entry: Said, step: -1 | 1): Promise<void> {
      const turnId = step === -1 ? entry.previous : entry.next;
      if (!turnId) return;
      const index = thread.now().entries.findIndex(({ id }) => id === entry.id);
      await thread.show(turnId);
      const beside = thread.now().entries.slice(index);
      focusOn(beside.find((each) => each.kind === 'said' && each.role === entry.role && each.version)?.id);
    },
    /** Goes to the newest message that has other versions. */
    focusNewest(): void {
      const newest = thread.now().entries.findLast((entry) => entry.kind === 'said' && entry.version);
      if (newest) focusOn(newest.id);
      else thread.note('No message has other versions. /edit and /regenerate make one.');
    },
  };
}

const isAsked = (entry: Entry): entry is Said =>
  entry.kind === 'said' && entry.role === 'user' && entry.state === 'done';
