import type { Socket } from 'node:net'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { answering, ok, setUp } from './testing/run.ts'

/** Settings of a check besides its assertions: its timeout, and the meaning of a refusal. */

describe('an attempt uses the timeout of its check', () => {
  const afterMs = async (ms: number, more: Partial<HttpAssignment>) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, requests } = await answering((socket: Socket) => {
      vi.advanceTimersByTime(ms)
      socket.end(ok)
    })
    return { reading: await setUp().run(url, more), requests }
  }
  test.each<[string, number, Partial<HttpAssignment>]>([
    ['with time for two attempts', 3_900, { timeoutSeconds: 4 }],
    ['with time for one', 8_900, { timeoutSeconds: 9 }],
    ['beyond the usual 10 s', 29_000, { timeoutSeconds: 30, intervalSeconds: 60 }],
  ])('%s: what comes in time is up', async (_, ms, more) => {
    expect((await afterMs(ms, more)).reading).toMatchObject({ verdict: 'up', attempts: 1 })
  })
  test.each<[string, number, Partial<HttpAssignment>, number, string]>([
    ['twice', 2_000, { timeoutSeconds: 2 }, 2, 'no response within 2 s: it is slow'],
    ['once', 9_000, { timeoutSeconds: 9 }, 1, 'no response within 9 s'],
    ['by default', 4_000, {}, 2, 'no response within 4 s: it is slow'],
  ])('and tries %s what does not', async (_, ms, more, attempts, reason) => {
    const { reading, requests } = await afterMs(ms, more)
    expect(reading).toMatchObject({ verdict: 'down', cause: 'response_timeout', attempts })
    expect(reading.reason).toMatch(new RegExp(`^${reason}`))
    expect(requests).toHaveLength(attempts)
  })
})

describe('an answer that is refused', () => {
  const refusing = (status: number) => answering(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
  test.each<[number, Partial<HttpAssignment>, string, string]>([
    [403, {}, 'down refused', 'the target refused the probe with 403: allow the User-Agent'],
    [429, {}, 'down refused', 'lengthen the interval, or count it as blocked in the check'],
    [403, { refusedAs: 'blocked' }, 'blocked refused', 'the probe was refused with 403'],
    [429, { refusedAs: 'blocked' }, 'blocked refused', 'the probe was refused with 429'],
    [404, { refusedAs: 'blocked' }, 'down status_mismatch', 'got 404'],
    [500, { refusedAs: 'blocked' }, 'down status_mismatch', 'got 500'],
    [403, { owner: 'catalog' }, 'blocked refused', 'the probe was refused with 403'],
  ])('with %d of a check %o is %s', async (status, more, verdict, reason) => {
    const { url } = await refusing(status)
    const reading = await setUp().run(url, more)
    expect(`${reading.verdict} ${reading.cause}`).toBe(verdict)
    expect(reading.reason).toContain(reason)
  })
  test('and asserted is up, whatever a refusal means', async () => {
    const { url } = await refusing(403)
    const assertions = { ...noAssertions, assertionStatusMin: 403, assertionStatusMax: 403 }
    expect(await setUp().run(url, { assertions, refusedAs: 'blocked' })).toMatchObject({
      verdict: 'up',
    })
  })
})
