import type { PlaybookEntity } from '../../../domain/playbook/playbook.ts';
import type { EntityDefinition, NormalizeStep } from '../definition.ts';
import { compilePattern, type Pattern } from '../patterns.ts';

/** Spaces, dashes, dots and slashes, within an identifier. */
const separators = /[\s\u00ad\u200b\u2060\p{Pd}\u2212./\\\u2044\u2215]/gu;

const steps: Readonly<Record<NormalizeStep, (value: string) => string>> = {
  upper: (value) => value.toUpperCase(),
  lower: (value) => value.toLowerCase(),
  compact: (value) => value.replaceAll(separators, ''),
  digits: (value) => value.replaceAll(/[^0-9]/g, ''),
};

/** Makes an entity. Its pattern, which was checked, is compiled for the first search. */
export function compileEntity({ name, pattern: source, normalize = [] }: EntityDefinition): PlaybookEntity {
  let pattern: Pattern | undefined;
  return {
    name,
    find(text) {
      pattern ??= compilePattern(source);
      const found = pattern.find(text);
      if (found === undefined) return undefined;
      const value = normalizeValue(found.value, normalize);
      return value === '' ? undefined : { value, text: found.text };
    },
  };
}

/** A value after steps, in their order. */
export function normalizeValue(value: string, normalize: readonly NormalizeStep[]): string {
  return normalize.reduce((changed, step) => steps[step](changed), value);
}
