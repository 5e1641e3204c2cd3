import { useState } from 'preact/hooks';
import { Copy } from './copy.tsx';

/** Characters that are shown before the reader asks for all. */
const MAX_SHOWN = 20_000;

/** A value as JSON, with a button that copies it. It is only ever text. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  const isCut = text.length > MAX_SHOWN && !showsAll;
  return (
    <div class="json">
      <div class="json-copy">
        <Copy text={text} />
      </div>
      <pre role="region" aria-label={label} tabIndex={0}>
        {isCut ? `${text.slice(0, MAX_SHOWN)} …` : text}
      </pre>
      {isCut && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}
