import { deniedMessage } from '@probe-mesh/contracts/target/deny-list'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { requestedHosts } from '../records/check/requested-hosts.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import {
  requestRatesOf,
  increases,
  manualRunLimit,
  targetLimits,
  exceededLimits,
  withRates,
  addRates,
  type ExceededLimit,
  type OtherRates,
  type RequestRate,
} from './target-budget.ts'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { findAccount } from '../accounts/accounts-store.ts'
import { lockSites, type TargetCounts } from './target-counts.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { SaveRules } from '../accounts/operations/context.ts'
import { refuseUnsafe } from './refuse-unsafe.ts'

type ProbingCheck = Pick<
  CheckRecord,
  'id' | 'accountId' | 'url' | 'config' | 'paused' | 'intervalSeconds' | 'regions'
>

/** The context that decides whether a target may be probed more often. */
export type TargetContext = {
  readonly targets: TargetCounts
  readonly rules: Pick<
    SaveRules,
    'blockedTargets' | 'targetAllow' | 'targetRequestsPerMinute' | 'regions' | 'tiers'
  >
}

/**
 * SV-5001 if a check would probe a target on the deny list, or a host or its site more often than the mesh
 * allows: a limit for all checks together, and half of it for one account. Others cannot use up the floor of
 * an account. Requests that a check already makes are not refused again, so that it can be slowed down or
 * renamed (S-3505).
 * @param check the new definition
 * @param before the present definition; null: the check is new
 */
export const refuseBusyTarget = async (
  tx: Transaction,
  check: ProbingCheck,
  before: ProbingCheck | null,
  context: TargetContext,
): Promise<Refusal | null> => {
  const allowed = refuseDeniedAllowed(check, before, context.rules)
  if (allowed !== null) return allowed
  const requested = ratesOf(check)
  const more = increases(requested, before === null ? [] : ratesOf(before))
  if (more.length === 0) return null
  const denied = refuseDenied(more, context.rules)
  if (denied !== null) return denied
  await lockSites(tx, sitesOf(requested))
  const already = await sumOthers(context, check, more)
  const limits = await limitsOf(tx, check, context)
  return refuseOften(exceededLimits(more, already, limits))
}

/**
 * The same for paused checks of one account that are to run again, one after another: each check finds the
 * requests of those before it that were not refused.
 * @returns the refusals by check id
 */
export const refuseBusyTargets = async (
  tx: Transaction,
  paused: readonly ProbingCheck[],
  context: TargetContext,
): Promise<Map<string, Refusal>> => {
  const running = paused.map((each) => {
    const check = { ...each, paused: false }
    return { id: check.id, check, rates: ratesOf(check) }
  })
  const rates = running.flatMap((check) => check.rates)
  const [first] = paused
  const refusals = new Map<string, Refusal>()
  for (const { id, check } of running) {
    const refused = refuseDeniedAllowed(check, null, context.rules)
    if (refused !== null) refusals.set(id, refused)
  }
  if (first === undefined || rates.length === 0) return refusals
  await lockSites(tx, sitesOf(rates))
  // no paused check is in the sums
  let already = await sumOthers(context, first, rates)
  const limits = await limitsOf(tx, first, context)
  for (const { id, rates: own } of running) {
    const refused = refuseDenied(own, context.rules) ?? refuseOften(exceededLimits(own, already, limits))
    if (refused !== null) refusals.set(id, refused)
    else if (!refusals.has(id)) already = withRates(already, own)
  }
  return refusals
}

/** A check before and after an intended write; null: there is none. */
export type IntendedChange = { before: ProbingCheck | null; after: ProbingCheck | null }

/**
 * The same for intended writes of one account, one after another. Nothing is locked: another account may use a host
 * before they are written.
 * @param stored the checks that the changes are about, as they are now
 * @returns the refusals by the index of the change
 */
export const refuseBusyChanges = async (
  changes: readonly IntendedChange[],
  { account, stored }: { account: { id: string; tier: Tier }; stored: readonly ProbingCheck[] },
  { targets, rules }: TargetContext,
): Promise<Map<number, Refusal>> => {
  const rated = changes.map(({ before, after }) => ({
    former: before === null ? [] : ratesOf(before),
    next: after === null ? [] : ratesOf(after),
  }))
  const refusals = new Map<number, Refusal>()
  for (const [index, { before, after }] of changes.entries()) {
    const refused = after === null ? null : refuseDeniedAllowed(after, before, rules)
    if (refused !== null) refusals.set(index, refused)
  }
  const named = new Map(rated.flatMap(({ next }) => next).map((rate) => [`${rate.kind} ${rate.name}`, rate]))
  if (named.size === 0) return refusals
  const besides = { checkIds: stored.map(({ id }) => id), accountId: account.id }
  const sums = new Map(await targets.ratesOfOthers([...named.values()], besides))
  for (const check of stored) addRates(sums, ratesOf(check))
  const limits = targetLimits(rules.targetRequestsPerMinute, requesterOf(account.tier, rules))
  for (const [index, { former, next }] of rated.entries()) {
    addRates(sums, former, -1)
    const more = increases(next, former)
    const refused =
      refusals.get(index) ?? refuseDenied(more, rules) ?? refuseOften(exceededLimits(more, sums, limits))
    if (refused !== null) refusals.set(index, refused)
    addRates(sums, refused === null ? next : former)
  }
  return refusals
}

