import type { ServiceStatus } from '@reborn-agent/client/api';
import { answerGate } from './answer-gate.ts';
import { readAttachedFiles, resourceReader } from './attached-files.ts';
import { DEFAULT, type ModelChoice, runChatCommand } from './chat-commands.ts';
import { HELP, parseCommand } from './commands.ts';
import type { Entry } from './entries.ts';
import { nextFocus } from './focus.ts';
import { type GateKey, keysOf, TICK_KEYS, tickedCalls } from './gate-keys.ts';
import { greetingOf } from './greeting.ts';
import { createOffers } from './offers.ts';
import { createPromptHistory } from './prompt-history.ts';
import { createColours } from './screen/colours.ts';
import { createMarkdown } from './screen/render-markdown.ts';
import { type ConnectionState, renderStatus } from './screen/render-status.ts';
import { createScreen, type Key } from './screen/screen.ts';
import { connectService, type Locate } from './service.ts';
import { createThreadView, type Shown } from './thread-view.ts';
import { createVersions } from './versions.ts';
import { writeTemplate } from './write-prompt.ts';

export type ChatOptions = {
  /** Where the service is now; asked again whenever the line was lost. */
  readonly locate: Locate;
  readonly coloured: boolean;
  readonly threadId: string | undefined;
  /** Shown before the first message. */
  readonly notices: readonly string[];
  /** What is typed and not sent, also if the chat is killed. */
  readonly draft: { read(): Promise<string>; keep(text: string): Promise<void> };
};

type FocusKey = Extract<Key, 'enter' | 'delete' | 'backspace' | 'left' | 'right' | GateKey>;

const SCROLL_LINES = 3;

