import { z } from 'zod';
import type { WorkspaceId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { FileCitation as CheckedPage } from '#domain/search/citations.ts';
import { fileMarkersIn } from '#domain/search/markers.ts';
import type { FunctionCallBody, NewItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import {
  CONTAINER_FILE_ID,
  CONTAINER_ID,
  formatContainerFileId,
  formatContainerId,
} from '../../model-api/container-id.ts';
import { hostedViewOf } from './hosted-calls.ts';

/** A page of a document, where a text cites it. */
export const fileCitation = z
  .strictObject({
    type: z.literal('file_citation'),
    file_id: z.string().regex(CONTAINER_FILE_ID).describe("The file in the thread's container."),
    filename: z.string().min(1),
    index: z.int().min(1).describe('The end of the marker in the text, such as `[lease.pdf, p. 7]`, in UTF-16 units.'),
  })
  .meta({ id: 'FileCitation' });

/** A file that the agent has handed over, where a text names it. */
export const containerFileCitation = z
  .strictObject({
    type: z.literal('container_file_citation'),
    container_id: z.string().regex(CONTAINER_ID),
    file_id: z.string().regex(CONTAINER_FILE_ID),
    filename: z.string().min(1),
    start_index: z.int().min(0),
    end_index: z.int().min(1),
  })
  .meta({ id: 'ContainerFileCitation', description: 'Only for requests with hosted tools.' });

export type FileCitation = z.infer<typeof fileCitation> | z.infer<typeof containerFileCitation>;

const PRESENT = 'reborn_file_present';

/** What a text cites of documents, and of the files that were handed over before it. */
export type CiteFiles = (said: string) => FileCitation[];

/** Reads the items of a turn in order. Returns how a message cites documents, and the files that were handed over before it. */
export function createCitations(turn: Turn): (item: NewItem) => CiteFiles {
  const container = workspaceOfTurn(turn);
  const showsFiles = hostedViewOf(turn) !== undefined;
  const presented = new Set<string>();
  return (item) => {
    if (item.type === 'function_call' && item.name === PRESENT && !item.external)
      for (const path of pathsOf(item)) presented.add(path);
    const before = showsFiles ? [...presented] : [];
    const pages = (item.type === 'message' && item.citations?.files) || [];
    return (said) => [
      ...citePages(container, pages, said),
      ...before.flatMap((path) => citeFile(container, path, said)),
    ];
  };
}

/** Every marker of a document that exists. They stay in the text, because this format has no place for the page. */
function citePages(container: WorkspaceId, checked: readonly CheckedPage[], said: string): FileCitation[] {
  if (checked.length === 0) return [];
  const known = new Set(checked.filter(({ check }) => check !== 'unknown').map(({ file, page }) => `${page} ${file}`));
  return fileMarkersIn(said)
    .filter(({ file, page }) => known.has(`${page} ${file}`))
    .map(({ file, end }) => ({
      type: 'file_citation',
      file_id: formatContainerFileId(container, file),
      filename: nameOf(file),
      index: end,
    }));
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** The first place that names the file, with its folders or without. */
function citeFile(container: WorkspaceId, path: string, said: string): FileCitation[] {
  const filename = nameOf(path);
  const name = said.includes(path) ? path : filename;
  const start = said.indexOf(name);
  if (start < 0) return [];
  return [
    {
      type: 'container_file_citation',
      container_id: formatContainerId(container),
      file_id: formatContainerFileId(container, path),
      filename,
      start_index: start,
      end_index: start + name.length,
    },
  ];
}

/** The model may have written anything. The tool refused arguments that name no file. */
function pathsOf(call: FunctionCallBody): string[] {
  try {
    const given: unknown = JSON.parse(call.arguments);
    const paths: unknown[] = isObject(given) && Array.isArray(given['paths']) ? given['paths'] : [];
    return paths.filter((path) => typeof path === 'string').map(normalizeFilePath);
  } catch {
    return [];
  }
}
