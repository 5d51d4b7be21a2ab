import { startLoop } from '@probe-mesh/runtime/loop'
import { daysLeftOf } from '@probe-mesh/contracts/reading/certificate'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { findSoonCertificates } from './certificates-store.ts'
import { findSoonDomains } from './domains-store.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { lookForExpiries } from './look-for-expiries.ts'

const paceMs = 15_000
/** Of so many, those that expire first, it is on `/metrics` when they do. */
const shownMax = 50

export type ExpiryWatcher = { close(): Promise<void> }

/**
 * Looks every 15 s for certificates and domains of which a rule has something to notify. Apart from the alerter, so
 * that however many expire at once, no outage waits for them. Any number of control planes take part.
 */
export const startExpiryWatcher = (
  capabilities: AlertContext & { registry: Registry },
): ExpiryWatcher => {
  const { log, registry } = capabilities
  const failed = new Counter({
    name: 'alert_expiry_looks_failed_total',
    help: 'Times that certificates and domains that expire could not be looked at, of an account or of all',
    registers: [registry],
  })
  const certificateDays = new Gauge({
    name: 'certificate_days_left',
    help: `Days until a certificate expires that the target of a check shows, of the ${shownMax} that expire first, over all accounts`,
    labelNames: ['check', 'account', 'issuer', 'name'] as const,
    registers: [registry],
  })
  const domainDays = new Gauge({
    name: 'domain_days_left',
    help: `Days until the registration of a domain expires, of the ${shownMax} that expire first, over all accounts`,
    labelNames: ['domain'] as const,
    registers: [registry],
  })
  const show = async (): Promise<void> => {
    const nowMs = capabilities.now()
    const soon = await findSoonCertificates(capabilities.sql, shownMax)
    certificateDays.reset()
    for (const { checkId: check, accountId: account, issuer, names, expiresAtMs } of soon) {
      const labels = { check, account, issuer: issuer ?? '', name: names[0] ?? '' }
      certificateDays.set(labels, daysLeftOf(expiresAtMs, nowMs))
    }
    const domains = await findSoonDomains(capabilities.sql, shownMax)
    domainDays.reset()
    for (const { name: domain, expiresAtMs } of domains) {
      domainDays.set({ domain }, daysLeftOf(expiresAtMs, nowMs))
    }
  }
  const loop = startLoop({
    everyMs: paceMs,
    round: async (signal) => {
      failed.inc(await lookForExpiries(capabilities, signal))
      await show()
    },
    onError: (error) => {
      failed.inc()
      log.warn({ err: error }, 'what expires cannot be looked at; trying again')
    },
  })
  return {
    close: loop.close,
  }
}
