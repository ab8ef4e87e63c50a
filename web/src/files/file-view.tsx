import { Tabs } from '@base-ui/react/tabs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMemo } from 'react';
import { download } from '../client/files.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Changes } from './changes.tsx';
import { CitedPage } from './cited-page.tsx';
import { CodeLines } from './code-lines.tsx';
import { diffLines } from './diff.ts';
import { useDocument, useDocumentWords } from './document-state.tsx';
import { FileFooter } from './file-footer.tsx';
import { endingOf, type Kind, kindOf, nameOf } from './kinds.ts';
import { FilePreview, hasPreview } from './preview.tsx';
import { type Content, contentPath, type FileState, useContent, useFileChanges, useHistory } from './use-files.ts';
import type { Panel, Tab } from './use-panel.ts';

/** The row of the transcript that made a version, if it is loaded. */
export type FindStep = (state: FileState) => string | undefined;

type Props = {
  readonly panel: Panel;
  readonly path: string;
  readonly findStep: FindStep;
  readonly onProblem: (problem: unknown) => void;
};

/** A file in one of its versions: what it shows, its text, and what changed since the version before. */
export function FileView({ panel, path, findStep, onProblem }: Props) {
  const { threadId, shown, show } = panel;
  const history = useHistory(threadId, path);
  const { restore } = useFileChanges(threadId);
  const states = history.data?.states ?? [];
  const state = states.find(({ version }) => version === shown?.version) ?? states.at(-1);
  const before = state && states[state.number - 2];
  const content = useContent(threadId, path, state);
  const earlier = useContent(threadId, path, before);
  const [now, then] = [content.data?.text, earlier.data?.text];
  const lines = useMemo(
    () => (now === undefined || then === undefined ? undefined : diffLines(then, now)),
    [now, then],
  );
  const isNewest = state === states.at(-1) && history.data?.deletedAt === undefined;
  const isReadable = useDocument(threadId, path)?.state === 'ready' && isNewest;
  const hasPages = isReadable && (shown?.page !== undefined || UNSHOWN.includes(kindOf(path)));
  const tabs = [...(hasPages ? ['page' as const] : []), ...tabsOf(path, content.data, lines !== undefined)];
  const tab = shown?.tab && tabs.includes(shown.tab) ? shown.tab : tabs[0];
  const restorable = isNewest ? (tab === 'changes' ? before : undefined) : state;
  const step = (by: number) => {
    const next = states[(state?.number ?? 1) - 1 + by];
    if (next) show({ path, version: next === states.at(-1) ? undefined : next.version, tab: shown?.tab });
  };
  const error = history.error ?? content.error;
  const words = useDocumentWords(threadId, path);

  return (
    <Tabs.Root
      value={tab ?? null}
      onValueChange={(next: Tab) => show({ ...shown, tab: next })}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 pb-2">
        {tabs.length > 0 && (
          <Tabs.List className="flex gap-0.5 rounded bg-sunken p-0.5">
            {tabs.map((each) => (
              <Tabs.Tab
                key={each}
                value={each}
                className="min-h-7 rounded-sm px-3 font-medium text-soft hover:text-ink data-active:bg-raised data-active:text-ink data-active:shadow-rest"
              >
                {tabWords(each, path)}
                {each === 'changes' && lines && (
                  <span className="ps-2 text-label text-soft">
                    {lines.filter(({ kind }) => kind !== 'same').length}
                  </span>
                )}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        )}
        {state && (
          <div className="ms-auto flex items-center">
            <IconButton icon="back" label={t`Earlier version`} disabled={!before} onClick={() => step(-1)} />
            <span className="text-meta tabular-nums">
              <Trans>
                Version {state.number} of {states.length}
              </Trans>
            </span>
            <IconButton
              icon="right"
              label={t`Later version`}
              disabled={state === states.at(-1)}
              onClick={() => step(1)}
            />
          </div>
        )}
      </div>
      {words && <p className="border-b border-line px-4 py-2 text-meta text-soft">{words}</p>}
      {error && (
        <div className="p-3">
          <Problem error={error} />
        </div>
      )}
      {!error && !tab && (!state || content.isLoading) && (
        <div className="flex-1 p-4">
          <Skeleton label={t`Loading the file`} />
        </div>
      )}
      {tab === 'page' && (
        <Tabs.Panel value={tab} className="flex min-h-0 flex-1 flex-col outline-none">
          <CitedPage path={path} cited={shown?.page ?? FIRST_PAGE} />
        </Tabs.Panel>
      )}
      {tab && tab !== 'page' && content.data && (
        <Tabs.Panel value={tab} className="min-h-0 flex-1 overflow-auto outline-none">
          {tab === 'preview' && <FilePreview path={path} content={content.data} />}
          {tab === 'text' && <CodeLines text={now ?? ''} language={endingOf(path)} />}
          {tab === 'changes' && lines && <Changes lines={lines} language={endingOf(path)} />}
        </Tabs.Panel>
      )}
      {state && !error && !tab && !content.isLoading && <NoPreview panel={panel} path={path} state={state} />}
      {state && (
        <FileFooter
          state={state}
          compared={tab === 'changes' ? before : undefined}
          deletedAt={history.data?.deletedAt}
          step={findStep(state)}
          restorable={restorable}
          onRestore={({ version }) => {
            restore(path, version).then(() => show({ path }), onProblem);
          }}
        />
      )}
    </Tabs.Root>
  );
}

const FIRST_PAGE = { number: 1 };

/** Kinds of which only the text of their pages is shown. */
const UNSHOWN: readonly Kind[] = ['pdf', 'spreadsheet', 'other'];

function tabsOf(path: string, content: Content | undefined, isChanged: boolean): Tab[] {
  if (!content || kindOf(path) === 'pdf') return [];
  return [
    ...(hasPreview(path, content) ? ['preview' as const] : []),
    ...(content.text === undefined ? [] : ['text' as const]),
    ...(isChanged ? ['changes' as const] : []),
  ];
}

function tabWords(tab: Tab, path: string): string {
  if (tab === 'page') return t`Pages`;
  if (tab === 'preview') return t`Preview`;
  if (tab === 'changes') return t`Changes`;
  return kindOf(path) === 'code' ? t`Code` : t`Text`;
}

type NoPreviewProps = { readonly panel: Panel; readonly path: string; readonly state: FileState };

/** Documents that can run something are not opened here. */
function NoPreview({ panel: { threadId }, path, state }: NoPreviewProps) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-4 text-center text-soft">
      <p>
        <Trans>This file is not shown here. Download it to open it.</Trans>
      </p>
      <Button icon="download" onClick={() => void download(contentPath(threadId, path, state.version), nameOf(path))}>
        <Trans>Download</Trans>
      </Button>
    </div>
  );
}
