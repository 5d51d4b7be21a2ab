import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import pino from 'pino'
import { Registry } from 'prom-client'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { alertScenario } from '../../app/alerting/testing.ts'
import { findCertificates } from '../../checks/expiry/certificates-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { startCertificateWriter } from './certificate-writer.ts'
import { assessMetrics } from './metrics.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let checkId: string
const startMs = Date.parse('2026-11-20T12:00:00.000Z')
const endsMs = startMs + 6 * 86_400_000
const certificate = { issuer: 'R3', names: ['shop.example.org'], nameCount: 3, validFrom: startMs }

beforeEach(async () => {
  const game = alertScenario(sql)
  checkId = (await game.checks(await game.account(), ['shop']))[0] ?? ''
})

const keeping = (connection: Sql = sql) => {
  const writer = startCertificateWriter({
    sql: connection,
    metrics: assessMetrics(new Registry(), createAssessmentState(Date.now)),
    log: pino({ level: 'silent' }),
    now: () => startMs + 86_400_000,
  })
  onTestFinished(writer.close)
  return (afterMs: number, more: Partial<Reading> = {}) =>
    writer.note([
      {
        ...readingAt('fra', 'up', startMs + afterMs),
        checkId,
        certificateExpiresAt: endsMs,
        ...more,
      },
    ])
}
const kept = async () => (await findCertificates(sql, [checkId])).get(checkId) ?? []
const becomes = (expected: object) => vi.waitFor(async () => expect(await kept()).toMatchObject(expected))

test('keeps the last certificate of a region, with its issuer and names', async () => {
  const take = keeping()
  take(0, { certificate })
  await becomes([
    { region: 'fra', expiresAtMs: endsMs, issuer: 'R3', names: ['shop.example.org'], nameCount: 3 },
  ])
  take(1_000, { certificateExpiresAt: endsMs + 1, certificate: { ...certificate, issuer: 'R4' } })
  await becomes([{ expiresAtMs: endsMs + 1, issuer: 'R4', seenAtMs: startMs + 1_000 }])
  take(500, { certificate })
  take(2_000, { region: 'iad' })
  await becomes([{ issuer: 'R4' }, { region: 'iad', issuer: null, names: [] }])
})

test('a reading with only an expiry keeps the issuer of a known certificate, and leaves it unknown for another', async () => {
  const take = keeping()
  take(0, { certificate })
  await becomes([{ issuer: 'R3' }])
  take(600_000)
  await becomes([{ issuer: 'R3', seenAtMs: startMs + 600_000 }])
  take(700_000, { certificateExpiresAt: endsMs + 5_000 })
  await becomes([{ issuer: null, names: [], expiresAtMs: endsMs + 5_000 }])
})

test('ignores an untrusted certificate, and keeps an expired one', async () => {
  const take = keeping()
  take(0, { verdict: 'down', cause: 'certificate_untrusted', certificate })
  take(1, { verdict: 'down', cause: 'certificate_self_signed', certificate })
  take(2, { region: 'iad', verdict: 'down', cause: 'certificate_expired', certificate })
  await becomes([{ region: 'iad', issuer: 'R3' }])
  expect(await kept()).toHaveLength(1)
})

test('text that Postgres cannot store and deleted checks do not stop the other certificates', async () => {
  const take = keeping()
  take(0, { checkId: '01890000-0000-7000-8000-000000000001', certificate })
  take(0, { region: 'iad', certificate: { ...certificate, issuer: 'a\u0000b\ud800' } })
  await becomes([{ region: 'iad', issuer: 'ab\ufffd' }])
})

test('retries until Postgres stores a certificate', async () => {
  let isAway = true
  const connection = new Proxy(sql, {
    apply: (target, self, args: unknown[]) => {
      if (isAway) throw new Error('away')
      return Reflect.apply(target, self, args) as unknown
    },
  })
  const take = keeping(connection)
  take(0, { certificate })
  take(1, { certificateExpiresAt: endsMs + 1, certificate })
  isAway = false
  await becomes([{ expiresAtMs: endsMs + 1 }])
})
