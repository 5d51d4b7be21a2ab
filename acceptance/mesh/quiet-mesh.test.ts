import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { QuietReport } from './testing/without-internet.ts'

/**
 * A first start without internet, in a network namespace that has no way out: the mesh measures nothing, says so to
 * its operator once, and to no account.
 */

const minutes = Number(process.env['QUIET_MINUTES'] ?? 60)
const timeout = (minutes + 10) * 60_000
const script = fileURLToPath(new URL('testing/without-internet.ts', import.meta.url))
const folder = testFolder('quiet-')
let report: QuietReport

beforeAll(async () => {
  const namespaces = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
  const args = [...namespaces, process.execPath, script, folder, String(minutes)]
  const { stdout } = await promisify(execFile)('unshare', args, { timeout, maxBuffer: 64 * 1024 * 1024 })
  report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as QuietReport
}, timeout)
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }))

test(`${minutes} min without internet: one notice to the operator at most`, async (context) => {
  const { notices, received, deliveries } = report
  expect(notices.length).toBeLessThanOrEqual(1)
  expect(deliveries.operator).toBeLessThanOrEqual(1)
  expect(received.operator.length).toBeLessThanOrEqual(1)
  await recordFigure(
    context,
    `${minutes} min: ${notices.length} notices, ${received.operator.length} messages to the operator, ${received.account.length} to accounts; ${report.down} down`,
  )
})

test('no message to channels and members of accounts', () => {
  expect(report.received.account).toEqual([])
  expect(report.deliveries.account).toBe(0)
})

test('nothing is down, and no reading says anything about a target', () => {
  expect(report.down).toBe(0)
  expect(report.measured).toBe(0)
})
