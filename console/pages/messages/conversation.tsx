import { useRead } from '../../api/use-read.ts';
import { hrefTo } from '../../app/router.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Notice, Reading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';

const names = { customer: 'Customer', service: 'Service', person: 'Person' } as const;

/** A conversation: what the customer, the service and people wrote, oldest first. */
export function ConversationView({ id }: { readonly id: string }) {
  const read = useRead(`conversation ${id}`, (api) => api.conversations[':id'].$get({ param: { id } }), {
    stale: ({ type }) => type === 'message.finished' || type === 'inbox.resolved',
  });
  return (
    <>
      <PageHead
        title={`Conversation ${id}`}
        crumbs={[{ label: 'Messages', href: '#/messages' }]}
        facts={
          read.value && (
            <>
              <a href={hrefTo(['messages'], { customer_id: read.value.customer_id })}>
                {read.value.customer_id}
              </a>
              <span>{read.value.entries.length} entries</span>
            </>
          )
        }
        actions={
          read.value && (
            <a
              href={hrefTo(['messages'], {
                view: 'try',
                conversation: id,
                customer: read.value.customer_id,
              })}
            >
              Try a further turn
            </a>
          )
        }
        calls={[{ label: 'The conversation', call: read.call }]}
      />
      <Reading read={read} what="Reading the conversation" rows={5}>
        {({ entries, open_item_id }) => (
          <>
            {open_item_id !== null && (
              <Notice tone="warn">
                A person holds this conversation: <a href={hrefTo(['inbox', open_item_id])}>its inbox item</a>
                . The service does not answer meanwhile.
              </Notice>
            )}
            <ol class="messages-entries">
              {entries.map((entry, index) => (
                <li key={index} class={`card messages-from-${entry.from}`}>
                  <header>
                    <strong>{names[entry.from]}</strong>
                    {entry.disposition !== null && <Status of={entry.disposition} />}
                    <span class="faint">
                      <Age at={entry.at} />
                    </span>
                    {entry.trace_id !== null && <a href={hrefTo(['messages', entry.trace_id])}>message</a>}
                    {entry.item_id !== null && <a href={hrefTo(['inbox', entry.item_id])}>inbox item</a>}
                  </header>
                  <p class="messages-text">{entry.text}</p>
                </li>
              ))}
            </ol>
          </>
        )}
      </Reading>
    </>
  );
}
