// Classifies a new issue. In a GitHub workflow that runs on `issues: opened`:
//   node examples/issue-triage/triage.ts < "$GITHUB_EVENT_PATH"
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

type IssueEvent = { issue: { number: number; title: string; body: string | null }; repository: { full_name: string } };
type Job = { id: string; status: string; response?: string; error?: { message: string } };

const url = process.env['WEBHOOK_URL'] ?? 'http://127.0.0.1:8080';
const headers = { 'content-type': 'application/json', 'x-webhook-secret': process.env['WEBHOOK_SECRET'] ?? '' };

const { issue, repository } = JSON.parse(await text(process.stdin)) as IssueEvent;
const name = `${repository.full_name}#${issue.number}`;
const { job_id: id } = await ask<{ job_id: string }>('/webhook', {
  user_id: 'triage',
  conversation_id: name, // later messages about this issue belong to the same thread
  message: `Is this issue a bug, a wish or a question? Answer with that word, and one sentence why.\n\n${issue.title}\n\n${issue.body ?? ''}`,
});

let job: Job;
do {
  await pause(500);
  job = await ask<Job>(`/jobs/${id}`);
} while (job.status !== 'completed');
if (job.error) throw new Error(job.error.message);
console.log(`${name}: ${job.response}`);

async function ask<Answer>(route: string, body?: object): Promise<Answer> {
  // The same key for the same issue: a repeated workflow gets the existing job.
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + route, { ...sent, headers: { ...headers, 'idempotency-key': name } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
