import type { JobList } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

export type Job = JobList['jobs'][number];

export function JobDrawer({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const { callback } = job;
  return (
    <Dialog title={`Job ${job.conversation_id ?? job.id}`} place="side" onClose={onClose}>
      <Facts
        facts={[
          ['State', job.error ? job.error.message : (job.waiting_on ?? job.status)],
          ['Id', job.id],
          ['User', job.user_id],
          ['Came in', <RelativeTime key="in" time={job.created_at} />],
          ['Completed', job.completed_at && <RelativeTime key="out" time={job.completed_at} />],
          ['Callback', callback && `${callback.status} after ${callback.attempts} tries: ${callback.url}`],
          ['Last error of the callback', callback?.last_error],
          ['Metadata', job.metadata && <ReadableJson key="metadata" text={JSON.stringify(job.metadata)} />],
          [
            'Thread',
            <Link
              key="thread"
              to="/threads/$threadId"
              params={{ threadId: job.thread_id }}
              className="underline underline-offset-2"
            >
              Go to its thread
            </Link>,
          ],
        ]}
      />
    </Dialog>
  );
}
