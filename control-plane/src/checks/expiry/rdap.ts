import { z } from 'zod'

/** What a registry tells of a domain (RFC 9083). */
export type Registration = { expiresAtMs: number | null; registrar: string | null }

const Bootstrap = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])).max(10_000),
})

/** The servers of registries by the ending of their names, as IANA lists them (RFC 9224); null where it is no such list. Pure. */
export const parseBootstrap = (json: unknown): ReadonlyMap<string, string> | null => {
  const parsed = Bootstrap.safeParse(json)
  if (!parsed.success) return null
  return new Map(
    parsed.data.services.flatMap(([endings, urls]) => {
      const usable = urls.filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
      const url = usable.find((each) => /^https:/i.test(each)) ?? usable[0]
      return url === undefined
        ? []
        : endings.map((name): [string, string] => [name.toLowerCase(), url])
    }),
  )
}

/** What is asked of a domain: by the longest ending that has a server; null where none has. Pure. */
export const questionOf = (
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
const Expiration = z.object({
  eventAction: z.literal('expiration'),
  eventDate: z.iso.datetime({ offset: true, local: true }),
})
const Registrar = z.object({
  roles: z.array(z.string()),
  vcardArray: z.tuple([z.literal('vcard'), z.array(z.unknown())]),
})
const FullName = z.tuple([z.literal('fn'), z.unknown(), z.unknown(), z.string()])

const registrarCharactersMax = 200

/** What an answer tells of a domain; null where it is of another one, or no answer at all. Pure. */
export const parseRegistration = (json: unknown, domain: string): Registration | null => {
  const parsed = Domain.safeParse(json)
  if (!parsed.success) return null
  const { ldhName, events = [], entities = [] } = parsed.data
  if (ldhName.toLowerCase().replace(/\.$/, '') !== domain) return null
  const ends = events.flatMap((event) => {
    const { success, data } = Expiration.safeParse(event)
    const atMs = success ? Date.parse(data.eventDate) : Number.NaN
    return Number.isFinite(atMs) && atMs > 0 ? [atMs] : []
  })
  return {
    // an end that is told twice is the earlier one: a notice too soon does no harm
    expiresAtMs: ends.length === 0 ? null : Math.min(...ends),
    registrar: entities.map(registrarOf).find((name) => name !== null) ?? null,
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
