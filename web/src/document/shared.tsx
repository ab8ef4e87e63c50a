import '../theme/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLanguage } from '../language/language.ts';
import { Translated } from '../language/translated.tsx';
import { installTheme } from '../theme/theme.ts';
import { SharedThreadPage } from './shared-thread-page.tsx';

/* The page for visitors of a shared thread. Its origin is opaque: it has no session and no storage. */

installTheme();
const root = document.getElementById('app');
if (!root) throw new Error('The page has no #app.');
void startLanguage().then(() =>
  createRoot(root).render(
    <StrictMode>
      <Translated>
        <SharedThreadPage link={location.pathname.split('/').at(-1) ?? ''} />
      </Translated>
    </StrictMode>,
  ),
);
