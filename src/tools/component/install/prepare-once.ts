import { createHash } from 'node:crypto';
import type { PreparedComponent } from './prepare-component.ts';

type Prepare = (wasm: Uint8Array) => Promise<PreparedComponent>;

const KEPT_MS = 10 * 60 * 1000;

/**
 * Prepares components, and keeps the last one for a while: a person looks at a tool before they install it. What they saw is
 * then what is installed, also if the component would describe itself differently the second time.
 */
export function prepareOnce(prepare: Prepare): Prepare {
  let last: { readonly hash: string; readonly component: Promise<PreparedComponent> } | undefined;
  return (wasm) => {
    const hash = createHash('sha256').update(wasm).digest('hex');
    if (last?.hash === hash) return last.component;
    const component = prepare(wasm);
    const mine = { hash, component };
    const forget = (): void => void (last === mine && (last = undefined));
    last = mine;
    component.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
    return component;
  };
}
