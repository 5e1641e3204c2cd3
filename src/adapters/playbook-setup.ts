import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IntentClassifier, TextVectors, VectorSpace } from '../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import type { Tool, ToolOrigin } from '../ports/tool.ts';
import type { TrainedClassifier } from './classifier/intent-model.ts';
import type { Embeddings } from './embeddings/embeddings.ts';
import { BUILT_IN_FILE, getBuiltInDefinition, loadBuiltInPlaybook } from './playbook/built-in.ts';
import { versionOf } from './playbook/compile.ts';
import { type PlaybookDefinition, SEARCH_ARTICLES } from './playbook/definition.ts';
import type { PlaybookAdditions } from './playbook/extend.ts';
import { combineErrors, PlaybookError } from './playbook/faults.ts';
import type { LoadedPlaybook } from './playbook/load.ts';
import { exampleTools } from './tools/example-tools.ts';
import type { HttpToolDefinition } from './tools/http/http-tool.ts';
import type { ArticleMeanings } from './tools/search-articles.ts';

/** Where a playbook and what belongs to it come from. All members may be absent. */
export interface PlaybookSources {
  /** The path of a playbook; the built-in one when absent. */
  readonly file?: string | undefined;
  /**
   * Members that are stated in code, each with its name for errors. They win over the file, the later ones over the
   * earlier.
   */
  readonly additions?: readonly NamedAdditions[] | undefined;
  /** The path of a trained classifier; the one that the playbook names when absent. */
  readonly classifierFile?: string | undefined;
  /** The path of a file with further HTTP tools. */
  readonly toolsFile?: string | undefined;
  /** The addresses that HTTP tools may reach beyond `https` to public addresses, as in OUTBOUND_ALLOW. */
  readonly outboundAllow?: readonly string[] | undefined;
  /** Where HTTP tools take secrets from; the environment of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Members of a playbook that are stated in code. */
export interface NamedAdditions {
  readonly name: string;
  /** {@link PlaybookAdditions}, which are checked. */
  readonly playbook: unknown;
}

/** A playbook with everything that belongs to it. */
export interface PlaybookSetup {
  readonly playbook: Playbook;
  /** The trained classifier; undefined where the intents are told apart without one. */
  readonly classifier: IntentClassifier | undefined;
  /** The vectors of its texts; undefined where there is no embedding model, or where it failed. */
  readonly vectors?: TextVectors | undefined;
  /** The tools to register, before those of extensions and of the program. */
  readonly tools: readonly { readonly tool: Tool; readonly origin: ToolOrigin }[];
  /** Values of the environment that tools and models send, which must never be logged. */
  readonly secrets: readonly string[];
  /** Possible faults of the playbook, one line each. */
  readonly warnings: readonly string[];
  /** Closes the connections of the tools. */
  close(): void;
}

/** Additions to the playbook, as a module for EXTENSIONS exports them. */
export type { PlaybookAdditions };

type Definition = PlaybookDefinition<HttpToolDefinition>;
type Loaded = LoadedPlaybook<HttpToolDefinition>;

/** The paths of the built-in playbook are relative to it. */
const BUILT_IN_FOLDER = dirname(fileURLToPath(BUILT_IN_FILE));

/**
 * Loads a playbook, its classifier and its tools. Rejects with a `PlaybookError` whose message tells all faults of all
 * files, one a line, or with a `ModelFileError` where only the classifier has one. What is not used is not loaded.
 */
export function setUpPlaybook(sources: PlaybookSources = {}): Promise<PlaybookSetup> {
  return setUpWithVectors(sources, undefined);
}

/** The same; with `embeddings` it waits for the vectors of the examples and articles. */
export async function setUpWithVectors(
  sources: PlaybookSources,
  embeddings: PlaybookEmbeddings | undefined,
): Promise<PlaybookSetup> {
  const faults = createFaultList();
  const company = await faults.collect(() => loadCompanyPlaybook(sources));
  const further = await faults.collect(() => readFurtherTools(sources));
  const { loaded, playbook } = company ?? {};
  const model = sources.classifierFile ?? loaded?.classifier;
  const trained = await faults.collect(async () =>
    model === undefined ? undefined : await loadClassifier(model, playbook),
  );
  if (playbook === undefined || further === undefined || faults.isAny()) throw faults.error();
  const vectors =
    embeddings && loaded && (await embedTexts(embeddings, loaded, { model, playbookFile: sources.file }));
  const meanings = embeddings && vectors && { vectors, embed: embeddings.ofMessage };
  const { tools, secrets, close } = await loadTools(sources, loaded, further, meanings);
  const examples = loaded?.exampleTools === false ? [] : exampleTools;
  return {
    playbook: versioned(playbook, loaded, further, { classifier: trained?.hash, vectors: spaceOf(vectors) }),
    classifier: trained?.classifier,
    vectors,
    tools: [
      ...examples.map((tool) => ({ tool, origin: 'example' as const })),
      ...tools.map((tool) => ({ tool, origin: 'playbook' as const })),
    ],
    secrets: [...secrets, ...modelKeys(playbook, sources)],
    warnings: loaded?.warnings.map(({ path, message }) => `${path}: ${message}`) ?? [],
    close,
  };
}

/** Gives vectors to what the playbook says, and to the queries of its article search. */
export type PlaybookEmbeddings = Pick<Embeddings, 'ofTexts' | 'ofMessage'>;

/** The vectors of the articles, and of the examples where no classifier was trained, kept beside their file. */
async function embedTexts(
  embeddings: PlaybookEmbeddings,
  { playbook, articles }: Loaded,
  { model, playbookFile }: { readonly model: string | undefined; readonly playbookFile: string | undefined },
): Promise<TextVectors | undefined> {
  const [{ exampleTextsOf }, { passagesToEmbed }] = await Promise.all([
    import('./rule-based.ts'),
    import('./tools/search-articles.ts'),
  ]);
  const examples = model === undefined ? exampleTextsOf(playbook) : [];
  const beside = model ?? playbookFile;
  const file = beside === undefined ? undefined : `${beside}.vectors`;
  return embeddings.ofTexts([...examples, ...passagesToEmbed(articles)], file);
}

function spaceOf(vectors: TextVectors | undefined): VectorSpace | undefined {
  return vectors && { model: vectors.model, dimensions: vectors.dimensions };
}

/** The faults of several files, which are told together. */
function createFaultList() {
  const errors: Error[] = [];
  return {
    /** Does work; resolves to undefined where it has found faults. */
    async collect<T>(work: () => Promise<T>): Promise<T | undefined> {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PlaybookError || isModelFileError(error))) throw error;
        errors.push(error);
        return undefined;
      }
    },
    isAny: () => errors.length > 0,
    error(): Error {
      const [only, ...others] = errors;
      return only !== undefined && others.length === 0 ? only : combineErrors(errors.map(toPlaybookError));
    },
  };
}

