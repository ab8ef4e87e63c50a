import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, use, useState } from 'react';
import { SidebarContext, SidebarToggle } from '../app/sidebar-toggle.tsx';
import { AssistantPicker } from '../assistants/assistant-picker.tsx';
import { findMention, useAssistants } from '../assistants/use-assistants.ts';
import { sendMessage, useTakesAgainAt } from '../client/send.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { IconButton } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTitle } from '../parts/use-title.ts';
import type { Attachment } from './composer/attachments.ts';
import { Composer } from './composer/composer.tsx';
import { TemporaryNote, TemporarySwitch } from './temporary.tsx';

const SentLater = lazyPart(() => import('../failures/sent-later.tsx').then((module) => module.SentLater));
const FirstPage = lazyPart(() => import('./first/first-page.tsx').then((module) => module.FirstPage));

/** Where a thread begins: the state of things, and the composer. */
export function NewThread() {
  const navigate = useNavigate();
  const [model, setModel] = useState<string>();
  const assistants = useAssistants();
  const [assistant, setAssistant] = useState<string | null>(null);
  const [temporary, setTemporary] = useState(false);
  const [suggested, setSuggested] = useState<{ readonly text: string }>();
  const { hidden, openPalette } = use(SidebarContext);
  const takesAgainAt = useTakesAgainAt();
  useTitle(t`New thread`);

  async function send(typed: string, attachments: readonly Attachment[] = []): Promise<void> {
    const { message, ...chosen } = findMention(typed, assistants) ?? { message: typed, assistant };
    const { thread_id: threadId } = await sendMessage({
      message,
      attachments,
      ...(model !== undefined && { model }),
      ...(chosen.assistant !== null && { assistant: chosen.assistant }),
      ...(temporary && { temporary }),
    });
    await navigate({ to: '/threads/$threadId', params: { threadId } });
  }

  return (
    <main className="flex h-full min-h-0 flex-col">
      <div className={`flex h-header shrink-0 items-center px-1 md:px-3 ${hidden ? '' : 'md:hidden'}`}>
        <SidebarToggle />
        <IconButton icon="search" label={t`Search`} onClick={openPalette} className="ms-auto md:hidden" />
      </div>
      <div className="fades min-h-0 flex-1">
        <div className="h-full overflow-y-auto">
          <Suspense fallback={null}>
            <FirstPage onSend={send} onCompose={(text) => setSuggested({ text })} />
          </Suspense>
        </div>
      </div>
      {takesAgainAt !== undefined && (
        <p className="column text-meta text-soft">
          <Suspense>
            <SentLater at={takesAgainAt} />
          </Suspense>
        </p>
      )}
      {temporary && <TemporaryNote />}
      <Composer
        draftKey="new"
        suggested={suggested}
        model={
          <>
            <TemporarySwitch checked={temporary} onChange={setTemporary} />
            <AssistantPicker chosen={assistant} onChoose={setAssistant} />
            <ModelPicker chosen={model ?? null} onChoose={setModel} />
          </>
        }
        onSend={send}
      />
    </main>
  );
}
