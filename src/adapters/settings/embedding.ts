import { z } from 'zod';
import { integer, providerAddress, providerKey } from './fields.ts';

/** The settings of the embedding model. */
export const embeddingFields = {
  EMBEDDING_MODEL: z.string().trim().max(256, 'must be at most 256 characters').optional(),
  EMBEDDING_BASE_URL: providerAddress,
  EMBEDDING_API_KEY: providerKey,
  EMBEDDING_TIMEOUT_MS: integer(10, 60_000, 1_500),
};

const schema = z.object({ ...embeddingFields, LLM_API_KEY: providerKey, LLM_BASE_URL: providerAddress });

/** The settings that name an embedding model, and those of the language model, which are their defaults. */
type EmbeddingSettings = z.output<typeof schema>;

/** The access to an embedding model. */
export interface EmbeddingAccess {
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Milliseconds that a message waits for its vector. */
  readonly timeoutMs: number;
}

/** The embedding model of the settings; undefined where none is named. */
export function getEmbedding(settings: EmbeddingSettings): EmbeddingAccess | undefined {
  if (settings.EMBEDDING_MODEL === undefined) return undefined;
  return {
    model: settings.EMBEDDING_MODEL,
    baseUrl: settings.EMBEDDING_BASE_URL ?? settings.LLM_BASE_URL,
    apiKey: settings.EMBEDDING_API_KEY ?? settings.LLM_API_KEY,
    timeoutMs: settings.EMBEDDING_TIMEOUT_MS,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The embedding model of an environment, for commands that need no other settings. Throws for values that are not
 * valid.
 */
export function readEmbedding(environment: Environment): EmbeddingAccess | undefined {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const parsed = schema.safeParse(present);
  const single = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const issues = [...single, ...embeddingIssues(present)];
  if (!parsed.success || issues.length > 0) throw new Error(issues.join('\n'));
  return getEmbedding(parsed.data);
}

/** Issues of the settings together: OpenAI needs a key, and a server of your own an address. */
export function embeddingIssues(present: Environment): readonly string[] {
  const hasAccess = ['EMBEDDING_API_KEY', 'EMBEDDING_BASE_URL', 'LLM_API_KEY', 'LLM_BASE_URL'].some(
    (name) => present[name] !== undefined,
  );
  if (present['EMBEDDING_MODEL'] === undefined || hasAccess) return [];
  return ['EMBEDDING_MODEL: needs EMBEDDING_API_KEY, or EMBEDDING_BASE_URL for a server without keys'];
}
