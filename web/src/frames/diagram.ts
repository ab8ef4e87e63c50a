import mermaid from 'mermaid';

/*
 * Draws diagrams for the app, which shows them as images. This page runs in a sandboxed frame: the library parses text
 * of unknown origin, and a hole in it must not reach the app.
 */

type Order = { readonly id: number; readonly source: string; readonly dark: boolean };

let last: Promise<void> = Promise.resolve();

addEventListener('message', ({ source, data }: MessageEvent<Order>) => {
  if (source !== parent) return;
  // The library keeps the theme of a drawing in its module, so drawings must not overlap.
  last = last.then(async () => parent.postMessage(await draw(data), '*'));
});
parent.postMessage('ready', '*');

async function draw({ id, source, dark }: Order) {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      htmlLabels: false,
      theme: dark ? 'dark' : 'neutral',
      fontFamily: 'system-ui, sans-serif',
      maxTextSize: 20_000,
      maxEdges: 300,
    });
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    return { id, ...toImage(svg) };
  } catch (error) {
    document.body.replaceChildren();
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** An image needs a size in pixels and must be well-formed XML. */
function toImage(text: string) {
  const svg = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
  if (!svg) throw new Error('The library drew nothing.');
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.style.removeProperty('max-width');
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}
