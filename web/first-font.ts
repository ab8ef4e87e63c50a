import type { Plugin, Rolldown } from 'vite';

/** The upright Latin letters of Inter, which every page shows at once. Styles name further fonts, which load when they are used. */
const FIRST = /\/inter-latin-wght-normal-[\w-]+\.woff2$/;
const PAGES = ['/index.html', '/shared.html'];

/** Lets the pages load their font beside the styles that name it. */
export function preloadFirstFont(): Plugin {
  return {
    name: 'preload-first-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { path, bundle }) => {
        if (!bundle || !PAGES.includes(path)) return [];
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${findFont(bundle)}` };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

export function findFont(bundle: Rolldown.OutputBundle): string {
  const name = Object.keys(bundle).find((file) => FIRST.test(file));
  if (!name) throw new Error('The build has no upright Latin font.');
  return name;
}
