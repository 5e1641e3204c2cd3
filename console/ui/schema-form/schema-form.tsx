import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { isJsonObject } from '../../api/json.ts';
import { type Fault, placeFaults } from './faults.ts';
import { FormFields } from './form-fields.tsx';
import { type Schema, toForm } from './model.ts';
import { RawJson } from './raw-json.tsx';
import { fits, isSame, type Json, startValue } from './values.ts';
import './schema-form.css';

export type { Json } from './values.ts';

interface SchemaFormProps {
  /** The JSON Schema of the value; null when any value will do. */
  readonly schema: Schema | null;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  /** The faults that the service found, by JSON pointers into the value: see `faultsUnder`. */
  readonly faults?: readonly Fault[];
  /** The name of the value, for its JSON field. */
  readonly label?: string;
  /** Told while the JSON text is no JSON, so that nothing old is sent in its place. */
  readonly onProblem?: (problem: string | undefined) => void;
}

/**
 * A form for a value with a schema: a field for each member, or the value as JSON, as the reader likes. An empty value
 * begins with the defaults of the schema.
 */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, faults = [], label = 'Input', onProblem } = props;
  const form = useMemo(() => toForm(schema), [schema]);
  const [wantsJson, setWantsJson] = useState(false);
  const [problem, setProblem] = useState<string>();

  // Before the fields are seen: later, the defaults would take the place of what was typed meanwhile.
  useLayoutEffect(() => {
    const isEmpty = value === null || (isJsonObject(value) && Object.keys(value).length === 0);
    const start = startValue(schema);
    if (isEmpty && !isSame(start, value)) onChange(start);
  }, [schema]);

  const canShow = form.kind !== 'raw' && fits(form, value);
  const showsJson = wantsJson || !canShow;
  const placed = placeFaults(showsJson ? { kind: 'raw' } : form, faults);
  return (
    <div class="schema-form">
      {form.kind !== 'raw' && (
        <fieldset class="schema-form-switch">
          <legend class="only-read">How {label} is edited</legend>
          <button
            type="button"
            aria-pressed={!showsJson}
            disabled={!canShow || problem !== undefined}
            onClick={() => setWantsJson(false)}
          >
            Fields
          </button>
          <button type="button" aria-pressed={showsJson} onClick={() => setWantsJson(true)}>
            JSON
          </button>
          {!canShow && <span class="faint">The fields cannot show this value.</span>}
        </fieldset>
      )}
      {showsJson ? (
        <RawJson
          label={`${label} as JSON`}
          value={value}
          onChange={(next) => onChange(next ?? {})}
          lines={8}
          error={placed.get('')}
          onProblem={(next) => {
            setProblem(next);
            onProblem?.(next);
          }}
        />
      ) : (
        <FormFields
          node={form}
          label={form.kind === 'object' ? '' : label}
          hint=""
          isRequired={false}
          pointer=""
          value={value}
          onChange={(next) => onChange(next ?? {})}
          faults={placed}
        />
      )}
    </div>
  );
}
