import { place, setQuery } from '../app/router.ts';
import { SuggestedInput } from './fields.tsx';

/** A filter that chooses one of some values, kept in the URL under its name. */
export interface ChoiceFilter {
  readonly kind: 'choice';
  readonly name: string;
  readonly label: string;
  /** Values with their words. The empty value means all. */
  readonly options: readonly (readonly [value: string, word: string])[];
}

/** A filter with any text, kept in the URL under its name. */
export interface TextFilter {
  readonly kind: 'text';
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  /** Values that are suggested, with their words. */
  readonly options?: readonly (readonly [value: string, word: string])[];
}

export type Filter = ChoiceFilter | TextFilter;

/** The filters of a list. What is chosen stands in the URL. */
export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const { query } = place.value;
  const isSet = filters.some(({ name }) => query.get(name));
  return (
    <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((filter) => (
        <div class="filter" key={filter.name}>
          <label for={`filter-${filter.name}`}>{filter.label}</label>
          {filter.kind === 'choice' ? (
            <select
              id={`filter-${filter.name}`}
              value={query.get(filter.name) ?? ''}
              onChange={(event) => setQuery({ [filter.name]: event.currentTarget.value })}
            >
              {filter.options.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          ) : (
            <TextInput {...filter} />
          )}
        </div>
      ))}
      {isSet && (
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, null])))}
        >
          Clear
        </button>
      )}
    </form>
  );
}

function TextInput({ name, placeholder, options }: TextFilter) {
  const value = place.value.query.get(name) ?? '';
  // Further typing replaces the entry of its beginning, so that Back takes off the whole.
  const take = (text: string): void => setQuery({ [name]: text }, { replace: value !== '' });
  return (
    <SuggestedInput
      id={`filter-${name}`}
      value={value}
      onChange={take}
      placeholder={placeholder}
      options={options}
    />
  );
}
