import './theme/theme.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAppRouter } from './app/routes.tsx';
import { installTheme } from './theme/theme.ts';

installTheme();
const root = document.getElementById('app');
if (!root) throw new Error('The page has no #app.');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={createAppRouter()} />
  </StrictMode>,
);
