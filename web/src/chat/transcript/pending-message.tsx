import { Speaker } from './speaker.tsx';

/** A sent message, until the service reports it. */
export function PendingMessage({ text }: { readonly text: string }) {
  return (
    <div className="pb-5 opacity-60">
      <Speaker name="You" />
      <p className="whitespace-pre-wrap break-words text-l">{text}</p>
      <p className="text-s text-soft">Sending</p>
    </div>
  );
}
