import { t } from '@lingui/core/macro';
import { Suspense, use, useState } from 'react';
import { SidebarContext, SidebarToggle } from '../app/sidebar-toggle.tsx';
import { IconButton } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTitle } from '../parts/use-title.ts';
import { Composer } from './composer/composer.tsx';
import { SentLaterNote } from './sent-later-note.tsx';
import { TemporaryNote, TemporarySwitch } from './temporary.tsx';
import { useNewThread } from './use-new-thread.tsx';

const FirstPage = lazyPart(() => import('./first/first-page.tsx').then((module) => module.FirstPage));

/** Where a thread begins: the state of things, and the composer. */
export function NewThread() {
  const [temporary, setTemporary] = useState(false);
  const [suggested, setSuggested] = useState<{ readonly text: string }>();
  const { hidden, openPalette } = use(SidebarContext);
  const { send, pickers, web } = useNewThread({ temporary });
  useTitle(t`New thread`);

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
      <SentLaterNote />
      {temporary && <TemporaryNote />}
      <Composer
        draftKey="new"
        web={web}
        suggested={suggested}
        model={
          <>
            <TemporarySwitch checked={temporary} onChange={setTemporary} />
            {pickers}
          </>
        }
        onSend={send}
      />
    </main>
  );
}