/** True for the fault of a classifier's file. Its class is loaded only where there is a classifier. */
export function isModelFileError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ModelFileError';
}

/** An error of a classifier's file names the file itself. */
function toPlaybookError(error: Error): PlaybookError {
  if (error instanceof PlaybookError) return error;
  const [file = '', ...message] = error.message.split(': ');
  return new PlaybookError(file, [
    { path: '', line: undefined, column: undefined, message: message.join(': ') },
  ]);
}

/** The playbook with the version of all that decides with it. */
function versioned(
  playbook: Playbook,
  loaded: Loaded | undefined,
  further: readonly HttpToolDefinition[],
  {
    classifier,
    vectors,
  }: { readonly classifier: string | undefined; readonly vectors: VectorSpace | undefined },
): Playbook {
  const articles = loaded === undefined || loaded.articles.length === 0 ? undefined : loaded.articles;
  const tools = further.length === 0 ? undefined : further;
  if ((articles ?? tools ?? classifier ?? vectors) === undefined) return playbook;
  const definition = loaded?.definition ?? getBuiltInDefinition();
  return { ...playbook, version: versionOf({ definition, articles, tools, classifier, vectors }) };
}

async function loadCompanyPlaybook(
  sources: PlaybookSources,
): Promise<{ readonly loaded: Loaded | undefined; readonly playbook: Playbook }> {
  const loaded = await loadStatedPlaybook(sources);
  return { loaded, playbook: loaded?.playbook ?? loadBuiltInPlaybook() };
}

