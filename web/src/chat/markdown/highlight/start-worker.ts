// oxlint-disable-next-line import/default -- Vite builds the worker, and this is its address
import url from '../../../../worker/highlighter.ts?worker&url';
import type { ColouredCode } from '../../../../worker/highlighter-messages.ts';
import type { HighlightWorker } from './highlighter.ts';

export function startWorker(whenAnswered: (answer: ColouredCode) => void): HighlightWorker {
  const worker = self.origin === 'null' ? startWithoutOrigin() : new Worker(url, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<ColouredCode>) => whenAnswered(data));
  worker.addEventListener('error', () => whenAnswered(undefined));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is not a window
  return { ask: (job) => worker.postMessage(job), end: () => worker.terminate() };
}

/**
 * A shared page is sandboxed and has no origin. It may only start a worker that it has written itself, and only a script
 * of the old kind. This one loads ours when the first message arrives, and passes that message on.
 */
function startWithoutOrigin(): Worker {
  const address = JSON.stringify(new URL(url, location.href));
  const pass = '() => dispatchEvent(new MessageEvent("message", { data }))';
  const load = `({ data }) => import(${address}).then(${pass}, () => postMessage(undefined))`;
  const file = new Blob([`addEventListener("message", ${load}, { once: true });`], { type: 'text/javascript' });
  return new Worker(URL.createObjectURL(file));
}
