import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import type { QueuedTurn } from '@reborn-agent/client/api';
import { unshownFrom } from '@reborn-agent/client/known-address';
import { isByOthers, textOf } from '@reborn-agent/client/message-text';
import { findRunningTurn, findStoppable } from '@reborn-agent/client/running-turn';
import { newKey } from '@reborn-agent/client/send';
import { openGatesOf } from '@reborn-agent/client/subagents';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useServices } from '../app/services.ts';
import { AssistantPicker } from '../assistants/assistant-picker.tsx';
import { findMention, useAssistants } from '../assistants/use-assistants.ts';
import { client } from '../client/client.ts';
import { firstPresented } from '../files/presented.ts';
import { useFreshFiles } from '../files/use-files.ts';
import { PanelContext, usePanel } from '../files/use-panel.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { DEFAULT_MODEL } from '../models/use-models.ts';
import { wordsOf } from '../parts/error-words.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useTitle } from '../parts/use-title.ts';
import { titleOf } from '../threads/thread-title.ts';
import { useReadThread } from '../threads/use-threads.ts';
import { begunTurn, forgetBegun } from './begun-turns.ts';
import { ChatActions, useChatActions } from './chat-actions.ts';
import type { Attachment } from './composer/attachments.ts';
import { Composer, type Suggested } from './composer/composer.tsx';
import { keepDraft, readDraft } from './composer/drafts.ts';
import { useUnsent } from './composer/use-unsent.ts';
import { useWebChoice } from './composer/web-switch.tsx';
import { FindUnshown } from './markdown/find-unshown.ts';
import { ThreadHeader } from './thread-header.tsx';
import { findRow, rowsOf } from './transcript/rows.ts';
import { Transcript } from './transcript/transcript.tsx';
import { useFollowedThread, useSnapshot } from './use-thread.ts';

const FilePanel = lazyPart(() => import('../files/panel.tsx').then((module) => module.FilePanel));
const QuoteButton = lazyPart(() => import('./transcript/quote-button.tsx').then((module) => module.QuoteButton));
const MissionLine = lazyPart(() => import('../missions/mission-line.tsx').then((module) => module.MissionLine));
const InspectorDrawer = lazyPart(() =>
  import('../inspector/inspector-drawer.tsx').then((module) => module.InspectorDrawer),
);

