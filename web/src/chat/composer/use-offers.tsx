import { t } from '@lingui/core/macro';
import { findVariable } from '@reborn-agent/client/prompt-template';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react';
import { OfferForm } from './offer-form.tsx';
import { findMark, loadOffers, type Offer, offersOfNone } from './offers.ts';

type Options = {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onWrite: (text: string) => void;
};

/** Templates and prompts behind `/`, and assistants, notes, skills and resources behind `@`. Tab goes from one variable of a template to the next. */
export function useOffers({ area, text, onWrite }: Options) {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [dismissed, setDismissed] = useState('');
  const [chosen, setChosen] = useState(0);
  const mark = findMark(text.slice(0, caret));
  const isOpen = mark !== undefined && dismissed !== text;
  const { data: offers } = useQuery({
    queryKey: ['offers', mark?.mark, mark?.typed, mark?.start === 0],
    queryFn: () => (mark ? loadOffers(mark.mark, mark.typed, mark.start) : []),
    enabled: isOpen,
    staleTime: 5000,
  });
  const isEmpty = isOpen && offers?.length === 0;
  const shown = isEmpty ? offersOfNone(mark.mark) : isOpen ? (offers ?? []) : [];
  // Enter sends a message that only looks like the name of a template.
  const current = isEmpty && mark.typed !== '' ? -1 : Math.min(chosen, shown.length - 1);
  const [select, setSelect] = useState<{ readonly start: number; readonly end: number }>();
  useEffect(() => {
    if (!select) return;
    area.current?.focus();
    area.current?.setSelectionRange(select.start, select.end);
    setCaret(select.end);
  }, [select, area]);

  const navigate = useNavigate();
  const [asking, setAsking] = useState<Offer>();

  const take = async (offer: Offer, given: Readonly<Record<string, string>> = {}) => {
    if (!mark) return;
    const written = await offer.write(given);
    setAsking(undefined);
    const before = text.slice(0, mark.start) + written;
    onWrite(before + text.slice(caret));
    setDismissed(before + text.slice(caret));
    setChosen(0);
    const variable = findVariable(written, 0);
    setSelect(
      variable
        ? { start: mark.start + variable.start, end: mark.start + variable.end }
        : { start: before.length, end: before.length },
    );
  };

  /** An offer that needs values, or that can't be written, opens a form. */
  const choose = (offer: Offer) => {
    if (offer.leadsTo !== undefined) void navigate({ href: offer.leadsTo });
    else if (offer.fields && offer.fields.length > 0) setAsking(offer);
    else take(offer).catch(() => setAsking(offer));
  };

  /** Returns whether the key was meant for the list or for a variable. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (shown.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) setChosen((current + step + shown.length) % shown.length);
      else if (event.key === 'Escape') setDismissed(text);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
        const offer = shown[current];
        if (!offer) return false;
        choose(offer);
      } else return false;
      return true;
    }
    const variable = event.key === 'Tab' && !event.shiftKey ? findVariable(text, caret) : undefined;
    if (variable) setSelect(variable);
    return variable !== undefined;
  };

  const list = shown.length > 0 && (
    <ul
      id={id}
      role="listbox"
      aria-label={mark?.mark === '/' ? t`Templates and prompts` : t`Assistants, notes, skills and resources`}
      className="-mx-3 -mt-2 max-h-72 overflow-y-auto border-b border-line p-1"
    >
      {shown.map((offer, index) => (
        <li
          key={offer.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          onPointerDown={(event) => {
            event.preventDefault(); // the focus stays in the message
            choose(offer);
          }}
          className={`flex min-h-target cursor-pointer items-baseline gap-3 rounded px-2 py-1 ${index === current ? 'bg-hover' : ''}`}
        >
          <span className="max-w-[50%] shrink-0 truncate font-medium">{offer.name}</span>
          <span className="min-w-0 flex-1 truncate text-meta text-soft">{offer.about}</span>
        </li>
      ))}
    </ul>
  );

  const props = {
    onSelect: () => setCaret(area.current?.selectionStart ?? 0),
    ...(shown.length > 0 && {
      'aria-autocomplete': 'list' as const,
      'aria-controls': id,
      ...(current >= 0 && { 'aria-activedescendant': `${id}-${current}` }),
    }),
  };
  const form = asking && (
    <OfferForm offer={asking} onTake={(given) => take(asking, given)} onClose={() => setAsking(undefined)} />
  );
  return { list, form, onKey, props };
}
