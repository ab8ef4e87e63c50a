import { runChatCommand } from './chat-commands.ts';
import { createColours } from './colours.ts';
import { HELP, parseCommand } from './commands.ts';
import {
  type Conversation,
  type Entry,
  emptyConversation,
  findOpenGate,
  withAnswer,
  withEvent,
  withGate,
  withItems,
  withNote,
} from './conversation.ts';
import type { Address } from './gateway-calls.ts';
import type { GateAnswer, NumberedTurnEvent, ServerMessage, WireGate } from './gateway-messages.ts';
import type { ConnectionState } from './gateway-socket.ts';
import { createMarkdown } from './render-markdown.ts';
import { renderStatus } from './render-status.ts';
import { createScreen, type Key, type Screen } from './screen.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';

export type ChatOptions = {
  /** Where the service is now; asked again whenever the line was lost. */
  readonly locate: () => Promise<Address | undefined>;
  readonly coloured: boolean;
  readonly threadId: string | undefined;
  /** What the person shall know before the first message. */
  readonly notices: readonly string[];
};

/** What the commands of the chat work with. */
export type Chat = {
  readonly screen: Screen;
  readonly client: ServiceClient;
  threadId(): string | undefined;
  say(text: string, tone?: 'plain' | 'failed'): void;
  begin(): void;
  open(threadId: string): Promise<void>;
};

const MOST_ITEMS = 1000;
const SCROLL_LINES = 3;
/** Keys that were meant for the composer must not answer a question that has just come up. */
const CALM_MS = 700;