const ratesOf = (check: ProbingCheck): RequestRate[] => requestRatesOf(requestedHosts(check), check)

const sitesOf = (rates: readonly RequestRate[]): string[] =>
  rates.filter(({ kind }) => kind === 'site').map(({ name }) => name)

const refuseDenied = (
  rates: readonly RequestRate[],
  { blockedTargets }: Pick<TargetContext['rules'], 'blockedTargets'>,
): Refusal | null => {
  const denied = rates.filter(({ kind, name }) => kind === 'host' && blockedTargets.coversHost(name))
  return refuseUnsafe(denied.map(({ path }) => ({ path, ...deniedTarget })))
}

/**
 * A private address that the operator opened with `TARGET_ALLOW` and closed with `BLOCKED_TARGETS`: agents refuse it, so
 * its check would never be measured. It has no budget, hence no rate. A check that has it already may be changed.
 */
const refuseDeniedAllowed = (
  check: ProbingCheck,
  before: ProbingCheck | null,
  { blockedTargets, targetAllow }: Pick<TargetContext['rules'], 'blockedTargets' | 'targetAllow'>,
): Refusal | null => {
  const allow = targetAllow.ofAccount(check.accountId)
  // a private agent has rules of its own
  if (check.paused || allow.cidrs.length === 0 || check.regions.some(isPrivateRegion)) return null
  const former = new Set((before === null ? [] : requestedHosts(before, allow)).map(({ host }) => host))
  const denied = requestedHosts(check, allow).filter(
    ({ host }) => !former.has(host) && blockedTargets.coversHost(host),
  )
  return refuseUnsafe(denied.map(({ path }) => ({ path, ...deniedTarget })))
}

const refuseOften = (often: readonly ExceededLimit[]): Refusal | null =>
  refuseUnsafe(often.map((one) => ({ path: one.path, ...describeExceeded(one) })))

/** On another connection, which sees what former holders of the lock committed. */
const sumOthers = (
  { targets }: TargetContext,
  { id, accountId }: ProbingCheck,
  rates: readonly RequestRate[],
): Promise<ReadonlyMap<string, OtherRates>> => {
  const distinct = new Map(rates.map((rate) => [`${rate.kind} ${rate.name}`, rate]))
  return targets.ratesOfOthers([...distinct.values()], { checkIds: [id], accountId })
}

const limitsOf = async (tx: Transaction, check: ProbingCheck, { rules }: TargetContext) =>
  targetLimits(
    rules.targetRequestsPerMinute,
    requesterOf((await findAccount(tx, check.accountId))?.tier ?? 'free', rules),
  )

/** The floor of an account follows from its plan. */
const requesterOf = (tier: Tier, { regions, tiers }: TargetContext['rules']) => {
  const { intervalSecondsMin } = tiers[tier]
  return { liveRegions: regions.length, intervalSecondsMin, isFree: tier === 'free' }
}

/**
 * SV-5001 if a manual run would probe a host on the deny list, or a host whose manual runs of this minute are
 * used up; otherwise the run is counted (S-3506).
 */
export const refuseBusyRun = async (
  check: ProbingCheck,
  { targets, rules }: TargetContext,
): Promise<Refusal | null> => {
  const allowed = refuseDeniedAllowed({ ...check, paused: false }, null, rules)
  if (allowed !== null) return allowed
  const requested = requestedHosts(check)
  const denied = requested.filter(({ host }) => rules.blockedTargets.coversHost(host))
  const refused = refuseUnsafe(denied.map(({ path }) => ({ path, ...deniedTarget })))
  if (refused !== null || requested.length === 0) return refused
  const limit = manualRunLimit(rules.targetRequestsPerMinute)
  const hosts = check.regions.flatMap(() => requested.map(({ host }) => host))
  if (await targets.countManualRun(hosts, check.accountId, limit)) return null
  return refuse('SV-5001', {
    status: 429,
    message: `Unsafe target (request_budget): manual runs may send a host ${limit.byAll} requests a minute, ${limit.byAccount} of them from one account. Retry in the next minute.`,
    retryAfterSeconds: 60,
  })
}

const deniedTarget = {
  rule: 'denied',
  message: deniedMessage,
} as const

const describeExceeded = ({ kind, name, by, limit }: ExceededLimit) => {
  const who = by === 'account' ? 'the checks of one account' : 'the checks of all accounts together'
  const what = kind === 'host' ? `the host ${name}` : `the hosts of ${name}`
  return {
    rule: 'request_budget',
    message: `${who} may send ${what} ${limit} requests a minute; use a longer interval, fewer regions or fewer checks`,
  }
}
