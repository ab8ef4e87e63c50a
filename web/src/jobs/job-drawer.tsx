import { t } from '@lingui/core/macro';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { wordsOfFailure } from '../failures/failure-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { JobGate } from './job-gate.tsx';
import { type Job, markOfJob } from './job-words.ts';

export function JobDrawer({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const { callback } = job;
  return (
    <Dialog title={t`Job ${job.conversation_id ?? job.id}`} place="side" onClose={onClose}>
      <Facts
        facts={[
          [t`State`, job.error ? wordsOfFailure(job.error) : markOfJob(job).words],
          [t`Id`, job.id],
          [t`User`, job.user_id],
          [t`Came in`, <RelativeTime key="in" time={job.created_at} />],
          [t`Completed`, job.completed_at && <RelativeTime key="out" time={job.completed_at} />],
          [t`Callback`, callback && t`${callback.status} after ${callback.attempts} tries: ${callback.url}`],
          [t`Last error of the callback`, callback?.last_error],
          [t`Metadata`, job.metadata && <ReadableJson key="metadata" text={JSON.stringify(job.metadata)} />],
          [t`Thread`, job.thread_id],
        ]}
      />
      {job.waiting_on && <JobGate threadId={job.thread_id} onAnswered={onClose} />}
    </Dialog>
  );
}
