import { type FunctionComponent, lazy } from 'react';

const PAUSE_MS = 1000;

/**
 * A part of a page whose code is loaded when it is first shown. If the service goes away meanwhile, the fallback stays until the
 * service is back, and the rest of the page keeps working.
 */
export function lazyPart<Props>(load: () => Promise<FunctionComponent<Props>>) {
  return lazy(async () => ({ default: await load().catch(() => loadWhenBack(load)) }));
}

async function loadWhenBack<Part>(load: () => Promise<Part>): Promise<Part> {
  while (!(await isServiceThere())) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  return load();
}

export async function isServiceThere(): Promise<boolean> {
  const answer = await fetch('/', { method: 'HEAD' }).catch(() => undefined);
  return answer?.ok ?? false;
}
