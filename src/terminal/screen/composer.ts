import { Editor, getKeybindings, matchesKey, type TUI } from '@earendil-works/pi-tui';
import type { Offers } from '../offers.ts';
import type { Colours } from './colours.ts';
import { createCompletion } from './complete.ts';

export type Composer = Editor;

type Options = {
  readonly tui: TUI;
  readonly colours: Colours;
  readonly offers: Offers;
  readonly onSubmit: (text: string) => void;
};

const MOST_OFFERS_SHOWN = 12;

/** Where the message is written: one rule above it, commands on offer after a `/`, and files, notes and skills after an `@`. */
export function createComposer({ tui, colours, offers, onSubmit }: Options): Composer {
  const composer = new MarkedEditor(
    colours,
    tui,
    {
      borderColor: colours.faint,
      selectList: {
        selectedPrefix: colours.bold,
        selectedText: colours.bold,
        description: colours.faint,
        scrollInfo: colours.faint,
        noMatch: colours.faint,
      },
    },
    { autocompleteMaxVisible: MOST_OFFERS_SHOWN },
  );
  composer.setAutocompleteProvider(createCompletion(offers, process.cwd()));
  composer.onSubmit = onSubmit;
  return composer;
}

/** Whether Up and Down move inside the text, since it has a line there. */
export function hasLineToward(composer: Composer, step: -1 | 1): boolean {
  const { line } = composer.getCursor();
  const target = line + step;
  return target >= 0 && target < composer.getLines().length;
}

/** The keys for a new line, as different terminals send them. */
export function isNewLine(data: string): boolean {
  return data === '\n' || data === '\x1b\r' || getKeybindings().matches(data, 'tui.input.newLine');
}

/** The editor would take the Enter after a backslash for a new line; here Enter always sends. */
export function endsInBackslash(composer: Composer): boolean {
  const { line, col } = composer.getCursor();
  return composer.getLines()[line]?.[col - 1] === '\\';
}

const BOTTOM = '\u0000bottom';

const MARK = '❯ ';

class MarkedEditor extends Editor {
  readonly #colours: Colours;

  constructor(colours: Colours, ...given: ConstructorParameters<typeof Editor>) {
    super(...given);
    this.#colours = colours;
  }

  protected override renderBottomBorder(): string {
    return BOTTOM;
  }

  override render(width: number): string[] {
    const [rule = '', ...lines] = super.render(width - MARK.length).filter((line) => line !== BOTTOM);
    const wide = rule + this.#colours.faint('─'.repeat(MARK.length));
    return [wide, ...lines.map((line, index) => (index === 0 ? this.#colours.faint(MARK) : '  ') + line)];
  }

  /** Tab completes only in an open list: what else it does is the screen's to say. */
  override handleInput(data: string): void {
    if (matchesKey(data, 'tab') && !this.isShowingAutocomplete()) return;
    super.handleInput(data);
  }
}
