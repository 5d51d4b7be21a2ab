import {
  lookupCharactersMax,
  dottedKey,
  hostOf,
  isAddress,
  nameKey,
} from '@probe-mesh/contracts/outage/catalog-names'
import { distinctiveWords, type NameIndex } from './name-index.ts'
import { editDistance, letterSet, lettersApart } from './edit-distance.ts'

/** The service with this name, or null and up to three suggested slugs. */
type ResolvedName = { slug: string; didYouMean: readonly [] } | { slug: null; didYouMean: readonly string[] }

/**
 * Finds the catalog service for a text: by slug, name or alias, ignoring case, spaces and punctuation, or by
 * a host or URL at or below one of its domains, the longest first. It never guesses (S-1205, S-1206): without
 * an exact match there is no result. A text that looks like a host is one, so `git.hub` is not GitHub. Pure;
 * the cost of a hit does not grow with the catalog.
 */
export const resolveName = (index: NameIndex, query: string): ResolvedName => {
  if (query.length > lookupCharactersMax) return { slug: null, didYouMean: [] }
  const host = hostOf(query)
  const slug = host === null ? serviceNamed(index, query) : serviceAt(index, host, query)
  return slug === undefined
    ? { slug: null, didYouMean: suggest(index, query, host) }
    : { slug, didYouMean: [] }
}

const serviceNamed = (index: NameIndex, query: string): string | undefined =>
  isAddress(query) ? undefined : index.names.get(nameKey(query))

/** The service with the longest domain at or above the host, or with the host as a name. */
const serviceAt = (index: NameIndex, host: string, query: string): string | undefined => {
  for (let domain = host; domain !== ''; domain = parentOf(domain)) {
    const slug = index.domains.get(domain)
    if (slug !== undefined) return slug
  }
  return index.dotted.get(dottedKey(query))
}

const parentOf = (domain: string): string => {
  const dot = domain.indexOf('.')
  return dot === -1 ? '' : domain.slice(dot + 1)
}

const suggestionsMax = 3
/** Limits of the search: words of the query, and names that begin with it. */
const wordsMax = 12
const prefixedMax = 20
const letterCountMin = 3
/** How much longer the intended name may be: a spelling has at most two wrong letters. */
const longerBy = [0, 1, -1, 2, -2]
/** Spellings compared letter by letter, about a microsecond each: names of a catalog may be alike. */
const comparisonsMax = 2_000

/** Lower is nearer: a misspelling, then a missing beginning or end, then a common word. */
type Candidates = Map<string, number>

const byPrefix = 1_000
const byWord = 2_000

/**
 * Up to three slugs for a text without a match, the nearest first (S-1205).
 * @param host the host in the text, if it has one
 */
const suggest = (index: NameIndex, query: string, host: string | null): string[] => {
  const candidates: Candidates = new Map()
  const key = host === null ? nameKey(query) : host.replace(/^www\./, '')
  addMisspelt(index, key, candidates)
  if (host === null) addPrefixed(index, key, candidates)
  addSharingWords(index, distinctiveWords(host ?? query), candidates)
  return [...candidates]
    .toSorted(
      ([left, near], [right, far]) => near - far || left.length - right.length || (left < right ? -1 : 1),
    )
    .slice(0, suggestionsMax)
    .map(([slug]) => slug)
}

const note = (candidates: Candidates, slug: string, rank: number): void => {
  candidates.set(slug, Math.min(rank, candidates.get(slug) ?? Infinity))
}

/**
 * Letters alone exclude most spellings. Those with the length of the query come first, because the number of
 * comparisons is limited.
 */
const addMisspelt = (index: NameIndex, key: string, candidates: Candidates): void => {
  const letters = letterSet(key)
  let compared = 0
  for (const longer of longerBy) {
    for (const spelling of index.spellings.get(key.length + longer) ?? []) {
      if (lettersApart(letters, spelling.letters) > 2 * spelling.edits) continue
      if (compared++ === comparisonsMax) return
      const distance = editDistance(key, spelling.text, spelling.edits)
      if (distance <= spelling.edits) note(candidates, spelling.slug, distance)
    }
  }
}

/** `cloudf` is the beginning of Cloudflare, and GitHub is the beginning of `githubstatus`. */
const addPrefixed = (index: NameIndex, key: string, candidates: Candidates): void => {
  if (key.length < letterCountMin) return
  const from = firstAtLeast(index.sortedKeys, key)
  for (const name of index.sortedKeys.slice(from, from + prefixedMax)) {
    const slug = index.names.get(name)
    if (slug === undefined || !name.startsWith(key)) break
    note(candidates, slug, byPrefix + name.length - key.length)
  }
  for (let end = Math.min(key.length - 1, 60); end > letterCountMin; end--) {
    const slug = index.names.get(key.slice(0, end))
    if (slug !== undefined) return note(candidates, slug, byPrefix + key.length - end)
  }
}

/** The more words a name shares with the query, the nearer; a whole name most of all. */
const addSharingWords = (index: NameIndex, words: string[], candidates: Candidates): void => {
  const shared = new Map<string, number>()
  const terms = new Set(words.filter((word) => word.length >= letterCountMin).slice(0, wordsMax))
  for (const word of terms) {
    const whole = index.names.get(word)
    for (const slug of index.words.get(word) ?? []) {
      shared.set(slug, (shared.get(slug) ?? 0) + (slug === whole ? 2 : 1))
    }
  }
  for (const [slug, count] of shared) note(candidates, slug, byWord - count)
}

/** The first index of a sorted list whose text is not less than the given one. */
const firstAtLeast = (sorted: readonly string[], text: string): number => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}
