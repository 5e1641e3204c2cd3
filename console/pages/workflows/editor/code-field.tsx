import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../../../ui/fields.tsx';
import { indent } from './draft.ts';

interface CodeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Lines, from 1, at which something is wrong. */
  readonly wrongLines: ReadonlySet<number>;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onSave: () => void;
}

/** Pixels of a line; the style sheet has the same. */
const LINE_HEIGHT = 20;

/**
 * A field for code with numbered lines. Tab indents; Escape and then Tab leaves the field, and Shift with Tab goes back
 * as everywhere.
 */
export function CodeField({ label, value, onChange, wrongLines, field, onSave }: CodeFieldProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const leaves = useRef(false);
  const follow = (): void => {
    if (gutter.current !== null && field.current !== null) gutter.current.scrollTop = field.current.scrollTop;
  };
  useEffect(follow, [value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (key.toLowerCase() === 's' && (ctrlKey || metaKey)) {
      event.preventDefault();
      onSave();
      return;
    }
    if (key === 'Escape') leaves.current = true;
    else if (key === 'Tab' && !shiftKey && !ctrlKey && !metaKey && !altKey && !leaves.current) {
      event.preventDefault();
      const element = field.current;
      if (element === null) return;
      const { selectionStart, selectionEnd } = element;
      const { from, insert } = indent(element.value, selectionStart, selectionEnd);
      element.setRangeText(insert, from, selectionEnd, selectionStart === selectionEnd ? 'end' : 'select');
      onChange(element.value);
    } else if (key !== 'Shift') leaves.current = false;
  };
  const count = value.split('\n').length;
  return (
    <Field
      label={label}
      hint={
        <>
          <kbd>Tab</kbd> indents; <kbd>Esc</kbd> and then <kbd>Tab</kbd> leaves the field; <kbd>Ctrl S</kbd>{' '}
          saves
        </>
      }
    >
      {(control) => (
        <div class="workflows-code">
          <div ref={gutter} class="workflows-gutter" aria-hidden="true">
            {wrongLines.size === 0
              ? Array.from({ length: count }, (_, at) => at + 1).join('\n')
              : Array.from({ length: count }, (_, at) => (
                  <div key={at} class={wrongLines.has(at + 1) ? 'workflows-wrong' : undefined}>
                    {at + 1}
                  </div>
                ))}
          </div>
          <textarea
            {...control}
            ref={field}
            class="code"
            value={value}
            wrap="off"
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            aria-invalid={wrongLines.size > 0}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
            onScroll={follow}
            onKeyDown={onKeyDown}
            onBlur={() => {
              leaves.current = false;
            }}
          />
        </div>
      )}
    </Field>
  );
}

/** Chooses a line of a field, from 1, and brings it into view. */
export function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  let from = 0;
  for (let at = 1; at < line; at++) {
    const next = field.value.indexOf('\n', from);
    if (next < 0) break;
    from = next + 1;
  }
  const end = field.value.indexOf('\n', from);
  field.focus();
  field.setSelectionRange(from, end < 0 ? field.value.length : end);
  field.scrollTop = Math.max(0, (line - 5) * LINE_HEIGHT);
}
