import { t } from '@lingui/core/macro';
import type { IconName } from '../parts/icon.tsx';

export type Kind =
  | 'table'
  | 'spreadsheet'
  | 'picture'
  | 'drawing'
  | 'page'
  | 'markdown'
  | 'pdf'
  | 'code'
  | 'text'
  | 'other';

const ENDINGS: Readonly<Record<Exclude<Kind, 'other'>, string>> = {
  table: 'csv tsv',
  spreadsheet: 'xlsx xls ods parquet',
  picture: 'png jpg jpeg gif webp avif',
  drawing: 'svg',
  page: 'html htm',
  markdown: 'md markdown',
  pdf: 'pdf',
  code: 'c cpp cs css go h hs java js json jsx kt lua mjs php pl ps1 py r rb rs scala sh sql swift toml ts tsx vue xml yaml yml',
  text: 'txt log ini conf eml ics',
};

const KINDS = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind as Kind])),
);

export const endingOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const pageWords = (name: string, page: number): string => t`${name}, page ${page}`;

/** By the end of its name. What is in it can be anything. */
export const kindOf = (path: string): Kind => KINDS.get(endingOf(path)) ?? 'other';

export function kindWords(kind: Kind): string {
  switch (kind) {
    case 'table':
      return t`Table`;
    case 'spreadsheet':
      return t`Spreadsheet`;
    case 'picture':
      return t`Picture`;
    case 'drawing':
      return t`Drawing`;
    case 'page':
      return t`Web page`;
    case 'pdf':
      return 'PDF';
    case 'code':
      return t`Code`;
    case 'markdown':
    case 'text':
      return t`Text`;
    case 'other':
      return t`File`;
  }
}

const SHEET = { icon: 'table', className: 'bg-done-wash text-done' } as const;
const CODE = { icon: 'code', className: 'bg-running-wash text-running' } as const;
const PLAIN = { icon: 'file', className: 'bg-hover text-soft' } as const;
const PICTURE = { icon: 'image', className: 'bg-hover text-soft' } as const;

export const TILES: Readonly<Record<Kind, { readonly icon: IconName; readonly className: string }>> = {
  table: SHEET,
  spreadsheet: SHEET,
  pdf: { icon: 'file', className: 'bg-failed-wash text-failed' },
  code: CODE,
  page: CODE,
  picture: PICTURE,
  drawing: PICTURE,
  markdown: PLAIN,
  text: PLAIN,
  other: PLAIN,
};