/** The chat, until the person quits. */
export async function openChat({ locate, coloured, threadId, notices }: ChatOptions): Promise<void> {
  const colours = createColours(coloured);
  const markdown = createMarkdown(colours);
  const quit = Promise.withResolvers<void>();
  const unfolded = new Set<string>();
  let conversation = emptyConversation(threadId);
  let cleared = 0;
  let focused: string | undefined;
  let connection: ConnectionState = 'connecting';
  let lostAt = 0;
  let model = '';
  let loginUrl: string | null | undefined;
  let pressedAt = 0;
  let waiting: NumberedTurnEvent[] | undefined; // while a thread is being loaded

  const screen = createScreen({
    colours,
    look: () => ({ colours, markdown, focused, unfolded }),
    status: (width) =>
      renderStatus(
        {
          model,
          usage: conversation.usage,
          connection,
          lostFor: Math.round((Date.now() - lostAt) / 1000),
          running: conversation.running !== undefined,
          scrolled: !screen.isAtEnd(),
          message: undefined,
        },
        width,
        colours,
      ),
    onSubmit: (text) => void submit(text).catch(tellFailure),
    onKey: press,
    onOther() {
      pressedAt = Date.now();
      if (focused !== undefined) focusOn(undefined);
    },
  });
  const client = createServiceClient({ locate, onState, onMessage });
  const chat: Chat = { screen, client, threadId: () => conversation.threadId, say, begin, open };

  function update(next: Conversation): void {
    conversation = next;
    screen.show(conversation.entries.slice(cleared));
  }

  function say(text: string, tone: 'plain' | 'failed' = 'plain'): void {
    update(withNote(conversation, text, tone));
  }

  function tellFailure(error: unknown): void {
    say(error instanceof Error ? error.message : String(error), 'failed');
  }

  function onState(state: ConnectionState, address: Address | undefined): void {
    const before = connection;
    connection = state;
    if (state === 'lost' && before === 'live') {
      lostAt = Date.now();
      say('The service is gone. Waiting for it to come back; what you type stays.', 'failed');
    }
    if (state === 'live') {
      if (before === 'lost' && lostAt > 0) say(`Connected again after ${((Date.now() - lostAt) / 1000).toFixed(1)} s.`);
      if (loginUrl === undefined) void greet(address).catch(tellFailure);
    }
    screen.draw();
  }

  async function greet(address: Address | undefined): Promise<void> {
    loginUrl = address?.loginUrl ?? null;
    const me = (await client.get('/api/status')) as { model: { provider: string; name: string; demo: boolean } };
    model = me.model.demo ? 'demo model' : me.model.name;
    if (loginUrl) say(`In a browser: ${loginUrl}`);
    if (me.model.demo) say('The demo model answers. `reborn init` sets a real one.');
    for (const notice of notices) say(notice, 'failed');
    if (threadId) await open(threadId);
    screen.draw();
  }

  function onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'turn-event':
        if (message.thread_id !== conversation.threadId) return;
        if (waiting) return void waiting.push(message);
        return apply(message);
      case 'gate':
        if (message.gate.thread_id === conversation.threadId) openGate(message.gate);
        return;
      case 'error':
        return say(message.error.message, 'failed');
    }
  }

  function apply(event: NumberedTurnEvent): void {
    update(withEvent(conversation, event, Date.now()));
    if (event.event.type === 'turn-ended' && event.event.status === 'waiting') void findGate().catch(tellFailure);
  }

  async function findGate(): Promise<void> {
    const { threadId: id } = conversation;
    const gate = id && (await client.findGate(id));
    if (gate && id === conversation.threadId) openGate(gate);
  }

  function openGate(gate: WireGate): void {
    update(withGate(conversation, gate));
    const isCalm = Date.now() - pressedAt > CALM_MS && screen.draft.get() === '';
    if (isCalm && findOpenGate(conversation)?.id === gate.id) focusOn(gate.id);
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
        cleared = conversation.entries.length;
        update(conversation);
        return true;
      case 'tab':
      case 'shift+tab':
        focusNext(key === 'tab' ? 1 : -1);
        return true;
      case 'escape':
        goBack();
        return true;
      case 'up':
      case 'down':
        screen.scroll(key === 'up' ? -SCROLL_LINES : SCROLL_LINES);
        return true;
      default:
        pressedAt = Date.now();
        return pressFocused(key);
    }
  }

  function pressFocused(key: 'enter' | 'y' | 'a' | 'n'): boolean {
    const entry = conversation.entries.find(({ id }) => id === focused);
    if (entry?.kind === 'gate' && entry.answer === undefined) {
      void answer(entry.gate, key).catch(tellFailure);
      return true;
    }
    if (entry?.kind === 'tool' && key === 'enter') {
      if (!unfolded.delete(entry.id)) unfolded.add(entry.id);
      screen.draw();
      return true;
    }
    focusOn(undefined);
    return false;
  }

  /** From the composer to the newest question or call, on to older ones, and back. */
  function focusNext(step: 1 | -1): void {
    const ring = [
      undefined,
      ...conversation.entries
        .slice(cleared)
        .filter(isFocusable)
        .toReversed()
        .map(({ id }) => id),
    ];
    focusOn(ring.at((ring.indexOf(focused) + step) % ring.length));
  }

  function goBack(): void {
    if (focused !== undefined) return focusOn(undefined);
    if (conversation.running !== undefined) return client.cancel(conversation.running);
    screen.scrollToEnd();
  }

  async function answer(gate: WireGate, key: 'enter' | 'y' | 'a' | 'n'): Promise<void> {
    const chosen = answerFor(gate, key);
    if (!chosen) return;
    if (gate.kind === 'auth' && chosen === 'approve' && !(await giveSecret(gate))) return;
    await client.answerGate(gate.id, chosen);
    focused = undefined;
    update(withAnswer(conversation, gate.id, ANSWERS[chosen]));
  }

  /** Asks for what the tool lacks; false when the person gave up. */
  async function giveSecret(gate: WireGate): Promise<boolean> {
    const { tools } = (await client.get('/api/tools')) as { tools: readonly ToolWithAuth[] };
    const tool = tools.find(({ name }) => name === gate.call.name);
    if (!tool?.auth || !tool.needs_sign_in) return true;
    const { auth } = tool;
    if (auth.oauth) say(`Run \`reborn tool auth ${tool.name}\` in another terminal to sign in, then answer y again.`);
    if (auth.oauth) return false;
    if (auth.instructions) say(auth.setup_url ? `${auth.instructions} ${auth.setup_url}` : auth.instructions);
    const value = await screen.askSecret(`${auth.display_name ?? auth.secret_name} (hidden, Esc gives up)`);
    if (!value) return false;
    await client.post(`/api/tools/${tool.name}/secret`, { name: auth.secret_name, value });
    return true;
  }

  async function submit(text: string): Promise<void> {
    const command = parseCommand(text);
    if (command === 'unknown') return say(`There is no such command.\n\n${HELP}`);
    if (command) return runChatCommand(chat, command);
    if (text.trim() === '') return;
    screen.scrollToEnd();
    try {
      const accepted = await client.send(text, conversation.threadId);
      if (conversation.threadId === undefined) update({ ...conversation, threadId: accepted.thread_id });
      if (conversation.threadId !== accepted.thread_id) return;
      // Its events may have come before this answer, and be over already.
      if (conversation.last?.turnId !== accepted.turn_id) update({ ...conversation, running: accepted.turn_id });
      if (followedId !== accepted.thread_id) follow({ turnId: accepted.turn_id, sequence: -1 });
    } catch (error) {
      if (screen.draft.get() === '') screen.draft.set(text);
      throw error;
    }
  }

  let followedId: string | undefined;

  function follow(from?: { turnId: string; sequence: number }): void {
    const id = conversation.threadId;
    if (!id) return;
    followedId = id;
    client.follow(id, () => conversation.last ?? from);
  }

  function begin(): void {
    client.unfollow();
    followedId = undefined;
    cleared = 0;
    focused = undefined;
    update(emptyConversation());
  }

  /** Subscribed before the items are read, so that nothing said in between is missed; what comes twice is known by its id. */
  async function open(id: string): Promise<void> {
    const thread = await client.getThread(id);
    begin();
    waiting = [];
    conversation = emptyConversation(id, thread.usage);
    follow();
    try {
      update(withItems(conversation, await client.listItems(id, MOST_ITEMS)));
    } finally {
      const late = waiting;
      waiting = undefined;
      for (const event of late) apply(event);
    }
    screen.scrollToEnd();
    if (thread.status === 'waiting') await findGate();
  }

  const ticking = setInterval(() => connection === 'lost' && screen.draw(), 1000);
  const onSignal = () => quit.resolve();
  process.once('SIGTERM', onSignal).once('SIGHUP', onSignal);
  screen.start();
  try {
    await quit.promise;
  } finally {
    clearInterval(ticking);
    process.off('SIGTERM', onSignal).off('SIGHUP', onSignal);
    client.close();
    await screen.stop(lastExchange(conversation.entries));
  }
}

type ToolWithAuth = {
  readonly name: string;
  readonly needs_sign_in: boolean;
  readonly auth: {
    readonly secret_name: string;
    readonly display_name: string | null;
    readonly instructions: string | null;
    readonly setup_url: string | null;
    readonly oauth: boolean;
  } | null;
};

const ANSWERS = { approve: 'approved', always: 'approved, and from now on for calls like it', deny: 'denied' } as const;

function answerFor({ kind }: WireGate, key: 'enter' | 'y' | 'a' | 'n'): GateAnswer | undefined {
  if (key === 'n') return 'deny';
  if (key === 'y' && (kind === 'approval' || kind === 'auth')) return 'approve';
  return key === 'a' && kind === 'approval' ? 'always' : undefined;
}

const isFocusable = (entry: Entry) => entry.kind === 'tool' || (entry.kind === 'gate' && entry.answer === undefined);

/** What was asked last, and all that came of it. */
function lastExchange(entries: readonly Entry[]): readonly Entry[] {
  const asked = entries.findLastIndex((entry) => entry.kind === 'said' && entry.role === 'user');
  return asked === -1 ? [] : entries.slice(asked);
}
