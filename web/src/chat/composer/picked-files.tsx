import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { formatBytes } from '../../format/number.ts';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Picked, pick } from './attachments.ts';

/** The files that the person picks, before they are sent. `chooser` is not seen: `choose` opens it. */
export function usePickedFiles() {
  const [picked, setPicked] = useState<readonly Picked[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const add = (files: Iterable<File>) => void pick(files).then((more) => setPicked((all) => [...all, ...more]));
  const remove = (id: string) => setPicked((all) => all.filter((file) => file.id !== id));
  const setOwn = (id: string, isOwn: boolean) =>
    setPicked((all) => all.map((file) => (file.id === id ? { ...file, isOwn } : file)));
  return {
    picked,
    setPicked,
    add,
    remove,
    choose: () => input.current?.click(),
    chooser: (
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          add(event.target.files ?? []);
          event.target.value = '';
        }}
      />
    ),
    list: <PickedFiles picked={picked} onRemove={remove} onOwn={setOwn} />,
  };
}

type Props = {
  readonly picked: readonly Picked[];
  readonly onRemove: (id: string) => void;
  /** Whether the person wrote the file themselves. */
  readonly onOwn: (id: string, isOwn: boolean) => void;
};

/** The files that go along with the next message; an image shows itself. */
function PickedFiles({ picked, onRemove, onOwn }: Props) {
  if (picked.length === 0) return null;
  return (
    <ul aria-label={t`Attachments`} className="flex flex-wrap gap-2">
      {picked.map(({ id, file, mediaType, isOwn }) => (
        <li key={id} className="chip max-w-full bg-sunken pe-0">
          {mediaType && SHOWN.test(mediaType) ? <Thumbnail file={file} /> : <Icon name="file" />}
          <span className="min-w-0 truncate">{file.name}</span>
          <span className="shrink-0 text-soft">{formatBytes(file.size)}</span>
          <label
            className="flex shrink-0 items-center gap-1"
            title={t`Otherwise it counts as text by others, and the agent asks before it acts.`}
          >
            <input
              type="checkbox"
              role="switch"
              checked={isOwn}
              onChange={(event) => onOwn(id, event.target.checked)}
            />
            <Trans>I wrote this</Trans>
          </label>
          <IconButton icon="close" label={t`Remove ${file.name}`} onClick={() => onRemove(id)} />
        </li>
      ))}
    </ul>
  );
}

const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

function Thumbnail({ file }: { readonly file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url && <img src={url} alt={file.name} className="-ms-2 size-12 shrink-0 rounded-s-sm object-cover" />;
}
