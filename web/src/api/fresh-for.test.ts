import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { expect, test } from 'vitest'
import type { Asked } from './ask.ts'
import { freshFor } from './fresh-for.ts'

const refusal: Asked<number> = { ok: false, problem: {} as Problem, retryAfter: null }

const start = (answers: (Asked<number> | Error)[]) => {
  const clock = { ms: 0 }
  let asked = 0
  const ask = freshFor(
    5_000,
    () => clock.ms,
    async () => {
      const answer = answers[asked++] ?? refusal
      if (answer instanceof Error) throw answer
      return answer
    },
  )
  return { ask, clock, asked: () => asked }
}
const of = (value: number): Asked<number> => ({ ok: true, value })

test('reuses an answer until it expires, also for callers that arrived while it was loading', async () => {
  const { ask, clock, asked } = start([of(1), of(2)])
  expect(await Promise.all([ask(), ask()])).toEqual([of(1), of(1)])
  clock.ms = 4_999
  expect(await ask()).toEqual(of(1))
  clock.ms = 5_000
  expect(await ask()).toEqual(of(2))
  expect(asked()).toBe(2)
})

test('reuses neither a refusal nor a failure', async () => {
  const { ask, asked } = start([refusal, new Error('away'), of(3)])
  expect(await ask()).toBe(refusal)
  await expect(ask()).rejects.toThrow('away')
  expect(await ask()).toEqual(of(3))
  expect(asked()).toBe(3)
})
