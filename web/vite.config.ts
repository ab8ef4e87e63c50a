import path from 'node:path';
import { getConfig } from '@lingui/conf';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compressAssets } from './compress-assets.ts';
import { preloadFirstFont } from './first-font.ts';
import { nameFirstPage } from './first-page.ts';
import { shellFiles } from './shell-files.ts';
import { noteSources } from './source-hash.ts';

const TEXTS = { configPath: path.join(import.meta.dirname, 'lingui.config.ts') };

/** `npm run web` builds into `web/dist`, which the gateway serves. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    // Compiles the macros that mark texts for translation. Files without a macro are left alone.
    babel({ presets: [linguiTransformerBabelPreset({ linguiConfig: getConfig(TEXTS) }, TEXTS)] }),
    lingui({ ...TEXTS, failOnMissing: true, failOnCompileError: true }),
    tailwindcss(),
    onlyNewFonts(),
    preloadFirstFont(),
    shellFiles('/src/app/entrance.tsx', /\/locales\/\w+\.po$/),
    compressAssets(),
    noteSources(),
  ],
  worker: { format: 'es' },
  build: {
    target: 'esnext',
    manifest: true,
    rolldownOptions: {
      // On a slow machine, it would warn of plugins that take their time.
      checks: { bundlerTimings: false },
      input: ['index.html', 'shared.html', 'frames/diagram.html', 'worker/service-worker.ts'].map((file) =>
        path.join(import.meta.dirname, file),
      ),
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: nameFirstPage() }] },
        // The browser looks for a new worker at the same address.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
    // The policy of the page allows no data: scripts or styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1600,
  },
});

/** Every browser that runs the app reads WOFF2, so the fonts of formulas are not shipped in two more formats. */
function onlyNewFonts(): Plugin {
  return {
    name: 'only-new-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('katex') || !/\.css\b/.test(id)) return;
      return code.replaceAll(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'][^"']*["']\)/g, '');
    },
  };
}
