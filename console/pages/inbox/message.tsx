import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefTo } from '../../app/router.ts';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';
import type { Case, Conversation, Trace } from './logic/types.ts';
import { inWords } from './logic/why.ts';

/** Entries of a conversation that are shown at first: the newest. */
const SHOWN = 12;

/** The customer's text, and the conversation before it. Texts are only ever text. */
export function Message({ item }: { readonly item: Case }) {
  const { trace, conversation, excerpt } = item;
  return (
    <section class="card stack" aria-labelledby="inbox-message">
      <header class="inbox-card-head">
        <h3 id="inbox-message">Message</h3>
        {trace && <a href={hrefTo(['messages', trace.trace_id])}>How it was handled</a>}
      </header>
      {trace ? (
        <Text trace={trace} />
      ) : (
        <>
          <p class="inbox-text">{excerpt}</p>
          <p class="faint">Its trace is no longer stored: this is the beginning of the text.</p>
        </>
      )}
      {conversation ? (
        <Said conversation={conversation} itemId={item.item_id} />
      ) : (
        trace && <ServiceReply trace={trace} />
      )}
    </section>
  );
}

function Text({ trace }: { readonly trace: Trace }) {
  const { prepared, message, subject, source } = trace;
  const apart = prepared?.set_apart ?? [];
  return (
    <>
      {subject !== null && <p class="inbox-subject">{subject}</p>}
      <p class="inbox-text">{prepared?.text || message}</p>
      {apart.map((part, index) => (
        <details key={index} class="inbox-apart">
          <summary>
            {inWords(part.kind)}, set apart ({part.text.length.toLocaleString('en')} characters)
          </summary>
          <p class="inbox-text">{part.text}</p>
        </details>
      ))}
      <p class="faint">
        {source}, <Age at={trace.created_at} />
        {prepared && prepared.language !== 'und' && `, language ${prepared.language}`}
      </p>
    </>
  );
}

function ServiceReply({ trace }: { readonly trace: Trace }) {
  if (trace.response === '' || trace.disposition === 'draft') return null;
  return (
    <details class="inbox-apart">
      <summary>The service has replied</summary>
      <p class="inbox-text">{trace.response}</p>
    </details>
  );
}

const writers = { customer: 'Customer', service: 'Service', person: 'Colleague' } as const;

function Said({ conversation, itemId }: { readonly conversation: Conversation; readonly itemId: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { entries, conversation_id } = conversation;
  const shown = showsAll ? entries : entries.slice(-SHOWN);
  const hidden = entries.length - shown.length;
  useEffect(() => {
    // The last entry is in view.
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [entries.length]);
  return (
    <div class="stack">
      <h4 id="inbox-conversation">
        Conversation <span class="mono faint">{conversation_id}</span>
      </h4>
      <section ref={box} class="inbox-said" tabIndex={0} aria-labelledby="inbox-conversation">
        {hidden > 0 && (
          <button type="button" class="quiet" onClick={() => setShowsAll(true)}>
            Show {hidden.toLocaleString('en')} earlier
          </button>
        )}
        <ol>
          {shown.map((entry, index) => (
            <li key={index} class={`inbox-entry inbox-entry-${entry.from}`}>
              <p class="inbox-entry-head">
                <b class="inbox-strong">{writers[entry.from]}</b> <Age at={entry.at} />
                {entry.disposition !== null && entry.from === 'customer' && <Status of={entry.disposition} />}
                {entry.item_id === itemId && <span class="only-read">belongs to this item</span>}
                {entry.trace_id !== null && entry.from === 'customer' && (
                  <a href={hrefTo(['messages', entry.trace_id])}>trace</a>
                )}
              </p>
              <p class="inbox-text">{entry.text}</p>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
