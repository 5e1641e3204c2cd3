import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../../../api/call.ts';
import { useRead } from '../../../api/use-read.ts';
import { useKeys } from '../../../app/keys.ts';
import { goTo, hrefTo, setQuery } from '../../../app/router.ts';
import { PageHead } from '../../../ui/page-head.tsx';
import { Failed, Loading, Notice } from '../../../ui/states.tsx';
import { readTrace } from '../trace.ts';
import { emptyFields, type Fields, fieldsOf } from './fields.ts';
import { MessageForm } from './form.tsx';
import { Result } from './result.tsx';

/** The last input, so that it is there when the reader comes back, and its beginning. */
const typed = signal<{ readonly start: string; readonly fields: Fields } | undefined>(undefined);

/**
 * A place to try a message, or one again with changes. The URL names the message that it began with (`from`), the one
 * that was sent last (`result`) and the one that it is compared with (`against`).
 */
export function Try({ query }: { readonly query: URLSearchParams }) {
  const from = query.get('from');
  const result = query.get('result');
  const against = query.get('against') ?? from;
  const first = useRead(`message ${from}`, readTrace(from ?? ''), { enabled: from !== null });
  const before = useRead(`message ${against}`, readTrace(against ?? ''), { enabled: against !== null });
  const after = useRead(`message ${result}`, readTrace(result ?? ''), { enabled: result !== null });
  const [error, setError] = useState<CallError>();
  const start = `${from} ${query.get('customer')} ${query.get('conversation')}`;
  const kept = typed.value?.start === start ? typed.value.fields : undefined;
  const original = first.value;

  useEffect(() => {
    if (original !== undefined && kept === undefined) typed.value = { start, fields: fieldsOf(original) };
  }, [original, kept, start]);
  useKeys('Playground', [{ key: 'l', label: 'back to the list', run: () => goTo('#/messages') }]);

  const given = {
    ...emptyFields,
    conversation_id: query.get('conversation') ?? '',
    customer_id: query.get('customer') || emptyFields.customer_id,
  };
  const isReading = from !== null && kept === undefined && first.error === undefined;
  return (
    <>
      <PageHead
        title={from === null ? 'Try a message' : 'Try a message again'}
        crumbs={[
          { label: 'Messages', href: '#/messages' },
          ...(from === null ? [] : [{ label: 'The message', href: hrefTo(['messages', from]) }]),
        ]}
        calls={result === null ? [] : [{ label: 'What came of it', call: after.call }]}
      />
      <Notice>
        A message that you try is processed for good: it is stored, its tools are called, and it may open an
        inbox item. A reply is shown here, and sent to nobody.
      </Notice>
      {first.error && <Failed error={first.error} retry={first.reload} />}
      {isReading ? (
        <Loading rows={6} what="Reading the message" />
      ) : (
        <MessageForm
          fields={kept ?? given}
          onChange={(fields) => {
            typed.value = { start, fields };
          }}
          leftOut={original?.conversation_id ?? null}
          error={error}
          onError={setError}
          onSent={(id) => setQuery({ result: id, against: result, at: null })}
        />
      )}
      {after.error && <Failed error={after.error} retry={after.reload} />}
      {after.value && (
        <Result trace={after.value} before={before.value} chosen={query.get('at')} first={from} />
      )}
    </>
  );
}
