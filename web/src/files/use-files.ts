import { pathOf } from '@reborn-agent/client';
import type { FileList, FileVersion } from '@reborn-agent/client/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../client/client.ts';

export type ThreadFile = FileList['files'][number];

/** One state of a file. `number` counts the states of this file, `version` those of all files. */
export type FileState = FileVersion & { readonly number: number; readonly bytes: number };

/** All states of a file, the oldest first, and when it was deleted, if it is. */
export type FileHistory = { readonly states: readonly FileState[]; readonly deletedAt: string | undefined };

const PAGE = 200;
/** Larger files are only downloaded. */
const MOST_SHOWN_BYTES = 10_000_000;

/** How often to look again while the text of a file is being read. */
const READING_MS = 2000;

const keyOf = (threadId: string) => ['files', threadId];

export const useFileList = (threadId: string) =>
  useQuery({
    queryKey: [...keyOf(threadId), 'list'],
    queryFn: () => client.call('GET /api/threads/{id}/files', { params: { id: threadId } }),
    refetchInterval: ({ state: { data } }) =>
      data?.files.some(({ document }) => document?.state === 'waiting') ? READING_MS : false,
  });

export const useHistory = (threadId: string, path: string | undefined) =>
  useQuery({
    queryKey: [...keyOf(threadId), 'history', path],
    queryFn: () => loadHistory(threadId, path ?? ''),
    enabled: path !== undefined,
  });

async function loadHistory(threadId: string, path: string): Promise<FileHistory> {
  const found: FileVersion[] = [];
  for (let isMore = true; isMore; ) {
    const query = { path, before: found.at(-1)?.version, limit: PAGE };
    const page = await client.call('GET /api/threads/{id}/file-versions', { params: { id: threadId }, query });
    found.push(...page.versions);
    isMore = page.versions.length === PAGE;
  }
  const kept = found.filter(({ changes }) => changes[0]?.removed === false).toReversed();
  const states = kept.map((each, index) => ({ ...each, number: index + 1, bytes: each.changes[0]?.bytes ?? 0 }));
  return { states, deletedAt: found[0]?.changes[0]?.removed ? found[0].created_at : undefined };
}

export const contentPath = (threadId: string, path: string, version?: number) =>
  pathOf('GET /api/threads/{id}/files/{path}', { params: { id: threadId, path }, query: { version } });

export type Content = { readonly bytes: ArrayBuffer; readonly text: string | undefined };

/** What is in a file in a version, which never changes. `text`: if it is one. */
export const useContent = (threadId: string, path: string, state: FileState | undefined) =>
  useQuery({
    queryKey: ['file-content', threadId, path, state?.version],
    queryFn: async (): Promise<Content> => {
      const response = await client.fetch(contentPath(threadId, path, state?.version));
      const bytes = await response.arrayBuffer();
      return { bytes, text: textIn(bytes) };
    },
    enabled: state !== undefined && state.bytes <= MOST_SHOWN_BYTES,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** The text of a page of a document, in the newest version of its file. */
export const useDocumentPage = (threadId: string, path: string, page: number) =>
  useQuery({
    queryKey: [...keyOf(threadId), 'page', path, page],
    queryFn: () => client.call('GET /api/threads/{id}/file-pages', { params: { id: threadId }, query: { path, page } }),
  });

function textIn(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Changes the files; each change is a version. */
export function useFileChanges(threadId: string) {
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: keyOf(threadId) });
  return {
    upload: async (file: File, isOwn: boolean) => {
      const params = { id: threadId, path: file.name };
      const query = { own: isOwn ? 'true' : 'false' } as const;
      await client.call('PUT /api/threads/{id}/files/{path}', { params, query, body: file });
      await changed();
    },
    remove: async (path: string) => {
      await client.call('DELETE /api/threads/{id}/files/{path}', { params: { id: threadId, path } });
      await changed();
    },
    restore: async (path: string, version: number) => {
      const params = { id: threadId, version };
      await client.call('POST /api/threads/{id}/file-versions/{version}/restore', { params, body: { path } });
      await changed();
    },
  };
}

/** A call may have changed the files: what is shown of them is loaded again after each output, and when a turn ends. */
export function useFreshFiles(threadId: string, outputs: ReadonlyMap<string, unknown>, isRunning: boolean): void {
  const queries = useQueryClient();
  useEffect(
    () => void queries.invalidateQueries({ queryKey: keyOf(threadId) }),
    [queries, threadId, outputs, isRunning],
  );
}
