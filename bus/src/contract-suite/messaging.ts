import { randomUUID } from 'node:crypto'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { presence as pace } from '@probe-mesh/contracts/mesh/subjects'
import { expect, vi } from 'vitest'
import type { Bus, RunReply } from '../port.ts'
import type { BusTest } from './bus-test.ts'
import { aReading, anAssignment, arrived, until } from './fixtures.ts'

const aRequest = (): RunRequest => ({
  kind: 'manual',
  at: 1_700_000_000_000,
  number: 1,
  assignment: anAssignment(),
})

const persistedContract = (busTest: BusTest): void => {
  busTest('a watcher of marks gets the last of each partition, then each new one', async ({ bus }) => {
    const agent = `agent-${randomUUID()}`
    await bus.persisted.mark('fra', agent, 0, 1)
    await bus.persisted.mark('fra', agent, 0, 2)
    await bus.persisted.mark('fra', agent, 5, 9)
    await bus.persisted.mark('fra', `${agent}-other`, 0, 77)
    expect(await bus.persisted.get('fra', agent, 0)).toBe(2)
    expect(await bus.persisted.get('fra', agent, 1)).toBeNull()
    expect(await bus.persisted.get('iad', agent, 0)).toBeNull()
    const seen: string[] = []
    await bus.persisted.watch('fra', agent, (partition, batch) => seen.push(`${partition}:${batch}`))
    await arrived(seen, 2)
    expect(seen.toSorted()).toEqual(['0:2', '5:9'])
    await bus.persisted.mark('fra', agent, 0, 3)
    await arrived(seen, 3)
    expect(seen.at(-1)).toBe('0:3')
  })

  busTest('the last mark of a partition is the last one seen, and none after close', async ({ bus }) => {
    const agent = `agent-${randomUUID()}`
    const [kept, closed]: [number[], number[]] = [[], []]
    await bus.persisted.watch('fra', agent, (_, batch) => kept.push(batch))
    const subscription = await bus.persisted.watch('fra', agent, (_, batch) => closed.push(batch))
    for (let batch = 1; batch <= 50; batch++) await bus.persisted.mark('fra', agent, 1, batch)
    await until(() => kept.at(-1) === 50)
    await subscription.close()
    const before = closed.length
    await bus.persisted.mark('fra', agent, 1, 51)
    await until(() => kept.at(-1) === 51)
    expect(closed).toHaveLength(before)
  })
}

/**
 * @param knowsUnserved whether the server knows at once that no agent serves a region; else the request is refused
 *   after its timeout
 */
const runsContract = (busTest: BusTest, knowsUnserved: () => boolean): void => {
  const expectUnserved = async (bus: Bus): Promise<void> => {
    const [timeoutMs, answer] = knowsUnserved() ? [3_600_000, 'no_agent'] : [200, 'timeout']
    expect(await bus.runs.request('fra', aRequest(), timeoutMs)).toBe(answer)
  }

  busTest('a run is answered by an agent of its region, with copies both ways', async ({ bus }) => {
    const request = aRequest()
    const reading = aReading()
    const received: RunRequest[] = []
    await bus.runs.serve('fra', async (asked) => {
      received.push(structuredClone(asked))
      asked.assignment.accountId = 'changed'
      return { agent: 'a', reading }
    })
    const expected = structuredClone({ request, reading })
    expect(await bus.runs.request('fra', request, 5_000)).toEqual({
      agent: 'a',
      reading: expected.reading,
    })
    expect(received).toEqual([expected.request])
    expect(request).toEqual(expected.request)
  })

  busTest('reports at once that no agent serves the region', async ({ bus }) => {
    await bus.runs.serve('iad', async () => ({ agent: 'elsewhere', error: 'busy' }))
    await expectUnserved(bus)
  })

  busTest('sends no request to an agent that stopped serving', async ({ bus }) => {
    const subscription = await bus.runs.serve('fra', async () => ({ agent: 'a', error: 'busy' }))
    expect(await bus.runs.request('fra', aRequest(), 5_000)).toEqual({ agent: 'a', error: 'busy' })
    await subscription.close()
    await expectUnserved(bus)
  })

  busTest('times out without a reply, also when the handler throws', async ({ bus }) => {
    await bus.runs.serve('fra', () => new Promise<RunReply>(() => undefined))
    expect(await bus.runs.request('fra', aRequest(), 50)).toBe('timeout')
    await bus.runs.serve('iad', async () => {
      throw new Error('a bug of the agent')
    })
    expect(await bus.runs.request('iad', aRequest(), 500)).toBe('timeout')
  })

  busTest('of several agents each request reaches one, and each agent gets some', async ({ bus }) => {
    const counts = { a: 0, b: 0 }
    for (const agent of ['a', 'b'] as const) {
      await bus.runs.serve('fra', async () => {
        counts[agent]++
        return { agent, error: 'busy' }
      })
    }
    // The chance that all reach the same one of two is 2 in 2^100.
    const requests = Array.from({ length: 100 }, () => bus.runs.request('fra', aRequest(), 10_000))
    expect(await Promise.all(requests)).toHaveLength(100)
    expect(counts.a + counts.b).toBe(100)
    expect(Math.min(counts.a, counts.b)).toBeGreaterThan(0)
  })
}

