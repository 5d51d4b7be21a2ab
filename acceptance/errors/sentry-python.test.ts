import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findPythonModule } from './testing/debian-python.ts'
import { startErrorSystem, type ErrorSystem } from './error-system.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('report.py', import.meta.url))
/** All pure Python, for any Python 3. */
const packages = ['python3-sentry-sdk', 'python3-urllib3', 'python3-certifi', 'python3-six'] as const
const fetchMsMax = 300_000

let system: ErrorSystem
let modules: string
beforeAll(async () => {
  modules = await findPythonModule('sentry_sdk', packages)
  system = await startErrorSystem()
}, fetchMsMax)
afterAll(() => system?.close())

/** Runs the program. @returns the ids of its events, in the order of sending */
const report = async (dsn: string, what: 'errors' | 'others' | 'many'): Promise<string[]> => {
  const env = { ...process.env, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await run('python3', [program, dsn, what], { env })
  return JSON.parse(stdout) as string[]
}

test('issues show errors as sentry_sdk sent them', async () => {
  const project = await system.project()
  const ids = await report(project.dsn, 'errors')
  expect(ids).toHaveLength(2)
  await vi.waitFor(async () => expect(await project.counts()).toEqual({ stored: 2 }))
  const issues = await project.issues()
  const read = issues.flatMap(({ recent }) => recent as Record<string, unknown>[])
  expect(read.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(issues.map(({ title }) => title).toSorted()).toEqual([
    'ZeroDivisionError: division by zero',
    'nothing is left of shoes',
  ])
  const thrown = read.find(({ id }) => id === ids[0])
  expect(thrown).toMatchObject({
    release: 'shop@4.0.0',
    message: 'division by zero',
    frames: [
      { function: 'pay', file: expect.stringContaining('report.py'), inApp: true },
      { function: 'errors' },
    ],
    context: {
      type: 'ZeroDivisionError',
      platform: 'python',
      environment: 'production',
      tags: { shop: 'berlin' },
      user: { id: '17' },
      breadcrumbs: [{ category: 'cart', message: 'put in' }],
    },
  })
  expect(JSON.stringify(issues)).not.toContain('hunter2')
  expect(JSON.stringify(issues)).not.toContain('someone@example.com')
})

test('counts other items of sentry_sdk by type', async () => {
  const project = await system.project()
  const ids = await report(project.dsn, 'others')
  expect(ids).toHaveLength(1)
  await vi.waitFor(async () => {
    expect(await project.counts()).toEqual({ stored: 1 })
    expect(await project.unsupported()).toMatchObject({ transaction: 1, attachment: 1 })
    expect(Object.keys(await project.unsupported())).toContainEqual(expect.stringMatching(/^sessions?$/))
  })
  expect((await project.issues())[0]).toMatchObject({ recent: [{ id: ids[0] }] })
})

test('after a used up quota sentry_sdk stops sending events and reports its drops', async () => {
  const project = await system.project('free')
  await system.spend(project, tiersDefault.free.errorEventsPerMonth)
  // the ingest knows the used up quota some seconds later; until then the persister drops the events
  let sent = 0
  await vi.waitFor(async () => {
    sent += (await report(project.dsn, 'many')).length
    expect((await project.reported())['ratelimit_backoff error']).toBeGreaterThan(0)
  }, 25_000)
  await vi.waitFor(async () => {
    const { stored, ...drops } = await project.counts()
    expect(stored).toBe(tiersDefault.free.errorEventsPerMonth)
    const held = (await project.reported())['ratelimit_backoff error'] ?? 0
    expect(drops).toEqual({ quota: sent - held })
  })
}, 60_000)
