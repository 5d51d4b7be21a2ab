import type { ApiAnswer } from '@probe-mesh/contracts/api/route-client'
import { describe, expect, test } from 'vitest'
import { sendPatiently } from './send-patiently.ts'
import { answered, brokenOff, contextOf, fakePatience, refused } from './testing.ts'

type Step = ApiAnswer<string> | Error

/** Sends what answers so, one after the other, the last one for ever. */
const run = async (steps: readonly Step[], signal?: AbortSignal) => {
  const { patience, pauses } = fakePatience()
  const { context, logged } = contextOf(signal)
  let sends = 0
  const answer = await sendPatiently(patience, context, 'POST /checks', async () => {
    const step = steps[Math.min(sends, steps.length - 1)]
    sends += 1
    if (step === undefined || step instanceof Error) throw step
    return step
  })
  return { answer, sends, pauses, logged }
}
const done = { ok: true, value: 'done' }
const ok = answered('done')
const failed = (code: string | null) => ({ ok: false, failure: { code } })

describe('waits once for Retry-After on a rate limit, then reports the error', () => {
  test.each<[string, readonly Step[], object, number, number[]]>([
    ['in seconds', [refused('SV-6002', '7'), ok], done, 2, [7_000]],
    ['as a date', [refused('SV-6002', 'Thu, 01 Jan 1970 00:00:09 GMT'), ok], done, 2, [9_000]],
    ['at its longest', [refused('SV-6002', '120'), ok], done, 2, [120_000]],
    ['twice', [refused('SV-6002', '7'), refused('SV-6002', '7'), ok], failed('SV-6002'), 2, [7_000]],
    ['longer than that', [refused('SV-6002', '121'), ok], failed('SV-6002'), 1, []],
    ['not at all', [refused('SV-6001'), ok], failed('SV-6001'), 1, []],
    ['as garbage', [refused('SV-6001', 'soon'), ok], failed('SV-6001'), 1, []],
  ])('asked for %s', async (_, steps, answer, sends, pauses) => {
    const ran = await run(steps)
    expect(ran.answer).toMatchObject(answer)
    expect(ran).toMatchObject({ sends, pauses })
  })
})

describe('retries the same request', () => {
  test.each<[string, Step]>([
    ['where the connection broke off', brokenOff()],
    ['while nothing listens', brokenOff('ECONNREFUSED')],
    ['where no answer came in time', new DOMException('timed out', 'TimeoutError')],
    ['where the API failed', refused('SV-9001')],
    ['while a store is away', refused('SV-9002')],
    ['while the first request with the key is at work', refused('SV-3002', '1')],
  ])('%s, and logs it', async (_, step) => {
    const { answer, sends, logged } = await run([step, step, ok])
    expect(answer).toEqual(done)
    expect(sends).toBe(3)
    expect(logged).toHaveLength(2)
    expect(logged[0]).toMatch(/^warn POST \/checks: .* retrying in \d+ ms$/)
  })

  test.each<[Step, string | null]>([
    [brokenOff('ECONNREFUSED'), null],
    [refused('SV-9002', '3'), 'SV-9002'],
    [refused('SV-3002', '1'), 'SV-3002'],
  ])('for at most half a minute', async (step, code) => {
    const { answer, pauses, sends } = await run([step])
    expect(answer).toMatchObject(failed(code))
    const waited = pauses.reduce((sum, ms) => sum + ms, 0)
    expect(waited).toBeGreaterThan(20_000)
    expect(waited).toBeLessThanOrEqual(30_000)
    expect(sends).toBeLessThan(12)
  })
})

test.each<[string, Step, string | null]>([
  ['a refusal', refused('SV-4001'), 'SV-4001'],
  ['a conflict', refused('SV-3002'), 'SV-3002'],
  ['a name that nobody has', brokenOff('ENOTFOUND'), null],
  ['a certificate that nobody trusts', brokenOff('CERT_HAS_EXPIRED'), null],
])('%s is reported at once', async (_, step, code) => {
  const { answer, sends } = await run([step, ok])
  expect(answer).toMatchObject(failed(code))
  expect(sends).toBe(1)
})

test('throws a bug', async () => {
  await expect(run([new TypeError('x is not a function')])).rejects.toThrow('x is not a function')
})

test('ends a wait when Terraform stops', async () => {
  const stop = new AbortController()
  const { patience } = fakePatience()
  const pause = (_: number, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      stop.abort()
    })
  const { context } = contextOf(stop.signal)
  const answer = await sendPatiently({ ...patience, pause }, context, 'GET /checks', async () =>
    refused('SV-6001', '7'),
  )
  expect(answer).toMatchObject({ ok: false, failure: { code: null } })
})

test('keeps an answer that arrives while Terraform stops', async () => {
  expect((await run([ok], AbortSignal.abort())).answer).toEqual(done)
  expect((await run([brokenOff()], AbortSignal.abort())).answer).toMatchObject(failed(null))
})
