import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { toSpokenText } from './spoken-text.ts';

/** Reads an answer with a voice of the browser. Shown only where it has one. */
export function ReadAloudButton({ text }: { readonly text: string }) {
  const [speaking, setSpeaking] = useState(false);
  useEffect(() => () => void (speaking && speechSynthesis.cancel()), [speaking]);
  if (!('speechSynthesis' in globalThis)) return null;

  const start = () => {
    speechSynthesis.cancel(); // another answer may be read
    // Some voices stop after a few hundred characters, so each paragraph is said on its own.
    const parts = toSpokenText(text).map((words) => new SpeechSynthesisUtterance(words));
    const last = parts.at(-1);
    if (!last) return;
    last.addEventListener('end', () => setSpeaking(false));
    for (const part of parts) {
      part.addEventListener('error', () => setSpeaking(false));
      speechSynthesis.speak(part);
    }
    setSpeaking(true);
  };
  return (
    <IconButton
      icon={speaking ? 'stop' : 'speaker'}
      label={speaking ? t`Stop reading` : t`Read aloud`}
      aria-pressed={speaking}
      onClick={() => (speaking ? setSpeaking(false) : start())}
    />
  );
}
