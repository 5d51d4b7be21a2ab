import { errors } from '@nats-io/nats-core'
import { expect, test } from 'vitest'
import type { Refusal } from '../refusal.ts'
import { createRefusals, refusedWaitMsMax } from './refusals.ts'

const follow = () => {
  const heard: Refusal['how'][] = []
  const refusals = createRefusals({
    onRefused: ({ how }) => heard.push(how),
    onLetIn: () => undefined,
  })
  return { heard, refusals }
}
const violation = new errors.AuthorizationError('Authorization Violation')

test.each([
  ['revoked', new errors.ProtocolError('User Authentication Revoked')],
  ['expired', new errors.UserAuthenticationExpiredError('User Authentication Expired')],
] as const)('credentials are %s once the file has no better ones', (how, told) => {
  const { heard, refusals } = follow()
  expect(refusals.hear(told)).toBe(true)
  expect(heard).toEqual([])
  refusals.hear(violation)
  expect(heard).toEqual([how])
  refusals.letIn()
  refusals.hear(violation)
  expect(heard).toEqual([how, 'refused'])
})

test('does not take overload or other errors for a refusal of credentials', () => {
  const { heard, refusals } = follow()
  expect(refusals.hear(new errors.AuthorizationError('Authentication Timeout'))).toBe(false)
  expect(refusals.hear(new errors.ProtocolError('Stale Connection'))).toBe(false)
  expect(heard).toEqual([])
})

test('waits longer after each refusal, and shortly after an admission', () => {
  const { refusals } = follow()
  expect(refusals.waitMs(1)).toBeLessThan(1_000)
  for (let tries = 0; tries < 30; tries++) refusals.hear(violation)
  expect(refusals.waitMs(0)).toBe(refusedWaitMsMax / 2)
  expect(refusals.waitMs(1)).toBe(refusedWaitMsMax)
  refusals.letIn()
  expect(refusals.waitMs(1)).toBeLessThan(1_000)
})
