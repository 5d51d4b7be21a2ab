import type { ApiClient } from '@probe-mesh/contracts/api/client'
import { expect, test } from 'vitest'
import { reduce } from '../model/reduce.ts'
import { newTopState } from '../model/state.ts'
import { account, checkOf, connected, rowOf, startMs } from '../testing.ts'
import { runReadLoop } from './read-loop.ts'

const minuteMs = 60_000

/** The requests of a view without anyone at it, on a clock that its pauses move. @returns their times */
const watch = async (
  checks: number,
  { minutes, connectsEveryMs }: { minutes: number; connectsEveryMs: number },
): Promise<{ sent: number[]; listed: number }> => {
  const rows = Array.from({ length: checks }, (_, n) => rowOf(checkOf(`check ${n}`)))
  const sent: number[] = []
  let nowMs = startMs
  let state = newTopState(nowMs)
  const stop = new AbortController()
  const call = async (name: string, input: { query?: { cursor?: string; limit: number } }) => {
    sent.push(nowMs)
    nowMs += 50
    const headers = new Headers()
    if (name === 'getMe' && account.kind === 'account') return { ok: true, value: account.me, headers }
    const from = Number(input.query?.cursor ?? 0)
    const to = from + (input.query?.limit ?? 0)
    const nextCursor = to < checks ? String(to) : null
    const trendFrom = new Date(startMs).toISOString()
    return {
      ok: true,
      value: { checks: rows.slice(from, to), nextCursor, trendFrom, vantage: 'local' },
      headers,
    }
  }
  let connectedMs = 0
  await runReadLoop({
    apiUrl: 'http://app/v1',
    client: { call } as unknown as ApiClient,
    state: () => state,
    dispatch: (event) => {
      state = reduce(state, event, nowMs)
    },
    now: () => nowMs,
    signal: stop.signal,
    pause: async (ms) => {
      nowMs += ms
      if (nowMs - connectedMs >= connectsEveryMs) {
        connectedMs = nowMs
        state = reduce(state, connected, nowMs)
      }
      if (nowMs >= startMs + minutes * minuteMs) stop.abort()
    },
  })
  return { sent, listed: state.checks.size }
}

const mostInAMinute = (sent: readonly number[]): number =>
  Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + minuteMs).length))

test.each([
  ['a stream that stays', Number.POSITIVE_INFINITY],
  ['a stream that breaks every 20 s', 20_000],
  ['a stream that breaks every second', 1_000],
])('500 checks take at most 6 requests in any minute with %s', async (_, connectsEveryMs) => {
  const { sent, listed } = await watch(500, { minutes: 10, connectsEveryMs })
  expect(listed).toBe(500)
  expect(mostInAMinute(sent)).toBeLessThanOrEqual(6)
})

test('5,000 checks are all read at once, and take a request for each page in any minute', async () => {
  const { sent, listed } = await watch(5_000, { minutes: 10, connectsEveryMs: 30_000 })
  expect(listed).toBe(5_000)
  expect(mostInAMinute(sent)).toBeLessThanOrEqual(12)
})
