import { expect, test } from 'vitest'
import { retry } from './retry.ts'

const failing = (failures: number) => {
  let attempts = 0
  return {
    attempts: () => attempts,
    attempt: async () => {
      attempts += 1
      if (attempts <= failures) throw new Error(`failure ${attempts}`)
      return attempts
    },
  }
}

test('retries until success, with the given wait after each failure', async () => {
  const waits: number[] = []
  const { attempt } = failing(3)
  const result = await retry(attempt, {
    waitMs: (_, failures) => failures * 10,
    pause: async (ms) => void waits.push(ms),
  })
  expect([result, waits]).toEqual([4, [10, 20, 30]])
})

test('throws a permanent error without a wait', async () => {
  const { attempt, attempts } = failing(3)
  const retrying = retry(attempt, {
    waitMs: (error) => (String(error).includes('failure 2') ? null : 0),
    pause: async () => undefined,
  })
  await expect(retrying).rejects.toThrow('failure 2')
  expect(attempts()).toBe(2)
})

test('makes one last attempt after an abort during a wait, and throws its error', async () => {
  const ending = new AbortController()
  const { attempt, attempts } = failing(9)
  const retrying = retry(attempt, {
    waitMs: () => 60_000,
    signal: ending.signal,
    pause: async () => ending.abort(),
  })
  await expect(retrying).rejects.toThrow('failure 2')
  expect(attempts()).toBe(2)
})
