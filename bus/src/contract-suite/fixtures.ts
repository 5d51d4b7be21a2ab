import { randomUUID } from 'node:crypto'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Assignment, HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { vi } from 'vitest'
import type { Bus } from '../port.ts'

/** How long any adapter may take to deliver something before a test fails, ms. */
export const patience = { interval: 5 }

/** Waits until `values` has at least `count` entries. */
export const arrived = (values: readonly unknown[], count: number): Promise<void> =>
  vi.waitFor(() => {
    if (values.length < count) throw new Error(`${values.length} of ${count} arrived`)
  }, patience)

/** An assignment of a new check, with `over` in place of the defaults. */
export const anAssignment = (over: Partial<HttpAssignment> = {}): HttpAssignment => ({
  checkId: randomUUID(),
  accountId: 'account',
  region: 'fra',
  revision: 1,
  validFrom: 1_700_000_000_000,
  intervalSeconds: 60,
  owner: 'account',
  type: 'http',
  url: 'https://example.com/',
  assertions: noAssertions,
  ...over,
})

/** The assignments of a region, as a new watch gets them. */
export const assignedIn = async (bus: Pick<Bus, 'assignments'>, region: Region): Promise<Assignment[]> => {
  const assigned = new Map<string, Assignment>()
  const { promise: current, resolve } = Promise.withResolvers<void>()
  const { close } = await bus.assignments.watch(region, {
    onPut: (assignment) => assigned.set(assignment.checkId, assignment),
    onRemove: (checkId) => assigned.delete(checkId),
    onCurrent: resolve,
  })
  await current
  await close()
  return [...assigned.values()]
}

/** An `up` reading of a new check, with `over` in place of the defaults. */
export const aReading = (over: Partial<Reading> = {}): Reading => ({
  checkId: randomUUID(),
  region: 'fra',
  slot: 1_700_000_000_000,
  kind: 'scheduled',
  number: 0,
  verdict: 'up',
  fault: 'none',
  cause: 'ok',
  reason: null,
  httpStatus: 200,
  latencyMs: 12.3,
  timings: noTimings,
  measuredAt: 1_700_000_000_001,
  attempts: 1,
  lateMs: 1,
  address: '203.0.113.1',
  certificateExpiresAt: null,
  ...over,
})

/** Waits until `condition` is true. */
export const until = (condition: () => boolean): Promise<void> =>
  vi.waitFor(() => {
    if (!condition()) throw new Error('it does not hold yet')
  }, patience)
