import { targetBudget } from '@probe-mesh/contracts/mesh/target-pools'
import type { AskedHost } from '../check-record/asked-hosts.ts'

/**
 * How often the checks of all accounts together may ask one host, requests a minute over all regions:
 * 100 a second, which a server that many people look after takes without being hurt.
 */
export const targetRequestsPerMinuteDefault = targetBudget.hostPerMinute

const { accountShare, siteFactor, floorIntervalSeconds, floorsShare, byHandShare, runRequestsMax } =
  targetBudget

/** How often something may be asked, requests a minute. */
type TargetLimit = {
  byAll: number
  byAccount: number
  /** What an account may ask whatever others ask, as long as all of them ask no more than `withFloors`. */
  floor: number
  withFloors: number
}

/**
 * @param perMinute what the checks of all accounts may ask of one host
 * @param asker how many regions are live, and what the account's tier allows
 */
export const targetLimits = (
  perMinute: number,
  asker: { liveRegions: number; intervalSecondsMin: number; isFree: boolean },
): Record<'host' | 'site', TargetLimit> => {
  const floor = (asker.liveRegions * 60) / Math.max(floorIntervalSeconds, asker.intervalSecondsMin)
  const beyond = 1 + floorsShare[asker.isFree ? 'free' : 'paid']
  const limitOf = (byAll: number): TargetLimit => ({
    byAll,
    byAccount: byAll * accountShare,
    floor,
    withFloors: byAll * beyond,
  })
  return { host: limitOf(perMinute), site: limitOf(perMinute * siteFactor) }
}

/** How often one host may be asked by hand in a minute: by all accounts, by one, by one whatever others do. */
export type ByHandLimit = { byAll: number; byAccount: number; floor: number }

/** Of one host by hand in one minute. One run of any check is possible, whoever else runs what. */
export const manualRunLimit = (perMinute: number): ByHandLimit => {
  const byAll = Math.max(runRequestsMax, Math.floor(perMinute * byHandShare))
  const byAccount = Math.max(runRequestsMax, Math.floor(byAll * accountShare))
  return { byAll, byAccount, floor: runRequestsMax }
}

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
    const own = byAccount + perMinute
    const all = byAll + perMinute
    if (own <= limit.floor && all <= limit.withFloors) return []
    if (own > limit.byAccount) return [{ ...one, by: 'account', limit: limit.byAccount }]
    return all > limit.byAll ? [{ ...one, by: 'all', limit: limit.byAll }] : []
  })
