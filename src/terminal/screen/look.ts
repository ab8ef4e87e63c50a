import type { Colours } from './colours.ts';
import type { RenderMarkdown } from './render-markdown.ts';

/** What the lines of an entry depend on besides the entry. */
export type Look = {
  readonly colours: Colours;
  readonly markdown: RenderMarkdown;
  readonly focused: string | undefined;
  readonly unfolded: ReadonlySet<string>;
};
