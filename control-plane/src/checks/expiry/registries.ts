import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { get, type RequestGuard } from '../../notifications/outgoing/guarded-request.ts'
import { z } from 'zod'

const bootstrapBytesMax = 4 * 1024 * 1024
const answerBytesMax = 512 * 1024
const queryMsMax = 15_000
const dayMs = 86_400_000
/** Delay before the list is read again after a failure. */
const bootstrapAgainMs = 600_000
/** Bounds of the pause that a registry can ask for. */
const pauseMsMin = 60_000
const pauseMsMax = 6 * 3_600_000

/** The outcome of a query. */
type QueryOutcome =
  | ({ outcome: 'told' } & Registration)
  /**
   * no_server: no registry server is known for the name; not_found: the registry does not know the domain;
   * failed: any other answer, or none.
   */
  | { outcome: 'no_server' | 'not_found' | 'failed' }
  /** Not queried: the registry asked for a pause until then. */
  | { outcome: 'paused'; untilMs: number }

export type Registries = {
  /** Loads IANA's list if it is older than a day. @returns whether any registry is known */
  load(signal: AbortSignal): Promise<boolean>
  /** Queries the registry of a domain. */
  query(domain: string, signal: AbortSignal): Promise<QueryOutcome>
}

/** Domain registries, from the list of RDAP servers that IANA publishes, over guarded requests. */
export const createRegistries = (capabilities: {
  bootstrapUrl: string
  guard: RequestGuard
  onFailure: (error: unknown) => void
  now: () => number
}): Registries => {
  const { bootstrapUrl, guard, onFailure, now } = capabilities
  const paused = new Map<string, number>()
  let servers: ReadonlyMap<string, string> = new Map()
  let freshUntilMs = Number.NEGATIVE_INFINITY

  const read = async (url: string, accept: string, bytesMax: number, signal: AbortSignal) => {
    const limited = anySignal([signal, AbortSignal.timeout(queryMsMax)])
    const answer = await get(url, { accept, bytesMax }, limited, guard)
    const parse = (): unknown => {
      if (answer.cut) throw new Error('the answer is too long or incomplete')
      return parseForeignJson(answer.bytes)
    }
    return { status: answer.httpStatus, headers: answer.headers, parse }
  }

  const refresh = async (signal: AbortSignal): Promise<void> => {
    freshUntilMs = now() + bootstrapAgainMs
    const { status, parse } = await read(bootstrapUrl, 'application/json', bootstrapBytesMax, signal)
    const parsed = status === 200 ? parseBootstrap(parse()) : null
    if (parsed === null) throw new Error(`cannot read the list of registries (status ${status})`)
    servers = parsed
    freshUntilMs = now() + dayMs
  }

  const pauseFor = (server: string, retryAfter: string | undefined): number => {
    const nowMs = now()
    const bounds = { minMs: pauseMsMin, maxMs: pauseMsMax }
    const untilMs = nowMs + (retryAfterMs(retryAfter, nowMs, bounds) ?? pauseMsMin)
    paused.set(server, untilMs)
    return untilMs
  }

  return {
    load: async (signal) => {
      if (now() >= freshUntilMs) await refresh(signal).catch(onFailure)
      return servers.size > 0
    },
    query: async (domain, signal) => {
      const query = rdapQueryOf(domain, servers)
      if (query === null) return { outcome: 'no_server' }
      const untilMs = paused.get(query.server) ?? 0
      if (now() < untilMs) return { outcome: 'paused', untilMs }
      try {
        const accept = 'application/rdap+json'
        const { status, headers, parse } = await read(query.url, accept, answerBytesMax, signal)
        if (status === 429 || status === 503) pauseFor(query.server, headers['retry-after'])
        if (status === 404) return { outcome: 'not_found' }
        const found = status === 200 ? parseRegistration(parse(), domain) : null
        return found === null ? { outcome: 'failed' } : { outcome: 'told', ...found }
      } catch (error) {
        onFailure(error)
        return { outcome: 'failed' }
      }
    },
  }
}

