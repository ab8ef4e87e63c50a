import { z } from 'zod';
import { citeText, linkToSource, type ShownCitation } from '#domain/search/cited-text.ts';
import { type MessageBody, textOf } from '#domain/thread/item.ts';

/** A source of the answer, at the link that replaces it in the text. */
export const urlCitation = z
  .strictObject({
    type: z.literal('url_citation'),
    url: z.string().min(1),
    title: z.string(),
    start_index: z.int().min(0),
    end_index: z.int().min(1),
  })
  .meta({ id: 'UrlCitation', description: 'The indexes count UTF-16 units, as JavaScript does.' });

export type UrlCitation = z.infer<typeof urlCitation>;

/** The text of a message with links in the place of its markers, and where they are. */
export function renderSources({ content, citations }: Pick<MessageBody, 'content' | 'citations'>): {
  readonly text: string;
  readonly annotations: readonly UrlCitation[];
} {
  const { text, shown } = citeText(textOf(content), citations, linkToSource);
  return { text, annotations: shown.map(renderCitation) };
}

const renderCitation = ({ start, end, source }: ShownCitation): UrlCitation => ({
  type: 'url_citation',
  url: source.url,
  title: source.title,
  start_index: start,
  end_index: end,
});
