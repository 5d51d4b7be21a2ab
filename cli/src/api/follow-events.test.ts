import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as elapse } from 'node:timers/promises'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { followEvents, type Following } from './follow-events.ts'

/** A state is awaited, however slow the machine is. */
const until = <T>(condition: () => T): Promise<T> => vi.waitFor(condition)

const flipOf = (accountId: string, reason: string) => ({
  kind: 'flip',
  accountId,
  flip: {
    id: uuidv7(Date.now()),
    accountId,
    checkId: uuidv7(Date.now()),
    checkName: 'web',
    from: 'operational',
    to: 'down',
    reason,
    at: new Date().toISOString(),
  },
})

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** Follows until the test ends. Waits are as short as they may be, and kept. */
const follow = (settings: Following['settings'], more: Partial<Following> & { pausesMax?: number } = {}) => {
  const stop = new AbortController()
  const seen = { reasons: [] as string[], states: [] as string[], whys: [] as string[] }
  const pauses: number[] = []
  const unreadable = vi.fn<() => void>()
  const ended = followEvents({
    settings,
    fetch,
    signal: stop.signal,
    now: Date.now,
    random: () => 1,
    pause: async (ms) => {
      pauses.push(ms)
      if (pauses.length >= (more.pausesMax ?? Number.POSITIVE_INFINITY)) stop.abort()
      await elapse(1, undefined, { signal: stop.signal })
    },
    onEvent: (event) => {
      if (event.kind === 'flip') seen.reasons.push(event.flip.reason ?? '')
    },
    onState: (state, why) => {
      seen.states.push(state)
      if (why !== null) seen.whys.push(why)
    },
    onUnreadable: unreadable,
    ...more,
  })
  ends.push(async () => {
    stop.abort()
    await ended
  })
  return { ...seen, pauses, ended, unreadable, stop: () => stop.abort() }
}

describe('of the API itself', () => {
  let apiUrl: string
  const at = useTestApp()
  const account = useOnce(() => at.account('scale'))
  beforeAll(async () => {
    apiUrl = `${await at.app.listen({ port: 0, host: '127.0.0.1' })}/v1`
  })

  test('delivers events of the account until the signal, without a failure', async () => {
    const { states, reasons, ended, stop } = follow({ apiUrl, apiKey: account.readKey })
    await until(() => expect(states).toEqual(['connected']))
    at.bus.events.publish('flip', flipOf(account.id, 'mine'))
    await until(() => expect(reasons).toEqual(['mine']))
    stop()
    expect(await ended).toBeNull()
  })

  test('ends with the problem as returned for an unknown key', async () => {
    const { ended, states } = follow({ apiUrl, apiKey: 'sv_r_nobody' })
    expect(await ended).toMatchObject({ code: 'SV-1002', status: 401 })
    expect(states).toEqual([])
  })

  test('ends with the problem for an account without API access', async () => {
    const free = await at.account('free')
    expect(await follow({ apiUrl, apiKey: free.readKey }).ended).toMatchObject({ code: 'SV-1003' })
  })

  test('waits for Retry-After when a key has too many streams', async () => {
    const { writeKey: apiKey } = await at.account('scale')
    const open = Array.from({ length: 5 }, () => follow({ apiUrl, apiKey }))
    await until(() => expect(open.flatMap(({ states }) => states)).toHaveLength(5))
    const sixth = follow({ apiUrl, apiKey }, { pausesMax: 1 })
    expect(await sixth.ended).toBeNull()
    expect(sixth.pauses).toEqual([15_000])
    expect(sixth.whys[0]).toMatch(/limit of \d+ event streams/)
  })
})

describe('of a connection', () => {
  /** A server that answers each request by what the test says. */
  const serve = async (answer: (response: ServerResponse, request: number) => void) => {
    let requests = 0
    const server = createServer((_, response) => answer(response, ++requests))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.unshift(
      () =>
        new Promise((resolve) => {
          server.close(resolve)
          server.closeAllConnections()
        }),
    )
    const { port } = server.address() as AddressInfo
    return { apiUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'sv_r_any' }
  }
  const stream = (response: ServerResponse, text: string): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(text)
  }
  const told = (reason: string): string =>
    `event: flip\ndata: ${JSON.stringify(flipOf('account', reason))}\n\n`

  test('is opened again after it breaks within an event', async () => {
    const settings = await serve((response, request) => {
      if (request > 1) return stream(response, told('second'))
      stream(response, `${told('first')}event: flip\ndata: {"ki`)
      setImmediate(() => response.destroy())
    })
    const { states, reasons, unreadable } = follow(settings)
    await until(() => expect(reasons).toEqual(['first', 'second']))
    expect(states).toEqual(['connected', 'reconnecting', 'connected'])
    expect(unreadable).not.toHaveBeenCalled()
  })

  test('is closed when nothing arrives, not even a comment', async () => {
    const settings = await serve((response, request) => {
      stream(response, request === 1 ? ':\n\n' : told('second'))
    })
    const { whys, reasons } = follow(settings, { silentMsMax: 300 })
    await until(() => expect(reasons[0]).toBe('second'))
    expect(whys[0]).toBe('no data for 0.3 s')
  })

  test('is closed when it is never answered', async () => {
    const settings = await serve((response, request) => {
      if (request > 1) stream(response, told('second'))
    })
    const { reasons } = follow(settings, { silentMsMax: 300 })
    await until(() => expect(reasons[0]).toBe('second'))
  })

  test('waits longer after every loss, up to half a minute', async () => {
    const settings = await serve((response) => response.destroy())
    const { pauses, ended } = follow(settings, { pausesMax: 9 })
    await ended
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test.each([
    ['5xx', (response: ServerResponse) => void response.writeHead(503).end('busy')],
    ['a page of somebody else', (response: ServerResponse) => void response.end('<h1>Log in</h1>')],
    [
      'an event without an end',
      (response: ServerResponse) => stream(response, `data: ${'x'.repeat(2_000_000)}`),
    ],
  ])('is opened again after %s', async (_, first) => {
    const settings = await serve((response, request) =>
      request === 1 ? first(response) : stream(response, told('second')),
    )
    const { reasons } = follow(settings)
    await until(() => expect(reasons).toEqual(['second']))
  })

  test('skips unreadable events and delivers the others', async () => {
    const settings = await serve((response) =>
      stream(response, `event: flip\ndata: {"kind":"new"}\n\nevent: lagging\ndata: {}\n\n${told('known')}`),
    )
    const { reasons, unreadable } = follow(settings)
    await until(() => expect(reasons).toEqual(['known']))
    expect(unreadable).toHaveBeenCalledOnce()
  })
})
