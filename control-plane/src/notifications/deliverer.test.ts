import { outgoingPools } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { ServerResponse } from 'node:http'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ok, startReceiver, type Receiver } from './outgoing/testing.ts'
import { updateChannelVerified } from './channels/channels-store.ts'
import { claimChannelDeliveries } from './claim-deliveries-store.ts'
import { createDeliveryBench } from './testing.ts'

let account: string
const at = useOnce(() => createDeliveryBench())
beforeEach(async () => {
  account = await at.account()
})
afterEach(() => at.clear())

const receiver = async (answer: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const started = await startReceiver(answer)
  onTestFinished(started.close)
  return started
}
const channelTo = ({ url }: Receiver, of = account) => at.channel(of, { type: 'json', config: { url } })
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_request: unknown, response: ServerResponse): void => {
    response.writeHead(code, headers).end('no')
  }
const idsOf = ({ received }: Receiver): string[] => received.map(({ id }) => id)
const names = (count: number, of = 'm'): string[] => Array.from({ length: count }, (_, n) => `${of}${n}`)

/** Sends a message to a separate channel: when it arrives, every other due message was tried. */
const everythingDueWasTried = async (): Promise<void> => {
  const witness = await receiver(ok)
  await at.write(account, await channelTo(witness), ['witness'])
  await vi.waitFor(() => expect(witness.taken).toHaveLength(1))
}

describe('each message is delivered once', () => {
  test('in order, through a receiver that fails ten times first', async () => {
    const sick = await receiver((request, response, count) =>
      count <= 10 ? status(500)(request, response) : ok(request, response),
    )
    const ids = await at.write(account, await channelTo(sick), names(5))
    await at.start({ random: Math.random })
    await vi.waitFor(
      async () => {
        await at.pass(31 * 60_000)
        expect(sick.taken).toHaveLength(5)
      },
      { interval: 50 },
    )
    expect(sick.taken).toEqual(ids)
    expect(idsOf(sick).slice(0, 11)).toEqual(Array(11).fill(ids[0]))
    await at.until(async () => {
      expect((await at.stored()).map(({ state }) => state)).toEqual(Array(5).fill('delivered'))
    })
  })

  test('by several deliverers over many channels, each in order', async () => {
    const all = await Promise.all(names(8).map(() => receiver(ok)))
    const written: string[][] = []
    for (const each of all) written.push(await at.write(account, await channelTo(each), names(25)))
    await Promise.all([at.start(), at.start(), at.start()])
    await at.until(() => expect(all.map(({ taken }) => taken)).toEqual(written))
  })

  test('or repeated under the same id when a deliverer dies before recording it', async () => {
    const one = await receiver(ok)
    const [id] = await at.write(account, await channelTo(one), ['m'])
    const bounds = outgoingPools.channelDeliveries.delivery
    const options = { bounds, claimMs: 30_000, held: [] }
    const [claim] = await claimChannelDeliveries(at.sql, options, at.now())
    if (claim === undefined) throw new Error('nothing was claimed')
    const sent = await at.channelSender.send(
      { ...claim, id: claim.channelId },
      claim,
      AbortSignal.timeout(20_000),
    )
    expect(sent.ok).toBe(true)
    await at.start()
    await everythingDueWasTried()
    expect(idsOf(one)).toEqual([id])
    await at.pass(30_000)
    await at.until(async () => {
      expect(idsOf(one)).toEqual([id, id])
      expect((await at.stored())[0]).toMatchObject({ id, state: 'delivered', attempts: 2 })
    })
  })

  test('when a deliverer stops while a receiver hangs: the claim is released', async () => {
    const hanging = await receiver(() => {})
    await at.write(account, await channelTo(hanging), ['m'])
    const deliverer = await at.start({ finishMs: 0 })
    await vi.waitFor(() => expect(hanging.received).toHaveLength(1))
    await deliverer.close()
    expect(await at.stored()).toMatchObject([{ state: 'pending', attempts: 0, claimed_until: null }])
  })

  test('when its cause is written twice', async () => {
    const one = await receiver(ok)
    const channel = await channelTo(one)
    const ids = await at.write(account, channel, names(3))
    await at.start()
    expect(await at.write(account, channel, names(3))).toEqual(ids)
    await everythingDueWasTried()
    await at.until(() => expect(one.taken).toEqual(ids))
  })
})

describe('a channel without a successful test', () => {
  test('gets its pending messages only after a test succeeds', async () => {
    const one = await receiver(ok)
    const json = { type: 'json', config: { url: one.url } } as const
    const channel = await at.channel(account, json, { isVerified: false })
    const ids = await at.write(account, channel, names(2))
    await at.start()
    await everythingDueWasTried()
    expect(one.received).toEqual([])
    await at.sql.begin((tx) => updateChannelVerified(tx, channel, false, at.now()))
    await vi.waitFor(() => expect(one.taken).toEqual(ids))
  })
})