export function ThreadView({ threadId }: { readonly threadId: string }) {
  const { socket } = useServices();
  const followed = useFollowedThread(threadId);
  const { state, phase, error, hasOlder, loadingOlder } = useSnapshot(followed);
  const { data: thread } = useQuery({
    queryKey: ['thread', threadId],
    queryFn: () => client.call('GET /api/threads/{id}', { params: { id: threadId } }),
  });
  const [inspected, setInspected] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const model = chosen ?? thread?.model ?? (thread ? DEFAULT_MODEL : null);
  const assistants = useAssistants();
  const [named, setNamed] = useState<string | null>();
  const assistant = named === undefined ? (thread?.assistant ?? null) : named;
  const [suggested, setSuggested] = useState<Suggested>();
  const web = useWebChoice(threadId);
  const running = findRunningTurn(state);
  const stoppable = findStoppable(state);
  const actions = useChatActions({
    threadId,
    followed,
    isIdle: !running && !state.gate && state.queued.length === 0,
    model: chosen,
    answering: model,
    stop: (turnId) => socket.send({ type: 'cancel', turn_id: turnId }),
    inspect: setInspected,
    compose: (text) => setSuggested({ text, keep: 'after' }),
  });
  useTitle(thread ? titleOf(thread) : t`Thread`);

  // The message that a search result leads to may be further up than what is loaded.
  const target = useLocation({ select: ({ hash }) => hash });
  const asked = useLocation({ select: ({ searchStr }) => new URLSearchParams(searchStr).get('gate') });
  const rows = rowsOf(state, new Date(), hasOlder);
  const isMissing = target !== '' && phase === 'ready' && !rows.some(({ id }) => id === target);
  useEffect(() => {
    if (isMissing && hasOlder && !loadingOlder) void followed.loadOlder();
  }, [isMissing, hasOlder, loadingOlder, followed]);

  const panel = usePanel(threadId);
  useFreshFiles(threadId, state.outputs, running !== undefined);
  const [seen, setSeen] = useState(() => begunTurn(threadId)); // the newest turn that began or ran while the page was open
  useEffect(() => void forgetBegun(threadId), [threadId]);
  if (running && running.id !== seen) setSeen(running.id);
  const turn = state.turns.find(({ id }) => id === seen);
  const isAnswered = turn?.status === 'ended';
  const presented = firstPresented(turn, state.outputs);
  useReadThread(thread);
  const offerFile = useEffectEvent(panel.offer);
  useEffect(() => {
    if (presented !== undefined) offerFile(presented);
  }, [seen, presented]);

  const unsent = useUnsent(threadId, followed, ({ message }) => setSuggested({ text: message, keep: 'after' }));

  async function send(typed: string, attachments: readonly Attachment[], now = false): Promise<void> {
    const mention = findMention(typed, assistants);
    const { message } = mention ?? { message: typed };
    if (mention) setNamed(mention.assistant);
    const who = mention?.assistant ?? named;
    const sending = unsent.send({
      key: newKey(),
      message,
      attachments,
      model: chosen,
      assistant: who,
      web: web.isOn,
      now,
    });
    if (attachments.length === 0) keepDraft(threadId, ''); // it is kept as an unsent message
    await sending.catch((refusal: unknown) => {
      if (readDraft(threadId) === '') keepDraft(threadId, typed);
      throw refusal;
    });
  }

  /** A message that waits goes back into the composer; else the newest one is edited where it is. */
  function editLast(): boolean {
    const waiting = state.queued.at(-1);
    const text = waiting && ownTextOfQueued(waiting);
    if (waiting && text !== undefined) void actions.withdraw(waiting.turn_id, text);
    const sent = rows.findLast((row) => row.kind === 'user');
    if (waiting || !sent || !actions.isIdle) return text !== undefined;
    actions.setEditing(sent.id);
    return true;
  }

  // The thread is looked at when a link appears: texts that were read before it are there by then.
  const findUnshown = useCallback((address: string) => unshownFrom(followed.snapshot().state, address), [followed]);

  return (
    <FindUnshown value={findUnshown}>
      <ChatActions value={actions}>
        <PanelContext value={panel}>
          <div className="flex min-h-0 flex-1">
            <main
              className={`flex h-full min-h-0 min-w-0 flex-1 flex-col group-has-[[data-files=whole]]/frame:invisible ${panel.shown ? 'max-md:invisible' : ''}`}
            >
              <ThreadHeader
                thread={thread}
                state={state}
                onInspect={() => setInspected(state.turns.at(-1)?.id)}
                panel={panel}
                hasOlder={hasOlder}
              />
              {thread?.channel === 'mission' && (
                <Suspense>
                  <MissionLine threadId={threadId} />
                </Suspense>
              )}
              {phase === 'ready' ? (
                <Transcript
                  rows={rows}
                  target={target}
                  edited={actions.editing}
                  pending={unsent.list.map(({ message }) => message)}
                  hasOlder={hasOlder}
                  loadingOlder={loadingOlder}
                  onOlder={() => void followed.loadOlder()}
                />
              ) : (
                <div className="column flex-1 pt-4">
                  {phase === 'failed' ? (
                    <Problem error={missingThread(error)} onRetry={() => void followed.open()} />
                  ) : (
                    <Skeleton label={t`Loading the thread`} rows={8} />
                  )}
                </div>
              )}
              <Suspense>
                <QuoteButton onQuote={(text) => setSuggested({ text, keep: 'before' })} />
              </Suspense>
              {/* Of the words themselves, each would be read out as it comes. */}
              <p role="status" className="sr-only">
                {isAnswered && <Trans>The agent has answered.</Trans>}
              </p>
              {asked !== null && phase === 'ready' && !openGatesOf(state).some(({ id }) => id === asked) && (
                <p role="status" className="column pb-2 text-meta text-soft">
                  <Trans>The question in the notification was answered, or is no longer open.</Trans>
                </p>
              )}
              {actions.problem !== undefined && (
                <p role="alert" className="column pb-2 text-meta text-failed">
                  {wordsOf(actions.problem)}
                </p>
              )}
              <Composer
                draftKey={threadId}
                onSend={send}
                {...(stoppable && { onStop: () => socket.send({ type: 'cancel', turn_id: stoppable }) })}
                onEditLast={editLast}
                state={state}
                web={web}
                model={
                  <>
                    <AssistantPicker chosen={assistant} onChoose={setNamed} />
                    <ModelPicker chosen={model} onChoose={setChosen} />
                  </>
                }
                suggested={suggested}
              />
            </main>
            {panel.shown && (
              <Suspense>
                <FilePanel panel={panel} findStep={(version) => findRow(rows, version)} />
              </Suspense>
            )}
          </div>
        </PanelContext>
        {inspected && (
          <Suspense>
            <InspectorDrawer turnId={inspected} onClose={() => setInspected(undefined)} />
          </Suspense>
        )}
      </ChatActions>
    </FindUnshown>
  );
}

/** Undefined if it has more than the words of the person: the composer can't hold that. */
function ownTextOfQueued({ items }: QueuedTurn): string | undefined {
  const parts = items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? item.content : []));
  return parts.every((part) => part.type === 'text' && !isByOthers(part)) ? textOf(parts) : undefined;
}

function missingThread(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 404) return error;
  return new ApiError({
    status: 404,
    code: 'not_found',
    message: t`There is no such thread. It may have been deleted.`,
  });
}
