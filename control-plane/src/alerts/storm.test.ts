import type { JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import pino from 'pino'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { startAlerter } from '../app/alerting/alerter.ts'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { acknowledgeAlert, listAlerts } from './open-alerts.ts'
import { sendNextBatch } from './send-batches.ts'
import { processFlips } from '../app/alerting/process-flips.ts'
import { publishChecks } from '../app/alerting/testing.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(async () => {
  ;({ game, accountId } = stage)
  await game.rule(accountId)
})

const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `check-${String(index).padStart(4, '0')}`)

/** Lets time pass and runs all due work each second. */
const settle = async (seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second++) {
    game.pass(1_000)
    await game.act()
  }
}

test('1,000 checks that go down at once are one digest for each channel, and so is their recovery', async () => {
  const channels = [await game.channel(accountId), await game.channel(accountId)]
  const checks = await game.checks(accountId, namesOf(1_000))
  await game.flip(checks, 'down')
  await game.act()
  await settle(20)
  const told = await game.deliveries(accountId)
  expect(told.map(({ channelId }) => channelId).toSorted()).toEqual(channels.toSorted())
  for (const { message } of told) {
    expect(message).toMatchObject({
      event: 'digest',
      title: '1000 checks are down now',
      url: 'https://mesh.example.org/dashboard/checks',
    })
    expect(message.text).toContain('This message combines 1000')
    expect(message.text).toContain('1000 down now (connection refused, seen from fra, iad)')
    expect(message.text).toContain('980 more')
    expect(message.text.match(/check-\d{4} \(since 12:00 UTC, 20 Nov\)/g)).toHaveLength(20)
  }
  game.pass(600_000)
  await game.flip(checks, 'operational')
  await game.act()
  await settle(20)
  const after = (await game.deliveries(accountId)).slice(2)
  expect(after).toHaveLength(2)
  for (const { message } of after) {
    expect(message).toMatchObject({
      event: 'recovery',
      title: '1000 checks have recovered; no alert is open',
      alertKey: told.find(({ message: { alertKey } }) => alertKey === message.alertKey)?.message.alertKey,
    })
  }
})

test('a continuing storm is at most one digest a minute', async () => {
  await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(100))
  for (const check of checks) {
    await game.flip([check], 'down')
    await settle(1)
  }
  await settle(70)
  const titles = await game.titles(accountId)
  expect(titles.length).toBeLessThanOrEqual(4)
  const held = titles.reduce((sum, title) => sum + Number(/^\d+/.exec(title)?.[0] ?? 1), 0)
  expect(held).toBe(100)
})

test.each([
  [5, 5],
  [6, 1],
])('%i alerts at once are %i messages', async (count, messages) => {
  await game.channel(accountId)
  await game.flip(await game.checks(accountId, namesOf(count)), 'down')
  await game.act()
  await settle(3)
  expect(await game.titles(accountId)).toHaveLength(messages)
})

test('a digest reports the state of each check when it is sent, not when the message arrived', async () => {
  await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(10))
  await game.flip(checks, 'down')
  await game.act()
  game.pass(1_000)
  await game.flip(checks.slice(0, 4), 'operational')
  await game.act()
  await game.flip(checks.slice(0, 1), 'down')
  await game.act()
  await settle(20)
  const [digest, ...others] = await game.deliveries(accountId)
  expect(others).toEqual([])
  expect(digest?.message.title).toBe('7 checks are down now, 3 checks failed and recovered')
})

test('the last recovery closes the digest, also when it arrives alone', async () => {
  await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(6))
  await game.flip(checks, 'down')
  await game.act()
  await settle(3)
  for (const check of checks) {
    game.pass(120_000)
    await game.flip([check], 'operational')
    await game.act()
    await settle(3)
  }
  const told = await game.deliveries(accountId)
  expect(told).toHaveLength(7)
  expect(told.at(-1)?.message).toMatchObject({
    event: 'recovery',
    alertKey: told[0]?.message.alertKey,
  })
})

