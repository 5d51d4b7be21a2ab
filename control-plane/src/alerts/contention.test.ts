import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { startAlerter } from '../app/alerting/alerter.ts'
import { alertScenario, publishChecks } from '../app/alerting/testing.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })

test('alerters do not deadlock while checks, rules, channels and pages are deleted', async () => {
  const game = alertScenario(sql)
  const accountId = await game.account()
  const rules = [await game.rule(accountId), await game.rule(accountId, { name: 'other' })]
  const channels = [await game.channel(accountId), await game.channel(accountId)]
  const names = Array.from({ length: 120 }, (_, index) => `check-${index}`)
  const checks = await game.checks(accountId, names)
  const pages = [
    await publishChecks(sql, accountId, checks),
    await publishChecks(sql, accountId, checks.slice(0, 60)),
  ]
  const complaints: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) })
  const start = () =>
    startAlerter({
      sql,
      publicUrl: 'https://mesh.example.org',
      tokens: createUnsubscribeTokens('the key of the tests'),
      registry: new Registry(),
      log,
      now: Date.now,
    })
  const alerters = [await start(), await start(), await start()]
  for (let round = 0; round < 12; round++) {
    game.clock.nowMs = Date.now()
    const half = checks.filter((_, index) => index % 2 === round % 2)
    await game.flip(half, round % 4 < 2 ? 'down' : 'operational')
    await Promise.all([
      ...checks.slice(round * 3, round * 3 + 3).map((id) => sql`delete from checks where id = ${id}`),
      round === 4 ? sql`delete from alert_rules where id = ${rules[1]?.id ?? ''}` : null,
      round === 6 ? sql`delete from notification_channels where id = ${channels[1] ?? ''}` : null,
      round === 8 ? sql`delete from status_pages where id = ${pages[1] ?? ''}` : null,
    ])
  }
  await vi.waitFor(
    async () => {
      const open = await sql`select from outbox where kind = 'alert' and done_at is null`
      expect(open).toHaveLength(0)
    },
    { interval: 100 },
  )
  for (const alerter of alerters) await alerter.close()
  expect(complaints).toEqual([])
  const [left] = await sql<{ checks: number; alerts: number }[]>`
    select (select count(*)::integer from checks) as checks,
      (select count(*)::integer from alerts join check_states using (check_id)
        where check_states.status <> 'down') as alerts`
  expect(left).toEqual({ checks: 84, alerts: 0 })
})
