import { answerGate } from './answer-gate.ts';
import { type Chat, stopTurn } from './chat-commands.ts';
import type { Entry } from './entries.ts';
import { type GateKey, keysOf, TICK_KEYS, tickedCalls } from './gate-keys.ts';
import { oneLine } from './screen/printable.ts';
import type { Key } from './screen/screen.ts';

type FocusKey = Extract<Key, 'enter' | 'delete' | 'backspace' | 'left' | 'right' | GateKey>;
type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

const SCROLL_LINES = 3;

/** Says whether the key has done something; otherwise it is the composer's. */
export function pressKey(chat: Chat, key: Key): boolean {
  const { screen, focus } = chat;
  switch (key) {
    case 'ctrl+c':
      chat.quit();
      return true;
    case 'ctrl+l':
      focus.clear();
      screen.show(focus.shown());
      return true;
    case 'ctrl+d':
      if (screen.draft.get() !== '') return false;
      chat.quit();
      return true;
    case 'ctrl+p':
    case 'ctrl+n':
      recall(chat, key === 'ctrl+p' ? -1 : 1);
      return true;
    case 'ctrl+r':
      chat.attempt(() => search(chat));
      return true;
    case 'ctrl+z':
      chat.attempt(() => suspend(chat));
      return true;
    case 'ctrl+g':
      chat.attempt(() => openEditor(chat));
      return true;
    case 'ctrl+shift+enter':
      chat.attempt(() => chat.sendNow(takeDraft(chat)));
      return true;
    case 'tab':
    case 'shift+tab':
      focus.move(key === 'tab' ? 1 : -1);
      return true;
    case 'escape':
      goBack(chat);
      return true;
    case 'up':
    case 'down':
      walkOrScroll(chat, key === 'up' ? -1 : 1);
      return true;
    default:
      if (pressFocused(chat, key)) return true;
      focus.on(undefined);
      return false;
  }
}

/** Stops this program and all that the shell has started with it; `fg` continues them. */
async function suspend({ screen, drafts }: Chat): Promise<void> {
  if (process.platform === 'win32') return;
  await drafts.keep();
  await screen.lend(() => process.kill(0, 'SIGTSTP'));
}

async function openEditor(chat: Chat): Promise<void> {
  const { screen, focus } = chat;
  focus.on(undefined);
  const text = await screen.lend(() => chat.editText(screen.draft.get()));
  screen.draft.set(text.trimEnd());
}

function takeDraft({ screen }: Chat): string {
  const text = screen.draft.get();
  screen.draft.set('');
  return text;
}

/** What a key means to the entry that has the focus. */
function pressFocused(chat: Chat, key: FocusKey): boolean {
  const entry = chat.focus.entry();
  switch (entry?.kind) {
    case 'queued':
      return pressQueued(chat, entry, key);
    case 'gate':
      if (entry.answer !== undefined) return false;
      chat.attempt(() => answer(chat, entry, key));
      return true;
    case 'tool':
      if (key !== 'enter') return false;
      chat.focus.fold(entry.id);
      return true;
    case 'said':
      return pressSaid(chat, entry, key);
    default:
      return false;
  }
}

function pressQueued(chat: Chat, entry: EntryOf<'queued'>, key: FocusKey): boolean {
  const edits = key === 'enter' && entry.editable;
  if (!edits && key !== 'delete' && key !== 'backspace') return false;
  chat.focus.on(undefined);
  chat.attempt(() => withdraw(chat, entry, edits));
  return true;
}

function pressSaid(chat: Chat, entry: EntryOf<'said'>, key: FocusKey): boolean {
  if (key === 'left' || key === 'right') {
    chat.attempt(() => chat.versions.show(entry, key === 'left' ? -1 : 1));
    return true;
  }
  if (key !== 'enter') return false;
  if (entry.isRefused) {
    chat.focus.on(undefined);
    chat.submit(entry.written ?? entry.text);
    return true;
  }
  if (entry.role !== 'user') return false;
  chat.versions.edit(entry);
  return true;
}

async function search({ screen, focus, prompts }: Chat): Promise<void> {
  focus.on(undefined);
  const newest = [...new Set(prompts.list().toReversed())];
  const choices = newest.map((prompt) => ({ value: prompt, label: oneLine(prompt) }));
  const prompt = await screen.pick('Bring back an earlier message (Enter takes it, Esc goes back)', choices);
  if (prompt !== undefined) screen.draft.set(prompts.take(prompt, screen.draft.get()));
  screen.draw();
}

/** In an empty composer, the arrows walk through the earlier messages, as in a shell; in a scrolled history they scroll on. */
function walkOrScroll(chat: Chat, step: -1 | 1): void {
  const { screen, prompts } = chat;
  const typed = screen.draft.get();
  const walks = prompts.isAt(typed) || (typed === '' && step === -1);
  if (!walks || !screen.isAtEnd() || !recall(chat, step)) screen.scroll(step * SCROLL_LINES);
}

/** Says whether there was a message to bring back. */
function recall({ screen, focus, prompts }: Chat, step: -1 | 1): boolean {
  focus.on(undefined);
  const prompt = prompts.move(step, screen.draft.get());
  if (prompt !== undefined) screen.draft.set(prompt);
  return prompt !== undefined;
}

function goBack(chat: Chat): void {
  const { focus, versions, screen } = chat;
  if (focus.id() !== undefined) focus.on(undefined);
  else if (versions.isEditing()) versions.stop();
  else if (!stopTurn(chat)) screen.scrollToEnd();
}

/** A message that is edited moves into the composer, before what is typed there. */
async function withdraw({ thread, drafts }: Chat, { id, text }: EntryOf<'queued'>, edit: boolean): Promise<void> {
  await thread.withdraw(id);
  if (edit) drafts.giveBack(text);
}

/** The next key belongs to the composer, unless the person goes back. */
async function answer(chat: Chat, { gate, unticked }: EntryOf<'gate'>, key: FocusKey): Promise<void> {
  const { client, screen, thread, drafts, focus } = chat;
  if (!keysOf(gate, unticked).some((known) => known === key)) return;
  const call = gate.calls[TICK_KEYS.findIndex((digit) => digit === key)];
  if (call) return thread.tick(call.call_id);
  if (key === 'e') return focus.fold(gate.id);
  focus.on(undefined);
  const means = { client, screen, drafts, say: (text: string) => thread.note(text) };
  const answered = await answerGate(means, gate, key, tickedCalls(gate, unticked));
  if (answered === undefined) focus.on(gate.id);
  else thread.markAnswered(gate, answered);
}
