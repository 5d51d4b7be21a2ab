import { targetBudget } from '@probe-mesh/contracts/mesh/target-pools'
import type { RequestedHost } from '../records/check/requested-hosts.ts'

/**
 * How often all checks together may probe one host, requests a minute over all regions: 100 a second, which a
 * well-run server takes without harm.
 */
export const targetRequestsPerMinuteDefault = targetBudget.hostPerMinute

const { accountShare, siteFactor, floorIntervalSeconds, floorsShare, byHandShare, runRequestsMax } =
  targetBudget

/** Limits in requests a minute. */
type TargetLimit = {
  byAll: number
  byAccount: number
  /** The rate that an account always has, as long as all together stay below `withFloors`. */
  floor: number
  withFloors: number
}

/**
 * @param perMinute the limit of all accounts for one host
 * @param asker the number of live regions, and the limits of the account's plan
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

/** Manual requests to one host in a minute: of all accounts, of one, and the guaranteed ones of one. */
export type ManualRunLimit = { byAll: number; byAccount: number; floor: number }

/** The manual requests to one host in one minute. One run of any check is always possible. */
export const manualRunLimit = (perMinute: number): ManualRunLimit => {
  const byAll = Math.max(runRequestsMax, Math.floor(perMinute * byHandShare))
  const byAccount = Math.max(runRequestsMax, Math.floor(byAll * accountShare))
  return { byAll, byAccount, floor: runRequestsMax }
}

/** The schedule of a check. */
type Schedule = { paused: boolean; intervalSeconds: number; regions: readonly string[] }

export type RequestRate = { kind: 'host' | 'site'; name: string; path: string; perMinute: number }

/** Requests a minute of a check to each host and site; none while it is paused. */
export const requestRatesOf = (requested: readonly RequestedHost[], schedule: Schedule): RequestRate[] => {
  const { paused, intervalSeconds, regions } = schedule
  const perMinute = paused ? 0 : (regions.length * 60) / intervalSeconds
  const byName = new Map<string, RequestRate>()
  for (const { path, host, site } of requested) {
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

/** Requests a minute of the other checks. */
export type OtherRates = { byAll: number; byAccount: number }

/** The requests of others with those of further checks of the account. */
export const withRates = (
  others: ReadonlyMap<string, OtherRates>,
  further: readonly RequestRate[],
): ReadonlyMap<string, OtherRates> => {
  if (further.length === 0) return others
  const sums = new Map(others)
  addRates(sums, further)
  return sums
}

/** Adds the requests of a check of the account to the sums; with -1 it takes them away. */
export const addRates = (
  sums: Map<string, OtherRates>,
  rates: readonly RequestRate[],
  sign: 1 | -1 = 1,
): void => {
  for (const { kind, name, perMinute } of rates) {
    const key = `${kind} ${name}`
    const { byAll, byAccount } = sums.get(key) ?? { byAll: 0, byAccount: 0 }
    sums.set(key, { byAll: byAll + sign * perMinute, byAccount: byAccount + sign * perMinute })
  }
}

/** A limit that would be exceeded: of all accounts together, or of this one. */
export type ExceededLimit = RequestRate & { by: 'all' | 'account'; limit: number }

/**
 * The hosts and sites to which a check would send more requests than before. Existing requests stay allowed
 * with any requests of others: a running check keeps running.
 */
export const increases = (rates: readonly RequestRate[], before: readonly RequestRate[]): RequestRate[] =>
  rates.filter(({ kind, name, perMinute }) => {
    const former = before.find((other) => other.kind === kind && other.name === name)
    return perMinute > (former?.perMinute ?? 0)
  })

/**
 * The limits that would be exceeded.
 * @param already requests of all other checks, by `kind name`
 */
export const exceededLimits = (
  rates: readonly RequestRate[],
  already: ReadonlyMap<string, OtherRates>,
  limits: Record<'host' | 'site', TargetLimit>,
): ExceededLimit[] =>
  rates.flatMap((one): ExceededLimit[] => {
    const { kind, name, perMinute } = one
    const { byAll, byAccount } = already.get(`${kind} ${name}`) ?? { byAll: 0, byAccount: 0 }
    const limit = limits[kind]
    const own = byAccount + perMinute
    const all = byAll + perMinute
    if (own <= limit.floor && all <= limit.withFloors) return []
    if (own > limit.byAccount) return [{ ...one, by: 'account', limit: limit.byAccount }]
    return all > limit.byAll ? [{ ...one, by: 'all', limit: limit.byAll }] : []
  })
