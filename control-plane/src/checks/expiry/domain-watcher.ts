import { pause } from '@probe-mesh/bus/pause'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { domainQuestionBounds as bounds } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { createResolver } from '../../notifications/outgoing/resolve.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import {
  claimDomains,
  countDueDomains,
  keepDomains,
  keepRegistration,
  noteDomains,
  noteOutcome,
  putBackDomain,
} from './domains-store.ts'
import { createRegistries } from './registries.ts'
import type { Registries } from './registries.ts'

const checksPerBatch = 500
const batchesPerRound = 20
const domainsPerRound = 1_000

type DomainContext = {
  readonly sql: Sql
  readonly registries: Registries
  readonly metrics: DomainMetrics
  readonly now: () => number
}

type DomainAsker = { close(): Promise<void> }

/**
 * Asks the registries of the domains that checks measure when they expire: one question a domain a day, over all
 * accounts and control planes. Nothing is asked, and nothing leaves, where the operator switched it off.
 */
export const startDomainAsker = (capabilities: {
  sql: Sql
  /** Of IANA's list of registries; null: off. */
  bootstrapUrl: string | null
  rules: { readonly targetAllow: AllowList; readonly blockedTargets: DenyList }
  registry: Registry
  log: Pick<Logger, 'warn'>
  now: () => number
}): DomainAsker => {
  const { bootstrapUrl, rules, log } = capabilities
  const metrics = domainMetrics(capabilities.registry)
  if (bootstrapUrl === null) return { close: async () => undefined }
  const onFailure = (error: unknown): void => {
    log.warn({ err: error }, 'a registry of domains cannot be asked')
  }
  const guard = { allow: rules.targetAllow, deny: rules.blockedTargets, resolver: createResolver() }
  const registries = createRegistries({ ...capabilities, bootstrapUrl, guard, onFailure })
  const context = { ...capabilities, registries, metrics }
  const closing = new AbortController()
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await askRound(context, closing.signal)
      } catch (error) {
        log.warn({ err: error }, 'domains cannot be looked at; trying again')
      }
      await pause(bounds.roundMs, closing.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}

/** Finds out new domains, and asks those whose day has come, as many as one round may. */
export const askRound = async (context: DomainContext, signal: AbortSignal): Promise<void> => {
  const { sql, registries, metrics, now } = context
  for (let batch = 0; batch < batchesPerRound && !signal.aborted; batch++) {
    if ((await noteDomains(sql, checksPerBatch)) < checksPerBatch) break
  }
  await keepDomains(sql, now(), domainsPerRound)
  const due = await countDueDomains(sql, now())
  metrics.due.set(due)
  // without the list nothing is taken: a day that begins without internet costs no domain its question
  if (due === 0 || signal.aborted || !(await registries.open(signal))) return
  const again = { nowMs: now(), againMs: bounds.againMs, limit: bounds.perRound }
  const names = await claimDomains(sql, again)
  const next = names.values()
  await Promise.all(
    Array.from({ length: bounds.places }, async () => {
      for (const name of next) {
        if (signal.aborted) await putBackDomain(sql, name, now())
        else await askOne(context, name, signal)
      }
    }),
  )
}

const askOne = async (
  { sql, registries, metrics, now }: DomainContext,
  name: string,
  signal: AbortSignal,
): Promise<void> => {
  const told = await registries.ask(name, signal)
  metrics.questions.inc({ outcome: told.outcome })
  if (told.outcome === 'told') return keepRegistration(sql, name, { ...told, askedAtMs: now() })
  if (told.outcome === 'paused') return putBackDomain(sql, name, told.untilMs)
  return noteOutcome(sql, name, told.outcome)
}

type DomainMetrics = ReturnType<typeof domainMetrics>

export const domainMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    questions: new Counter({
      name: 'domain_questions_total',
      help: 'Domains whose turn it was, by what became of it: told, no_server, not_found, failed, paused',
      labelNames: ['outcome'] as const,
      registers,
    }),
    due: new Gauge({
      name: 'domains_due',
      help: 'Domains that may be asked about now, in the whole database',
      registers,
    }),
  }
}
