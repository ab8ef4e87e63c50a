import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ComponentProps, createContext, use, useEffect, useState } from 'react';
import type { ExtraProps } from 'streamdown';
import { requestFile } from '../../client/files.ts';
import { Button } from '../../parts/button.tsx';
import { wordsOf } from '../../parts/error-words.ts';

/** The path of the service that fetches an image of the text. Without one, images are only named. */
export const ImagePath = createContext<((url: string) => string) | undefined>(undefined);

/** An image that is part of the text is shown. One on another host is loaded when the person asks for it. */
export function MarkdownImage({ src, alt }: ComponentProps<'img'> & ExtraProps) {
  const imagePath = use(ImagePath);
  const words = alt || t`without a description`;
  if (typeof src === 'string' && INLINE.test(src)) return <Picture url={src} alt={words} />;
  if (imagePath && typeof src === 'string' && /^https:\/\//i.test(src))
    return <RemoteImage url={src} path={imagePath(src)} words={words} />;
  return (
    <span className="text-soft">
      <Trans>[image: {words}]</Trans>
    </span>
  );
}

const INLINE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/=\s]+$/i;

const Picture = ({ url, alt }: { readonly url: string; readonly alt: string }) => (
  <img src={url} alt={alt} className="max-h-[480px] max-w-full card" />
);

/** The address is shown in full, because loading the image sends it to that host. */
function RemoteImage({ url, path, words }: { readonly url: string; readonly path: string; readonly words: string }) {
  const [loaded, setLoaded] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const [loading, setLoading] = useState(false);
  useEffect(() => () => void (loaded && URL.revokeObjectURL(loaded)), [loaded]);
  if (loaded) return <Picture url={loaded} alt={words} />;

  const load = () => {
    setLoading(true);
    setProblem(undefined);
    requestFile(path)
      .then((file) => setLoaded(file.url), setProblem)
      .finally(() => setLoading(false));
  };
  return (
    <span className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken p-3 text-interface">
      <span className="min-w-0 flex-1 basis-60">
        <span className="block break-words">
          <Trans>Image: {words}</Trans>
        </span>
        <span className="block break-all font-mono text-meta text-soft">{url}</span>
        {problem !== undefined && (
          <span role="alert" className="block text-meta text-failed">
            {wordsOf(problem)}
          </span>
        )}
      </span>
      <Button
        onClick={load}
        disabled={loading}
        title={t`The service fetches it. The host gets this address and nothing else.`}
      >
        {loading ? t`Loading` : t`Load image`}
      </Button>
    </span>
  );
}
