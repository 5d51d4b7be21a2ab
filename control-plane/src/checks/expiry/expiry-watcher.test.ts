import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { saveCertificates } from './certificates-store.ts'
import { startExpiryWatcher } from './expiry-watcher.ts'
import { alertScenario } from '../../app/alerting/testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })

test('notifies expiries by itself, and shows those that expire first on /metrics', async () => {
  const game = alertScenario(sql)
  const accountId = await game.account()
  await game.channel(accountId)
  await game.rule(accountId)
  const [check = '', paused = ''] = await game.checks(accountId, ['shop', 'paused'])
  await sql`update checks set paused = true where id = ${paused}`
  const { nowMs } = game.clock
  const shown = {
    validFromMs: nowMs,
    issuer: 'R3',
    names: ['shop.example.org'],
    nameCount: 1,
    endsWith: null,
    seenAtMs: nowMs,
  }
  const ends = (days: number) => nowMs + days * 86_400_000
  await saveCertificates(sql, [
    { ...shown, checkId: check, region: 'fra', expiresAtMs: ends(6.5) },
    { ...shown, checkId: check, region: 'iad', expiresAtMs: ends(60) },
    { ...shown, checkId: paused, region: 'fra', expiresAtMs: ends(2) },
  ])
  await sql`insert into domains (name, next_at, expires_at) values ('example.org', now(), ${new Date(ends(30.5))})`
  const registry = new Registry()
  const watcher = startExpiryWatcher({ ...game.context, registry })
  onTestFinished(watcher.close)
  await vi.waitFor(async () => expect(await game.titles(accountId)).toHaveLength(1))
  await vi.waitFor(async () => {
    const lines = (await registry.metrics()).split('\n')
    expect(lines.filter((line) => /^(certificate|domain)_days_left/.test(line))).toEqual([
      `certificate_days_left{check="${check}",account="${accountId}",issuer="R3",name="shop.example.org"} 6`,
      'domain_days_left{domain="example.org"} 30',
    ])
  })
})
