import { parse } from 'tldts'
import { headerOf, type Entry } from './har-file.ts'

/** A request that becomes a step, with the answer at the end of its redirects. */
export type MainRequest = {
  /** Its place among all entries, by time. */
  index: number
  /** The places of all its answers: its own and those of its redirects. */
  answers: readonly number[]
  entry: Entry
  /** The last answer, after redirects. */
  last: Entry
}

/** What is no step, by its kind, with how many there were. */
export type LeftOut = Map<string, number>

/** Redirects of a step of a journey (S-410). */
export const redirectsMax = 3

/**
 * The requests of the main site that a person or its pages made: documents and data, in order, each with its redirects.
 * Files, preflights, other sites and what was not answered are left out.
 */
export const mainRequests = (entries: readonly Entry[]): { requests: MainRequest[]; leftOut: LeftOut } => {
  const leftOut: LeftOut = new Map()
  const leave = (kind: string): void => void leftOut.set(kind, (leftOut.get(kind) ?? 0) + 1)
  const site = siteOf(entries.find(isDocument) ?? entries.find(isData))
  const folded = new Set<Entry>()
  const requests: MainRequest[] = []
  for (const [index, entry] of entries.entries()) {
    if (folded.has(entry)) continue
    const kind = kindOf(entry, site)
    if (kind !== null) leave(kind)
    else requests.push({ index, entry, ...followed(entries, index, folded) })
  }
  if (folded.size > 0) leftOut.set('redirects, which are followed', folded.size)
  return { requests, leftOut }
}

/** Why an entry is no step; null: it is one. */
const kindOf = (entry: Entry, site: string | null): string | null => {
  const { request, response } = entry
  if (!/^https?:\/\//i.test(request.url) || URL.parse(request.url) === null) return 'not http'
  if (request.method === 'OPTIONS') return 'preflights'
  // proxies record the opening of a WebSocket as https
  if (response.status === 101) return 'WebSockets'
  if (siteOf(entry) !== site) return 'requests to other sites'
  if (!isDocument(entry) && !isData(entry)) return 'files of pages'
  return response.status === 0 ? 'requests without an answer' : null
}

const dataTypes: ReadonlySet<string> = new Set(['xhr', 'fetch'])

const isDocument = (entry: Entry): boolean => {
  const type = entry.type ?? destinationOf(entry)
  if (type !== null) return type === 'document' || type === 'iframe'
  return /html/.test(entry.response.content.mimeType) || isRedirect(entry)
}

const isData = (entry: Entry): boolean => {
  const type = entry.type ?? destinationOf(entry)
  if (type !== null) return dataTypes.has(type) || type === 'empty'
  return !fileTypes.test(entry.response.content.mimeType) && !fileNames.test(entry.request.url)
}

/** Browsers say in the request what they want to do with the answer. */
const destinationOf = ({ request }: Entry): string | null => headerOf(request.headers, 'sec-fetch-dest')

const fileTypes = /^(?:image|font|audio|video)\/|css|javascript|ecmascript|wasm|font/i
const fileNames =
  /\.(?:css|m?js|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp4|webm|mp3|wasm)(?:[?#]|$)/i

/** Names below one that is registered belong to one site; an address is one by itself. */
const siteOf = (entry: Entry | undefined): string | null => {
  const url = entry === undefined ? null : URL.parse(entry.request.url)
  if (url === null) return null
  return parse(url.hostname, { allowPrivateDomains: true }).domain ?? url.hostname
}

const isRedirect = ({ response }: Entry): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && locationOf(response) !== null

const locationOf = (response: Entry['response']): string | null =>
  response.redirectURL || headerOf(response.headers, 'location')

/** Follows the redirects of an entry through the later ones, which are then no steps of their own. */
const followed = (
  entries: readonly Entry[],
  index: number,
  folded: Set<Entry>,
): Pick<MainRequest, 'last' | 'answers'> => {
  let last = entries[index] as Entry
  const answers = [index]
  for (let at = index + 1; at < entries.length && isRedirect(last); at += 1) {
    const next = entries[at] as Entry
    if (folded.has(next) || next.request.url !== targetOf(last)) continue
    folded.add(next)
    last = next
    answers.push(at)
  }
  return { last, answers }
}

/** The URL as a browser requests it: without the fragment. */
const targetOf = ({ request, response }: Entry): string | null => {
  const url = URL.parse(locationOf(response) ?? '', request.url)
  if (url === null) return null
  url.hash = ''
  return url.href
}
