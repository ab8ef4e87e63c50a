import { t } from '@lingui/core/macro';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';

/** The part of the browser's speech recognition that is used; no library of types has it. */
type Recognition = {
  lang: string;
  continuous: boolean;
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<Result> }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
};

type Result = ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean };

type Recogniser = new () => Recognition;

/** Browsers name it with or without a prefix, or don't have it. */
const recogniser = (): Recogniser | undefined => {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as {
    SpeechRecognition?: Recogniser;
    webkitSpeechRecognition?: Recogniser;
  };
  return SpeechRecognition ?? webkitSpeechRecognition;
};

/** Writes what is said. Shown only where the browser can do it. */
export function DictateButton({ onText }: { readonly onText: (text: string) => void }) {
  const running = useRef<Recognition>(undefined);
  const [listening, setListening] = useState(false);
  const hear = useEffectEvent(onText);
  useEffect(() => () => running.current?.stop(), []);
  const Recognise = recogniser();
  if (!Recognise) return null;

  const start = () => {
    const recognition = new Recognise();
    recognition.lang = navigator.language;
    recognition.continuous = true;
    recognition.onresult = ({ resultIndex, results }) => {
      const heard = Array.from(results).slice(resultIndex);
      const text = heard.flatMap((result) => (result.isFinal ? [result[0]?.transcript.trim() ?? ''] : [])).join(' ');
      if (text !== '') hear(text);
    };
    recognition.onend = () => setListening(false);
    recognition.start();
    running.current = recognition;
    setListening(true);
  };
  return (
    <IconButton
      icon={listening ? 'stop' : 'microphone'}
      label={listening ? t`Stop dictation` : t`Dictate`}
      title={listening ? t`Stop dictation` : t`Dictate. Some browsers send what you say to their vendor.`}
      aria-pressed={listening}
      className={listening ? 'text-running' : ''}
      onClick={() => (listening ? running.current?.stop() : start())}
    />
  );
}
