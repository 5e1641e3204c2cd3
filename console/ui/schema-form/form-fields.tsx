import { useState } from 'preact/hooks';
import { isJsonObject } from '../../api/json.ts';
import { Field, TextField } from '../fields.tsx';
import { pointerTo } from './faults.ts';
import type { FormNode } from './model.ts';
import { RawJson } from './raw-json.tsx';
import { isSame, type Json, readNumber, startItem, withMember } from './values.ts';

interface NodeProps {
  readonly node: FormNode;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  readonly pointer: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly faults: ReadonlyMap<string, string>;
}

/** The fields of a part of a value. */
export function FormFields(props: NodeProps) {
  const { node, label, hint, isRequired, pointer, value, onChange, faults } = props;
  const named = isRequired ? `${label} (required)` : label;
  const error = faults.get(pointer);
  const field = { label: named, hint, error };
  switch (node.kind) {
    case 'object':
      return <ObjectFields {...props} node={node} />;
    case 'list':
      return <ListFields {...props} node={node} />;
    case 'choice':
      return <ChoiceField {...field} values={node.values} value={value} onChange={onChange} />;
    case 'number':
      return <NumberField {...field} value={value} onChange={onChange} />;
    case 'text': {
      const text = typeof value === 'string' ? value : '';
      const isLong = node.isLong || text.includes('\n');
      return (
        <TextField
          {...field}
          value={text}
          onChange={(next) => onChange(next === '' ? undefined : next)}
          {...(isLong && { lines: 4 })}
          {...(node.placeholder !== undefined && { placeholder: node.placeholder })}
        />
      );
    }
    case 'raw':
      return <RawJson {...field} label={`${named}, as JSON`} value={value} onChange={onChange} />;
  }
}

function ObjectFields(props: NodeProps & { readonly node: Extract<FormNode, { kind: 'object' }> }) {
  const { node, label, hint, isRequired, pointer, value, onChange, faults } = props;
  const members = isJsonObject(value) ? value : {};
  const known = new Set(node.members.map(({ name }) => name));
  const others = Object.keys(members).filter((name) => !known.has(name));
  const change = (name: string, next: Json | undefined): void => {
    const changed = withMember(members, name, next);
    const isGone = Object.keys(changed).length === 0 && !isRequired && pointer !== '';
    onChange(isGone ? undefined : changed);
  };
  const fields = node.members.map((member) => (
    <FormFields
      key={member.name}
      {...member}
      pointer={pointerTo(pointer, member.name)}
      value={members[member.name]}
      onChange={(next) => change(member.name, next)}
      faults={faults}
    />
  ));
  return (
    <Group label={label} hint={hint} isRequired={isRequired} error={faults.get(pointer)}>
      {fields}
      {others.length > 0 && <p class="faint">Also set, see JSON: {others.join(', ')}</p>}
    </Group>
  );
}

function ListFields(props: NodeProps & { readonly node: Extract<FormNode, { kind: 'list' }> }) {
  const { node, label, hint, isRequired, pointer, value, onChange, faults } = props;
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  return (
    <Group label={label} hint={hint} isRequired={isRequired} error={faults.get(pointer)}>
      {items.map((item, index) => (
        <div key={index} class="schema-form-item">
          <FormFields
            node={node.item}
            label={`${label} ${index + 1}`}
            hint={node.itemHint}
            isRequired
            pointer={pointerTo(pointer, index)}
            value={item}
            onChange={(next) => onChange(items.with(index, next ?? emptyOf(node.item)))}
            faults={faults}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => {
              const rest = items.toSpliced(index, 1);
              onChange(rest.length === 0 && !isRequired ? undefined : rest);
            }}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...items, startItem(node.item)])}>
        Add to {label}
      </button>
    </Group>
  );
}

/** The value of an emptied item of a list: an empty text for texts, else null. */
const emptyOf = (node: FormNode): Json => (node.kind === 'text' ? '' : null);

function Group(props: {
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  readonly error: string | undefined;
  readonly children: preact.ComponentChildren;
}) {
  const { label, hint, isRequired, error, children } = props;
  return (
    <fieldset class={label === '' ? 'schema-form-root' : 'schema-form-group'}>
      {label !== '' && <legend>{isRequired ? `${label} (required)` : label}</legend>}
      {hint !== '' && <p class="faint">{hint}</p>}
      {error !== undefined && <p class="field-error">{error}</p>}
      {children}
    </fieldset>
  );
}

interface SimpleProps {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

function NumberField({ value, onChange, error, ...field }: SimpleProps) {
  const [text, setText] = useState('');
  const shown = isSame(readNumber(text), value) ? text : String(value ?? '');
  const problem = typeof value === 'string' ? 'is not a number' : undefined;
  return (
    <TextField
      {...field}
      error={problem ?? error}
      value={shown}
      onChange={(next) => {
        setText(next);
        onChange(readNumber(next));
      }}
    />
  );
}

function ChoiceField(props: SimpleProps & { readonly values: readonly Json[] }) {
  const { label, hint, error, value, onChange, values } = props;
  const at = values.findIndex((one) => isSame(one, value));
  const isOther = value !== undefined && at < 0;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select
          {...control}
          aria-invalid={error !== undefined}
          value={isOther ? 'other' : at < 0 ? '' : String(at)}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== 'other') onChange(values[Number(currentTarget.value || Number.NaN)]);
          }}
        >
          <option value="">not given</option>
          {values.map((one, index) => (
            <option key={index} value={String(index)}>
              {typeof one === 'string' ? one : JSON.stringify(one)}
            </option>
          ))}
          {isOther && <option value="other">{JSON.stringify(value)} (not one of these)</option>}
        </select>
      )}
    </Field>
  );
}
