import type { AskedHost } from './asked-hosts.ts'

/**
 * How often the checks of all accounts together may ask one host, requests a minute over all regions:
 * 100 a second, which a server that many people look after takes without being hurt.
 */
export const targetRequestsPerMinuteDefault = 6_000

/** Nobody uses up what a host takes: an account has half of it, 125 checks at the fastest from four regions. */
const accountShare = 0.5

/** A site has many hosts, and often one machine for them: twice what one host takes. */
const siteFactor = 2

/** By hand, in one minute, and beside what is scheduled: a tenth of what a host takes. */
const manualShare = 0.1

/** How often something may be asked, requests a minute. */
export type TargetLimit = { byAll: number; byAccount: number }

/** @param perMinute what the checks of all accounts may ask of one host */
export const targetLimits = (perMinute: number): Record<'host' | 'site', TargetLimit> => ({
  host: { byAll: perMinute, byAccount: perMinute * accountShare },
  site: { byAll: perMinute * siteFactor, byAccount: perMinute * siteFactor * accountShare },
})

/** Requests that may be asked of one host by hand in one minute; one run must be possible. */
export const manualRunsPerMinute = (perMinute: number): number =>
  Math.max(50, Math.floor(perMinute * manualShare))

/** When a check is measured, and from how many places. */
type Schedule = { paused: boolean; intervalSeconds: number; regions: readonly string[] }

export type Asking = { kind: 'host' | 'site'; name: string; path: string; perMinute: number }

/** What a check asks of each host and each site, requests a minute; nothing where it is paused. Pure. */
export const askingOf = (asked: readonly AskedHost[], schedule: Schedule): Asking[] => {
  const { paused, intervalSeconds, regions } = schedule
  const perMinute = paused ? 0 : (regions.length * 60) / intervalSeconds
  const byName = new Map<string, Asking>()
  for (const { path, host, site } of asked) {
    for (const [kind, name] of [
      ['host', host],
      ['site', site],
    ] as const) {
      const key = `${kind} ${name}`
      const before = byName.get(key)?.perMinute ?? 0
      byName.set(key, { kind, name, path, perMinute: before + perMinute })
    }
  }
  return [...byName.values()]
}

/** What others ask already, requests a minute. */
export type AskedAlready = { byAll: number; byAccount: number }

/** Asked too often: `by` all accounts together, or by this one. */
export type TooOften = Asking & { by: 'all' | 'account'; limit: number }

/**
 * What a check would ask more of than before. What it asks no more of is not in the way, whatever
 * others ask: what runs goes on. Pure.
 */
export const increases = (asking: readonly Asking[], before: readonly Asking[]): Asking[] =>
  asking.filter(({ kind, name, perMinute }) => {
    const former = before.find((other) => other.kind === kind && other.name === name)
    return perMinute > (former?.perMinute ?? 0)
  })

/**
 * What may not be asked so often. Pure.
 * @param already by `kind name`, what all checks but this one ask
 */
export const tooOften = (
  asking: readonly Asking[],
  already: ReadonlyMap<string, AskedAlready>,
  limits: Record<'host' | 'site', TargetLimit>,
): TooOften[] =>
  asking.flatMap((one): TooOften[] => {
    const { kind, name, perMinute } = one
    const { byAll, byAccount } = already.get(`${kind} ${name}`) ?? { byAll: 0, byAccount: 0 }
    const limit = limits[kind]
    if (byAccount + perMinute > limit.byAccount) {
      return [{ ...one, by: 'account', limit: limit.byAccount }]
    }
    return byAll + perMinute > limit.byAll ? [{ ...one, by: 'all', limit: limit.byAll }] : []
  })
