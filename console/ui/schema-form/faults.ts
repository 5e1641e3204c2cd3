import { isJsonObject } from '../../api/json.ts';
import type { FormNode } from './model.ts';
import type { Json } from './values.ts';

/** A fault at one place of a value. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** The pointer of a member or item. */
export const pointerTo = (parent: string, name: string | number): string =>
  `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The faults within one member of a body, with pointers from there: those of `/input` for the form of an input. */
export function faultsUnder(faults: readonly Fault[], prefix: string): readonly Fault[] {
  return faults.flatMap(({ pointer, detail }) =>
    pointer === prefix || pointer.startsWith(`${prefix}/`)
      ? [{ pointer: pointer.slice(prefix.length), detail }]
      : [],
  );
}

/** The faults by the pointer of the field that shows them: the one with their own pointer, or the closest around it. */
export function placeFaults(form: FormNode, faults: readonly Fault[]): ReadonlyMap<string, string> {
  const placed = new Map<string, string>();
  for (const { pointer, detail } of faults) {
    const at = placeOf(form, pointer);
    const rest = pointer === at ? '' : `${pointer.slice(at.length + 1).replaceAll('/', '.')}: `;
    const before = placed.get(at);
    placed.set(at, `${before === undefined ? '' : `${before}; `}${rest}${detail}`);
  }
  return placed;
}

function placeOf(form: FormNode, pointer: string): string {
  let node = form;
  let at = '';
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: FormNode | undefined =
      node.kind === 'object'
        ? node.members.find((member) => member.name === name)?.node
        : node.kind === 'list'
          ? node.item
          : undefined;
    if (next === undefined) return at;
    at = `${at}/${part}`;
    node = next;
  }
  return at;
}

/** The faults of a value that fields can tell: missing members that are required, and texts that are no numbers. */
export function lacksOf(form: FormNode, value: Json | undefined, pointer = ''): readonly Fault[] {
  if (form.kind === 'number' && typeof value === 'string') return [{ pointer, detail: 'is not a number' }];
  if (form.kind === 'list' && Array.isArray(value)) {
    return value.flatMap((item: Json, index) => lacksOf(form.item, item, pointerTo(pointer, index)));
  }
  if (form.kind !== 'object' || !isJsonObject(value)) return [];
  return form.members.flatMap(({ name, node, isRequired }) => {
    const at = pointerTo(pointer, name);
    if (Object.hasOwn(value, name)) return lacksOf(node, value[name], at);
    return isRequired ? [{ pointer: at, detail: 'is required' }] : [];
  });
}
