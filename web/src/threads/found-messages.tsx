import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FoundMessage } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { wordsOf } from '../parts/error-words.ts';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The messages that contain what is searched for. Each leads to its place in the thread. */
export function FoundMessages({ q }: { readonly q: string }) {
  const { data, error } = useQuery({
    queryKey: ['search', q],
    queryFn: () => client.call('GET /api/search', { query: { q, limit: 30 } }),
    placeholderData: (shown) => shown,
  });
  return (
    <section aria-label={t`Messages`}>
      <h2 className="px-2 pb-1 pt-3 text-label text-soft">
        <Trans>Messages</Trans>
      </h2>
      {error && <p className="px-2 text-meta text-failed">{wordsOf(error)}</p>}
      {data?.results.length === 0 && (
        <p className="px-2 py-1 text-meta text-soft">
          <Trans>No messages match “{q}”.</Trans>
        </p>
      )}
      <ul>
        {data?.results.map((found) => (
          <li key={found.item_id}>
            <Link
              to="/threads/$threadId"
              params={{ threadId: found.thread_id }}
              hash={found.item_id}
              className="block rounded px-2 py-1 hover:bg-hover"
            >
              <span className="flex items-baseline gap-2">
                <span className="min-w-0 flex-1 truncate">{found.title || t`Untitled`}</span>
                <span className="shrink-0 text-meta text-soft">
                  <RelativeTime time={found.created_at} />
                </span>
              </span>
              <span className="line-clamp-3 break-words text-meta text-soft">
                {found.role === 'user' ? (
                  <Trans>
                    You: <Excerpt pieces={found.excerpt} />
                  </Trans>
                ) : (
                  <Excerpt pieces={found.excerpt} />
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Excerpt({ pieces }: { readonly pieces: FoundMessage['excerpt'] }) {
  return pieces.map((piece, index) =>
    piece.match ? (
      <mark key={index} className="rounded-sm bg-mark font-medium text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