const presenceContract = (busTest: BusTest): void => {
  const namesIn = async (bus: Bus, region: string) =>
    (await bus.presence.list(region)).map(({ agent }) => agent)

  busTest('lists the optional capabilities of an agent with it', async ({ bus }) => {
    const said = [{ chromium: true }, { chromium: false }, {}]
    for (const more of said) {
      const agent = `agent-${randomUUID()}`
      const presence = { agent, region: 'fra', version: '0.1.0', startedAt: 1, ...more }
      const subscription = await bus.presence.announce(presence)
      expect(await bus.presence.list('fra')).toContainEqual({
        ...presence,
        revision: expect.any(Number),
      })
      await subscription.close()
    }
  })

  busTest('lists an agent in its region until it withdraws', async ({ bus }) => {
    const agent = `agent-${randomUUID()}`
    const presence = { agent, region: 'fra', version: '0.1.0', startedAt: 1_700_000_000_000 }
    const subscription = await bus.presence.announce(presence)
    expect(await bus.presence.list('fra')).toContainEqual({
      ...presence,
      revision: expect.any(Number),
    })
    expect(await namesIn(bus, 'iad')).not.toContain(agent)
    await subscription.close()
    expect(await namesIn(bus, 'fra')).not.toContain(agent)
  })

  busTest('changes the revision while the agent is online', async ({ bus }) => {
    const presence = { agent: `agent-${randomUUID()}`, region: 'fra', version: '0', startedAt: 1 }
    await bus.presence.announce(presence)
    const revision = async () =>
      (await bus.presence.list('fra')).find(({ agent }) => agent === presence.agent)?.revision
    const first = await revision()
    await vi.waitFor(async () => expect(await revision()).not.toBe(first), {
      timeout: 4 * pace.announceMs,
      interval: 100,
    })
  })

  busTest('gives a name to its later announcement and notifies the earlier agent', async ({ bus }) => {
    const agent = `agent-${randomUUID()}`
    const told: string[] = []
    const announce = (startedAt: number) =>
      bus.presence.announce({ agent, region: 'fra', version: '0', startedAt }, () =>
        told.push(`${startedAt}`),
      )
    const earlier = await announce(1)
    await announce(2)
    await vi.waitFor(() => expect(told).toEqual(['1']), {
      timeout: 4 * pace.announceMs,
      interval: 20,
    })
    await earlier.close()
    const listed = (await bus.presence.list('fra')).filter((one) => one.agent === agent)
    expect(listed.map(({ startedAt }) => startedAt)).toEqual([2])
  })
}

const eventsContract = (busTest: BusTest): void => {
  busTest('every subscriber of a kind gets a copy of its own, in order', async ({ bus }) => {
    const kind = `kind-${randomUUID()}`
    const [first, second]: [unknown[], unknown[]] = [[], []]
    await bus.events.subscribe(kind, (payload) => {
      first.push(structuredClone(payload))
      if (payload !== null && typeof payload === 'object') Object.assign(payload, { n: -1 })
    })
    await bus.events.subscribe(kind, (payload) => second.push(payload))
    const payload = { n: 1, deep: { list: [1, 'two', null] } }
    bus.events.publish(kind, payload)
    payload.n = 99
    bus.events.publish(kind, { n: 2 })
    bus.events.publish(`${kind}-other`, { n: 3 })
    await arrived(first, 2)
    await arrived(second, 2)
    const expected = [{ n: 1, deep: { list: [1, 'two', null] } }, { n: 2 }]
    expect([first, second]).toEqual([expected, expected])
  })

  busTest('delivered events are as published ones, in order', async ({ bus }) => {
    const kind = `kind-${randomUUID()}`
    const seen: unknown[] = []
    await bus.events.subscribe(kind, (payload) => seen.push(payload))
    bus.events.publish(kind, 1)
    await bus.events.deliver([
      { kind, payload: 2 },
      { kind: `${kind}-other`, payload: 3 },
      { kind, payload: 4 },
    ])
    bus.events.publish(kind, 5)
    await arrived(seen, 4)
    expect(seen).toEqual([1, 2, 4, 5])
  })

  busTest('a subscriber that throws harms neither the publisher nor the others', async ({ bus }) => {
    const kind = `kind-${randomUUID()}`
    const seen: unknown[] = []
    await bus.events.subscribe(kind, () => {
      throw new Error('a bug of the subscriber')
    })
    await bus.events.subscribe(kind, (payload) => seen.push(payload))
    bus.events.publish(kind, 1)
    bus.events.publish(kind, 2)
    await arrived(seen, 2)
    expect(seen).toEqual([1, 2])
  })

  busTest('after closing a subscription nothing more comes', async ({ bus }) => {
    const kind = `kind-${randomUUID()}`
    const [closed, open]: [unknown[], unknown[]] = [[], []]
    const subscription = await bus.events.subscribe(kind, (payload) => closed.push(payload))
    await bus.events.subscribe(kind, (payload) => open.push(payload))
    await subscription.close()
    bus.events.publish(kind, 1)
    await arrived(open, 1)
    expect(closed).toEqual([])
  })
}

export const messagingContract = (busTest: BusTest, knowsUnserved = () => true): void => {
  persistedContract(busTest)
  runsContract(busTest, knowsUnserved)
  presenceContract(busTest)
  eventsContract(busTest)
}