test('the last recovery closes the digest, also when a check failed and recovered within its batch', async () => {
  await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(7))
  await game.flip(checks.slice(0, 6), 'down')
  await game.act()
  await settle(3)
  game.pass(120_000)
  await game.flip(checks.slice(6), 'down')
  await game.act()
  await game.flip(checks, 'operational')
  await game.act()
  await settle(20)
  const [opened, closed, ...more] = await game.deliveries(accountId)
  expect(more).toEqual([])
  expect(closed?.message).toMatchObject({ event: 'recovery', alertKey: opened?.message.alertKey })
})

describe('alerts that were told singly and recover together', () => {
  /** Four alerts are told singly, and recover within the same minute, when a digest is due. */
  const told = async (form?: JsonForm) => {
    await game.channel(accountId, true, form)
    const checks = await game.checks(accountId, namesOf(4))
    await game.flip(checks, 'down')
    await game.act()
    await settle(3)
    return checks
  }
  const heard = async () =>
    (await game.deliveries(accountId)).map(({ message: { event, alertKey, title } }) => ({
      event,
      alertKey,
      title,
    }))
  const keysOf = async (event: string) =>
    (await heard()).flatMap((each) => (each.event === event ? [each.alertKey] : [])).toSorted()

  test.for(['pagerduty', 'jsm', 'template', undefined] as const)(
    'are closed one by one at receivers that close by key: form %s',
    async (form) => {
      const checks = await told(form)
      await game.flip(checks, 'operational')
      await game.act()
      await settle(70)
      expect(await keysOf('alert')).toHaveLength(4)
      expect(await keysOf('recovery')).toEqual(await keysOf('alert'))
      expect(await heard()).toHaveLength(8)
    },
  )

  test.for(['slack', 'telegram', 'ntfy'] as const)(
    'are one digest in %s, which people read',
    async (form) => {
      const checks = await told(form)
      await game.flip(checks, 'operational')
      await game.act()
      await settle(70)
      expect((await heard()).slice(4)).toMatchObject([{ event: 'digest', title: '4 checks have recovered' }])
    },
  )

  test('and others with them, which stay open: those go into the digest', async () => {
    const checks = await told()
    const more = await game.checks(accountId, ['a', 'b', 'c', 'd', 'e', 'f'])
    await game.flip(more, 'down')
    await game.flip(checks, 'operational')
    await game.act()
    await settle(70)
    expect(await keysOf('recovery')).toEqual(await keysOf('alert'))
    expect((await heard()).filter(({ event }) => event === 'digest')).toMatchObject([
      { title: '6 checks are down now' },
    ])
  })

  test('the last of a storm closes itself and the storm', async () => {
    const checks = await told()
    const more = await game.checks(accountId, ['a', 'b', 'c', 'd', 'e', 'f'])
    await game.flip(more, 'down')
    await game.act()
    await settle(70)
    await game.flip(more, 'operational')
    await game.act()
    await settle(70)
    await game.flip(checks, 'operational')
    await game.act()
    await settle(70)
    const storm = (await heard()).filter(({ alertKey }) => alertKey.startsWith('storm:'))
    expect(storm.at(0)).toMatchObject({ event: 'digest' })
    expect(storm.at(-1)).toMatchObject({ event: 'recovery' })
    const opened = await keysOf('alert')
    expect(await keysOf('recovery')).toEqual(expect.arrayContaining(opened))
  })

  test('are acknowledged one by one too', async () => {
    await told('pagerduty')
    const acting = {
      sql: stage.accountSql,
      now: game.context.now,
      rules: { publicUrl: game.context.publicUrl } as never,
    }
    const actor = { kind: 'key', id: 'k', name: 'ci', address: '192.0.2.1' } as const
    const listed = await listAlerts(acting, { accountId }, { query: {} })
    if (isRefusal(listed)) throw new Error(listed.message)
    for (const { id } of listed.alerts)
      await acknowledgeAlert(acting, { accountId, actor }, { params: { id } })
    await game.act()
    await settle(70)
    expect(await keysOf('acknowledged')).toEqual(await keysOf('alert'))
  })

  test('in two batches, close no storm that nobody was told of', async () => {
    const checks = await told()
    for (const some of [checks.slice(0, 3), checks.slice(3)]) {
      await game.flip(some, 'operational')
      await game.act()
      await settle(70)
    }
    expect(await keysOf('recovery')).toEqual(await keysOf('alert'))
    expect(await heard()).toHaveLength(8)
  })

  test('are told of once, although a reminder was told singly too', async () => {
    const checks = await told()
    game.pass(3_600_000)
    await game.act()
    await settle(3)
    expect(await keysOf('reminder')).toHaveLength(4)
    await game.flip(checks, 'operational')
    await game.act()
    await settle(70)
    expect(await keysOf('recovery')).toEqual(await keysOf('alert'))
  })
})

