import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { composeExpiry } from './expiry-message.ts'
import type { Expiring, ExpiryNotice } from './expiry-message.ts'
import { observeExpiry } from './expiry.ts'
import type { ExpiryAlert, ExpiryEvent, ExpiryKind } from './expiry.ts'
import type { WatchedCheck } from '../../alerts/evidence.ts'
import { appliesTo } from '../../alerts/alert-rule.ts'
import type { AlertRuleRecord } from '../../alerts/alert-rule.ts'
import { firstToExpire } from './certificates.ts'
import { lockAlertRulesShared } from '../../alerts/alert-rules-store.ts'
import { findCertificates } from './certificates-store.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { findDomains } from './domains-store.ts'
import type { DomainRecord } from './domains-store.ts'
import {
  findExpiringChecks,
  findExpiryAccounts,
  findExpiryAlerts,
  lockExpiries,
  writeExpiryAlerts,
} from './expiry-alerts-store.ts'
import type { ExpiryAlertWrite } from './expiry-alerts-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../../alerts/watched-checks-store.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { sendToReceivers } from '../../alerts/receivers.ts'

const accountsPerBatch = 500
const firstId = '00000000-0000-0000-0000-000000000000'
const kinds: readonly ExpiryKind[] = ['certificate', 'domain']

/**
 * Looks once at what expires in every account: what the rules notify of it and that it was notified are one
 * transaction an account, in which nobody else looks at it.
 * @returns how many accounts could not be looked at; they are looked at again next time
 */
export const lookForExpiries = async (
  context: AlertContext,
  signal?: AbortSignal,
): Promise<number> => {
  const isStopped = (): boolean => signal?.aborted ?? false
  let failed = 0
  let after = firstId
  while (!isStopped()) {
    const page = { nowMs: context.now(), after, limit: accountsPerBatch }
    const accountIds = await findExpiryAccounts(context.sql, page)
    for (const accountId of accountIds) {
      if (isStopped()) break
      try {
        await transact(context.sql, (tx) => lookAtAccount(context, tx, accountId))
      } catch (error) {
        failed += 1
        context.log.warn(
          { err: error, accountId },
          'what expires of an account cannot be looked at',
        )
      }
    }
    const last = accountIds.at(-1)
    if (last === undefined || accountIds.length < accountsPerBatch) break
    after = last
  }
  return failed
}

/** What a rule has to notify of one check. */
type Step = { check: WatchedCheck; expiring: Expiring; event: ExpiryEvent; days: number }

const lookAtAccount = async (
  context: AlertContext,
  tx: Transaction,
  accountId: string,
): Promise<void> => {
  if (!(await lockExpiries(tx, accountId))) return
  const nowMs = context.now()
  const rules = (await lockAlertRulesShared(tx, [accountId])).filter(({ enabled }) => enabled)
  const most = (kind: ExpiryKind): number =>
    Math.max(0, ...rules.flatMap((rule) => daysOf(rule, kind)))
  const days = { certificate: most('certificate'), domain: most('domain') }
  const ids = await findExpiringChecks(tx, accountId, { nowMs, days })
  const checks = await lockWatchedChecksShared(tx, ids)
  const expiringOf = await findExpiring(tx, checks, nowMs)
  const open = new Map(
    (await findExpiryAlerts(tx, accountId)).map((each) => [keyOf(each), each.state]),
  )
  const writes: ExpiryAlertWrite[] = []
  for (const rule of rules) {
    const steps: Step[] = []
    for (const check of checks.values()) {
      if (!appliesTo(rule, check)) continue
      for (const kind of kinds) {
        const expiring = expiringOf(check.id, kind)
        if (expiring === null) continue
        const key = { ruleId: rule.id, checkId: check.id, kind }
        const before = open.get(keyOf(key)) ?? null
        const step = observeExpiry(before, daysOf(rule, kind), expiring.expiresAtMs, nowMs)
        if (!isDeepStrictEqual(step.alert, before)) writes.push({ ...key, state: step.alert })
        if (step.event === null) continue
        steps.push({ check, expiring, event: step.event, days: daysToldOf(step.alert, before) })
      }
    }
    await notify(context, tx, rule, steps, nowMs)
  }
  await writeExpiryAlerts(tx, accountId, writes)
}

const daysOf = (rule: AlertRuleRecord, kind: ExpiryKind): readonly number[] =>
  kind === 'certificate' ? rule.certificateDays : rule.domainDays

const daysToldOf = (after: ExpiryAlert | null, before: ExpiryAlert | null): number =>
  (after ?? before)?.days ?? 0

const keyOf = (of: { ruleId: string; checkId: string; kind: ExpiryKind }): string =>
  `${of.ruleId} ${of.checkId} ${of.kind}`

/** What is known of what expires, of each of these checks. */
const findExpiring = async (
  tx: Transaction,
  checks: ReadonlyMap<string, WatchedCheck>,
  nowMs: number,
): Promise<(checkId: string, kind: ExpiryKind) => Expiring | null> => {
  const ids = [...checks.keys()]
  const certificates = await findCertificates(tx, ids)
  const domains = await findDomains(tx, ids)
  return (checkId, kind) => {
    const check = checks.get(checkId)
    if (check === undefined) return null
    if (kind === 'domain') return registrationOf(domains.get(checkId), nowMs)
    const first = firstToExpire(certificates.get(checkId) ?? [], check, nowMs)
    if (first === null) return null
    const { names, nameCount, issuer, expiresAtMs, seenAtMs } = first
    return { kind, names, nameCount, by: issuer, expiresAtMs, seenAtMs }
  }
}

/** What a registry told longer ago is no ground for a notice. */
const toldMsMax = 7 * 86_400_000

const registrationOf = (domain: DomainRecord | undefined, nowMs: number): Expiring | null => {
  if (domain === undefined || nowMs - domain.askedAtMs > toldMsMax) return null
  const { name, registrar, expiresAtMs, askedAtMs } = domain
  const names = [name]
  return { kind: 'domain', names, nameCount: 1, by: registrar, expiresAtMs, seenAtMs: askedAtMs }
}

/** What several checks share is one message, and what two rules say to one receiver is said once. */
const notify = async (
  context: AlertContext,
  tx: Transaction,
  rule: AlertRuleRecord,
  steps: readonly Step[],
  nowMs: number,
): Promise<void> => {
  const shared = Map.groupBy(steps, (step) => JSON.stringify(subjectOf(step)))
  const messages = [...shared].flatMap(([subject, same]) => {
    const [first] = same
    if (first === undefined) return []
    const notice: ExpiryNotice = {
      event: first.event,
      expiring: first.expiring,
      checks: same.map(({ check }) => check),
    }
    const by = { ruleName: rule.name, publicUrl: context.publicUrl, nowMs }
    const digest = createHash('sha256').update(subject).digest('base64url').slice(0, 22)
    const cause = `expiry:${rule.accountId}:${digest}`
    return [{ cause, message: composeExpiry(notice, by) }]
  })
  await sendToReceivers(tx, rule, messages, nowMs)
  for (const { event, expiring } of steps)
    context.metrics.expiries.inc({ kind: expiring.kind, event })
}

const subjectOf = ({ expiring, event, days }: Step): unknown[] => {
  const { kind, names, by, expiresAtMs } = expiring
  return [kind, names, by, expiresAtMs, event, ...(event === 'expiring' ? [days] : [])]
}
