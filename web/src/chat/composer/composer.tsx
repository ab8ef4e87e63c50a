import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { waitsForAnswer } from '@reborn-agent/client/running-turn';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import { useQueryClient } from '@tanstack/react-query';
import { type ClipboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useServices } from '../../app/services.ts';
import { IconButton } from '../../parts/button.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Attachment, findProblem, toAttachment } from './attachments.ts';
import { ContextMeter } from './context-meter.tsx';
import { DictateButton } from './dictate-button.tsx';
import { keepDraft, readDraft } from './drafts.ts';
import { usePickedFiles } from './picked-files.tsx';
import { type SendKey, useSendKey } from './send-key.ts';
import { useDroppedFiles } from './use-dropped-files.ts';
import { useOffers } from './use-offers.tsx';
import { useStopKey } from './use-stop-key.ts';
import { type WebChoice, WebSwitch } from './web-switch.tsx';

type Props = {
  readonly draftKey: string;
  /** `now`: the running step is stopped. */
  readonly onSend: (message: string, attachments: readonly Attachment[], now?: boolean) => Promise<void>;
  readonly onStop?: () => void;
  /** Edits what was sent last, if that is possible now. */
  readonly onEditLast?: () => boolean;
  readonly state?: ThreadState;
  /** Whether the web may be searched. */
  readonly web?: WebChoice;
  /** The picker of the model that answers. */
  readonly model?: ReactNode;
  /** Text to take over, each time another one is given. */
  readonly suggested?: Suggested | undefined;
};

/** `keep`: what is typed stays, before the text or after it. */
export type Suggested = { readonly text: string; readonly keep?: 'before' | 'after' };

/** Where a message is written. The draft is kept until the service has taken it. */
export function Composer({ draftKey, onSend, onStop, onEditLast, state, web, model, suggested }: Props) {
  const { me } = useServices();
  const [text, setText] = useState(() => readDraft(draftKey));
  const { picked, setPicked, ...files } = usePickedFiles();
  const [error, setError] = useState<unknown>();
  const area = useRef<HTMLTextAreaElement>(null);
  const sendKey = useSendKey();
  const problem = findProblem(picked, me.limits) ?? (error === undefined ? undefined : wordsOf(error));

  useEffect(() => area.current?.focus(), []);
  useEffect(() => {
    if (!suggested) return;
    const typed = suggested.keep ? readDraft(draftKey) : '';
    const { text: given } = suggested;
    const parts = suggested.keep === 'before' ? [typed.trimEnd() && `${typed.trimEnd()}\n`, given] : [given, typed];
    const next = parts.filter(Boolean).join('\n');
    setText(next);
    if (suggested.keep) keepDraft(draftKey, next);
    area.current?.focus();
  }, [suggested, draftKey]);

  const write = (next: string) => {
    setText(next);
    keepDraft(draftKey, next);
    setError(undefined);
  };
  const over = useDroppedFiles(files.add);
  const offers = useOffers({ area, text, onWrite: write });
  useStopKey(area, onStop);

  async function send(now = false): Promise<void> {
    const message = text.trim();
    if (message === '' || findProblem(picked, me.limits)) return;
    const sent = picked;
    setText('');
    setPicked([]);
    setError(undefined);
    try {
      await onSend(message, await Promise.all(sent.map(toAttachment)), now);
      if (readDraft(draftKey).trim() === message) keepDraft(draftKey, '');
    } catch (failure) {
      setError(failure);
      setText((typed) => typed || message);
      setPicked(sent);
    }
  }

  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    files.add(event.clipboardData.files);
  };

  return (
    <div className="column shrink-0 pt-2 pb-3 md:pt-3 md:pb-4">
      <Form
        className={`hang flex flex-col gap-2 rounded-xl bg-raised pt-3 pb-2 shadow-rest focus-within:border-edge ${over ? 'border-dashed border-edge' : 'border-rule'}`}
        onSubmit={() => void send()}
      >
        {offers.list}
        {files.list}
        <textarea
          ref={area}
          id="message"
          data-composer
          rows={1}
          aria-label={t`Message`}
          title={
            sendKey === 'enter'
              ? t`Enter sends, Shift Enter breaks the line`
              : t`Ctrl Enter sends, Enter breaks the line`
          }
          placeholder={over ? t`Drop the files here` : placeholderFor(state, onStop !== undefined)}
          value={text}
          onChange={(event) => write(event.target.value)}
          onPaste={onPaste}
          {...offers.props}
          onKeyDown={(event) => {
            if (!event.nativeEvent.isComposing && offers.onKey(event)) return event.preventDefault();
            if (event.key === 'ArrowUp' && text === '' && !event.altKey && onEditLast?.())
              return event.preventDefault();
            const isNow = event.shiftKey && (event.ctrlKey || event.metaKey);
            if (event.key !== 'Enter' || (event.shiftKey && !isNow) || event.nativeEvent.isComposing) return;
            // A phone's keyboard has no Shift+Enter, so there Enter breaks the line and the button sends.
            const breaks = sendKey === 'ctrl-enter' || matchMedia('(hover: none)').matches;
            if (breaks && !event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            void send(isNow);
          }}
          className="field-sizing-content max-h-[260px] min-h-[26px] w-full min-w-0 resize-none bg-transparent text-reading outline-none"
        />
        <div className="-mx-2 flex items-center gap-0.5 text-meta text-soft">
          <IconButton icon="attach" label={t`Attach files`} onClick={files.choose} />
          {web && <WebSwitch web={web} />}
          <div className="ms-auto flex min-w-0 items-center gap-2">
            {state && <ContextMeter state={state} />}
            {model}
          </div>
          <DictateButton onText={(heard) => write([text.trimEnd(), heard].filter(Boolean).join(' '))} />
          {onStop && text.trim() === '' ? (
            <StopButton onStop={onStop} />
          ) : (
            <SendButton sendKey={sendKey} disabled={text.trim() === ''} />
          )}
        </div>
      </Form>
      {offers.form}
      {files.chooser}
      {problem && (
        <p role="alert" className="pt-1 text-meta text-failed">
          {problem}
          {error instanceof ApiError && error.status === 401 && <SignInAgain />}
        </p>
      )}
    </div>
  );
}