test('drops and counts messages that wait for a deleted channel', async () => {
  const channel = await game.channel(accountId)
  await game.flip(await game.checks(accountId, ['shop']), 'down')
  await game.act()
  await sql`delete from notification_channels where id = ${channel}`
  await settle(3)
  expect(await game.titles(accountId)).toEqual([])
  expect(await sql`select from alert_messages`).toHaveLength(0)
  expect((await game.context.metrics.dropped.get()).values[0]?.value).toBe(1)
})

test('work that is cut off before its commit is done exactly once after a retry', async () => {
  await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(3))
  await game.flip(checks, 'down')
  let cuts = 0
  /** A connection that is lost just before the commit. */
  const dying = {
    ...game.context,
    sql: new Proxy(sql, {
      get: (target, key) =>
        key === 'begin'
          ? (work: (tx: unknown) => Promise<unknown>) =>
              target.begin(async (tx) => {
                await work(tx)
                cuts += 1
                throw new Error('killed')
              })
          : Reflect.get(target, key),
    }),
  }
  const step = async (act: (context: typeof game.context) => Promise<number>): Promise<void> => {
    await expect(act(dying)).rejects.toThrow('killed')
    await act(game.context)
    await act(game.context)
  }
  await step(async (context) => processFlips(context, 10))
  game.pass(2_000)
  await step((context) => sendNextBatch(context))
  while ((await sendNextBatch(game.context)) > 0);
  expect(cuts).toBeGreaterThanOrEqual(2)
  expect((await game.titles(accountId)).toSorted()).toEqual(namesOf(3).map((name) => `${name} is down`))
})

test('a page stops saying that a check is down seconds after it was paused', async () => {
  let nowMs = Date.now()
  game.clock.nowMs = nowMs
  const [shop = ''] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop])
  const alerter = await startAlerter({
    sql,
    publicUrl: 'https://mesh.example.org',
    tokens: createUnsubscribeTokens('the key of the tests'),
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: () => nowMs,
  })
  const becomes = (status: string): Promise<void> =>
    vi.waitFor(async () => expect(await sql`select status from incidents`).toEqual([{ status }]), {
      timeout: 20_000,
    })
  await game.flip([shop], 'down')
  await becomes('investigating')
  await sql`update checks set paused = true where id = ${shop}`
  nowMs += 6_000
  await becomes('resolved')
  await alerter.close()
})

test('two alerters that restart notify about each check once', async () => {
  const channel = await game.channel(accountId)
  const checks = await game.checks(accountId, namesOf(200))
  const start = () =>
    startAlerter({
      sql,
      publicUrl: 'https://mesh.example.org',
      tokens: createUnsubscribeTokens('the key of the tests'),
      registry: new Registry(),
      log: pino({ level: 'silent' }),
      now: Date.now,
    })
  const alerters = [await start(), await start()]
  for (const part of [0, 1, 2, 3]) {
    game.clock.nowMs = Date.now()
    const some = checks.slice(part * 50, part * 50 + 50)
    await game.flip(some, 'down')
    await alerters[part % 2]?.close()
    alerters[part % 2] = await start()
  }
  const held = async (): Promise<number> => {
    const told = await game.deliveries(accountId)
    expect(told.every(({ channelId }) => channelId === channel)).toBe(true)
    return told.reduce((sum, { message }) => sum + Number(/^\d+/.exec(message.title)?.[0] ?? 1), 0)
  }
  // one storm: a second digest may wait for the next minute, so waiting messages count too
  await vi.waitFor(
    async () => {
      const [waiting] = await sql<{ count: number }[]>`
        select count(*)::integer as count from alert_messages`
      expect((await held()) + (waiting?.count ?? 0)).toBe(200)
      expect(await held()).toBeGreaterThan(0)
    },
    { interval: 200 },
  )
  for (const alerter of alerters) await alerter.close()
  expect(await sql`select from alerts`).toHaveLength(200)
})