/** The playbook of a file and of additions; undefined where there is neither. */
async function loadStatedPlaybook({
  file,
  additions = [],
  env = process.env,
}: PlaybookSources): Promise<Loaded | undefined> {
  if (file === undefined && additions.length === 0) return undefined;
  const { createPlaybook, loadPlaybook } = await import('./playbook/load.ts');
  const { playbookContext } = await import('./playbook-context.ts');
  const context = playbookContext('fault', env);
  if (file !== undefined && additions.length === 0) return loadPlaybook(file, context);
  const { extendPlaybook, parseAdditions } = await import('./playbook/extend.ts');
  const base: { readonly definition: Definition; readonly directory: string } =
    file === undefined
      ? { definition: { ...getBuiltInDefinition(), tools: [] }, directory: BUILT_IN_FOLDER }
      : loadPlaybook(file, context);
  let { definition } = base;
  for (const { name, playbook } of additions) {
    definition = extendPlaybook(definition, parseAdditions(playbook, context.tool, name));
  }
  return createPlaybook(definition, context, { source: file ?? 'code', directory: base.directory });
}

/** The tools of a playbook and of a file of tools, and the secrets that they send. */
interface LoadedTools {
  readonly tools: readonly Tool[];
  readonly secrets: readonly string[];
  close(): void;
}

async function loadTools(
  { outboundAllow = [], env = process.env }: PlaybookSources,
  loaded: Loaded | undefined,
  further: readonly HttpToolDefinition[],
  meanings: ArticleMeanings | undefined,
): Promise<LoadedTools> {
  const { articles = [], tools: stated = [] } = loaded ?? {};
  const search = await loadArticleSearch(articles, meanings);
  const definitions = [...stated, ...further];
  if (definitions.length === 0) return { tools: search, secrets: [], close: () => undefined };
  const { createHttpTool, secretsOf } = await import('./tools/http/http-tool.ts');
  const { createOutbound } = await import('./shared/outbound/outbound.ts');
  const outbound = createOutbound({ allow: outboundAllow });
  return {
    tools: [...search, ...definitions.map((definition) => createHttpTool(definition, { outbound, env }))],
    secrets: definitions.flatMap((definition) => secretsOf(definition, env)),
    close: () => outbound.close(),
  };
}

/** The keys of the models that a playbook declares, as far as the environment has them. */
function modelKeys({ models }: Playbook, { env = process.env }: PlaybookSources): readonly string[] {
  return [...models.values()]
    .map(({ apiKeyVariable }) => (apiKeyVariable === undefined ? '' : (env[apiKeyVariable]?.trim() ?? '')))
    .filter((key) => key !== '');
}

/** The tools of the file of tools. */
async function readFurtherTools({
  toolsFile,
  env = process.env,
}: PlaybookSources): Promise<readonly HttpToolDefinition[]> {
  if (toolsFile === undefined) return [];
  const { readToolsFile } = await import('./playbook/load.ts');
  const { playbookContext } = await import('./playbook-context.ts');
  return readToolsFile(toolsFile, playbookContext('fault', env));
}

async function loadArticleSearch(
  articles: LoadedPlaybook['articles'],
  meanings: ArticleMeanings | undefined,
): Promise<readonly Tool[]> {
  if (articles.length === 0) return [];
  const { createArticleSearch } = await import('./tools/search-articles.ts');
  return [createArticleSearch(SEARCH_ARTICLES, articles, meanings)];
}

/** Loads a trained classifier. Throws where it does not fit the playbook; with undefined that is not checked. */
async function loadClassifier(
  file: string,
  playbook: Playbook | undefined,
): Promise<Pick<TrainedClassifier, 'classifier' | 'hash'>> {
  const { checkFits, loadTrainedClassifier } = await import('./classifier/intent-model.ts');
  const trained = loadTrainedClassifier(file);
  if (playbook !== undefined) checkFits(trained, [...playbook.intents.keys()], file);
  return trained;
}
