import type { Ref } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { apiBase } from '../../api/client.ts';
import { formatShare } from '../../ui/format.ts';
import type { Choice } from './logic/why.ts';
import { inWords } from './logic/why.ts';

interface IntentsProps {
  readonly choices: readonly Choice[];
  /** The chosen intent; undefined without one. */
  readonly value: string | undefined;
  readonly onChange: (intent: string) => void;
  /** The field for an intent that is not among the choices. */
  readonly other: Ref<HTMLSelectElement>;
}

/** The intents of a message: those that the service considered, with their keys, and all others. */
export function Intents({ choices, value, onChange, other }: IntentsProps) {
  const [wantsAll, setWantsAll] = useState(false);
  const all = useIntents(wantsAll);
  const isOther = value !== undefined && !choices.some(({ intent }) => intent === value);
  const rest = all.filter((intent) => !choices.some((choice) => choice.intent === intent));
  const options = isOther && !rest.includes(value) ? [value, ...rest] : rest;
  const choosesOther = (intent: string): void => {
    if (intent !== '' && intent !== value) onChange(intent);
    else if (isOther) onChange(value);
  };
  return (
    <div class="inbox-choice" role="group" aria-label="What is it about?">
      <span class="inbox-choice-label">What is it about?</span>
      {choices.map(({ intent, confidence }, index) => (
        <button
          key={intent}
          type="button"
          class="inbox-pick"
          aria-pressed={value === intent}
          onClick={() => onChange(intent)}
        >
          <kbd>{index + 1}</kbd> {inWords(intent)}
          {confidence !== null && <span class="faint number">{formatShare(confidence)}</span>}
        </button>
      ))}
      <select
        ref={other}
        class={isOther ? 'inbox-other inbox-other-set' : 'inbox-other'}
        aria-label="Something else (o)"
        value={isOther ? value : ''}
        onFocus={() => setWantsAll(true)}
        onMouseDown={() => setWantsAll(true)}
        onChange={({ currentTarget }) => choosesOther(currentTarget.value)}
      >
        <option value="">{isOther ? 'none of them' : 'something else … (o)'}</option>
        {options.map((intent) => (
          <option key={intent} value={intent}>
            {inWords(intent)}
          </option>
        ))}
      </select>
    </div>
  );
}

let known: readonly string[] | undefined;

/** The intents of the playbook, as the API's own document lists them; read once, when they are wanted first. */
function useIntents(wanted: boolean): readonly string[] {
  const [intents, setIntents] = useState(known ?? []);
  useEffect(() => {
    if (!wanted || known !== undefined) return;
    let isCurrent = true;
    readIntents().then(
      (found) => {
        known = found;
        if (isCurrent) setIntents(found);
      },
      // Without the document, only the choices can be taken.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  return intents;
}

async function readIntents(): Promise<readonly string[]> {
  const response = await fetch(new URL('openapi.json', apiBase));
  const document: { components?: { schemas?: Record<string, Schema> } } = await response.json();
  const listed = document.components?.schemas?.['TraceSummary']?.properties?.['intent']?.enum ?? [];
  return listed.filter((intent) => intent !== 'unknown');
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}
