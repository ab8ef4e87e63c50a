import { z } from 'zod';
import { isObject } from '#domain/is-object.ts';
import type { FunctionCallBody, NewItem } from '#domain/thread/item.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import {
  CONTAINER_FILE_ID,
  CONTAINER_ID,
  formatContainerFileId,
  formatContainerId,
} from '../../model-api/container-id.ts';
import type { HostedView } from './hosted-calls.ts';

/** A file that the agent has handed over, where a text names it. */
export const fileCitation = z
  .strictObject({
    type: z.literal('container_file_citation'),
    container_id: z.string().regex(CONTAINER_ID),
    file_id: z.string().regex(CONTAINER_FILE_ID),
    filename: z.string().min(1),
    start_index: z.int().min(0),
    end_index: z.int().min(1),
  })
  .meta({ id: 'ContainerFileCitation', description: 'Only for requests with hosted tools.' });

export type FileCitation = z.infer<typeof fileCitation>;

const PRESENT = 'reborn_file_present';

/** What a text cites of the files that were handed over before it. */
export type CiteFiles = (said: string) => FileCitation[];

/** Reads the items of a turn in order. Returns how a message cites the files that were handed over before it. */
export function createCitations(view: HostedView | undefined): (item: NewItem) => CiteFiles {
  const presented = new Set<string>();
  return (item) => {
    if (!view) return () => [];
    if (item.type === 'function_call' && item.name === PRESENT && !item.external)
      for (const path of pathsOf(item)) presented.add(path);
    const before = [...presented];
    return (said) => before.flatMap((path) => cite(view, path, said));
  };
}

/** The first place that names the file, with its folders or without. */
function cite({ container }: HostedView, path: string, said: string): FileCitation[] {
  const filename = path.split('/').at(-1) ?? path;
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
