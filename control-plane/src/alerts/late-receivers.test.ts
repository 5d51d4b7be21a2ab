import { beforeEach, describe, expect, test } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { newRegionState } from '../status/state.ts'
import { dropWaiting, takeBackUntried } from './alert-messages-store.ts'
import { findDue } from '../app/alerting/find-due.ts'

const stage = useAlertScenario()
let game: AlertStage['game']
let accountId: string
let sql: Sql
let channelId: string

const minute = 60_000

beforeEach(async () => {
  ;({ game, accountId, sql } = stage)
  await game.rule(accountId)
  channelId = await game.channel(accountId)
})
const send = async (): Promise<void> => {
  await game.act()
  game.pass(2_000)
  await game.act()
}
const verify = (at: Date | null) =>
  sql`update notification_channels set verified_at = ${at} where id = ${channelId}`
/** What the deliverer records. */
const tried = (ok: boolean) =>
  ok
    ? sql`update deliveries set state = 'delivered', attempts = attempts + 1 where state = 'pending'`
    : sql`update deliveries set attempts = attempts + 1 where id in (
        select id from deliveries where state = 'pending' order by sequence limit 1)`
const takeBack = () => takeBackUntried(sql, game.clock.nowMs)
const texts = async () => (await game.deliveries(accountId)).map(({ message }) => message)

describe('a channel that is verified late', () => {
  beforeEach(() => verify(null))

  test('is told in the past of what is over, and that what lasts is so', async () => {
    const [shop = '', api = ''] = await game.checks(accountId, ['shop', 'api'])
    await game.flip([shop, api], 'down')
    await send()
    game.pass(4 * minute)
    await game.flip([shop], 'operational')
    await send()
    expect(await game.titles(accountId)).toEqual([])
    expect((await findDue(sql, game.clock.nowMs)).nextSendMs).toBe(null)
    game.pass(4 * minute)
    await verify(new Date(game.clock.nowMs))
    await send()
    expect((await game.titles(accountId)).toSorted()).toEqual([
      'api is down',
      'shop failed and recovered after 4 min 2 s',
    ])
    await game.flip([api], 'operational')
    await send()
    expect(await game.titles(accountId)).toContainEqual(
      expect.stringMatching(/^api has recovered after 8 min/),
    )
  })

  test('gets one message about many', async () => {
    const ids = await game.checks(
      accountId,
      Array.from({ length: 30 }, (_, n) => `shop-${n}`),
    )
    await game.flip(ids, 'down')
    await send()
    game.pass(4 * minute)
    await game.flip(ids, 'operational')
    await send()
    game.pass(4 * minute)
    await verify(new Date(game.clock.nowMs))
    await send()
    const [only, ...more] = await texts()
    expect(more).toEqual([])
    expect(only?.title).toMatch(/^30 checks failed and recovered/)
  })

  test('is not told that a check is down which was paused meanwhile', async () => {
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await game.flip([shop], 'down')
    await send()
    game.pass(4 * minute)
    await sql`update check_states set status = 'stale', status_reason = 'paused' where check_id = ${shop}`
    await verify(new Date(game.clock.nowMs))
    await send()
    const titles = await game.titles(accountId)
    expect(titles).toHaveLength(1)
    expect(titles[0]).not.toContain('is down')
  })

  test('gets no message that is older than a day, nor more than a receiver may have waiting', async () => {
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await game.flip([shop], 'down')
    await send()
    expect(await dropWaiting(sql, game.clock.nowMs + 1_439 * minute)).toBe(0)
    expect(await dropWaiting(sql, game.clock.nowMs + 1_441 * minute)).toBe(1)
  })
})

test('an outage that gets worse while its message waits is told once, as it is', async () => {
  await sql`update alert_rules set statuses = '{down,degraded}'`
  const [shop = ''] = await game.checks(accountId, ['shop'])
  await game.flip([shop], 'degraded', { reason: '1 of 2 regions fail (fra): no' })
  await game.act()
  game.pass(100)
  await game.flip([shop], 'down', { reason: '2 of 2 regions fail (fra, iad): no' })
  await send()
  const [only, ...more] = await texts()
  expect(more).toEqual([])
  expect(only).toMatchObject({ event: 'alert', title: 'shop is down' })
  await game.flip([shop], 'operational')
  await send()
  expect(await game.titles(accountId)).toContainEqual(expect.stringMatching(/^shop has recovered/))
})

