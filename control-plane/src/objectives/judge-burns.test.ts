import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { severityOf } from '../notifications/channels/forms/severity.ts'
import { insertReadings } from '../readings/insert-readings.ts'
import { readingAt } from '../status/testing.ts'
import { type ClickHouse } from '../stores/clickhouse/connect.ts'
import { startBurnWatcher } from './burn-watcher.ts'
import { judgeNextAccount, type BurnContext } from './judge-burns.ts'
import { insertHistories, insertObjective } from './testing/insert-objective.ts'

const minuteMs = 60_000
const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string
let context: BurnContext
let checkId: string
let ruleId: string
const clickhouse = useClickHouse()
beforeEach(async () => {
  ;({ game, accountId } = stage)
  game.clock.nowMs = Date.now()
  context = { ...game.context, now: () => game.clock.nowMs, clickhouse }
  checkId = await dailyCheck(accountId)
  await game.channel(accountId)
  ruleId = (await game.rule(accountId)).id
})

/** A check that is due once a day, so that a few probes are all that can be measured. */
const dailyCheck = async (owner: string): Promise<string> => {
  const [id = ''] = await game.checks(owner, ['shop'])
  await insertHistories(sql, [id], game.clock.nowMs - 40 * 1_440 * minuteMs, 86_400)
  return id
}

const probe = async (verdict: 'up' | 'down' | 'blocked', count = 10, id = checkId): Promise<void> => {
  const rows = Array.from({ length: count }, (_, index) => ({
    reading: readingAt('fra', verdict, game.clock.nowMs - index, { checkId: id }),
    agent: 'fra-1',
    receivedAtMs: game.clock.nowMs,
    rawDays: 90,
    hourDays: 800,
  }))
  await insertReadings(clickhouse, rows, crypto.randomUUID())
}
const objective = (more: Partial<Parameters<typeof insertObjective>[1]> = {}): Promise<string> =>
  insertObjective(sql, { accountId, name: 'Checkout', target: 99, checkId, alertRuleId: ruleId, ...more })
const judge = (more: Partial<BurnContext> = {}): Promise<boolean> => judgeNextAccount({ ...context, ...more })
const nextMinute = (): void => game.pass(minuteMs)
const open = async (): Promise<string[]> => {
  const rows = await sql<{ pair: string }[]>`select pair from burn_alerts order by pair`
  return rows.map(({ pair }) => pair)
}
const sent = async () => (await game.deliveries(accountId)).map(({ message }) => message)
const events = async (): Promise<string[]> =>
  (await sent()).map(({ event, alertKey }) => `${event} ${alertKey.split(':')[2] ?? ''}`).toSorted()

const begun = ['alert 1h', 'alert 3d', 'alert 6h']
/** Fails until all pairs burn. */
const burn = async (): Promise<void> => {
  await probe('down')
  await judge()
  expect(await open()).toEqual(['1h', '3d', '6h'])
}

test('says what burns, how fast, what is left and where to look, and that fast pairs page', async () => {
  const id = await objective()
  await probe('up', 80)
  await probe('down', 20)
  await judge()
  const message = (await sent()).find(({ alertKey }) => alertKey.includes(':1h:'))
  expect(message).toMatchObject({
    event: 'alert',
    title: 'Checkout burns its error budget: rate 20 over 1 h',
    text:
      'Burn rate 20 over 1 h, 20 over 5 min. Alerts from 14.4 in both.\n' +
      'Error budget: overspent by 1900.0 % of 7 h 12 min in 30 days.',
    url: `https://mesh.example.org/dashboard/objectives/${id}`,
    alertKey: expect.stringContaining(`burn:${id}:1h:`),
  })
  const severities = (await sent()).map((each) => [each.alertKey.split(':')[2], severityOf(each)])
  expect(Object.fromEntries(severities)).toEqual({ '1h': 'critical', '6h': 'critical', '3d': 'warning' })
})

