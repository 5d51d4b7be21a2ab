import type { ConnectionFacts } from '@probe-mesh/bus/nats/connections'
import { expect, test } from 'vitest'
import type { Enrolment } from '../../../deploy/nats/register.ts'
import { connectionFindings } from './connection-findings.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const enrolment = (over: Partial<Enrolment>): Enrolment => ({
  key: 'U1',
  name: 'fra-1',
  region: 'fra',
  issuedAt: '2026-11-01T00:00:00Z',
  expiresAt: null,
  revokedAt: null,
  ...over,
})
const revoked = enrolment({ revokedAt: '2026-11-22T09:00:00Z' })
const connection = (over: Partial<ConnectionFacts>): ConnectionFacts => ({
  name: 'fra-1',
  address: '192.0.2.1:4000',
  user: 'U1',
  subscriptions: 5,
  startedAtMs: nowMs - 60_000,
  ended: null,
  ...over,
})
const refused = (agoMs: number, over: Partial<ConnectionFacts> = {}) =>
  connection({
    ...over,
    subscriptions: 0,
    ended: { atMs: nowMs - agoMs, reason: 'Authentication Failure' },
  })
const find = (connections: ConnectionFacts[], enrolments = [enrolment({})]) =>
  connectionFindings({ connections, enrolments, regions: ['fra', 'nrt'] }, nowMs)

test('admitted agents and clients that left are not reported', () => {
  const left = connection({ ended: { atMs: nowMs - 1_000, reason: 'Client Closed' } })
  expect(find([connection({}), left])).toEqual([])
})

test('a client with revoked credentials is reported once, by its last attempt', () => {
  const [found, ...others] = find([refused(9_000), refused(2_000), refused(5_000)], [revoked])
  expect(others).toEqual([])
  expect(found).toMatchObject({ level: 'warning', topic: 'agents' })
  expect(found?.message).toMatch(/^NATS refuses fra-1 at 192\.0\.2\.1:4000, last 2 s ago.*revoked/)
  expect(found?.next).toContain('agent enroll --region fra --name fra-1 --out agent-fra-1.creds')
})

test('a client admitted since, or refused long ago, is not reported as refused', () => {
  const since = connection({ user: 'U2', startedAtMs: nowMs - 1_000 })
  expect(find([refused(2_000), since], [revoked])).toEqual([])
  expect(find([refused(300_001)], [revoked])).toEqual([])
})

test('expired and unknown credentials have different remedies', () => {
  const ended = enrolment({ expiresAt: '2026-11-22T09:00:00Z' })
  expect(find([refused(1_000)], [ended])[0]?.next).toContain('agent rotate fra-1 --region fra')
  expect(find([refused(1_000)], [])[0]?.message).toContain('its credentials are unknown')
})

test('an agent with the credentials of another region is reported, with the command for its own', () => {
  const idle = connection({ name: 'nrt-1', subscriptions: 0 })
  const next = (enrolments: Enrolment[]) => find([idle], enrolments)[0]?.next
  expect(next([enrolment({})])).toContain('agent enroll --region nrt --name nrt-1 --out')
  const own = enrolment({ key: 'U2', name: 'nrt-1', region: 'nrt' })
  expect(next([enrolment({}), own])).toContain('agent rotate nrt-1 --region nrt --out')
})

test('a client that is just connecting and a leaf node are not reported yet', () => {
  const young = connection({ subscriptions: 0, startedAtMs: nowMs - 1_000 })
  const leaf = connection({ subscriptions: 0 })
  expect(find([young])).toEqual([])
  expect(find([leaf], [enrolment({ name: 'fra-leaf' })])).toEqual([])
})
