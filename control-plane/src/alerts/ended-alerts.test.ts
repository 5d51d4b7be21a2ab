import { beforeEach, describe, expect, test } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
let game: AlertStage['game']
let accountId: string

const second = 1_000

beforeEach(async () => {
  ;({ game, accountId } = stage)
  await game.channel(accountId)
})
/** Flips with times of the past, as they are recorded after an absence of all control planes. */
const failed = async (ids: readonly string[], secondsAgo: number, forSeconds: number): Promise<void> => {
  const nowMs = game.clock.nowMs
  game.clock.nowMs = nowMs - secondsAgo * second
  await game.flip(ids, 'down')
  game.pass(forSeconds * second)
  await game.flip(ids, 'operational')
  game.clock.nowMs = nowMs
}
const send = async (): Promise<void> => {
  await game.act()
  game.pass(2 * second)
  await game.act()
}

describe('an outage whose recovery is known before its alert is sent', () => {
  test('is one message, which closes what a receiver may have opened', async () => {
    await game.rule(accountId)
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await failed([shop], 200, 45)
    await send()
    const [only, ...others] = await game.deliveries(accountId)
    expect(others).toEqual([])
    expect(only?.message).toMatchObject({
      event: 'recovery',
      title: 'shop failed and recovered after 45 s',
      text: expect.stringMatching(/^It failed: connection refused\nOperational since .*, after 45 s\./),
      alertKey: expect.stringContaining(`alert:${shop}:`),
    })
  })

  test('is no storm: the next outage is an alert and a recovery', async () => {
    await game.rule(accountId)
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await failed([shop], 200, 45)
    await send()
    game.pass(60 * second)
    await game.flip([shop], 'down')
    await send()
    game.pass(60 * second)
    await game.flip([shop], 'operational')
    await send()
    expect(await game.titles(accountId)).toEqual([
      'shop failed and recovered after 45 s',
      'shop is down',
      'shop has recovered after 1 min 2 s',
    ])
  })

  test('is told beside one that lasts', async () => {
    await game.rule(accountId)
    const [shop = '', api = ''] = await game.checks(accountId, ['shop', 'api'])
    await failed([shop], 200, 45)
    await game.flip([api], 'down')
    await send()
    expect((await game.titles(accountId)).toSorted()).toEqual([
      'api is down',
      'shop failed and recovered after 45 s',
    ])
  })

  test('is one digest if there are many', async () => {
    await game.rule(accountId)
    const names = Array.from({ length: 20 }, (_, n) => `shop-${n}`)
    await failed(await game.checks(accountId, names), 200, 45)
    await send()
    const titles = await game.titles(accountId)
    expect(titles).toHaveLength(1)
    expect(titles[0]).toMatch(/^20 checks failed and recovered/)
  })

  test('is not told where the rule waits longer than it lasted', async () => {
    await game.rule(accountId, { afterSeconds: 60 })
    const [shop = ''] = await game.checks(accountId, ['shop'])
    await failed([shop], 200, 45)
    await send()
    expect(await game.titles(accountId)).toEqual([])
  })
})
