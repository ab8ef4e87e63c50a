import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FoundFile, FoundMessage } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { useAssistants } from '../assistants/use-assistants.ts';
import { client } from '../client/client.ts';
import type { IconName } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { chooseTheme } from '../theme/theme.ts';
import { titleOf } from '../threads/thread-title.ts';
import { useProjects } from '../threads/use-projects.ts';
import { useThreads } from '../threads/use-threads.ts';
import { places, settingsPlaces } from './places.ts';
import { useServices } from './services.ts';

export type Found = {
  readonly id: string;
  readonly icon: IconName;
  readonly words: string;
  readonly about?: ReactNode;
  readonly beside?: ReactNode;
  readonly run: () => void;
};

export type FoundGroup = { readonly name: string; readonly found: readonly Found[] };

const MOST = 8;

/** Pages are found as fast as one types, since Enter may come at once; the rest is asked for. */
export function useFound(q: string): { readonly groups: readonly FoundGroup[]; readonly isSearching: boolean } {
  const asked = useDeferredValue(q);
  const commands = useCommands(q);
  const threads = useFoundThreads(q, asked);
  const projects = useFoundProjects(q);
  const assistants = useFoundAssistants(q);
  const navigate = useNavigate();
  const options = { enabled: asked !== '', staleTime: 10_000 };
  const messages = useQuery({
    queryKey: ['search', asked],
    queryFn: () => client.call('GET /api/search', { query: { q: asked, limit: MOST } }),
    ...options,
  });
  const files = useQuery({
    queryKey: ['search-files', asked],
    queryFn: () => client.call('GET /api/search/files', { query: { q: asked, limit: MOST } }),
    ...options,
  });
  const isCurrent = asked === q && q !== '';
  const open = (threadId: string, item?: FoundMessage) =>
    void navigate({
      to: '/threads/$threadId',
      params: { threadId },
      ...(item && { hash: item.item_id, state: { found: matchesOf(item) } }),
    });
  return {
    groups: [
      { name: t`Pages and commands`, found: commands },
      { name: q === '' ? t`Recent threads` : t`Threads`, found: threads },
      { name: t`Projects`, found: projects },
      { name: t`Assistants`, found: assistants },
      {
        name: t`Messages`,
        found: isCurrent
          ? (messages.data?.results ?? []).map((item) => toMessage(item, () => open(item.thread_id, item)))
          : [],
      },
      {
        name: t`Files`,
        found: isCurrent ? (files.data?.files ?? []).map((file) => toFile(file, () => open(file.thread_id))) : [],
      },
    ],
    isSearching: !isCurrent || messages.isLoading || files.isLoading,
  };
}

function useCommands(q: string): Found[] {
  const { me } = useServices();
  const navigate = useNavigate();
  const go = (to: string) => () => void navigate({ to });
  const all: Found[] = [
    { id: 'new', words: t`New thread`, icon: 'add', run: go('/') },
    ...places().map(({ to, words, icon }) => ({ id: to, words, icon, run: go(to) })),
    { id: 'tools', words: t`Tools`, icon: 'tool', run: go('/connectors/tools') },
    { id: 'skills', words: t`Skills`, icon: 'skill', run: go('/connectors/skills') },
    ...settingsPlaces(me).map(({ to, words, icon }) => ({ id: to, words, icon, beside: t`Settings`, run: go(to) })),
    { id: 'light', words: t`Light theme`, icon: 'sun', run: () => chooseTheme('light') },
    { id: 'dark', words: t`Dark theme`, icon: 'moon', run: () => chooseTheme('dark') },
  ];
  if (q === '') return all.slice(0, 4);
  return all.filter(({ words }) => words.toLowerCase().includes(q.toLowerCase()));
}

function useFoundThreads(q: string, asked: string): Found[] {
  const navigate = useNavigate();
  const { data, isPlaceholderData } = useThreads({ q: asked, archived: false });
  const isStale = isPlaceholderData || asked !== q;
  const fits = (words: string) => words.toLowerCase().includes(q.toLowerCase());
  return (data?.pages[0]?.threads ?? [])
    .filter((thread) => !isStale || fits(titleOf(thread)))
    .slice(0, MOST)
    .map((thread) => ({
      id: thread.id,
      words: titleOf(thread),
      icon: 'chat',
      beside: <RelativeTime time={thread.updated_at} />,
      run: () => void navigate({ to: '/threads/$threadId', params: { threadId: thread.id } }),
    }));
}

function useFoundProjects(q: string): Found[] {
  const navigate = useNavigate();
  const { projects } = useProjects();
  return projects
    .filter(({ name }) => isMeant(q, name))
    .slice(0, MOST)
    .map(({ id, name }) => ({
      id,
      words: name,
      icon: 'folder',
      run: () => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
    }));
}

function useFoundAssistants(q: string): Found[] {
  const navigate = useNavigate();
  return useAssistants()
    .filter(({ name, description }) => isMeant(q, `${name} ${description}`))
    .slice(0, MOST)
    .map(({ id, name, description }) => ({
      id,
      words: name,
      about: description,
      icon: 'users',
      run: () => void navigate({ to: '/assistants', hash: id }),
    }));
}

/** Before anything is typed, only pages and recent threads are offered. */
const isMeant = (q: string, words: string) => q !== '' && words.toLowerCase().includes(q.toLowerCase());

const toMessage = (item: FoundMessage, run: () => void): Found => ({
  id: item.item_id,
  icon: item.role === 'user' ? 'edit' : 'chat',
  words: item.title || t`Untitled`,
  about:
    item.role === 'user' ? (
      <Trans>
        You: <Excerpt pieces={item.excerpt} />
      </Trans>
    ) : (
      <Excerpt pieces={item.excerpt} />
    ),
  beside: <RelativeTime time={item.created_at} />,
  run,
});

const toFile = (file: FoundFile, run: () => void): Found => ({
  id: `${file.thread_id} ${file.path}`,
  icon: 'file',
  words: file.path,
  about: file.title || t`Untitled`,
  run,
});

const matchesOf = ({ excerpt }: FoundMessage): string[] => [
  ...new Set(excerpt.flatMap(({ text, match }) => (match ? [text] : []))),
];

function Excerpt({ pieces }: { readonly pieces: FoundMessage['excerpt'] }) {
  return pieces.map((piece, index) =>
    piece.match ? (
      <mark key={index} className="rounded-sm bg-mark font-medium text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
