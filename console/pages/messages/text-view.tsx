import type { Trace } from './trace.ts';
import { languageInWords } from './words.ts';

const kinds: Readonly<Record<string, string>> = {
  quote: 'Quoted',
  forward: 'Forwarded',
  signature: 'Signature',
  footer: 'Footer',
};

/** The customer's text: the part that decided, and the part that was set apart as context. */
export function TextView({ trace }: { readonly trace: Trace }) {
  const { message, subject, prepared, locale, metadata } = trace;
  return (
    <section class="card stack" aria-labelledby="text">
      <h2 id="text">{subject ?? 'What the customer wrote'}</h2>
      <p class="messages-text messages-main">{prepared?.text ?? message}</p>
      {prepared?.text === '' && <p class="faint">There is no text of the customer’s own.</p>}
      {prepared?.set_apart.map(({ kind, text }, index) => (
        <details key={index}>
          <summary>{kinds[kind] ?? kind}, context only</summary>
          <p class="messages-text messages-apart">{text}</p>
        </details>
      ))}
      {prepared !== null && prepared.text !== message && (
        <details>
          <summary>As it was sent</summary>
          <p class="messages-text messages-apart">{message}</p>
        </details>
      )}
      <p class="faint messages-notes">
        {prepared !== null && <span>language: {languageInWords(prepared.language)}</span>}
        {prepared !== null && prepared.automatic !== false && (
          <span>automatic: {prepared.automatic.replaceAll('_', ' ')}</span>
        )}
        {locale !== null && <span>locale: {locale}</span>}
        {metadata !== null &&
          Object.entries(metadata).map(([name, value]) => (
            <span key={name}>
              {name}: {value}
            </span>
          ))}
      </p>
    </section>
  );
}
