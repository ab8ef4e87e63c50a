import { t } from '@lingui/core/macro';
import type { JobList } from '@reborn-agent/client/api';
import type { Mark } from '../parts/status-mark.tsx';

export type Job = JobList['jobs'][number];

export function markOfJob(job: Job): { mark: Mark; words: string } {
  if (job.error) return { mark: 'failed', words: t`failed` };
  if (job.waiting_on) return { mark: 'waiting', words: wordsOfWaiting(job.waiting_on) };
  switch (job.status) {
    case 'completed':
      return { mark: 'done', words: t`completed` };
    case 'running':
      return { mark: 'running', words: t`running` };
    case 'queued':
      return { mark: 'idle', words: t`queued` };
  }
}

function wordsOfWaiting(kind: NonNullable<Job['waiting_on']>): string {
  switch (kind) {
    case 'approval':
      return t`waits for an approval`;
    case 'auth':
      return t`waits for a sign-in`;
    case 'pairing':
      return t`waits for a pairing`;
    case 'input':
      return t`waits for an answer`;
    default:
      return t`waits for a result`;
  }
}
