import type { RunReply } from '@probe-mesh/bus/port'
import { noAssertions } from '@probe-mesh/contracts/assertions'
import { expect, test, vi } from 'vitest'
import { assignmentOf } from '../checks/assignment-of.ts'
import type { CheckRecord } from '../checks/check-record.ts'
import { createManualRuns } from './manual-runs.ts'

const check: CheckRecord = {
  id: '01890000-0000-7000-8000-000000000001',
  accountId: '01890000-0000-7000-8000-000000000002',
  type: 'http',
  name: 'web',
  url: 'https://example.org/',
  target: null,
  intervalSeconds: 10,
  regions: ['fra', 'nrt'],
  allRegions: false,
  paused: false,
  private: false,
  assertions: noAssertions,
  config: { type: 'http' },
  revision: 3,
  validFromMs: 5,
  createdAtMs: 1,
  updatedAtMs: 5,
}

test('a region runs what is enabled, of a known type, and its own; nothing else', () => {
  expect(assignmentOf(check, 'fra')).toMatchObject({ region: 'fra', revision: 3, validFrom: 5 })
  expect(assignmentOf(check, 'iad')).toBeNull()
  expect(assignmentOf({ ...check, paused: true }, 'fra')).toBeNull()
  expect(assignmentOf({ ...check, type: 'tcp', url: null }, 'fra')).toBeNull()
})

test('the wait is two attempts and a second, and a bus that fails is a region unanswered', async () => {
  const request = vi.fn(async (region: string) => {
    if (region === 'fra') throw new Error('the bus is away')
    return 'timeout' as const
  })
  const log = { warn: vi.fn() }
  const runs = createManualRuns({
    runs: { request },
    now: () => 7,
    log,
    onDropped: () => undefined,
  })
  expect(await runs.ask(check)).toEqual({ readings: [], unanswered: ['fra', 'nrt'] })
  expect(request).toHaveBeenCalledWith(
    'fra',
    expect.objectContaining({ kind: 'manual', at: 7 }),
    9_000,
  )
  expect(log.warn).toHaveBeenCalledTimes(2)
})

test('first readings beyond the bound are dropped and counted, and close waits for the others', async () => {
  const answers: (() => void)[] = []
  const request = (): Promise<RunReply> =>
    new Promise((resolve) => answers.push(() => resolve({ agent: 'a', error: 'too busy' })))
  const onDropped = vi.fn()
  const log = { warn: vi.fn() }
  const runs = createManualRuns({ runs: { request }, now: () => 7, log, onDropped })
  for (let n = 0; n < 130; n++) runs.start(check)
  expect(answers).toHaveLength(256)
  expect(onDropped.mock.calls).toEqual([[2], [2]])
  let closed = false
  const closing = runs.close().then(() => (closed = true))
  expect(closed).toBe(false)
  for (const answer of answers) answer()
  await closing
  runs.start(check)
  expect(answers).toHaveLength(258)
})
