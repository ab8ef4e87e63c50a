import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ownTextOf } from '@reborn-agent/client/message-text';
import { holdsTextByOthers } from '@reborn-agent/client/text-by-others';
import type { MessageEntry } from '@reborn-agent/client/turn-entries';
import { type KeyboardEvent, useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import { FoldedText } from './folded-text.tsx';
import { OriginMark } from './origin-mark.tsx';
import { CopyButton, MessageTime, RowActions } from './row-actions.tsx';
import type { VersionPosition } from './rows.ts';
import { SentFiles } from './sent-files.tsx';
import { Speaker } from './speaker.tsx';
import { VersionArrows } from './version-arrows.tsx';

type Props = {
  readonly entry: MessageEntry;
  readonly turnId: string;
  readonly versions: readonly VersionPosition[];
};

export function UserMessage({ entry, turnId, versions }: Props) {
  const { isIdle, editing: edited, setEditing: edit } = useActions();
  const editing = edited === entry.id;
  const setEditing = (isEdited: boolean) => edit(isEdited ? entry.id : undefined);
  return (
    <div className="group pb-4 touch:pb-10">
      <Speaker name={t`You`} />
      <div className={`yours hang relative ${editing ? 'w-auto' : ''}`}>
        {editing ? (
          <EditMessage entry={entry} onDone={() => setEditing(false)} />
        ) : (
          <FoldedText>
            <SentTexts entry={entry} />
          </FoldedText>
        )}
        <SentFiles parts={entry.parts} />
        {holdsTextByOthers(entry) && <OriginMark itemId={entry.id} isVouched={entry.isVouched ?? false} />}
        {/*
         * Over the edge of the block, so that nothing moves; below it on devices without hover. While they are hidden they take no
         * clicks for what is behind them. They stay while the message is edited, so that the focus can go back to Edit.
         */}
        <div
          className={`pointer-events-none absolute end-2 top-0 -translate-y-3/4 touch:start-1 touch:end-auto touch:top-full touch:translate-y-0 ${editing ? 'hidden' : ''}`}
        >
          <RowActions className="hover-only:card group-focus-within:pointer-events-auto group-hover:pointer-events-auto touch:pointer-events-auto">
            <MessageTime at={entry.at} />
            <CopyButton text={entry.text} />
            {isIdle && <IconButton icon="edit" label={t`Edit`} onClick={() => setEditing(true)} />}
            <VersionArrows versions={versions} turnId={turnId} />
          </RowActions>
        </div>
      </div>
    </div>
  );
}

/** What others wrote in a message is set apart from the words of its sender. */
function SentTexts({ entry: { parts, text } }: { readonly entry: MessageEntry }) {
  const byOthers = parts.flatMap((part) => (part.type === 'text' && part.origin === 'others' ? [part.text] : []));
  const own = byOthers.length === 0 ? text : ownTextOf(parts);
  const look = 'whitespace-pre-wrap break-words';
  return (
    <>
      {own !== '' && (
        <p dir="auto" className={look}>
          {own}
        </p>
      )}
      {byOthers.map((words, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change places
        <blockquote key={at} dir="auto" className={`${look} my-2 border-s-2 border-edge ps-3 text-soft`}>
          {words}
        </blockquote>
      ))}
    </>
  );
}

function focusAtEnd(area: HTMLTextAreaElement | null): void {
  area?.focus();
  area?.setSelectionRange(area.value.length, area.value.length);
}

/** What is sent replaces the message, and the earlier version is kept; or it starts a new thread with all that came before. */
function EditMessage({ entry, onDone }: { readonly entry: MessageEntry; readonly onDone: () => void }) {
  const [text, setText] = useState(ownTextOf(entry.parts));
  const { edit, fork, isIdle } = useActions();
  const isBlank = text.trim() === '';
  const send = () => void edit(entry, text).then(onDone);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDone();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isBlank && isIdle) send();
  };
  return (
    <div className="flex flex-col gap-2 pb-1 text-interface">
      <textarea
        ref={focusAtEnd}
        aria-label={t`Edit the message`}
        className="field-sizing-content max-h-60 field w-full resize-none p-3 text-reading"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="act" disabled={isBlank || !isIdle} onClick={send}>
          <Trans>Save and send</Trans>
        </Button>
        <Button look="quiet" onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
        <button
          type="button"
          disabled={isBlank}
          className="ms-auto min-h-target px-2 text-meta text-soft link hover:text-ink disabled:opacity-50"
          onClick={() => void fork(entry, text).then(onDone)}
        >
          <Trans>Send as a new thread instead</Trans>
        </button>
      </div>
    </div>
  );
}
