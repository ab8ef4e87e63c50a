import { i18n } from '@lingui/core';
import { Trans } from '@lingui/react/macro';
import type { OpenGate } from '@reborn-agent/client/api';
import { type ReadFact, reasonOf } from '@reborn-agent/client/gate-card';
import type { ReactNode } from 'react';

/** Why a card asks: what the conversation has read. */
export function GateReason({ gate }: { readonly gate: OpenGate }) {
  const reason = reasonOf(gate);
  if (!reason) return null;
  return (
    <p className="break-words">
      <Trans>
        Asked because this conversation has read <ReadSources read={reason.read} more={reason.more} />.
      </Trans>
    </p>
  );
}

/** Texts that were read, as a list in the person's language. */
export function ReadSources({ read, more }: { readonly read: readonly ReadFact[]; readonly more: number }) {
  const items: ReactNode[] = read.map((fact) => <ReadSource key={`${fact.kind} ${fact.name}`} fact={fact} />);
  if (more > 0) items.push(<Trans key="more">{more} more</Trans>);
  const places = new Intl.ListFormat(i18n.locale).formatToParts(items.map((_, index) => String(index)));
  return places.map(({ type, value }) => (type === 'element' ? items[Number(value)] : value));
}

function ReadSource({ fact }: { readonly fact: ReadFact }) {
  const words = <SourceWords fact={fact} />;
  return fact.isForeign ? <Trans>{words} (text by others)</Trans> : words;
}

function SourceWords({ fact: { kind, name } }: { readonly fact: ReadFact }) {
  const named = name !== null && <Name text={name} />;
  switch (kind) {
    case 'page':
      return named || <Trans>a web page</Trans>;
    case 'search':
      return <Trans>results of a search</Trans>;
    case 'note':
      return <Trans>the note {named}</Trans>;
    case 'notes':
      return (
        <strong>
          <Trans>your notes</Trans>
        </strong>
      );
    case 'missions':
      return (
        <strong>
          <Trans>your missions</Trans>
        </strong>
      );
    case 'tool':
    case 'server':
    case 'caller':
      return named ? <Trans>the output of {named}</Trans> : <Trans>the output of a tool</Trans>;
    case 'file':
      return named ? <Trans>the file {named}</Trans> : <Trans>a picture or file</Trans>;
    case 'message':
      return <Message source={name} />;
    case 'summary':
      return <Trans>earlier messages</Trans>;
    case 'project':
      return <Trans>instructions of the project</Trans>;
  }
}

/** A message, by how it got to the person who sent it to the agent. */
function Message({ source }: { readonly source: string | null }) {
  switch (source) {
    case 'forwarded':
      return <Trans>a forwarded message</Trans>;
    case 'quoted':
      return <Trans>a quoted message</Trans>;
    case 'shared':
      return <Trans>a shared message</Trans>;
    default:
      return <Trans>a message</Trans>;
  }
}

/** Others may have chosen the name. A component, because Lingui decodes the escapes in the values of a text. */
const Name = ({ text }: { readonly text: string }) => (
  <strong className="exact break-all">
    <bdi>{text}</bdi>
  </strong>
);
