import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { focusComposer } from '../chat/composer/focus-composer.ts';
import { client } from '../client/client.ts';

/** Keys that work on every page: a new thread, the next one that waits, the composer, and the list of keys. */
export function useFrameKeys(openShortcuts: () => void): void {
  const navigate = useNavigate();
  const { threadId: shown } = useParams({ strict: false });

  async function openWaiting(): Promise<void> {
    const { gates } = await client.call('GET /api/gates', { query: { limit: MOST } });
    const waiting = [...new Set(gates.map(({ thread_id: id }) => id))];
    const next = waiting[(waiting.indexOf(shown ?? '') + 1) % waiting.length];
    if (next !== undefined && next !== shown) await navigate({ to: '/threads/$threadId', params: { threadId: next } });
  }

  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = actionOf(event);
    if (!act || document.querySelector('[role=dialog]')) return;
    event.preventDefault();
    if (act === 'new') void navigate({ to: '/' }).then(focusComposer);
    if (act === 'waiting') void openWaiting();
    if (act === 'composer') focusComposer();
    if (act === 'shortcuts') openShortcuts();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const MOST = 100;

/** By the place of the key where Alt writes another letter, as on a Mac. */
function actionOf(event: KeyboardEvent): 'new' | 'waiting' | 'composer' | 'shortcuts' | undefined {
  const { key, code, altKey, shiftKey } = event;
  const isMod = event.ctrlKey || event.metaKey;
  if (isMod && shiftKey && !altKey && key.toLowerCase() === 'o') return 'new';
  if (isMod && !altKey && key === '/') return 'shortcuts';
  if (isMod || shiftKey || !altKey) return undefined;
  if (code === 'KeyW') return 'waiting';
  return key === 'ArrowDown' ? 'composer' : undefined;
}
