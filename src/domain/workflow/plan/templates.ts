import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import type { Step } from '../definition.ts';
import type { TextTemplates } from '../expression.ts';
import { type CompiledInput, compileInput, InputError, resolveInput } from '../step-input.ts';
import { named, type Parsing } from './expressions.ts';
import { lazy } from './lazy.ts';
import { placeText } from './place.ts';
import { itemRoots, type Reads, readsOf, roots, type StepSources, valuesOf } from './scope.ts';

/** A member of a step or definition that may contain templates. */
export interface TemplateMember {
  /** Its name, for errors: `static_input`. */
  readonly name: string;
  /** The keys in front of those that lead to a text; none where these begin with the name. */
  readonly prefix: readonly string[];
  /** What it is once it is resolved, for errors. */
  readonly resolved: string;
  /** Whether it is resolved for each item of `foreach`. */
  readonly perItem: boolean;
  readonly compiled: CompiledInput;
}

/** The members of a step that may contain templates. */
export interface StepTemplates {
  /** Its input; for an approval the payload; empty for a wait. */
  readonly input: TemplateMember;
  /** The items of `foreach` where they are a list, as the object `{"items": […]}`. */
  readonly items: TemplateMember | undefined;
  /** The title of an approval, as the object `{"title": …}`. */
  readonly title: TemplateMember | undefined;
}

type IndexOf = (stepId: string) => number | undefined;

/** Compiles the members of a step that may contain templates. Expressions are parsed at their first use. */
export function compileTemplates(step: Step, indexOf: IndexOf): StepTemplates {
  const perItem = step.foreach !== undefined;
  const items = step.foreach?.items;
  return {
    input: inputMember(step, perItem, indexOf),
    items: Array.isArray(items)
      ? {
          name: 'foreach.items',
          prefix: ['foreach'],
          resolved: 'foreach.items',
          perItem: false,
          compiled: compileInput({ items }, indexOf),
        }
      : undefined,
    title:
      step.kind === 'approval'
        ? {
            name: 'title',
            prefix: [],
            resolved: 'the title',
            perItem,
            compiled: compileInput({ title: step.title }, indexOf),
          }
        : undefined,
  };
}

function inputMember(step: Step, perItem: boolean, indexOf: IndexOf): TemplateMember {
  if (step.kind === 'approval') {
    const compiled = compileInput(step.payload ?? {}, indexOf);
    return { name: 'payload', prefix: ['payload'], resolved: 'the resolved payload', perItem, compiled };
  }
  // One that is an expression has no templates within.
  const isNone = step.kind === 'wait' || typeof step.staticInput === 'string';
  const compiled = compileInput(isNone ? {} : step.staticInput, indexOf);
  return {
    name: 'static_input',
    prefix: ['static_input'],
    resolved: 'the resolved input',
    perItem,
    compiled,
  };
}

/** The member `output` of a definition. */
export function outputMember(output: JsonObject, indexOf: IndexOf): TemplateMember {
  return {
    name: 'output',
    prefix: ['output'],
    resolved: 'the resolved output',
    perItem: false,
    compiled: compileInput(output, indexOf),
  };
}

/** The texts of a member with the outputs that they read. */
export interface ParsedTexts {
  readonly templates: TextTemplates;
  readonly reads: Reads;
}

/** The most texts with expressions of one member. */
export const MAX_TEXTS = 1_000;

/** Parses the texts of a member. Throws `InputError`, which begins with the place of the text. */
export function parseMemberTexts(
  { name, prefix, perItem, compiled }: TemplateMember,
  { language, findStep, budget }: Parsing,
  texts = compiled.texts,
): ParsedTexts {
  if (texts.length > MAX_TEXTS) {
    throw new InputError(`${name}: has more than ${MAX_TEXTS} texts with expressions`);
  }
  const placed = texts.map(({ path, text }) => ({ place: placeText([...prefix, ...path]), text }));
  const templates = language.parseTexts(placed, perItem ? itemRoots : roots, budget);
  const [first] = placed;
  const place = placed.length === 1 && first !== undefined ? first.place : name;
  return { templates, reads: named(place, () => readsOf(templates, findStep)) };
}

/** Resolves a member. Throws `InputError`. */
export type Resolve = (sources: StepSources, maxBytes: number) => JsonObject;

/** The function that resolves a member. Without expressions it does no more than resolve its references. */
export function resolver(member: TemplateMember, parsing: Parsing): Resolve {
  const { compiled, resolved: name } = member;
  if (compiled.texts.length === 0) {
    if (name === 'the resolved input')
      return (sources, maxBytes) => resolveInput(compiled, sources, maxBytes);
    return (sources, maxBytes) => resolveInput(compiled, sources, maxBytes, { name });
  }
  const parsed = lazy(() => parseMemberTexts(member, parsing));
  return (sources, maxBytes) => {
    const { templates, reads } = parsed();
    const texts: readonly JsonValue[] = templates.evaluate(valuesOf(reads, sources));
    return resolveInput(compiled, sources, maxBytes, { texts, name });
  };
}
