import { deniedMessage } from '@probe-mesh/contracts/target/deny-list'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { askedHosts } from '../check-record/asked-hosts.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import { askingOf, increases, manualRunLimit, targetLimits, tooOften } from './target-budget.ts'
import type { TooOften } from './target-budget.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import { lockSites } from './target-counts.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { SaveRules } from '../operations/context.ts'
import { refuseUnsafe } from './refuse-config.ts'
import type { TargetCounts } from './target-counts.ts'

type Asker = Pick<
  CheckRecord,
  'id' | 'accountId' | 'url' | 'config' | 'paused' | 'intervalSeconds' | 'regions'
>

/** What it takes to know whether a target may be asked more. */
export type TargetContext = {
  readonly targets: TargetCounts
  readonly rules: Pick<
    SaveRules,
    'blockedTargets' | 'targetRequestsPerMinute' | 'regions' | 'tiers'
  >
}

/**
 * SV-5001 where a check would ask what does not want to be probed, or a host or its site more often than the
 * mesh asks anybody: all checks of all accounts together, and half of that one account. A floor of each
 * account is not taken by others. What it asks already is not refused again, so that it can be slowed down or
 * renamed (S-3505).
 * @param check as it would be
 * @param before as it is; null: it is new
 */
export const refuseBusyTarget = async (
  transaction: Transaction,
  check: Asker,
  before: Asker | null,
  { targets, rules }: TargetContext,
): Promise<Refusal | null> => {
  const asked = askingOf(askedHosts(check), check)
  const more = increases(asked, before === null ? [] : askingOf(askedHosts(before), before))
  if (more.length === 0) return null
  const denied = more.filter(
    ({ kind, name }) => kind === 'host' && rules.blockedTargets.coversHost(name),
  )
  const refused = refuseUnsafe(denied.map(({ path }) => ({ path, ...deniedTarget })))
  if (refused !== null) return refused
  const sites = asked.filter(({ kind }) => kind === 'site').map(({ name }) => name)
  await lockSites(transaction, sites)
  // on another connection, which sees what those committed who had the lock before
  const already = await targets.asked(more, { checkId: check.id, accountId: check.accountId })
  const limits = targetLimits(
    rules.targetRequestsPerMinute,
    await askerOf(transaction, check, rules),
  )
  const often = tooOften(more, already, limits)
  return refuseUnsafe(often.map((one) => ({ path: one.path, ...describeTooOften(one) })))
}

/** What an account may ask of a target whatever others ask follows from its tier. */
const askerOf = async (
  transaction: Transaction,
  { accountId }: Asker,
  { regions, tiers }: TargetContext['rules'],
) => {
  const account = await findAccount(transaction, accountId)
  const tier = account?.tier ?? 'free'
  const { intervalSecondsMin } = tiers[tier]
  return { liveRegions: regions.length, intervalSecondsMin, isFree: tier === 'free' }
}

/**
 * SV-5001 where a run that is asked for by hand asks a host that does not want to be probed, or one
 * that was asked by hand as often as may be in this minute; else the run is counted (S-3506).
 */
export const refuseBusyRun = async (
  check: Asker,
  { targets, rules }: TargetContext,
): Promise<Refusal | null> => {
  const asked = askedHosts(check)
  const denied = asked.filter(({ host }) => rules.blockedTargets.coversHost(host))
  const refused = refuseUnsafe(denied.map(({ path }) => ({ path, ...deniedTarget })))
  if (refused !== null || asked.length === 0) return refused
  const limit = manualRunLimit(rules.targetRequestsPerMinute)
  const hosts = check.regions.flatMap(() => asked.map(({ host }) => host))
  if (await targets.askByHand(hosts, check.accountId, limit)) return null
  return refuse('SV-5001', {
    status: 429,
    message: `Unsafe target (request_budget): a host is asked at most ${limit.byAll} times a minute by hand, by one account at most ${limit.byAccount} times. Try again in the next minute.`,
    retryAfterSeconds: 60,
  })
}

const deniedTarget = {
  rule: 'denied',
  message: deniedMessage,
} as const

const describeTooOften = ({ kind, name, by, limit }: TooOften) => {
  const who = by === 'account' ? 'the checks of one account' : 'all checks of all accounts together'
  const what = kind === 'host' ? `the host ${name}` : `the hosts of ${name}`
  return {
    rule: 'request_budget',
    message: `${who} ask ${what} at most ${limit} times a minute; use a longer interval, fewer regions or fewer checks`,
  }
}
