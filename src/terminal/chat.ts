import { createAttention } from './attention.ts';
import { type Chat, createModelChoice, runChatCommand } from './chat-commands.ts';
import { HELP, parseCommand } from './commands.ts';
import { type Connection, createConnection } from './connection.ts';
import { createDrafts, type DraftStore, type Drafts } from './drafts.ts';
import type { Entry } from './entries.ts';
import { readAttachedFiles, resourceReader } from './files/attached-files.ts';
import { describeFailure } from './files/describe-failure.ts';
import { createFocus } from './focus.ts';
import { createEarlierPrompts } from './history/earlier-prompts.ts';
import { createPromptHistory } from './history/prompt-history.ts';
import { createOffers } from './offers.ts';
import { pressKey } from './press-key.ts';
import { createColours } from './screen/colours.ts';
import { createMarkdown } from './screen/render-markdown.ts';
import { renderStatus, type Status } from './screen/render-status.ts';
import { createScreen, type Screen } from './screen/screen.ts';
import { connectService, type Locate, type Service } from './service.ts';
import { createAssistantChoice } from './slash/choose-assistant.ts';
import { createThreadView, type Shown, type ThreadView } from './thread-view.ts';
import { createVersions } from './versions.ts';
import { writeTemplate } from './write-prompt.ts';

export type ChatOptions = {
  /** Where the service is now; asked again whenever the line was lost. */
  readonly locate: Locate;
  readonly coloured: boolean;
  readonly threadId: string | undefined;
  /** Shown before the first message. */
  readonly notices: readonly string[];
  readonly drafts: DraftStore;
  /** Opens a text in the person's editor. */
  readonly editText: (text: string) => Promise<string>;
};

/** The chat, until the person quits. */
export async function openChat(options: ChatOptions): Promise<void> {
  const quit = Promise.withResolvers<void>();
  const service = connectService(options.locate);
  const end = () => quit.resolve();
  const { chat, connection } = createChat(options, service, end);
  const { screen, thread, drafts } = chat;
  const ticking = setInterval(() => {
    void drafts.keep();
    if (connection.state() === 'lost' || thread.now().running !== undefined) screen.draw(); // they show seconds
  }, 1000);
  process.once('SIGTERM', end).once('SIGHUP', end);
  await drafts.restore();
  screen.start();
  try {
    await quit.promise;
  } finally {
    clearInterval(ticking);
    process.off('SIGTERM', end).off('SIGHUP', end);
    await drafts.keep();
    service.close();
    chat.focus.on(undefined);
    await screen.stop(lastExchange(thread.now()));
  }
}

function createChat(options: ChatOptions, service: Service, quit: () => void) {
  const { client, socket } = service;
  const colours = createColours(options.coloured);
  const markdown = createMarkdown(colours);
  const offers = createOffers(client);
  const screen = createScreen({
    colours,
    offers,
    look: () => ({ colours, markdown, focused: focus.id(), unfolded: focus.unfolded }),
    status: (width) => renderStatus(statusNow(chat, connection, attention.workedFor()), width, colours),
    onSubmit: submit,
    onKey: (key) => pressKey(chat, key),
    onOther() {
      if (focus.id() !== undefined) focus.on(undefined);
    },
  });
  const draw = () => screen.draw();
  const attention = createAttention(screen);
  const thread = createThreadView({
    service,
    onChange() {
      screen.show(focus.shown());
      attention.update(thread.now());
    },
  });
  const focus = createFocus(() => thread.now().entries, draw);
  const model = createModelChoice(draw);
  const assistant = createAssistantChoice();
  const drafts = createChatDrafts(options, screen, thread, () => versions.aside());
  const versions = createVersions({
    screen,
    thread,
    drafts,
    chosenModel: () => model.get(),
    focusOn: (id) => focus.on(id),
  });
  const earlier = createEarlierPrompts(client);
  const prompts = createPromptHistory(() => {
    const { threadId, entries } = thread.now();
    return [...earlier.outside(threadId), ...entries.flatMap(promptOf)];
  });
  const parts = { screen, client, socket, offers, thread, drafts, focus, model, assistant, versions, earlier, prompts };
  const { editText } = options;
  const chat: Chat = { ...parts, editText, submit, sendNow: (text) => sendNow(chat, text), attempt, quit };
  const connection = createConnection(chat, options);
  socket.onConnection(() => connection.change(socket.connection().state === 'live'));
  socket.onMessage((message) => {
    if (message.type === 'error') thread.note(message.error.message, 'failed');
  });

  function submit(text: string): void {
    attempt(() => submitText(chat, text));
  }

  function attempt(work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      thread.note(describeFailure(error), 'failed');
    });
  }

  return { chat, connection };
}

function createChatDrafts(
  { drafts: store, threadId }: ChatOptions,
  screen: Screen,
  thread: ThreadView,
  setAside: () => string,
): Drafts {
  return createDrafts({
    store,
    threadId,
    composer: screen.draft,
    shownThread: () => thread.now().threadId,
    besides: () => [setAside(), screen.asked()],
  });
}

function statusNow({ thread, model, versions, screen }: Chat, connection: Connection, workedFor: number): Status {
  const { usage, context = 0, running, stoppable, written, trouble } = thread.now();
  return {
    model: model.name(),
    cost: usage.cost_usd,
    context: { tokens: context, window: model.window() },
    connection: connection.state(),
    lostFor: connection.lostFor(),
    running: running !== undefined,
    stoppable: stoppable !== undefined,
    workedFor,
    written,
    trouble,
    editing: versions.isEditing(),
    searching: screen.isSearching(),
    scrolled: !screen.isAtEnd(),
  };
}

function promptOf(entry: Entry): string[] {
  const isPrompt = entry.kind === 'queued' || (entry.kind === 'said' && entry.role === 'user');
  return isPrompt ? [entry.text] : [];
}

/** Runs a command, or sends a message. */
async function submitText(chat: Chat, text: string): Promise<void> {
  const { thread, versions, drafts } = chat;
  const command = parseCommand(text);
  if (command === 'unknown') {
    if (await writeTemplate(chat, text)) return;
    drafts.giveBack(text);
    return thread.note(`Unknown command.\n\n${HELP}`);
  }
  if (command) return runChatCommand(chat, command);
  if (text.trim() === '') return;
  if (versions.isEditing()) return versions.send(text);
  await sendMessage(chat, text);
}

async function sendMessage(
  { screen, client, thread, drafts, model, assistant }: Chat,
  text: string,
  now = false,
): Promise<void> {
  screen.scrollToEnd();
  await drafts.whileSending(text, async () => {
    const attachments = await readAttachedFiles(text, process.cwd(), resourceReader(client));
    await thread.send(text, { model: model.get(), assistant: assistant.get(), attachments, now });
  });
}

async function sendNow(chat: Chat, text: string): Promise<void> {
  if (text.trim() !== '') return sendMessage(chat, text, true);
  const waiting = chat.thread.now().entries.find((entry) => entry.kind === 'queued');
  if (!waiting) return chat.thread.note('No message waits. Say what should be read now: /now leave out June');
  await chat.thread.sendNow(waiting.id);
}

/** What was asked last, all that came of it, and the way back to it. */
function lastExchange({ entries, threadId }: Shown): readonly Entry[] {
  const asked = entries.findLastIndex((entry) => entry.kind === 'said' && entry.role === 'user');
  if (asked === -1) return [];
  const text = `Continue with: reborn --thread ${threadId}`;
  const wayBack = threadId ? [{ kind: 'note', id: 'way-back', tone: 'plain', text } as const] : [];
  return [...entries.slice(asked), ...wayBack];
}
