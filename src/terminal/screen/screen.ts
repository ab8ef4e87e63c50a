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
import { createLineInput, type LineInput } from './line-input.ts';
import type { Look } from './look.ts';
import { type Choice, createPicker, type Picked, type PickKey } from './picker.ts';
import { createTranscript } from './transcript.ts';

/** The keys that mean something outside of the composer. */
const KEYS = [
  'ctrl+c',
  'ctrl+l',
  'ctrl+d',
  'ctrl+p',
  'ctrl+n',
  'ctrl+r',
  'ctrl+z',
  'ctrl+g',
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
  isSearching(): boolean;
  draft: { get(): string; set(text: string): void };
  /** The chosen value; undefined when the person went back. */
  pick(title: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** The same, where other keys than Enter choose, too. */
  pickWith(keys: readonly PickKey[], title: string, choices: readonly Choice[]): Promise<Picked | undefined>;
  /** One line; undefined when the person went back. */
  ask(question: string): Promise<string | undefined>;
  askSecret(question: string): Promise<string | undefined>;
  /** What is typed in the line that is asked for, unless it is a secret. */
  asked(): string;
  setTitle(title: string): void;
  ring(): void;
  /** Puts a text into the clipboard of the person's machine, also over ssh, if their terminal allows it. */
  copy(text: string): void;
  /** Lets something else have the terminal. */
  lend<T>(act: () => T | Promise<T>): Promise<T>;
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

/** The library's own words, in those of the chat, and as long. */
class ChatScreen extends TuiAltScreen {
  override showOverlay(...[component, options]: Parameters<TuiAltScreen['showOverlay']>) {
    const render = component.render.bind(component);
    component.render = (width) => render(width).map((line) => line.replace('ind in transcript', 'ind in the thread'));
    return super.showOverlay(component, options);
  }
}

/** All that the chat knows of the terminal library. It draws on the alternate screen, in synchronised updates. */
export function createScreen(options: Options): Screen {
  const { colours } = options;
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, BINDINGS));
  const terminal = new ProcessTerminal();
  const tui = new ChatScreen(terminal, true);
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
  const pickWith: Screen['pickWith'] = (keys, title, choices) =>
    slot.lend<Picked | undefined>((onDone) => createPicker({ title, choices, colours, keys, onDone }));
  let line: LineInput | undefined;
  async function askLine(question: string, hidden: boolean): Promise<string | undefined> {
    const answer = await slot.lend<string | undefined>(
      (onDone) => (line = createLineInput({ question, colours, hidden, onDone })),
    );
    line = undefined;
    return answer;
  }

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
    isSearching: () => tui.hasOverlay(),
    draft: {
      get: () => composer.getExpandedText(),
      set(text) {
        composer.setText(text);
        tui.requestRender();
      },
    },
    pick: async (title, choices) => (await pickWith([], title, choices))?.value,
    pickWith,
    ask: (question) => askLine(question, false),
    askSecret: (question) => askLine(question, true),
    asked: () => line?.typed() ?? '',
    setTitle: (title) => terminal.setTitle(title),
    ring: () => terminal.write('\x07'),
    copy: (text) => terminal.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
    lend: (act) => lendTerminal(tui, act, () => stopped),
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

/** `isOver`: the terminal was given back for good meanwhile. */
async function lendTerminal<T>(tui: TUI, act: () => T | Promise<T>, isOver: () => boolean): Promise<T> {
  tui.stop({ preserveScreen: true });
  try {
    return await act();
  } finally {
    if (!isOver()) tui.start();
    tui.requestRender(true); // a frame that was asked for before was never drawn
  }
}

/** True when the key has done its work here. */
function takeInput(data: string, { onKey, onOther, onSubmit }: Options, composer: Composer, slot: Slot): boolean {
  if (isKeyRelease(data)) return false;
  const key = isNewLine(data) ? undefined : KEYS.find((candidate) => matchesKey(data, candidate));
  if (key === 'ctrl+c' || key === 'ctrl+l' || key === 'ctrl+z') return onKey(key);
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
