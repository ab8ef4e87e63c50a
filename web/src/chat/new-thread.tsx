import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { sendMessage } from '@reborn-agent/client/send';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, use, useState } from 'react';
import { useServices } from '../app/services.ts';
import { SidebarContext, SidebarToggle } from '../app/sidebar-toggle.tsx';
import { client } from '../client/client.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTitle } from '../parts/use-title.ts';
import { Composer } from './composer/composer.tsx';
import { keepDraft } from './composer/drafts.ts';
import { thingsToTry } from './composer/things-to-try.ts';
import { TemporaryNote, TemporarySwitch } from './temporary.tsx';

const Overview = lazyPart(() => import('./overview.tsx').then((module) => module.Overview));

/** Where a thread begins: three things to try, what needs attention, and the composer. */
export function NewThread() {
  const { me } = useServices();
  const navigate = useNavigate();
  const [model, setModel] = useState<string>();
  const [temporary, setTemporary] = useState(false);
  const [suggested, setSuggested] = useState<{ readonly text: string }>();
  const { data } = useQuery({ queryKey: ['tools'], queryFn: () => client.call('GET /api/tools') });
  const { hidden } = use(SidebarContext);
  useTitle(t`New thread`);
  return (
    <main className="flex h-full min-h-0 flex-col">
      <div className={`flex h-header shrink-0 items-center px-1 md:px-3 ${hidden ? '' : 'md:hidden'}`}>
        <SidebarToggle />
      </div>
      <div className="fades min-h-0 flex-1">
        <div className="h-full overflow-y-auto">
          <div className="column pt-5 pb-8 md:pt-14">
            <h1 className="text-display">
              <Trans>How can I help?</Trans>
            </h1>
            {me.model.demo && (
              <p className="mt-1 text-soft">
                <Trans>The demo model works offline and knows little.</Trans>{' '}
                {me.role === 'operator' && (
                  <Link to="/settings/models" className="link">
                    <Trans>Choose a model</Trans>
                  </Link>
                )}
              </p>
            )}
            <ul className="mt-5 grid gap-2 md:grid-cols-3">
              {thingsToTry(data?.tools ?? [], me.model.demo).map((text) => (
                <li key={text}>
                  <button
                    type="button"
                    onClick={() => setSuggested({ text })}
                    className="card flex h-full w-full p-3.5 text-start hover:border-edge hover:bg-hover"
                  >
                    {text}
                  </button>
                </li>
              ))}
            </ul>
            <Suspense fallback={null}>
              <Overview />
            </Suspense>
          </div>
        </div>
      </div>
      {temporary && <TemporaryNote />}
      <Composer
        draftKey="new"
        suggested={suggested}
        model={
          <>
            <TemporarySwitch checked={temporary} onChange={setTemporary} />
            <ModelPicker chosen={model ?? null} onChoose={setModel} />
          </>
        }
        onSend={async (message, attachments) => {
          const { thread_id: threadId } = await sendMessage(client, {
            message,
            attachments,
            ...(model !== undefined && { model }),
            ...(temporary && { temporary }),
          });
          keepDraft('new', '');
          await navigate({ to: '/threads/$threadId', params: { threadId } });
        }}
      />
    </main>
  );
}
