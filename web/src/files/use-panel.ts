import { createContext, use, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';

export type Tab = 'page' | 'preview' | 'text' | 'changes';

/** A page of a document, and the words that an answer quotes from it. `isMissing`: they are not there. */
export type ShownPage = {
  readonly number: number;
  readonly quotation?: string | undefined;
  readonly isMissing?: boolean;
};

/** The file that the panel shows: the newest one, and its newest version, unless others are named. */
export type Shown = {
  readonly path?: string | undefined;
  readonly version?: number | undefined;
  readonly page?: ShownPage;
  /** The first one when left out. */
  readonly tab?: Tab | undefined;
  /** The person did not ask for it, and continues with what they do. */
  readonly isOffered?: boolean;
};

export type Panel = {
  readonly threadId: string;
  /** Nothing while it is closed. */
  readonly shown: Shown | undefined;
  readonly show: (shown?: Shown) => void;
  readonly offer: (path: string) => void;
  readonly close: () => void;
  readonly width: number;
  readonly setWidth: (width: number) => void;
};

export const PanelContext = createContext<Panel | undefined>(undefined);

export function useFilePanel(): Panel {
  const panel = use(PanelContext);
  if (!panel) throw new Error('A file is shown outside of a thread.');
  return panel;
}

const ROOM = '(width >= 1100px)';
const WIDTH = 576;
export const LEAST_WIDTH = 400;

/** The panel of a thread's files. It remembers the file and its width; whoever opened it gets the focus back. */
export function usePanel(threadId: string): Panel {
  const [kept, setKept] = useState(() => read(threadId));
  const [shown, setShown] = useState<Shown>();
  const opener = useRef<Element | null>(null);
  const returns = useRef(false);
  const keep = (more: Partial<Kept>) => {
    const next = { ...kept, ...more };
    setKept(next);
    localStorage.setItem(PREFIX + threadId, JSON.stringify(next));
  };
  const show = (next: Shown = { path: kept.path }) => {
    if (!shown) opener.current = document.activeElement;
    setShown(next);
    if (next.path !== undefined) keep({ path: next.path });
  };
  /** Opens it by itself, if there is room and the person never closed it here. */
  const offer = (path: string) => {
    if (shown || kept.isClosed || !matchMedia(ROOM).matches) return;
    opener.current = null;
    setShown({ path, isOffered: true });
  };
  const close = () => {
    setShown(undefined);
    keep({ isClosed: true });
    if (document.activeElement?.closest('main')) return; // the person is elsewhere
    returns.current = true;
  };
  // The page behind the panel may be hidden until it is closed, so the focus returns when it is.
  useLayoutEffect(() => {
    if (shown || !returns.current) return;
    returns.current = false;
    const back = opener.current?.isConnected ? opener.current : document.querySelector('[data-opens-files]');
    if (back instanceof HTMLElement) back.focus();
  }, [shown]);
  useKeys(shown !== undefined, show, close);
  return { threadId, shown, show, offer, close, width: kept.width, setWidth: (width) => keep({ width }) };
}

function useKeys(isOpen: boolean, show: () => void, close: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey && event.code === 'Period') {
      event.preventDefault();
      if (isOpen) close();
      else show();
    } else if (event.key === 'Escape' && isOpen && !isSearching(event) && !document.querySelector(ABOVE)) close();
  });
  useEffect(() => {
    // Before others close what is above the panel, so that one key does not close both.
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

/** There, the key only empties the field. */
const isSearching = ({ target }: Event) =>
  target instanceof HTMLInputElement && target.type === 'search' && target.value !== '';

const ABOVE = '[role=dialog], [role=menu], [role=listbox]';

type Kept = { readonly path?: string; readonly width: number; readonly isClosed?: boolean };

const PREFIX = 'reborn.files.';

function read(threadId: string): Kept {
  const kept = localStorage.getItem(PREFIX + threadId);
  return kept === null ? { width: WIDTH } : (JSON.parse(kept) as Kept);
}