test('one message when it begins and one when it ends, to channels and members, however often it is judged', async () => {
  await sql`
    insert into users (id, account_id, email, password_hash, created_at)
    values (gen_random_uuid(), ${accountId}, 'ann@example.org', '', now())`
  await sql`update alert_rules set email_users = true`
  await objective()
  await burn()
  for (let minute = 0; minute < 3; minute++) {
    nextMinute()
    await judge()
  }
  const receivers = (await game.deliveries(accountId)).map(({ recipient }) => recipient ?? 'channel')
  expect(receivers.toSorted()).toEqual([...Array(3).fill('ann@example.org'), ...Array(3).fill('channel')])
  await sql`delete from deliveries`
  await sql`update alert_rules set email_users = false`
  game.pass(400 * minuteMs)
  await probe('up', 2_000)
  for (let minute = 0; minute < 3; minute++) {
    nextMinute()
    await judge()
  }
  expect(await events()).toEqual(['recovery 1h', 'recovery 3d', 'recovery 6h'])
  const recovery = (await sent()).find(({ alertKey }) => alertKey.includes(':1h:'))
  expect(recovery?.text).toMatch(
    /^Burn rate 0 over 1 h, 0 over 5 min. The alert began at .* and ended after 6 h 4\d min\./,
  )
})

test('who joined a rule in a burn does not learn that it ended', async () => {
  await objective()
  await burn()
  const late = await game.channel(accountId)
  game.pass(400 * minuteMs)
  await probe('up', 2_000)
  nextMinute()
  await judge()
  expect(await open()).toEqual([])
  expect(await events()).toEqual([...begun, 'recovery 1h', 'recovery 3d', 'recovery 6h'])
  expect((await game.deliveries(accountId)).map(({ channelId }) => channelId)).not.toContain(late)
})

describe('several control planes', () => {
  test('that judge at once send each message once', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => game.account()))
    for (const other of others) {
      const id = await dailyCheck(other)
      await game.channel(other)
      const rule = await game.rule(other)
      await objective({ accountId: other, checkId: id, alertRuleId: rule.id })
      await probe('down', 10, id)
    }
    for (let minute = 0; minute < 2; minute++) {
      nextMinute()
      const all = async (): Promise<void> => {
        while (await judge());
      }
      await Promise.all(Array.from({ length: 4 }, all))
    }
    for (const other of others) expect(await game.deliveries(other)).toHaveLength(3)
  })

  test('do not go back to counts that are older than those which were judged', async () => {
    await objective()
    await probe('up')
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const slow = {
      query: async (...query: [never]) => {
        const result = await clickhouse.query(...query)
        await held
        return result
      },
    } as unknown as ClickHouse
    const late = judge({ clickhouse: slow })
    await vi.waitFor(async () => {
      expect(await sql`select from burn_looks where looked_at > '2000-01-01'`).toHaveLength(1)
    })
    nextMinute()
    await probe('down', 100)
    await judge()
    expect(await open()).toEqual(['1h', '3d', '6h'])
    release()
    await late
    expect(await events()).toEqual(begun)
  })
})

test('an alert and its message are written together or not at all', async () => {
  await objective()
  await probe('down')
  let reads = 0
  // after the first alert and its message are written
  const dying = Object.defineProperty({ ...context }, 'publicUrl', {
    get: () => {
      if (++reads === 3) throw new Error('killed')
      return context.publicUrl
    },
  })
  await expect(judgeNextAccount(dying)).rejects.toThrow('killed')
  expect([await open(), await sent()]).toEqual([[], []])
  nextMinute()
  await judge()
  expect(await events()).toEqual(begun)
})

describe('without figures', () => {
  test('a burn neither begins nor ends: no probes, and no ClickHouse', async () => {
    await objective()
    await probe('blocked')
    await judge()
    expect(await open()).toEqual([])
    nextMinute()
    await burn()
    game.pass(7 * 60 * minuteMs)
    await judge()
    nextMinute()
    const unavailable = { query: () => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })) }
    await judge({ clickhouse: unavailable as unknown as ClickHouse })
    expect([await open(), await events()]).toEqual([['1h', '3d', '6h'], begun])
  })
})

describe('an alert ends without a message', () => {
  const endsSilently = async (act: () => Promise<unknown>): Promise<void> => {
    await objective()
    await burn()
    await act()
    nextMinute()
    await judge()
    expect([await open(), await events()]).toEqual([[], begun])
  }

  test('when its check is paused', () => endsSilently(() => sql`update checks set paused = true`))
  test('when its rule is off', () => endsSilently(() => sql`update alert_rules set enabled = false`))
  test('when its rule is deleted, and the account is not judged any more', async () => {
    await endsSilently(() => sql`delete from alert_rules`)
    nextMinute()
    expect(await judge()).toBe(false)
  })
  test('when the objective is deleted', () => endsSilently(() => sql`delete from objectives`))
})

test('the loop judges by itself, and ends', async () => {
  await objective()
  await probe('down')
  const watcher = startBurnWatcher({ ...context, registry: new Registry() })
  await vi.waitFor(async () => expect(await events()).toEqual(begun))
  await watcher.close()
})
