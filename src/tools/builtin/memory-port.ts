import type { ToolContext } from '../tool.ts';

type Owner = ToolContext['owner'];
type Note = { readonly path: string; readonly text: string; readonly updatedAt: Date };

/** What the memory tools ask of the memory. It throws `InvalidRequest` for a path or a text that can't be. */
export type MemoryPort = {
  search(owner: Owner, query: string, limit: number): Promise<readonly (Note & { readonly score: number })[]>;
  find(owner: Owner, path: string): Promise<Note | undefined>;
  write(owner: Owner, path: string, text: string): Promise<Note>;
  delete(owner: Owner, path: string): Promise<boolean>;
};