/** The registration of a domain (RFC 9083). */
type Registration = {
  expiresAtMs: number | null
  registrar: string | null
  /** Whether the registry told an end that is no date. */
  isUnreadable: boolean
}

const Bootstrap = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])).max(10_000),
})

/**
 * Registry servers by the ending of domain names, as IANA lists them (RFC 9224); null if the JSON is not such
 * a list.
 */
const parseBootstrap = (json: unknown): ReadonlyMap<string, string> | null => {
  const parsed = Bootstrap.safeParse(json)
  if (!parsed.success) return null
  return new Map(
    parsed.data.services.flatMap(([endings, urls]) => {
      const usable = urls.filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
      const url = usable.find((each) => /^https:/i.test(each)) ?? usable[0]
      return url === undefined ? [] : endings.map((name): [string, string] => [name.toLowerCase(), url])
    }),
  )
}

/** The RDAP query for a domain, by the longest ending that has a server; null if none has. */
const rdapQueryOf = (
  domain: string,
  servers: ReadonlyMap<string, string>,
): { server: string; url: string } | null => {
  const labels = domain.split('.')
  for (let first = 0; first < labels.length; first++) {
    const server = servers.get(labels.slice(first).join('.'))
    if (server === undefined) continue
    const url = new URL(`domain/${domain}`, server.endsWith('/') ? server : `${server}/`)
    return { server: url.origin, url: url.href }
  }
  return null
}

const Domain = z.object({
  objectClassName: z.literal('domain'),
  ldhName: z.string(),
  events: z.array(z.unknown()).max(1_000).optional(),
  entities: z.array(z.unknown()).max(1_000).optional(),
})
const Expiration = z.object({ eventAction: z.string().regex(/^expiration$/i), eventDate: z.unknown() })
/** RFC 3339; some registries leave out the zone or the time, and write a blank for the T. */
const EventDate = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()])
const Registrar = z.object({
  roles: z.array(z.string()),
  vcardArray: z.tuple([z.literal('vcard'), z.array(z.unknown())]),
})
const FullName = z.tuple([z.literal('fn'), z.unknown(), z.unknown(), z.string()])

const registrarCharactersMax = 200

/** The registration in an answer; null if it is about another domain, or not an RDAP answer. */
const parseRegistration = (json: unknown, domain: string): Registration | null => {
  const parsed = Domain.safeParse(json)
  if (!parsed.success) return null
  const { ldhName, events = [], entities = [] } = parsed.data
  if (ldhName.toLowerCase().replace(/\.$/, '') !== domain) return null
  const told = events.flatMap((event) => {
    const { success, data } = Expiration.safeParse(event)
    return success ? [data.eventDate] : []
  })
  const ends = told.flatMap((date) => {
    const text = typeof date === 'string' ? date.trim().replace(/^(\S{10}) (?=\S{8})/, '$1T') : date
    const { success, data } = EventDate.safeParse(text)
    // without a zone it is read as UTC, whatever the machine's is
    const isLocal = success && /T[\d:.]+$/.test(data)
    const atMs = success ? Date.parse(isLocal ? `${data}Z` : data) : Number.NaN
    return Number.isFinite(atMs) && atMs > 0 ? [atMs] : []
  })
  return {
    // of two expiry dates the earlier one: notifying too early does no harm
    expiresAtMs: ends.length === 0 ? null : Math.min(...ends),
    registrar: entities.map(registrarOf).find((name) => name !== null) ?? null,
    isUnreadable: told.length > 0 && ends.length === 0,
  }
}

const registrarOf = (entity: unknown): string | null => {
  const { success, data } = Registrar.safeParse(entity)
  if (!success || !data.roles.includes('registrar')) return null
  for (const property of data.vcardArray[1]) {
    const name = FullName.safeParse(property)
    if (!name.success) continue
    const text = name.data[3].replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()
    return text === '' ? null : text.slice(0, registrarCharactersMax).toWellFormed()
  }
  return null
}
