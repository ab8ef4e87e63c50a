import './theme/theme.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { installReloadAfterUpgrade } from './app/reload-after-upgrade.ts';
import { createAppRouter } from './app/routes.tsx';
import { installServiceWorker } from './app/service-worker.ts';
import { installTheme } from './theme/theme.ts';

installTheme();
installReloadAfterUpgrade();
const root = document.getElementById('app');
if (!root) throw new Error('The page has no #app.');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={createAppRouter()} />
  </StrictMode>,
);
installServiceWorker();
