import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findRecentOccurrences } from '../issues/occurrences-query.ts'
import { debugIdA, smallMap } from '../source-maps/testing/zip.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import { encodeErrorsMessage } from '../events/errors-message.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import {
  deleteSourceMapUpload,
  deleteUnusedMaps,
  insertSourceMap,
  purgeSourceMaps,
} from '../source-maps/error-source-maps-store.ts'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { PersistStep } from './context.ts'
import { startErrorPersister, type ErrorPersister } from './persister.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()

let folder: string
let bus: Bus
let registry: Registry
let accountId: string
let projectId: string
let persisters: ErrorPersister[]
let resumed: ReturnType<typeof Promise.withResolvers<void>>
beforeEach(async () => {
  await sql`delete from error_source_maps`
  resumed = Promise.withResolvers()
  folder = testFolder('persist-maps-')
  bus = await openInProcessBus({ directory: folder })
  registry = new Registry()
  accountId = uuidv7(Date.now())
  await insertAccount(sql, { id: accountId, name: 'a', tier: 'scale', createdAtMs: Date.now() })
  projectId = await insertTestErrorProject(sql, accountId)
  persisters = []
})
afterEach(async () => {
  // the stopped persister continues, without its lease
  resumed.resolve()
  await Promise.all(persisters.map((persister) => persister.close()))
  await bus.close()
})

const start = async (
  onStep: (step: PersistStep) => Promise<void> = () => Promise.resolve(),
  of = registry,
): Promise<void> => {
  const persister = startErrorPersister({
    sql,
    clickhouse,
    bus,
    tiers: tiersDefault,
    registry: of,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStep,
  })
  persisters.push(persister)
  for (const lease of await acquireTestLeases(sql)) persister.take(lease)
}
const upload = async (json = smallMap(), nowMs = Date.now()): Promise<string> => {
  const uploadId = randomUUID()
  const map = { accountId, projectId, debugId: debugIdA, uploadId, file: '~/app.js.map' }
  const packed = gzipSync(json)
  await sql.begin((tx) =>
    insertSourceMap(tx, { ...map, id: randomUUID(), release: null, packed, readBytes: 1 }, nowMs),
  )
  return uploadId
}
const remove = (uploadId: string) =>
  sql.begin((tx) => deleteSourceMapUpload(tx, { accountId, projectId, uploadId }, Date.now() - 60_000))
const minified: NonNullable<ErrorEvent['minified']> = {
  debugIds: [debugIdA],
  modules: [null],
  isThrown: true,
  template: null,
  fingerprint: null,
  scrub: { names: [], keepAddresses: false },
}
const report = async (): Promise<ErrorEvent> => {
  const frames = [{ file: '/dist/app.js', function: 't', line: 1, column: 1, inApp: true }]
  const event = aStoredEvent(projectId, { frames, minified })
  await bus.errors.publish({
    partition: errorPartitionOf(projectId),
    messageId: randomUUID(),
    data: encodeErrorsMessage({ kind: 'event', event }),
  })
  return event
}
/** The culprit and the occurrences of the only issue. */
const settledIssue = async (occurrences: number) => {
  const rows = await vi.waitFor(async () => {
    const found = await sql<{ id: string; culprit: string; occurrences: number }[]>`
      select id, culprit, occurrences::integer from error_issues where project_id = ${projectId}`
    expect(found.reduce((sum, issue) => sum + issue.occurrences, 0)).toBe(occurrences)
    return found
  })
  expect(rows).toHaveLength(1)
  const [issue] = rows
  const recent = await findRecentOccurrences(clickhouse, { id: issue?.id ?? '', projectId }, 10)
  return { culprit: issue?.culprit, recent }
}
/** Runs a persister that stops after a step, then `meanwhile`, then another persister. */
const stopAfter = async (crashStep: PersistStep, meanwhile: () => Promise<unknown>): Promise<void> => {
  const stopped = Promise.withResolvers<void>()
  await start(async (step) => {
    if (step !== crashStep) return
    stopped.resolve()
    await resumed.promise
  }, new Registry())
  await stopped.promise
  await meanwhile()
  await start()
}
const original = { file: 'src/cart.ts', line: 2, column: 3, inApp: true }

test.each(['recorded', 'inserted'] as const)(
  'a batch replayed after "%s" uses the source maps of its first decision',
  async (step) => {
    const uploadId = await upload()
    await report()
    await stopAfter(step, async () => {
      await remove(uploadId)
      await purgeSourceMaps(sql, Date.now(), 100)
      // a different map for the same built file
      await upload(smallMap({ sources: ['other.ts'] }))
    })
    const { culprit, recent } = await settledIssue(1)
    expect(culprit).toBe('src/cart.ts')
    expect(recent).toHaveLength(1)
    expect(recent[0]).toMatchObject({
      frames: [original],
      context: {
        sourceMaps: { minified: [{ frame: 0, file: '/dist/app.js', line: 1, column: 1 }] },
        source: [{ frame: 0, source: '  pay(1)' }],
      },
    })
    // no batch needs the map any more
    await vi.waitFor(async () => expect(await purgeSourceMaps(sql, Date.now(), 100)).toBe(1))
  },
)

test('a source map uploaded after the decision applies to later batches only', async () => {
  const first = await report()
  await stopAfter('recorded', () => upload())
  expect((await settledIssue(1)).recent).toMatchObject([
    {
      id: first.eventId,
      frames: [{ file: '/dist/app.js', function: 't' }],
      context: { sourceMaps: { unresolved: [{ frame: 0, debugId: debugIdA }] } },
    },
  ])
  await report()
  await vi.waitFor(async () => {
    const issues = await sql`select culprit from error_issues where project_id = ${projectId}`
    expect(issues.map(({ culprit }) => culprit).toSorted()).toEqual(['render', 'src/cart.ts'])
  })
})

test('counts an unreadable source map and marks the unchanged frames', async () => {
  await upload('{"version":3')
  await report()
  await start()
  const { culprit, recent } = await settledIssue(1)
  expect(culprit).toBe('render')
  expect(recent).toMatchObject([
    {
      frames: [{ file: '/dist/app.js', function: 't', line: 1 }],
      context: {
        sourceMaps: {
          unresolved: [{ frame: 0, why: 'the source map of this debug id cannot be read' }],
        },
      },
    },
  ])
  expect(await registry.metrics()).toContain('error_source_maps_broken_total 1')
})

test('deletes source maps that are unused for 90 days and keeps recently used ones', async () => {
  const day = 86_400_000
  const now = Date.now()
  await upload(smallMap(), now - 91 * day)
  await report()
  await start()
  await settledIssue(1)
  expect(await deleteUnusedMaps(sql, now - 90 * day, now, 100)).toBe(0)
  expect(await deleteUnusedMaps(sql, now + day, now, 100)).toBe(1)
  expect(await purgeSourceMaps(sql, now, 100)).toBe(0)
  expect(await purgeSourceMaps(sql, now + 1, 100)).toBe(1)
})
