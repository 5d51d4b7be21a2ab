import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { dottedKey, isDotted, nameKey, wordsOf } from '@probe-mesh/contracts/outage/catalog-names'
import { letterSet } from './edit-distance.ts'

/** A spelling that a query may have missed by a few letters. */
type Spelling = {
  text: string
  slug: string
  /** How many letters may be wrong. */
  edits: number
  letters: number
}

/** All names of the catalog, indexed for `resolveName`; built once. */
export type NameIndex = {
  /** By `nameKey`: the service with that slug, name or alias. */
  readonly names: ReadonlyMap<string, string>
  /** By `dottedKey`: names that look like hosts. */
  readonly dotted: ReadonlyMap<string, string>
  readonly domains: ReadonlyMap<string, string>
  /** By length: names by their keys, and domains. Only domains have dots. */
  readonly spellings: ReadonlyMap<number, readonly Spelling[]>
  /** The sorted keys of `names`, to find those with a prefix. */
  readonly sortedKeys: readonly string[]
  /** The services by a word of a name. */
  readonly words: ReadonlyMap<string, readonly string[]>
}

/**
 * How many letters of a name may be wrong: zero for short names, because most short words differ by one
 * letter.
 */
const editsOf = (letters: number): number => (letters < 5 ? 0 : letters < 10 ? 1 : 2)

type Named = Pick<CatalogService, 'slug' | 'name' | 'aliases' | 'domains'>

/** Indexes the names of a catalog in which each name belongs to one service (`parseCatalog`). */
export const indexNames = ({ services }: { services: readonly Named[] }): NameIndex => {
  const names = new Map<string, string>()
  const dotted = new Map<string, string>()
  const domains = new Map<string, string>()
  const words = new Map<string, Set<string>>()
  for (const service of services) {
    for (const name of namesOf(service)) {
      names.set(nameKey(name), service.slug)
      if (isDotted(name)) dotted.set(dottedKey(name), service.slug)
    }
    for (const word of [service.name, ...service.aliases].flatMap(distinctiveWords)) {
      words.set(word, (words.get(word) ?? new Set()).add(service.slug))
    }
    for (const domain of service.domains) domains.set(domain, service.slug)
  }
  return {
    names,
    dotted,
    domains,
    spellings: spellingsOf(names, domains),
    sortedKeys: [...names.keys()].toSorted(),
    words: new Map([...words].map(([word, slugs]) => [word, [...slugs].toSorted()])),
  }
}

/** The words of a name or host, without its top-level domain: many share `com`. */
export const distinctiveWords = (name: string): string[] =>
  wordsOf(isDotted(name) ? name.slice(0, name.lastIndexOf('.')) : name)

const namesOf = ({ slug, name, aliases }: Named): string[] => [slug, name, ...aliases]

const spellingsOf = (
  names: ReadonlyMap<string, string>,
  domains: ReadonlyMap<string, string>,
): Map<number, Spelling[]> => {
  const spellings = new Map<number, Spelling[]>()
  const add = (text: string, slug: string, edits: number): void => {
    if (edits === 0) return
    const ofLength = spellings.get(text.length) ?? []
    ofLength.push({ text, slug, edits, letters: letterSet(text) })
    spellings.set(text.length, ofLength)
  }
  for (const [key, slug] of names) add(key, slug, editsOf(key.length))
  for (const [domain, slug] of domains) add(domain, slug, editsOf(domain.lastIndexOf('.')))
  return spellings
}
