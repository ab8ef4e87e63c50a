import { t } from '@lingui/core/macro';
import type { Assistant } from '@reborn-agent/client/api';

/** What an assistant may do with the notes of the person. */
export const memoryChoices = (): readonly { readonly value: Assistant['memory']; readonly words: string }[] => [
  { value: 'shared', words: t`Your notes` },
  { value: 'read', words: t`Reads your notes, writes none` },
  { value: 'own', words: t`Reads your notes, writes its own` },
  { value: 'none', words: t`No notes` },
];
