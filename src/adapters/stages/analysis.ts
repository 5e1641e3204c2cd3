import { type CustomerMessage, intents } from '../../domain/message/message.ts';
import { tokenize } from '../../lib/text/tokenize.ts';
import { type ClauseCues, detectCues } from './rules/classify.ts';
import { createClauseAnalyzer, MAX_CORRECTIONS, type Token } from './rules/clause-analyzer.ts';
import { type Concern, concernCues, concernLexicon, concerns } from './rules/concerns.ts';
import { type Cue, createCueMatcher } from './rules/cue-matcher.ts';
import { intentCues } from './rules/intent-cues.ts';
import { actions } from './rules/lexicon/actions.ts';
import { objects } from './rules/lexicon/objects.ts';
import { markers, questions } from './rules/lexicon/questions.ts';
import { sentiment } from './rules/lexicon/sentiment.ts';
import { ordinaryWords } from './rules/ordinary-words.ts';
import { createWordCache } from './rules/word-cache.ts';

/** Concepts that do not count when the customer refuses them. All others still count (`I don't want this newsletter`). */
const refusable = new Set([
  'refund',
  'giveBack',
  'swap',
  'cancel',
  'person',
  'helpdesk',
  'complaint',
  'feedback',
  'buy',
  'change',
]);

/** One word as a token of both analyzers, so that a text is split and looked up once. */
interface WordTokens {
  readonly intent: Token;
  readonly concern: Token;
}

const none: ReadonlySet<string> = new Set();

function compileRules() {
  const intentAnalyzer = createClauseAnalyzer({
    lexicon: { ...objects, ...questions, ...actions, ...sentiment, ...markers },
    uncorrectable: new Set(Object.keys(markers)),
    ordinaryWords,
    referents: new Set(Object.keys(objects)),
    imperatives: new Set(Object.keys(actions)),
    refusable,
  });
  const concernAnalyzer = createClauseAnalyzer({
    lexicon: concernLexicon,
    uncorrectable: new Set(['harm', 'body', 'money', 'notMine', 'dataDeed', 'myData']),
    ordinaryWords,
    referents: none,
    imperatives: none,
    refusable: none,
  });
  return {
    intentAnalyzer,
    concernAnalyzer,
    matchIntentCues: createCueMatcher(intentAnalyzer.concepts, intents, intentCues),
    matchConcernCues: createCueMatcher(concernAnalyzer.concepts, concerns, concernCues),
    lookUp: createWordCache<WordTokens>((word, correctSpelling) => ({
      intent: intentAnalyzer.tokenOf(word, correctSpelling),
      concern: concernAnalyzer.tokenOf(word, correctSpelling),
    })),
  };
}

type Rules = ReturnType<typeof compileRules>;

let compiledRules: Rules | undefined;

/** The rules. They are compiled for the first text, so that they do not delay the start. */
function getRules(): Rules {
  compiledRules ??= compileRules();
  return compiledRules;
}

/** Looks up the words of a text; spelling is corrected until both analyzers have used up {@link MAX_CORRECTIONS}. */
function lookUpWords(text: string, lookUp: Rules['lookUp']): readonly WordTokens[] {
  let intentCorrections = MAX_CORRECTIONS;
  let concernCorrections = MAX_CORRECTIONS;
  return tokenize(text).map((word) => {
    const tokens = lookUp(word, intentCorrections > 0 || concernCorrections > 0);
    if (tokens.intent.misspelled) intentCorrections--;
    if (tokens.concern.misspelled) concernCorrections--;
    return tokens;
  });
}

/** What the rules find in a message. */
export interface MessageAnalysis {
  /** The clauses with their cues for intents. */
  readonly clauses: readonly ClauseCues[];
  /** The cues for concerns, clause by clause. */
  readonly concernCues: readonly Cue<Concern>[];
}

/** Analyzes a text. The time grows with its length. */
export function analyzeText(text: string): MessageAnalysis {
  const { intentAnalyzer, concernAnalyzer, matchIntentCues, matchConcernCues, lookUp } = getRules();
  const words = lookUpWords(text, lookUp);
  const intentClauses = intentAnalyzer.analyze(words.map((word) => word.intent));
  const concernClauses = concernAnalyzer.analyze(words.map((word) => word.concern));
  return {
    clauses: detectCues(intentClauses, matchIntentCues),
    concernCues: concernClauses.flatMap(({ concepts }) => matchConcernCues(concepts)),
  };
}

const analyses = new WeakMap<CustomerMessage, MessageAnalysis>();

/** Analyzes a message, once for all stages. */
export function analyzeMessage(message: CustomerMessage): MessageAnalysis {
  let analysis = analyses.get(message);
  if (analysis === undefined) {
    analysis = analyzeText(message.message);
    analyses.set(message, analysis);
  }
  return analysis;
}

/**
 * The concerns that a message raises, the most serious first. A refusal counts too (`I do not want to sue you, but …`),
 * because a person should see it.
 */
export function findConcerns(message: CustomerMessage): readonly Concern[] {
  const { concernCues } = analyzeMessage(message);
  if (concernCues.length === 0) return [];
  return concerns.filter((concern) => concernCues.some((cue) => cue.topic === concern));
}
