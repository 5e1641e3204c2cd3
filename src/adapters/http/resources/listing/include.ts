import { z } from '@hono/zod-openapi';

/** The query parameter `include`, which names further members of each item of a list. */
export interface IncludeParameter<Member extends string> {
  readonly schema: z.ZodOptional<z.ZodString>;
  /** The members that a valid parameter names; none without one. */
  parse(include: string | undefined): readonly Member[];
}

/** Creates the parameter for a list whose items, such as `tool`, can have these members. */
export function includeParameter<const Member extends string>(
  members: readonly Member[],
  item: string,
): IncludeParameter<Member> {
  const known: readonly string[] = members;
  const isMember = (name: string): name is Member => known.includes(name);
  return {
    schema: z
      .string({ error: 'must be given once' })
      .refine((text) => text.split(',').every(isMember), {
        error: `must be a list of ${members.join(', ')}`,
      })
      .optional()
      .openapi({
        param: { description: `Further members of each ${item}, separated by commas` },
        example: members.join(','),
      }),
    parse: (include) => include?.split(',').filter(isMember) ?? [],
  };
}
