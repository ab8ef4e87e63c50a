import { createCodePlugin } from '@streamdown/code';
import { defaultRehypePlugins, Streamdown, type StreamdownProps } from 'streamdown';
import { MarkdownImage, MarkdownLink, MarkdownTable } from './markdown-parts.tsx';

type Plugins = NonNullable<StreamdownProps['rehypePlugins']>;

export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }) {
  return (
    <Streamdown
      className="prose"
      mode={streaming ? 'streaming' : 'static'}
      isAnimating={streaming}
      plugins={{ code: CODE }}
      skipHtml
      rehypePlugins={REHYPE_PLUGINS}
      controls={CONTROLS}
      lineNumbers={false}
      codeBlockMaxHeight={0}
      linkSafety={{ enabled: false }}
      components={{ a: MarkdownLink, img: MarkdownImage, table: MarkdownTable }}
    >
      {text}
    </Streamdown>
  );
}

/** The usual themes are too pale on our surfaces. */
const CODE = createCodePlugin({ themes: ['github-light-high-contrast', 'github-dark-high-contrast'] });

const CONTROLS: NonNullable<StreamdownProps['controls']> = {
  table: false,
  code: { copy: true, download: false },
  mermaid: false,
  image: false,
};

/**
 * A model's text may contain text that another person planted. No HTML is rendered, links lead to the web or a
 * mail program and nowhere else, and no image is fetched: its address could carry away what was said.
 */
const REHYPE_PLUGINS: Plugins = Object.entries(defaultRehypePlugins).flatMap(([name, plugin]): Plugins => {
  if (name === 'raw') return [];
  if (name !== 'harden' || !Array.isArray(plugin)) return [plugin];
  const options = {
    defaultOrigin: location.origin,
    allowedLinkPrefixes: ['*'],
    allowedProtocols: ['mailto:'],
    allowedImagePrefixes: [],
    allowDataImages: false,
  };
  return [[plugin[0], options]];
});