/** The chat, until the person quits. */
export async function openChat({ locate, coloured, threadId, notices, draft }: ChatOptions): Promise<void> {
  const colours = createColours(coloured);
  const markdown = createMarkdown(colours);
  const quit = Promise.withResolvers<void>();
  const unfolded = new Set<string>();
  let cleared: string | undefined; // the last entry that was cleared away
  let focused: string | undefined;
  let connection: ConnectionState = 'connecting';
  let lostAt = 0;
  let defaultModel = '';
  let chosenModel: string | undefined;
  let greeted = false;

  const service = connectService(locate);
  const { client, socket } = service;
  const offers = createOffers(client);
  const screen = createScreen({
    colours,
    offers,
    look: () => ({ colours, markdown, focused, unfolded }),
    status,
    onSubmit: (text) => void submit(text).catch(tellFailure),
    onKey: press,
    onOther() {
      if (focused !== undefined) focusOn(undefined);
    },
  });
  const thread = createThreadView({ service, onChange: () => screen.show(shown()) });
  socket.onConnection(() => onConnection(socket.connection().state === 'live'));
  socket.onMessage((message) => {
    if (message.type === 'error') thread.note(message.error.message, 'failed');
  });

  const prompts = () =>
    thread.now().entries.flatMap((entry) => {
      const isPrompt = entry.kind === 'queued' || (entry.kind === 'said' && entry.role === 'user');
      return isPrompt ? [entry.text] : [];
    });
  const history = createPromptHistory(prompts);

  const modelChoice: ModelChoice = {
    get: () => chosenModel,
    set(route) {
      chosenModel = route;
      screen.draw();
    },
  };

  const versions = createVersions({ screen, thread, chosenModel: () => chosenModel, focusOn });

  function shown(): readonly Entry[] {
    const { entries } = thread.now();
    return cleared === undefined ? entries : entries.slice(entries.findLastIndex(({ id }) => id === cleared) + 1);
  }

  function status(width: number): string {
    const { usage, running, trouble } = thread.now();
    const lostFor = Math.round((Date.now() - lostAt) / 1000);
    const model = chosenModel === undefined || chosenModel === DEFAULT ? defaultModel : chosenModel;
    const state = {
      model,
      usage,
      connection,
      lostFor,
      running: running !== undefined,
      trouble,
      editing: versions.isEditing(),
      scrolled: !screen.isAtEnd(),
    };
    return renderStatus(state, width, colours);
  }

  function tellFailure(error: unknown): void {
    thread.note(error instanceof Error ? error.message : String(error), 'failed');
  }

  function onConnection(isLive: boolean): void {
    const before = connection;
    connection = isLive ? 'live' : before === 'connecting' ? 'connecting' : 'lost';
    if (connection === 'lost' && before === 'live') {
      lostAt = Date.now();
      thread.note('The service is gone. Waiting for it to come back; what you type stays.', 'failed');
    }
    if (isLive && before === 'lost')
      thread.note(`Connected again after ${((Date.now() - lostAt) / 1000).toFixed(1)} s.`);
    if (isLive && !greeted) {
      greeted = true;
      void offers.commands(); // so that they are there when a slash is typed
      void greet().catch(tellFailure);
    }
    screen.draw();
  }

  async function greet(): Promise<void> {
    const found: ServiceStatus = await client.call('GET /api/status');
    defaultModel = found.model.demo ? 'demo model' : found.model.name;
    if (threadId) await thread.open(threadId);
    const hasGateway = (await locate())?.hasGateway ?? false;
    const link = hasGateway ? await client.call('POST /api/sign-in-links') : undefined;
    thread.note(greetingOf(found, link?.url));
    for (const notice of notices) thread.note(notice, 'failed');
  }

  function focusOn(id: string | undefined): void {
    focused = id;
    screen.draw();
  }

  /** Says whether the key has done something; otherwise it is the composer's. */
  function press(key: Key): boolean {
    switch (key) {
      case 'ctrl+c':
        quit.resolve();
        return true;
      case 'ctrl+l':
        cleared = thread.now().entries.at(-1)?.id;
        screen.show(shown());
        return true;
      case 'ctrl+d':
        if (screen.draft.get() !== '') return false;
        quit.resolve();
        return true;
      case 'ctrl+p':
      case 'ctrl+n':
        recall(key === 'ctrl+p' ? -1 : 1);
        return true;
      case 'ctrl+r':
        void search().catch(tellFailure);
        return true;
      case 'tab':
      case 'shift+tab':
        focusOn(nextFocus(shown(), focused, key === 'tab' ? 1 : -1));
        return true;
      case 'escape':
        goBack();
        return true;
      case 'up':
      case 'down':
        screen.scroll(key === 'up' ? -SCROLL_LINES : SCROLL_LINES);
        return true;
      default:
        return pressFocused(key);
    }
  }

  function pressFocused(key: FocusKey): boolean {
    const entry = shown().find(({ id }) => id === focused);
    if (entry?.kind === 'queued' && (key === 'delete' || key === 'backspace' || (key === 'enter' && entry.editable))) {
      focusOn(undefined);
      void withdraw(entry, key === 'enter').catch(tellFailure);
      return true;
    }
    if (entry?.kind === 'gate' && entry.answer === undefined) {
      void answer(entry, key).catch(tellFailure);
      return true;
    }
    if (entry?.kind === 'tool' && key === 'enter') {
      if (!unfolded.delete(entry.id)) unfolded.add(entry.id);
      screen.draw();
      return true;
    }
    if (entry?.kind === 'said' && (key === 'left' || key === 'right')) {
      void versions.show(entry, key === 'left' ? -1 : 1).catch(tellFailure);
      return true;
    }
    if (entry?.kind === 'said' && entry.isRefused && key === 'enter') {
      focusOn(undefined);
      void submit(entry.written ?? entry.text).catch(tellFailure);
      return true;
    }
    if (entry?.kind === 'said' && entry.role === 'user' && key === 'enter') {
      versions.edit(entry);
      return true;
    }
    focusOn(undefined);
    return false;
  }

  async function search(): Promise<void> {
    focused = undefined;
    const prompt = await screen.searchPrompts(prompts());
    if (prompt !== undefined) screen.draft.set(prompt);
    screen.draw();
  }

  function recall(step: -1 | 1): void {
    focused = undefined;
    const prompt = history.move(step, screen.draft.get());
    if (prompt !== undefined) screen.draft.set(prompt);
    screen.draw();
  }

  function goBack(): void {
    const { running } = thread.now();
    if (focused !== undefined) focusOn(undefined);
    else if (versions.isEditing()) versions.stop();
    else if (running !== undefined) socket.send({ type: 'cancel', turn_id: running });
    else screen.scrollToEnd();
  }

  /** A message that is edited moves into the composer, before what is typed there. */
  async function withdraw({ id, text }: Extract<Entry, { kind: 'queued' }>, edit: boolean): Promise<void> {
    await thread.withdraw(id);
    if (edit) screen.draft.set([text, screen.draft.get()].filter(Boolean).join('\n'));
  }

  /** The next key belongs to the composer, unless the person goes back. */
  async function answer({ gate, unticked }: Extract<Entry, { kind: 'gate' }>, key: string): Promise<void> {
    if (!keysOf(gate, unticked).some((known) => known === key)) return;
    const call = gate.calls[TICK_KEYS.findIndex((digit) => digit === key)];
    if (call) return thread.tick(call.call_id);
    focusOn(undefined);
    const means = { client, screen, say: (text: string) => thread.note(text) };
    const answered = await answerGate(means, gate, key, tickedCalls(gate, unticked));
    if (answered === undefined) focusOn(gate.id);
    else thread.markAnswered(gate, answered);
  }

  async function submit(text: string): Promise<void> {
    const command = parseCommand(text);
    if (command === 'unknown') {
      if (!(await writeTemplate({ screen, client }, text))) thread.note(`There is no such command.\n\n${HELP}`);
      return;
    }
    if (command) return runChatCommand({ screen, client, thread, model: modelChoice, versions }, command);
    if (text.trim() === '') return;
    if (versions.isEditing()) return versions.send(text);
    screen.scrollToEnd();
    try {
      await thread.send(text, chosenModel, await readAttachedFiles(text, process.cwd(), resourceReader(client)));
    } catch (error) {
      if (screen.draft.get() === '') screen.draft.set(text);
      throw error;
    }
  }

  const ticking = setInterval(() => {
    void draft.keep(screen.draft.get());
    if (connection === 'lost') screen.draw();
  }, 1000);
  const onSignal = () => quit.resolve();
  process.once('SIGTERM', onSignal).once('SIGHUP', onSignal);
  screen.draft.set(await draft.read());
  screen.start();
  try {
    await quit.promise;
  } finally {
    clearInterval(ticking);
    process.off('SIGTERM', onSignal).off('SIGHUP', onSignal);
    await draft.keep(screen.draft.get());
    service.close();
    focused = undefined;
    await screen.stop(lastExchange(thread.now()));
  }
}

/** What was asked last, all that came of it, and the way back to it. */
function lastExchange({ entries, threadId }: Shown): readonly Entry[] {
  const asked = entries.findLastIndex((entry) => entry.kind === 'said' && entry.role === 'user');
  if (asked === -1) return [];
  const text = `Continue with: reborn --thread ${threadId}`;
  const wayBack = threadId ? [{ kind: 'note', id: 'way-back', tone: 'plain', text } as const] : [];
  return [...entries.slice(asked), ...wayBack];
}
