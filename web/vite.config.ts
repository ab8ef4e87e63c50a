import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './compress-assets.ts';

/** `npm run web` builds into `web/dist`, which the gateway serves. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), compressAssets()],
  build: {
    target: 'esnext',
    manifest: true,
    // The policy of the page allows no data: scripts or styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
});
