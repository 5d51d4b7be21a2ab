import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keepLooping } from '../../stores/faults.ts'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { Network } from '@probe-mesh/runtime/network'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { domainQuestionBounds as bounds } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { createResolver } from '../../notifications/outgoing/resolve.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import {
  claimDomains,
  countDueDomains,
  syncDomains,
  saveRegistration,
  addCheckDomains,
  saveOutcome,
  rescheduleDomain,
} from './domains-store.ts'
import { createRegistries, type Registries } from './registries.ts'

const checksPerBatch = 500
const batchesPerRound = 20
const domainsPerRound = 1_000

type DomainContext = {
  readonly sql: Sql
  readonly registries: Registries
  readonly metrics: DomainMetrics
  readonly now: () => number
}

type DomainLoop = { close(): Promise<void> }

/**
 * Queries the registries for the expiry of the domains that checks measure: one query per domain and day,
 * over all accounts and control planes. If the operator has switched this off, nothing is queried and nothing
 * leaves this process.
 */
export const startDomainLoop = (capabilities: {
  sql: Sql
  /** The URL of IANA's list of registries; null: off. */
  bootstrapUrl: string | null
  rules: { readonly targetAllow: AllowList; readonly blockedTargets: DenyList; readonly network?: Network }
  registry: Registry
  log: Pick<Logger, 'warn' | 'info'>
  now: () => number
}): DomainLoop => {
  const { bootstrapUrl, rules, log } = capabilities
  const metrics = domainMetrics(capabilities.registry)
  if (bootstrapUrl === null) return { close: async () => undefined }
  const onFailure = (error: unknown): void => {
    log.warn({ err: error }, 'cannot query a domain registry')
  }
  const { targetAllow: allow, blockedTargets: deny, network } = rules
  const guard = { allow, deny, resolver: createResolver(), network }
  const registries = createRegistries({ ...capabilities, bootstrapUrl, guard, onFailure })
  const context = { ...capabilities, registries, metrics }
  const loop = keepLooping(log, {
    what: 'domains cannot be looked up',
    everyMs: bounds.roundMs,
    round: async (signal) => {
      await runDomainRound(context, signal)
    },
  })
  return {
    close: loop.close,
  }
}

/** Adds new domains, and queries the due ones, up to the limit of a round. */
export const runDomainRound = async (context: DomainContext, signal: AbortSignal): Promise<void> => {
  const { sql, registries, metrics, now } = context
  for (let batch = 0; batch < batchesPerRound && !signal.aborted; batch++) {
    if ((await addCheckDomains(sql, checksPerBatch)) < checksPerBatch) break
  }
  await syncDomains(sql, now(), domainsPerRound)
  const due = await countDueDomains(sql, now())
  metrics.due.set(due)
  // without the list no domain is claimed: starting without internet must not use up a domain's query of the
  // day
  if (due === 0 || signal.aborted || !(await registries.load(signal))) return
  const again = { nowMs: now(), againMs: bounds.againMs, limit: bounds.perRound }
  const names = await claimDomains(sql, again)
  const next = names.values()
  await Promise.all(
    Array.from({ length: bounds.places }, async () => {
      for (const name of next) {
        if (signal.aborted) await rescheduleDomain(sql, name, now())
        else await queryDomain(context, name, signal)
      }
    }),
  )
}

const queryDomain = async (
  { sql, registries, metrics, now }: DomainContext,
  name: string,
  signal: AbortSignal,
): Promise<void> => {
  const answer = await registries.query(name, signal)
  metrics.questions.inc({ outcome: answer.outcome })
  if (answer.outcome === 'told') return saveRegistration(sql, name, { ...answer, askedAtMs: now() })
  if (answer.outcome === 'paused') return rescheduleDomain(sql, name, answer.untilMs)
  return saveOutcome(sql, name, answer.outcome, now())
}

type DomainMetrics = ReturnType<typeof domainMetrics>

export const domainMetrics = (registry: Registry) => {
  const metric = createMetrics(registry)
  return {
    questions: metric.counter(
      'domain_questions_total',
      'Domains that were due, by outcome: told, no_server, not_found, failed, paused',
      'outcome',
    ),
    due: metric.gauge('domains_due', 'Domains that are due for a query, of all accounts'),
  }
}
