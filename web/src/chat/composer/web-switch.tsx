import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { IconButton } from '../../parts/button.tsx';

export type WebChoice = { readonly isOn: boolean; readonly choose: (isOn: boolean) => void };

const PREFIX = 'reborn.web-off.';

/** Whether the messages of a thread may be answered with the web. This browser remembers it. */
export function useWebChoice(thread: string): WebChoice {
  const [isOn, setOn] = useState(() => localStorage.getItem(PREFIX + thread) === null);
  const choose = (next: boolean) => {
    setOn(next);
    keepWebChoice(thread, next);
  };
  return { isOn, choose };
}

export function keepWebChoice(thread: string, isOn: boolean): void {
  if (isOn) localStorage.removeItem(PREFIX + thread);
  else localStorage.setItem(PREFIX + thread, '');
}

export function WebSwitch({ web: { isOn, choose } }: { readonly web: WebChoice }) {
  return (
    <IconButton
      role="switch"
      aria-checked={isOn}
      icon={isOn ? 'globe' : 'globe-off'}
      label={t`Web search`}
      title={isOn ? t`The agent may search the web and open pages` : t`The agent answers without the web`}
      onClick={() => choose(!isOn)}
    />
  );
}
