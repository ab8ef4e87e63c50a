import { useId, useMemo, useState } from 'react';
import { defaultRehypePlugins, Streamdown, type StreamdownProps } from 'streamdown';
import { CitedMarks, SourceList } from './citation-chip.tsx';
import { type Citations, citeMarkers } from './cite-markers.ts';
import { CodeBox } from './code-box.tsx';
import { FramesAllowed } from './frames-allowed.ts';
import { createHighlighter } from './highlight/highlighter.ts';
import { startWorker } from './highlight/start-worker.ts';
import { ImagePath, MarkdownImage } from './image.tsx';
import { MarkdownLink } from './links.tsx';
import { markMath } from './math-delimiters.ts';
import { MarkdownTable } from './table.tsx';
import { markDirections } from './text-direction.ts';
import { useMath } from './use-math.ts';

type Props = {
  readonly text: string;
  readonly streaming: boolean;
  /** The path of the service that fetches an image of this text. Without it, images are only named. */
  readonly imagePath?: (url: string) => string;
  /** Whether the page may use frames, which draw diagrams and show previews. */
  readonly frames?: boolean;
  /** The sources that the text cites. */
  readonly citations?: Citations | undefined;
};

export function Markdown({ text, streaming, imagePath, frames = true, citations }: Props) {
  const [key] = useState(() => Math.random().toString(36).slice(2));
  const cited = citeMarkers(text, citations, streaming, key);
  const marked = markMath(cited.text);
  const math = useMath(marked.includes('$$'));
  const plugins = useMemo(() => (math ? { code: CODE, math } : { code: CODE }), [math]);
  const prefix = `${useId()}-`;
  const footnotes = useMemo(() => ({ clobberPrefix: prefix }), [prefix]);
  return (
    <FramesAllowed value={frames}>
      <CitedMarks value={{ key, marks: cited.marks }}>
        <ImagePath value={imagePath}>
          <Streamdown
            className="prose"
            mode={streaming ? 'streaming' : 'static'}
            isAnimating={streaming}
            plugins={plugins}
            skipHtml
            remarkRehypeOptions={footnotes}
            rehypePlugins={REHYPE_PLUGINS}
            controls={false}
            lineNumbers={false}
            codeBlockMaxHeight={0}
            linkSafety={LINK_SAFETY}
            components={COMPONENTS}
          >
            {marked}
          </Streamdown>
        </ImagePath>
        {!streaming && <SourceList sources={cited.sources} />}
      </CitedMarks>
    </FramesAllowed>
  );
}

const COMPONENTS: NonNullable<StreamdownProps['components']> = {
  a: MarkdownLink,
  img: MarkdownImage,
  table: MarkdownTable,
  code: CodeBox,
};

const LINK_SAFETY = { enabled: false };

export const CODE = createHighlighter(startWorker);

type Plugins = NonNullable<StreamdownProps['rehypePlugins']>;

const HARDEN = {
  defaultOrigin: location.origin,
  allowedLinkPrefixes: ['*'],
  allowedProtocols: ['mailto:'],
  allowedImagePrefixes: ['*'],
  allowDataImages: true,
};

/**
 * A model's text may contain text that another person planted. No HTML is rendered, and links lead to the web or a mail
 * program and nowhere else. Images keep their address, and only `MarkdownImage` decides what is done with it.
 */
const SAFE: Plugins = Object.entries(defaultRehypePlugins).flatMap(([name, plugin]): Plugins => {
  if (name === 'raw') return [];
  if (!Array.isArray(plugin)) return [plugin];
  if (name === 'sanitize') return [[plugin[0], withDataImages(plugin[1] as Schema)]];
  return name === 'harden' ? [[plugin[0], HARDEN]] : [plugin];
});

const REHYPE_PLUGINS: Plugins = [...SAFE, markDirections];

type Schema = { readonly protocols?: Readonly<Record<string, readonly string[]>> };

function withDataImages(schema: Schema): Schema {
  const { protocols } = schema;
  return { ...schema, protocols: { ...protocols, src: [...(protocols?.['src'] ?? []), 'data'] } };
}
