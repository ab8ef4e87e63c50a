import type { FolderId } from '../ids.ts';

/** A name under which a user keeps threads together. */
export type Folder = { readonly id: FolderId; readonly name: string; readonly createdAt: Date };

export const MAX_FOLDERS = 100;
