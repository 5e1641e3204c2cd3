import type { PlaybookEntity } from '../../../domain/playbook/playbook.ts';
import type { EntityDefinition } from '../definition.ts';
import { compilePattern, type Pattern } from '../patterns.ts';

/** Makes an entity. Its pattern, which was checked, is compiled for the first search. */
export function compileEntity({ name, pattern: source }: EntityDefinition): PlaybookEntity {
  let pattern: Pattern | undefined;
  return {
    name,
    find(text) {
      pattern ??= compilePattern(source);
      return pattern.find(text);
    },
  };
}
