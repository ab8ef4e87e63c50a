import { t } from '@lingui/core/macro';
export type Drawing = { readonly svg: string; readonly width: number; readonly height: number };

type Answer = { readonly id: number; readonly error?: string } & Partial<Drawing>;

type Waiting = { readonly resolve: (drawing: Drawing) => void; readonly reject: (error: Error) => void };

const TIMEOUT_MS = 15_000;
const MOST_DRAWINGS = 60;

const drawings = new Map<string, Promise<Drawing>>();
const waiting = new Map<number, Waiting>();
let frame: { readonly element: HTMLIFrameElement; readonly ready: Promise<void> } | undefined;
let orders = 0;

/** The drawing of a diagram. It is made in a sandboxed frame, and kept for the next time it comes into view. */
export function drawDiagram(source: string, dark: boolean): Promise<Drawing> {
  const key = `${dark} ${source}`;
  const known = drawings.get(key);
  if (known) return known;
  const drawing = order(source, dark);
  drawings.set(key, drawing);
  const [oldest] = drawings.keys();
  if (drawings.size > MOST_DRAWINGS && oldest !== undefined) drawings.delete(oldest);
  return drawing;
}

async function order(source: string, dark: boolean): Promise<Drawing> {
  const id = ++orders;
  const { promise, resolve, reject } = Promise.withResolvers<Drawing>();
  waiting.set(id, { resolve, reject });
  const timer = setTimeout(() => giveUp(new Error(t`It takes too long.`)), TIMEOUT_MS);
  try {
    frame ??= openFrame();
    const { element, ready } = frame;
    await ready;
    element.contentWindow?.postMessage({ id, source, dark }, '*'); // an opaque origin has no name
    return await promise;
  } finally {
    clearTimeout(timer);
    waiting.delete(id);
  }
}

function openFrame() {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  element.title = 'Draws diagrams';
  element.src = '/frames/diagram';
  // Browsers don't lay out frames that are outside of the window, and the library measures what it draws.
  element.className = 'pointer-events-none fixed inset-0 -z-10 size-full border-0 opacity-0';
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  addEventListener('message', ({ source, data }: MessageEvent<'ready' | Answer>) => {
    if (source !== element.contentWindow) return;
    if (data === 'ready') resolve();
    else settle(data);
  });
  document.body.append(element);
  return { element, ready };
}

function settle({ id, svg, width, height, error }: Answer): void {
  const asked = waiting.get(id);
  if (typeof svg === 'string' && typeof width === 'number' && typeof height === 'number')
    asked?.resolve({ svg, width, height });
  else asked?.reject(new Error(String(error)));
}

/** A frame that hangs is replaced by the next order. */
function giveUp(error: Error): void {
  for (const { reject } of waiting.values()) reject(error);
  frame?.element.remove();
  frame = undefined;
}

export const toImageAddress = (svg: string) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
