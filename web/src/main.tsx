import './theme/theme.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { installReloadAfterUpgrade } from './app/reload-after-upgrade.ts';
import { createAppRouter } from './app/routes.tsx';
import { installServiceWorker } from './app/service-worker.ts';
import { startLanguage } from './language/language.ts';
import { Translated } from './language/translated.tsx';
import { installTextSize } from './theme/text-size.ts';
import { installTheme } from './theme/theme.ts';

installTheme();
installTextSize();
installReloadAfterUpgrade();
const root = document.getElementById('app');
if (!root) throw new Error('The page has no #app.');
const router = createAppRouter();
// The page that is opened loads beside the texts.
void router.load();
// No `await`: other chunks import this one, and would have to wait for it.
void startLanguage().then(() =>
  createRoot(root).render(
    <StrictMode>
      <Translated>
        <RouterProvider router={router} />
      </Translated>
    </StrictMode>,
  ),
);
installServiceWorker();