/** Leads to the sign-in page, and from there back to this page with its draft. */
function SignInAgain() {
  const queries = useQueryClient();
  return (
    <>
      {' '}
      <button
        type="button"
        className="link inline-flex min-h-target items-center text-ink"
        onClick={() => void queries.invalidateQueries({ queryKey: ['me'] })}
      >
        <Trans>Sign in</Trans>
      </button>
    </>
  );
}

const ROUND = 'ms-1 inline-flex size-target shrink-0 items-center justify-center rounded-full';

function SendButton({ sendKey, disabled }: { readonly sendKey: SendKey; readonly disabled: boolean }) {
  return (
    <button
      type="submit"
      aria-label={t`Send`}
      title={sendKey === 'enter' ? t`Send (Enter)` : t`Send (Ctrl Enter)`}
      disabled={disabled}
      className={`${ROUND} bg-ember text-on-ember hover:brightness-110 disabled:bg-hover disabled:text-soft`}
    >
      <Icon name="send" />
    </button>
  );
}

/** It stands where Send does, while there is nothing to send. */
function StopButton({ onStop }: { readonly onStop: () => void }) {
  return (
    <button
      type="button"
      aria-label={t`Stop`}
      title={t`Stop (Esc)`}
      className={`${ROUND} bg-ink text-paper hover:opacity-85`}
      onClick={onStop}
    >
      <span className="size-3 bg-paper" />
    </button>
  );
}

function placeholderFor(state: ThreadState | undefined, works: boolean): string {
  if (!state) return t`What should be done?`;
  if (waitsForAnswer(state)) return t`Reply, or write what to do instead`;
  return works ? t`Write to steer, or press Esc to stop` : t`Reply`;
}
