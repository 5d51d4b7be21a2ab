import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { circuitAfter, closedCircuit, nextAttempt } from './next-attempt.ts'
import { failedToSend } from './outgoing/send-result.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
const failure = failedToSend('receiver', 'no')
const far = nowMs + 365 * 86_400_000
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('the wait stays under a bound that doubles from 5 s to 15 minutes', () => {
  forAll([fc.integer({ min: 1, max: 1_000 }), fraction], (attempts, random) => {
    const next = nextAttempt(failure, { attempts, expiresAtMs: far }, nowMs, () => random)
    if (next.state === 'dead') throw new Error('given up although there is time')
    expect(next.atMs).toBeGreaterThanOrEqual(nowMs)
    expect(next.atMs - nowMs).toBeLessThanOrEqual(Math.min(900_000, 5_000 * 2 ** (attempts - 1)))
  })
})

test('waits at least as long as the receiver requests', () => {
  const asking = { ...failure, retryAfterMs: 1_800_000 }
  const next = nextAttempt(asking, { attempts: 1, expiresAtMs: far }, nowMs, () => 0.5)
  expect(next).toEqual({ state: 'pending', atMs: nowMs + 1_800_000 })
})

test('fails permanently when a message is refused or would be too late', () => {
  const asking = { ...failure, retryAfterMs: 10_000 }
  const expiresAtMs = nowMs + 10_000
  const at = (expiresAtMs: number) => nextAttempt(asking, { attempts: 1, expiresAtMs }, nowMs, () => 0).state
  expect(at(expiresAtMs)).toBe('dead')
  expect(at(expiresAtMs + 1)).toBe('pending')
  const refused = failedToSend('refused', 'no', 'fail')
  expect(nextAttempt(refused, { attempts: 1, expiresAtMs: far }, nowMs, () => 0)).toEqual({
    state: 'dead',
  })
})

test('a circuit opens at the fifth failure in a row, for a minute, doubling to half an hour', () => {
  let circuit = closedCircuit
  const openMs = Array.from({ length: 12 }, () => {
    circuit = circuitAfter(circuit, failure, nowMs)
    return circuit.openUntilMs === null ? null : circuit.openUntilMs - nowMs
  })
  const minutes = [1, 2, 4, 8, 16, 30, 30, 30].map((each) => each * 60_000)
  expect(openMs).toEqual([null, null, null, null, ...minutes])
})

test('throttling leaves the circuit unchanged', () => {
  const circuit = { failures: 4, openUntilMs: null }
  expect(circuitAfter(circuit, failedToSend('throttled', 'slow down'), nowMs)).toEqual(circuit)
})
