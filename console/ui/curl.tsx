import { useEffect, useState } from 'preact/hooks';
import { type Call, requestOf } from '../api/call.ts';
import { apiBase } from '../api/client.ts';
import { toCurl } from '../api/curl.ts';
import { settings } from '../app/settings.ts';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A request with its name, for the list of a page. */
export interface NamedCall {
  readonly label: string;
  readonly call: Call;
}

/** A small button that shows requests as curl. */
export function CurlButton({
  calls,
  label = 'curl',
}: {
  readonly calls: readonly NamedCall[];
  readonly label?: string;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet curl-button"
        aria-label={`Show as curl: ${calls.map((call) => call.label).join(', ')}`}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog title="The same with curl" onClose={() => setIsOpen(false)}>
          {calls.map((named) => (
            <Curl key={named.label} {...named} />
          ))}
        </Dialog>
      )}
    </>
  );
}

function Curl({ label, call }: NamedCall) {
  const [text, setText] = useState('');
  useEffect(() => {
    let isCurrent = true;
    requestOf(call).then((request) => {
      if (isCurrent) setText(toCurl(request, apiBase, settings.value.upstream));
    });
    return () => {
      isCurrent = false;
    };
  }, [call]);
  return (
    <section class="curl">
      <h3>{label}</h3>
      <pre role="region" aria-label={`curl: ${label}`} tabIndex={0}>
        {text}
      </pre>
      <Copy text={text} />
    </section>
  );
}
