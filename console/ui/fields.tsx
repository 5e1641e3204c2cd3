import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The fault of the value. */
  readonly error?: string | undefined;
  /** Gets the ids that the control needs to be labelled and described. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string;
  }) => ComponentChildren;
}

/** A control with its label, what is to know about it, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div class={error === undefined ? 'field' : 'field field-wrong'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-more` })}
      <div id={`${id}-more`} class="field-more">
        {hint && <span class="faint">{hint}</span>}
        {error !== undefined && <span class="field-error">{error}</span>}
      </div>
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Lines of a larger field; one line when absent. */
  readonly lines?: number;
  readonly placeholder?: string;
  /** For code and JSON. */
  readonly isCode?: boolean;
}

/** A field for text. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  lines,
  placeholder,
  isCode = false,
}: TextFieldProps) {
  const more = {
    value,
    placeholder,
    class: isCode ? 'code' : undefined,
    spellcheck: !isCode,
    'aria-invalid': error !== undefined,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) =>
        lines === undefined ? (
          <input type="text" {...control} {...more} />
        ) : (
          <textarea rows={lines} {...control} {...more} />
        )
      }
    </Field>
  );
}

/** Milliseconds without a key after which a text is taken. */
const TYPED_MS = 400;

/**
 * The value and the handlers of a field whose text stands elsewhere, such as in the URL: what is typed is kept here,
 * and is given to `take` on Enter, when the field is left, and after a pause.
 */
export function useTyped(given: string, take: (text: string) => void) {
  const [text, setText] = useState(given);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const taker = useRef<typeof take | undefined>(undefined);
  taker.current = take;
  const end = (typed: string): void => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (typed.trim() !== given) taker.current?.(typed.trim());
  };
  useEffect(() => {
    if (timer.current === undefined && text.trim() !== given) setText(given);
  }, [given]);
  // A value that was not taken before has no receiver any more. Browsers may tell of a change when they remove a field.
  useEffect(
    () => () => {
      taker.current = undefined;
    },
    [],
  );
  return {
    value: text,
    onInput: ({ currentTarget: { value } }: Typed) => {
      setText(value);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => end(value), TYPED_MS);
    },
    onChange: ({ currentTarget: { value } }: Typed) => end(value),
  };
}

interface Typed {
  readonly currentTarget: { readonly value: string };
}

interface SuggestedInputProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  /** Values with their words. */
  readonly options?: readonly (readonly [value: string, word: string])[] | undefined;
  /** Called with what is typed, on Enter, when the field is left, and after a pause. */
  readonly onChange: (value: string) => void;
}

/** A field for any text, which suggests some. */
export function SuggestedInput({ options = [], onChange, value, ...input }: SuggestedInputProps) {
  const typed = useTyped(value, onChange);
  const list = `${input.id}-options`;
  return (
    <>
      <input type="text" list={list} {...input} {...typed} />
      <datalist id={list}>
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </datalist>
    </>
  );
}
