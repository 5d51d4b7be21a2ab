import { expect, test } from 'vitest'
import { judgeAnswer } from './channel-sender.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
const judge = (httpStatus: number, retryAfter: string | null = null) =>
  judgeAnswer({ httpStatus, retryAfter }, 'text', nowMs)

test.each([200, 201, 204, 299])('%i: the message is delivered', (status) => {
  expect(judge(status)).toMatchObject({ ok: true, httpStatus: status })
})

test.each([300, 301, 302, 308, 400, 401, 403, 404, 410, 422, 424, 426, 428, 499])(
  '%i is a no for good',
  (status) => {
    expect(judge(status)).toMatchObject({ ok: false, next: 'fail', kind: 'refused' })
  },
)

test.each([408, 425, 500, 502, 503, 504, 599])('%i is retried', (status) => {
  expect(judge(status)).toMatchObject({ ok: false, next: 'retry', kind: 'receiver' })
})

test('429 is throttling with the requested wait', () => {
  expect(judge(429, '7')).toMatchObject({ next: 'retry', kind: 'throttled', retryAfterMs: 7_000 })
})

test.each([
  ['0', 0],
  ['3601', 3_600_000],
  ['9999999999', 3_600_000],
  ['soon', null],
  [null, null],
  ['Mon, 02 Mar 2026 12:00:00 GMT', 3_600_000],
])('Retry-After %j is a wait of %s ms, an hour at most', (value, ms) => {
  expect(judge(429, value)).toMatchObject({ retryAfterMs: ms })
})
