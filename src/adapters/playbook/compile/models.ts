import type { ModelEntry, ModelPrice } from '../../../domain/model-price.ts';
import { apiKeyVariableOf, type ModelDefinition } from '../definition.ts';

/** The models of a playbook by name, in their order. */
export function compileModels(models: readonly ModelDefinition[]): ReadonlyMap<string, ModelEntry> {
  return new Map(models.map((entry) => [entry.name, compileModel(entry)]));
}

function compileModel({ name, model, base_url, api_key, price, fallback }: ModelDefinition): ModelEntry {
  return {
    name,
    model,
    baseUrl: base_url,
    apiKeyVariable: api_key === undefined ? undefined : apiKeyVariableOf(api_key),
    price: price && compilePrice(price),
    fallback,
  };
}

function compilePrice({
  input,
  cached_input,
  output,
  currency,
}: NonNullable<ModelDefinition['price']>): ModelPrice {
  return { input, cachedInput: cached_input, output, currency };
}
