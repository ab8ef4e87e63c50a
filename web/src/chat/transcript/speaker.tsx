import { AGENT, type Voice } from './voice.ts';

/** Whose words follow, for those who don't see that the person's are on a block. Everyone sees it where several may speak. */
export function Speaker({ name, isShown = false }: { readonly name: string; readonly isShown?: boolean }) {
  return <h2 className={isShown ? 'pb-1 text-meta font-semibold text-soft' : 'sr-only'}>{name}</h2>;
}

/** The agent, as an assistant or as itself. */
export const AgentSpeaker = ({ by }: { readonly by: Voice }) => (
  <Speaker name={by ?? AGENT} isShown={by !== undefined} />
);
