import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { createStore } from './store.ts';

type Notice = { readonly words: string; readonly onUndo?: (() => void) | undefined };

const SHOWN_MS = 4000;
export const UNDO_MS = 8000;

const shown = createStore<Notice | undefined>(undefined);

/** Says at the bottom of the page what was done, and for a moment longer how to undo it. */
export const tell = (words: string, onUndo?: () => void): void => shown.set({ words, onUndo });

/** Where `tell` says it. It is always there, so that screen readers notice what appears in it. */
export function NoticeLine() {
  const notice = shown.useValue();
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => shown.set(undefined), notice.onUndo ? UNDO_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div role="status" className="notice">
      {notice && (
        <p className="flex items-center gap-3 rounded-lg bg-ink px-4 py-1 text-paper shadow-float">
          <span className="min-w-0 break-words py-1">{notice.words}</span>
          {notice.onUndo && (
            <button
              type="button"
              className="min-h-target shrink-0 rounded px-2 font-semibold underline underline-offset-4"
              onClick={() => {
                notice.onUndo?.();
                shown.set(undefined);
              }}
            >
              {t`Undo`}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
