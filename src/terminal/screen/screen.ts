import {
  type Component,
  Container,
  isKeyRelease,
  KeybindingsManager,
  type KeyId,
  matchesKey,
  ProcessTerminal,
  ScrollView,
  setKeybindings,
  type TUI,
  TUI_KEYBINDINGS,
  TuiAltScreen,
  VStack,
} from '@earendil-works/pi-tui';
import type { Entry } from '../entries.ts';
import type { Offers } from '../offers.ts';
import type { Colours } from './colours.ts';
import { type Composer, createComposer, endsInBackslash, hasLineToward, isNewLine } from './composer.ts';
import { createLineInput } from './line-input.ts';
import type { Look } from './look.ts';
import { type Choice, createPicker } from './picker.ts';
import { createTranscript } from './transcript.ts';

/** The keys that mean something outside of the composer. */
const KEYS = [
  'ctrl+c',
  'ctrl+l',
  'ctrl+d',
  'ctrl+p',
  'ctrl+n',
  'ctrl+r',
  'ctrl+shift+enter',
  'tab',
  'shift+tab',
  'escape',
  'up',
  'down',
  'left',
  'right',
  'enter',
  'delete',
  'backspace',
  'y',
  'e',
  'a',
  'n',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
] as const;
export type Key = (typeof KEYS)[number];

export type Screen = {
  start(): void;
  /** What the transcript holds now; drawn at the next frame. */
  show(entries: readonly Entry[]): void;
  draw(): void;
  scroll(lines: number): void;
  scrollToEnd(): void;
  isAtEnd(): boolean;
  draft: { get(): string; set(text: string): void };
  /** The chosen value; undefined when the person went back. */
  pick(title: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** One line; undefined when the person went back. */
  ask(question: string): Promise<string | undefined>;
  askSecret(question: string): Promise<string | undefined>;
  setTitle(title: string): void;
  ring(): void;
  /** Puts a text into the clipboard of the person's machine, also over ssh, if their terminal allows it. */
  copy(text: string): void;
  /** Gives the terminal back, with `last` left on it. */
  stop(last: readonly Entry[]): Promise<void>;
};

type Options = {
  readonly colours: Colours;
  readonly offers: Offers;
  readonly look: () => Look;
  readonly status: (width: number) => string;
  readonly onSubmit: (text: string) => void;
  /** Says whether the key was for it; otherwise the composer gets it. */
  readonly onKey: (key: Key) => boolean;
  /** Some other key was pressed. */
  readonly onOther: () => void;
};

const FRAME_MS = 33;

/** All that the chat knows of the terminal library. It draws on the alternate screen, in synchronised updates. */
export function createScreen(options: Options): Screen {
  const { colours } = options;
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, BINDINGS));
  const terminal = new ProcessTerminal();
  const tui = new TuiAltScreen(terminal, true);
  const transcript = createTranscript(options.look);
  const composer = createComposer({ ...options, tui });
  const slot = createSlot(tui, composer);
  const scrollView = new ScrollView(transcript, { follow: 'end', primary: true });
  const status: Component = { render: (width) => [options.status(width)], invalidate() {} };
  tui.setLayoutRoot(
    new VStack([
      { component: scrollView, basis: 0, grow: 1, minSize: 1 },
      { component: slot.container, basis: 'auto', shrink: 1, minSize: 1 },
      { component: status, basis: 'auto' },
    ]),
  );
  tui.addInputListener((data) => (takeInput(data, options, composer, slot) ? { consume: true } : undefined));

  let frame: NodeJS.Timeout | undefined;
  let stopped = false;
  const askLine = (question: string, hidden: boolean) =>
    slot.lend<string | undefined>((onDone) => createLineInput({ question, colours, hidden, onDone }));

  return {
    start: () => tui.start(),
    show(entries) {
      if (stopped) return;
      transcript.show(entries);
      frame ??= setTimeout(() => {
        frame = undefined;
        tui.requestRender();
      }, FRAME_MS);
    },
    draw: () => tui.requestRender(),
    scroll: (lines) => void scrollView.scrollBy(lines),
    scrollToEnd: () => scrollView.scrollToEnd(),
    isAtEnd: () => scrollView.isFollowingEnd,
    draft: {
      get: () => composer.getExpandedText(),
      set(text) {
        composer.setText(text);
        tui.requestRender();
      },
    },
    pick: (title, choices) =>
      slot.lend<string | undefined>((onDone) => createPicker({ title, choices, colours, onDone })),
    ask: (question) => askLine(question, false),
    askSecret: (question) => askLine(question, true),
    setTitle: (title) => terminal.setTitle(title),
    ring: () => terminal.write('\x07'),
    copy: (text) => terminal.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
    async stop(last) {
      stopped = true;
      clearTimeout(frame);
      transcript.show(last);
      tui.setLayoutRoot(transcript);
      await terminal.drainInput(200, 20);
      tui.stop();
    },
  };
}

/** True when the key has done its work here. */
function takeInput(data: string, { onKey, onOther, onSubmit }: Options, composer: Composer, slot: Slot): boolean {
  if (isKeyRelease(data)) return false;
  const key = isNewLine(data) ? undefined : KEYS.find((candidate) => matchesKey(data, candidate));
  if (key === 'ctrl+c' || key === 'ctrl+l') return onKey(key);
  if (slot.isLent() || composer.isShowingAutocomplete()) return false;
  if (key === undefined) {
    onOther();
    return false;
  }
  if ((key === 'up' && hasLineToward(composer, -1)) || (key === 'down' && hasLineToward(composer, 1))) return false;
  if (onKey(key)) return true;
  if (key === 'enter' && endsInBackslash(composer)) {
    const text = composer.getExpandedText();
    composer.setText('');
    onSubmit(text);
    return true;
  }
  return false;
}

type Slot = ReturnType<typeof createSlot>;

/** The place of the composer. */
function createSlot(tui: TUI, composer: Composer) {
  const container = new Container();
  let isLent = false;

  function put(component: Component): void {
    container.clear();
    container.addChild(component);
    tui.setFocus(component);
    tui.requestRender();
  }
  put(composer);

  return {
    container,
    isLent: () => isLent,
    /** Lets something else stand in the composer's place until it is done. */
    async lend<T>(make: (done: (result: T) => void) => Component): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<T>();
      isLent = true;
      put(make(resolve));
      const result = await promise;
      isLent = false;
      put(composer);
      return result;
    },
  };
}

/** Home and End belong to the composer; so do the arrows, unless the screen takes them for scrolling. */
const BINDINGS: Record<string, KeyId[]> = {
  'tui.input.newLine': ['shift+enter', 'ctrl+j', 'alt+enter'],
  'tui.altScreen.top': ['ctrl+home'],
  'tui.altScreen.bottom': ['ctrl+end'],
  'tui.altScreen.search': ['ctrl+f'],
};
