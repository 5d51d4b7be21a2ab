import {
  askedCharactersMax,
  dottedKey,
  hostOf,
  isAddress,
  nameKey,
} from '@probe-mesh/contracts/outage/catalog-names'
import type { NameIndex } from './name-index.ts'
import { suggest } from './suggest.ts'

/** The service that a text names, or none and the slugs of up to three that may have been meant. */
export type ResolvedName =
  | { slug: string; didYouMean: readonly [] }
  | { slug: null; didYouMean: readonly string[] }

/**
 * Finds the catalog service that a text names: by slug, name or alias, whatever its case, spaces and
 * punctuation, or by a host or URL at or below one of its domains, the longest first. Nothing is guessed
 * (S-1205, S-1206): what names nothing exactly resolves to nothing. A text that reads as a host is one, so
 * that `git.hub` is not GitHub. Pure; its cost on a hit does not grow with the catalog.
 */
export const resolveName = (index: NameIndex, asked: string): ResolvedName => {
  if (asked.length > askedCharactersMax) return { slug: null, didYouMean: [] }
  const host = hostOf(asked)
  const slug = host === null ? serviceNamed(index, asked) : serviceAt(index, host, asked)
  return slug === undefined
    ? { slug: null, didYouMean: suggest(index, asked, host) }
    : { slug, didYouMean: [] }
}

const serviceNamed = (index: NameIndex, asked: string): string | undefined =>
  isAddress(asked) ? undefined : index.names.get(nameKey(asked))

/** The service with the longest domain that the host is at or below, or with that name itself. */
const serviceAt = (index: NameIndex, host: string, asked: string): string | undefined => {
  for (let domain = host; domain !== ''; domain = parentOf(domain)) {
    const slug = index.domains.get(domain)
    if (slug !== undefined) return slug
  }
  return index.dotted.get(dottedKey(asked))
}

const parentOf = (domain: string): string => {
  const dot = domain.indexOf('.')
  return dot === -1 ? '' : domain.slice(dot + 1)
}