describe('a slow receiver', () => {
  test('delays only itself, and its messages stay in order', async () => {
    const open: ServerResponse[] = []
    const slow = await receiver((_request, response) => void open.push(response))
    const fast = await receiver(ok)
    const slowIds = await at.write(account, await channelTo(slow), names(3))
    const fastIds = await at.write(account, await channelTo(fast), names(30))
    await at.start({ attemptMs: { channel: 60_000, mail: 60_000 } })
    await vi.waitFor(() => expect(fast.taken).toEqual(fastIds))
    expect(idsOf(slow)).toEqual(slowIds.slice(0, 1))
    await vi.waitFor(() => {
      open.pop()?.writeHead(200).end()
      expect(slow.taken).toEqual(slowIds)
    })
    expect(idsOf(slow)).toEqual(slowIds)
  })

  test('that never answers is abandoned in time and retried under the same id', async () => {
    const hanging = await receiver((request, response, count) => {
      if (count > 2) ok(request, response)
    })
    const [id] = await at.write(account, await channelTo(hanging), ['m'])
    await at.start({ attemptMs: { channel: 500, mail: 500 } })
    await vi.waitFor(
      async () => {
        await at.pass(31 * 60_000)
        expect(hanging.taken).toContain(id)
      },
      { interval: 50 },
    )
    expect(new Set(idsOf(hanging))).toEqual(new Set([id]))
  })

  test('of one account leaves room for other accounts', async () => {
    const hanging = await receiver(() => {})
    for (const name of names(40)) await at.write(account, await channelTo(hanging), [name])
    const fast = await receiver(ok)
    const other = await at.account()
    const ids = await at.write(other, await channelTo(fast, other), names(5))
    await at.start({ finishMs: 0 })
    await vi.waitFor(() => expect(fast.taken).toEqual(ids))
    expect(hanging.received.length).toBeLessThanOrEqual(16 * 2)
  })
})

describe('a receiver that requests a wait', () => {
  test('gets its pending messages after the wait', async () => {
    const throttling = await receiver((request, response, count) =>
      count === 1 ? status(429, { 'retry-after': '120' })(request, response) : ok(request, response),
    )
    const ids = await at.write(account, await channelTo(throttling), names(2))
    await at.start()
    await at.until(() => expect(throttling.received).toHaveLength(1))
    await at.pass(60_000)
    await everythingDueWasTried()
    expect((await at.stored())[0]?.attempts).toBe(1)
    await at.pass(60_000)
    await at.until(() => expect(throttling.taken).toEqual(ids))
  })
})

describe('a receiver that fails', () => {
  test('five times is not tried while its circuit is open, then with one message', async () => {
    const sick = await receiver(status(503))
    await at.write(account, await channelTo(sick), names(4))
    await at.start()
    await at.until(() => expect(sick.received).toHaveLength(5))
    await at.pass(30_000)
    await everythingDueWasTried()
    expect((await at.stored())[0]?.attempts).toBe(5)
    await at.pass(30_000)
    await at.until(() => expect(sick.received).toHaveLength(6))
    await everythingDueWasTried()
    await at.pass(60_000)
    await everythingDueWasTried()
    expect((await at.stored()).map(({ attempts }) => attempts)).toEqual([6, 0, 0, 0, 1, 1, 1])
  })

  test('permanently gets the next message immediately; the failed one is dead with its reason', async () => {
    const picky = await receiver((request, response, count) =>
      count === 1 ? status(404)(request, response) : ok(request, response),
    )
    const ids = await at.write(account, await channelTo(picky), names(2))
    await at.start()
    await at.until(async () => {
      expect(picky.taken).toEqual(ids.slice(1))
      expect(await at.stored()).toMatchObject([
        {
          state: 'dead',
          attempts: 1,
          last_error: 'HTTP 404 the answer is not shown: the address is not public',
        },
        { state: 'delivered', last_error: null },
      ])
    })
    const metrics = await at.registry.metrics()
    expect(metrics).toContain('deliveries_dead_total{kind="channel"} 1')
    expect(metrics).toContain('deliveries_failed_total{kind="channel",met="refused"} 1')
    expect(metrics).toContain('deliveries_sent_total{kind="channel"} 1')
  })

  test('until a message expires does not get that message', async () => {
    const sick = await receiver(status(500))
    await at.write(account, await channelTo(sick), names(3), 3_600_000)
    await at.start()
    await at.until(() => expect(sick.received).toHaveLength(5))
    await at.pass(3_600_000)
    await at.until(async () => {
      const stored = await at.stored()
      expect(stored.map(({ state }) => state)).toEqual(Array(3).fill('dead'))
      expect(stored.map(({ last_error }) => last_error)).toEqual([
        'not sent in time: HTTP 500 the answer is not shown: the address is not public',
        'not sent in time',
        'not sent in time',
      ])
    })
    expect(sick.received).toHaveLength(5)
  })
})
