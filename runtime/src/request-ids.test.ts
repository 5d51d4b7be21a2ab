import { expect, test } from 'vitest'
import { createRequestIds } from './request-ids.ts'

test('each id is a UUID of its own, in this process and beside others', () => {
  const [ours, theirs] = [createRequestIds(), createRequestIds()]
  const ids = Array.from({ length: 10_000 }, () => [ours(), theirs()]).flat()
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('two ids do not tell how many lie between them', () => {
  const steps = Array.from({ length: 50 }, () => {
    const next = createRequestIds()
    const [one, other] = [next(), next()].map((id) => Number.parseInt(id.slice(-8), 16))
    return (Number(other) - Number(one) + 2 ** 32) % 2 ** 32
  })
  expect(new Set(steps).size).toBe(steps.length)
  expect(Math.max(...steps)).toBeGreaterThan(2 ** 24)
})
