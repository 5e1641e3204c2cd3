/** The price of a model, for a million tokens each. */
export interface ModelPrice {
  readonly input: number;
  /** For input that the provider had in its cache; as `input` when undefined. */
  readonly cachedInput: number | undefined;
  readonly output: number;
  /** A code of ISO 4217, such as `USD`; undefined where none is stated. */
  readonly currency: string | undefined;
}

/** A language model that is declared by a name of its own. */
export interface ModelEntry {
  readonly name: string;
  /** Its name at the provider. */
  readonly model: string;
  /** The address of its server; that of the language model when undefined. */
  readonly baseUrl: string | undefined;
  /** The variable of the environment that has its key; the key of the language model when undefined. */
  readonly apiKeyVariable: string | undefined;
  readonly price: ModelPrice | undefined;
  /** The name of the entry that is asked when this one cannot be had. */
  readonly fallback: string | undefined;
}

/** The tokens that are paid for. `cachedInput` is a part of `input`. */
export interface PaidTokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

const TOKENS_OF_PRICE = 1_000_000;

/** Amounts are rounded to this part of the currency, so that sums of binary fractions read as they should. */
const FRACTIONS = 1_000_000_000_000;

/** The cost of tokens, in the currency of the price, to twelve decimals. */
export function costOf({ input, cachedInput, output }: PaidTokens, price: ModelPrice): number {
  const { cachedInput: cachedPrice = price.input } = price;
  const paid = (input - cachedInput) * price.input + cachedInput * cachedPrice + output * price.output;
  return Math.round((paid / TOKENS_OF_PRICE) * FRACTIONS) / FRACTIONS;
}

/**
 * The price of a model by the name that its provider gives it; undefined where no entry states one. Of several
 * entries, one without an address of its own goes first: it is of the server that the language model has.
 */
export function priceOf(models: ReadonlyMap<string, ModelEntry>, model: string): ModelPrice | undefined {
  const priced = [...models.values()].filter((entry) => entry.model === model && entry.price !== undefined);
  return (priced.find(({ baseUrl }) => baseUrl === undefined) ?? priced[0])?.price;
}
