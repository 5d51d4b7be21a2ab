import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { TypedCheckType } from '@probe-mesh/contracts/check/check-input'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { CheckRecord } from '../../records/check/check-record.ts'
import { targetRequestsPerMinuteDefault } from '../../targets/target-budget.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { SaveRules } from '../../accounts/operations/context.ts'
import { targetCountsOf } from '../../targets/target-counts.ts'

export const aStep = { name: 'home', method: 'GET', url: 'https://example.org/' }

/** A valid input of each type that the REST API cannot create, and the description of its target. */
export const typedChecks = {
  tcp: {
    body: { type: 'tcp', name: 'db', settings: { host: 'db.example.org', port: 5432 } },
    described: { url: null, target: 'db.example.org:5432' },
  },
  dns: {
    body: { type: 'dns', name: 'zone', settings: { name: 'example.org', recordType: 'MX' } },
    described: { url: null, target: 'example.org MX' },
  },
  smtp: {
    body: { type: 'smtp', name: 'mail', settings: { host: 'mail.example.org', port: 587 } },
    described: { url: null, target: 'mail.example.org:587' },
  },
  browser: {
    body: { type: 'browser', name: 'page', settings: { url: 'https://example.org/' } },
    described: { url: null, target: 'https://example.org/' },
  },
  multistep: {
    body: {
      type: 'multistep',
      name: 'login',
      steps: [aStep, { ...aStep, method: 'POST', body: 'a=b', contentType: 'text/plain' }],
    },
    described: { url: 'https://example.org/', target: null },
  },
  grpc: {
    body: { type: 'grpc', name: 'cart', settings: { host: 'api.example.org', port: 443 } },
    described: { url: null, target: 'api.example.org:443' },
  },
  heartbeat: {
    body: {
      type: 'heartbeat',
      name: 'backup',
      settings: { periodSeconds: 3_600, graceSeconds: 60 },
    },
    described: { url: null, target: null },
  },
} as const satisfies Record<TypedCheckType, object>

export const typedCheckTypes = Object.keys(typedChecks) as TypedCheckType[]

const allow = parseAllowList(['127.0.0.0/8'])
if (!allow.ok) throw new Error('the allow list of the tests is wrong')

/** Rules without blocked or busy targets. */
export const defaultTargetRules = {
  blockedTargets: denyNothing,
  targetRequestsPerMinute: targetRequestsPerMinuteDefault,
}

/** The capabilities of writing operations. Tests advance the clock. */
export const writingContext = (sql: Sql, rules: Partial<SaveRules> = {}) => {
  const started: CheckRecord[] = []
  const dropped: string[] = []
  const clock = { nowMs: Date.now() }
  return {
    sql,
    now: () => clock.nowMs,
    rules: {
      regions: regionsDefault,
      tiers: tiersDefault,
      targetAllow: allow.allow,
      ...defaultTargetRules,
      sendsMail: false,
      publicUrl: 'https://mesh.example.org',
      ...rules,
    },
    targets: targetCountsOf(sql),
    runs: { start: (check: CheckRecord) => void started.push(check) },
    answers: { drop: (checkId: string) => void dropped.push(checkId) },
    clock,
    started,
    dropped,
  }
}

/** The check. @throws if it was refused */
export const accepted = (result: Check | Refusal): Check => {
  if (isRefusal(result)) throw new Error(`${result.refused}: ${JSON.stringify(result.errors)}`)
  return result
}
