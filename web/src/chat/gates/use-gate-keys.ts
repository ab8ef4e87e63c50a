import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { areLettersKeys } from '../../app/letter-keys.ts';

/** No key answers a card that has just come up or moved: it was meant for something else. */
const STILL_MS = 500;
const LOOK_MS = 100;

export type GateKey = 'y' | 'a' | 'n';

/**
 * Y, A and N answer the card while the focus is on it or in no field, and Alt ↑ moves the focus to it. A letter counts only if the card
 * is on the screen and has stood still.
 */
export function useGateKeys(card: RefObject<HTMLElement | null>, onKey: (key: GateKey) => void): void {
  const moved = useRef({ top: Number.NaN, at: 0 });
  const look = () => {
    const top = card.current?.getBoundingClientRect().top ?? Number.NaN;
    if (Math.abs(top - moved.current.top) < 1) return;
    moved.current = { top, at: performance.now() };
  };
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey && event.key === 'ArrowUp') {
      event.preventDefault();
      card.current?.focus();
      return;
    }
    const key = GATE_KEYS.find((each) => each === event.key.toLowerCase());
    if (
      !key ||
      !areLettersKeys() ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.repeat ||
      isInField(event.target)
    )
      return;
    look();
    if (performance.now() - moved.current.at < STILL_MS || !isOnScreen(card.current)) return;
    event.preventDefault();
    onKey(key);
  });
  const watch = useEffectEvent(look);
  useEffect(() => {
    watch();
    const timer = setInterval(() => watch(), LOOK_MS);
    const onPress = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', onPress);
    return () => {
      clearInterval(timer);
      removeEventListener('keydown', onPress);
    };
  }, []);
}

const GATE_KEYS: readonly GateKey[] = ['y', 'a', 'n'];

const isInField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role=dialog], [role=menu]') !== null);

function isOnScreen(card: HTMLElement | null): boolean {
  const box = card?.getBoundingClientRect();
  return box !== undefined && box.bottom > 0 && box.top < innerHeight;
}
