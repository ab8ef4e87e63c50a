import type { ItemId, TurnId } from '../ids.ts';

/** A page that a search has found, or that was read, with the text of it that the model saw. */
export type NewSource = {
  /** As `sourceAddress` writes it: a page has one number in a thread. */
  readonly url: string;
  readonly title: string;
  /** As the engine or the page writes it; null when it is not known. */
  readonly published: string | null;
  readonly how: 'found' | 'read';
  readonly text: string;
};

export type NumberedSource = NewSource & { readonly number: number };

/** A stored source: a page has one for each text of it that the model saw. */
export type Source = NumberedSource & {
  readonly sha256: string;
  readonly turnId: TurnId | null;
  readonly itemId: ItemId | null;
  readonly createdAt: Date;
};

/** Numbered sources as `write_items` takes them. */
export const sourceFields = (item: ItemId, sources: readonly NumberedSource[]): object[] =>
  sources.map(({ number, url, title, published, how, text }) => ({
    item,
    number,
    url: storable(url),
    title: storable(title),
    published: published && storable(published),
    how,
    text: storable(text),
  }));

/** PostgreSQL stores no zero characters and no halves of characters. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', ' ');
