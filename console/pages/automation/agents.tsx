import type { ComponentChildren } from 'preact';
import { useRead } from '../../api/use-read.ts';
import { Effect } from '../../ui/effect.tsx';
import { formatNumber } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Reading } from '../../ui/states.tsx';

/** The agents: who answers messages, what they do to the world, and the words by which routing finds them. */
export function Agents({ menu }: { readonly menu: ComponentChildren }) {
  const read = useRead('agents with keywords', (api) =>
    api.agents.$get({ query: { include: 'keywords,effect' } }),
  );
  return (
    <>
      <PageHead
        title="Agents"
        facts={read.value && `${formatNumber(read.value.count)} registered`}
        calls={[{ label: 'Agents', call: read.call }]}
      />
      {menu}
      <Reading read={read} what="Reading the agents">
        {({ agents }) =>
          agents.length === 0 ? (
            <Empty>No agent is registered.</Empty>
          ) : (
            <div class="columns">
              {agents.map(({ name, description, keywords = [], effect }) => (
                <section key={name} class="card stack" aria-label={name}>
                  <header class="automation-head">
                    <h2 class="mono">{name}</h2>
                    {effect && <Effect of={effect} />}
                  </header>
                  <p>{description}</p>
                  {keywords.length > 0 && (
                    <details>
                      <summary>{formatNumber(keywords.length)} words by which routing finds it</summary>
                      <p class="automation-words">
                        {keywords.map((word) => (
                          <span key={word} class="tag">
                            {word}
                          </span>
                        ))}
                      </p>
                    </details>
                  )}
                </section>
              ))}
            </div>
          )
        }
      </Reading>
    </>
  );
}