test('a message names the regions and the reason of when it is sent', async () => {
  const [shop = ''] = await game.checks(accountId, ['shop'])
  const see = async (seen: Readonly<Record<string, 'up' | 'down'>>, reason: string): Promise<void> => {
    const states = Object.entries(seen).map(([region, verdict]) => [
      region,
      { ...newRegionState, verdict, measuredAt: game.clock.nowMs, failing: verdict === 'down' },
    ])
    await sql`
      update check_states set regions = ${sql.json(Object.fromEntries(states))}, status_reason = ${reason}
      where check_id = ${shop}`
  }
  await see({ fra: 'down', iad: 'up' }, '1 of 2 regions fail (fra): HTTP 503')
  await game.flip([shop], 'down', { reason: '1 of 2 regions fail (fra): HTTP 503' })
  await game.act()
  await see({ fra: 'down', iad: 'down' }, '2 of 2 regions fail (fra, iad): HTTP 500')
  game.pass(2_000)
  await game.act()
  const [told] = await texts()
  expect(told?.text).toContain('Failing in fra, iad.')
  expect(told?.text).toContain('HTTP 500')
  expect(told?.facts).toContainEqual({ name: 'Failing in', value: 'fra, iad' })
})

describe('a channel that is away', () => {
  test('is told of the runbook once, also of an outage whose message was taken back', async () => {
    const [shop = '', api = ''] = await game.checks(accountId, ['shop', 'api'])
    await sql`insert into check_notes (check_id, account_id, runbook_url) values (${api}, ${accountId}, 'https://wiki.example.org/')`
    await game.flip([shop], 'down')
    await game.act()
    await game.flip([api], 'down', { reason: 'another' })
    await send()
    await tried(false)
    game.pass(minute)
    await takeBack()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    await tried(true)
    await send()
    const told = (await texts()).find(({ title }) => title === 'api is down')
    expect(told?.facts.filter(({ name }) => name === 'Runbook')).toHaveLength(1)
  })

  test('repeats what was tried unchanged, and is told of the rest as it is when it is back', async () => {
    const [shop = '', api = '', web = ''] = await game.checks(accountId, ['shop', 'api', 'web'])
    await game.flip([shop], 'down')
    await game.act()
    await game.flip([api], 'down', { reason: 'another' })
    await send()
    expect((await game.titles(accountId)).toSorted()).toEqual(['api is down', 'shop is down'])
    await tried(false)
    game.pass(minute)
    await takeBack()
    // the one that was tried stays
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    await game.flip([web], 'down')
    await send()
    game.pass(8 * minute)
    await game.flip([shop, api], 'operational')
    await send()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    await tried(true)
    await send()
    expect((await game.titles(accountId)).toSorted()).toEqual([
      expect.stringMatching(/^api failed and recovered after 9 min/),
      'shop has recovered after 9 min 4 s',
      'shop is down',
      'web is down',
    ])
    // whoever was told of an outage is told of its end
    await tried(true)
    await game.flip([web], 'operational')
    await send()
    expect(await game.titles(accountId)).toContainEqual(expect.stringMatching(/^web has recovered/))
  })

  test('is told of an outage once, with its newest reminder left out', async () => {
    const [shop = '', api = ''] = await game.checks(accountId, ['shop', 'api'])
    await game.flip([shop], 'down')
    await send()
    await tried(false)
    game.pass(minute)
    await game.flip([api], 'down')
    await send()
    await sql`
      insert into alert_messages (id, account_id, receiver_id, check_id, cause, message, created_at)
      select gen_random_uuid(), account_id, receiver_id, check_id, cause || ':again',
        jsonb_set(jsonb_set(message, '{event}', '"reminder"'), '{parts,notice,event}', '"reminder"'), created_at
      from alert_messages where check_id = ${api}`
    game.pass(10 * minute)
    await tried(true)
    await send()
    expect(await game.titles(accountId)).toEqual(['shop is down', 'api is down'])
  })

  test('a message in flight is not taken back, and what was sent is forgotten', async () => {
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await game.flip([shop], 'down')
    await send()
    await sql`update deliveries set attempts = 1, claimed_until = now() + interval '1 hour'`
    game.pass(minute)
    await takeBack()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    expect(await sql`select from carried_messages`).toHaveLength(1)
    await sql`update deliveries set state = 'delivered'`
    await takeBack()
    expect(await sql`select from carried_messages`).toHaveLength(0)
  })
})
