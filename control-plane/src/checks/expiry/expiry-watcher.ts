import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keepLooping } from '../../stores/faults.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'
import { daysLeftOf } from '@probe-mesh/contracts/reading/certificate'
import type { Registry } from 'prom-client'
import { findCertificatesByExpiry, findCertificates } from './certificates-store.ts'
import { findDomainsByExpiry, findDomains, type DomainRecord } from './domains-store.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { composeExpiry, type Expiring, type ExpiryNotice } from './expiry-message.ts'
import { observeExpiry, type ExpiryAlert, type ExpiryEvent, type ExpiryKind } from './expiry.ts'
import type { WatchedCheck } from '../../alerts/evidence.ts'
import { appliesTo, type AlertRuleRecord } from '../../alerts/alert-rule.ts'
import { firstToExpire } from './certificates.ts'
import { lockAlertRulesShared } from '../../alerts/alert-rules-store.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import {
  findExpiringChecks,
  findExpiryAccounts,
  findExpiryAlerts,
  lockExpiries,
  writeExpiryAlerts,
  type ExpiryAlertWrite,
} from './expiry-alerts-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../../alerts/watched-checks-store.ts'
import { sendToReceivers } from '../../alerts/receivers.ts'

const paceMs = 15_000
/** The number of certificates, and of domains, on `/metrics`: those that expire first. */
const shownMax = 50

type ExpiryWatcher = { close(): Promise<void> }

/**
 * Notifies every 15 s about certificates and domains that expire. It runs apart from the alerter, so that
 * many expiries at once delay no outage. Any number of control planes share the work.
 */
export const startExpiryWatcher = (capabilities: AlertContext & { registry: Registry }): ExpiryWatcher => {
  const { log, registry } = capabilities
  const metric = createMetrics(registry)
  const failed = metric.counter(
    'alert_expiry_looks_failed_total',
    'Failed rounds of expiry notifications, of one account or of all',
  )
  const certificateDays = metric.gauge(
    'certificate_days_left',
    `Days until the certificate of a target expires: the ${shownMax} that expire first, of all accounts`,
    'check',
    'account',
    'issuer',
    'name',
  )
  const domainDays = metric.gauge(
    'domain_days_left',
    `Days until a domain registration expires: the ${shownMax} that expire first, of all accounts`,
    'domain',
  )
  const show = async (): Promise<void> => {
    const nowMs = capabilities.now()
    const soon = await findCertificatesByExpiry(capabilities.sql, shownMax)
    certificateDays.reset()
    for (const { checkId: check, accountId: account, issuer, names, expiresAtMs } of soon) {
      const labels = { check, account, issuer: issuer ?? '', name: names[0] ?? '' }
      certificateDays.set(labels, daysLeftOf(expiresAtMs, nowMs))
    }
    const domains = await findDomainsByExpiry(capabilities.sql, shownMax)
    domainDays.reset()
    for (const { name: domain, expiresAtMs } of domains) {
      domainDays.set({ domain }, daysLeftOf(expiresAtMs, nowMs))
    }
  }
  const loop = keepLooping(log, {
    what: 'expiries cannot be notified',
    everyMs: paceMs,
    round: async (signal) => {
      try {
        failed.inc(await notifyExpiries(capabilities, signal))
        await show()
      } catch (error) {
        failed.inc()
        throw error
      }
    },
  })
  return {
    close: loop.close,
  }
}

const accountsPerBatch = 500
const firstId = '00000000-0000-0000-0000-000000000000'
const kinds: readonly ExpiryKind[] = ['certificate', 'domain']

/**
 * Runs one round over all accounts. What the rules notify, and the record of it, are one transaction per
 * account, which has the account for itself.
 * @returns the number of accounts that failed; they are retried in the next round
 */
export const notifyExpiries = async (context: AlertContext, signal?: AbortSignal): Promise<number> => {
  const isStopped = (): boolean => signal?.aborted ?? false
  let failed = 0
  let after = firstId
  while (!isStopped()) {
    const page = { nowMs: context.now(), after, limit: accountsPerBatch }
    const accountIds = await findExpiryAccounts(context.sql, page)
    for (const accountId of accountIds) {
      if (isStopped()) break
      try {
        await transact(context.sql, (tx) => notifyAccount(context, tx, accountId))
      } catch (error) {
        if (isStoreRefusing(error)) throw error
        failed += 1
        context.log.warn({ err: error, accountId }, 'expiry notifications of an account failed')
      }
    }
    const last = accountIds.at(-1)
    if (last === undefined || accountIds.length < accountsPerBatch) break
    after = last
  }
  return failed
}

/** One thing that a rule notifies about one check. */
type Step = { check: WatchedCheck; expiring: Expiring; event: ExpiryEvent; days: number }

const notifyAccount = async (context: AlertContext, tx: Transaction, accountId: string): Promise<void> => {
  if (!(await lockExpiries(tx, accountId))) return
  const nowMs = context.now()
  const rules = (await lockAlertRulesShared(tx, [accountId])).filter(({ enabled }) => enabled)
  const most = (kind: ExpiryKind): number => Math.max(0, ...rules.flatMap((rule) => daysOf(rule, kind)))
  const days = { certificate: most('certificate'), domain: most('domain') }
  const ids = await findExpiringChecks(tx, accountId, { nowMs, days })
  const checks = await lockWatchedChecksShared(tx, ids)
  const expiringOf = await findExpiring(tx, checks, nowMs)
  const open = new Map((await findExpiryAlerts(tx, accountId)).map((each) => [keyOf(each), each.state]))
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
        steps.push({ check, expiring, event: step.event, days: notifiedDays(step.alert, before) })
      }
    }
    await notify(context, tx, rule, steps, nowMs)
  }
  await writeExpiryAlerts(tx, accountId, writes)
}

const daysOf = (rule: AlertRuleRecord, kind: ExpiryKind): readonly number[] =>
  kind === 'certificate' ? rule.certificateDays : rule.domainDays

const notifiedDays = (after: ExpiryAlert | null, before: ExpiryAlert | null): number =>
  (after ?? before)?.days ?? 0

const keyOf = (of: { ruleId: string; checkId: string; kind: ExpiryKind }): string =>
  `${of.ruleId} ${of.checkId} ${of.kind}`

/** What expires, for each of these checks. */
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
    const { names, nameCount, issuer, expiresAtMs, endsWith, seenAtMs } = first
    return { kind, names, nameCount, by: issuer, expiresAtMs, endsWith, seenAtMs }
  }
}

/** How recently a registry must have answered to notify about its date. */
const answerAgeMsMax = 7 * 86_400_000

const registrationOf = (domain: DomainRecord | undefined, nowMs: number): Expiring | null => {
  if (domain === undefined || nowMs - domain.askedAtMs > answerAgeMsMax) return null
  const { name, registrar, expiresAtMs, askedAtMs } = domain
  const names = [name]
  return { kind: 'domain', names, nameCount: 1, by: registrar, expiresAtMs, seenAtMs: askedAtMs }
}

/** Checks that share a cause share a message; two rules that notify the same receiver send it once. */
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
  await sendToReceivers(context, tx, rule, messages, nowMs)
  for (const { event, expiring } of steps) context.metrics.expiries.inc({ kind: expiring.kind, event })
}

const subjectOf = ({ expiring, event, days }: Step): unknown[] => {
  const { kind, names, by, expiresAtMs } = expiring
  return [kind, names, by, expiresAtMs, event, ...(event === 'expiring' ? [days] : [])]
}
