import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';

export const titleOf = (thread: Pick<Thread, 'title'>) => thread.title || t`Untitled`;
