import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAssignmentTable } from '../ownership/assignment-table.ts'
import { createScheduler } from '../schedule/scheduler.ts'
import { linesSlack, openAssignmentCache } from './assignment-cache.ts'
import { lineBytesMax, readLines } from './lines.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-cache-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const path = () => join(directory, 'lines')
const text = () => (existsSync(path()) ? readFileSync(path(), 'utf8') : '')
const linesOnDisk = () => text().split('\n').length - 1

/** The cache part of one agent process. */
const live = () => {
  const setTimer = () => () => undefined
  const scheduler = createScheduler({ now: () => 0, setTimer, onDue: () => undefined })
  const table = createAssignmentTable('fra-1', scheduler, 0)
  let dropped = 0
  const errors: string[] = []
  const cache = openAssignmentCache({
    directory,
    region: 'fra',
    table,
    log: { ...silentLogger, error: (_, message) => errors.push(message) },
    onDropped: (lines) => {
      dropped += lines
    },
  })
  const put = (assignment: Assignment) => {
    if (table.put(assignment, { catchUp: false })) cache.put(assignment)
  }
  const remove = (checkId: string) => {
    if (table.remove(checkId)) cache.remove(checkId)
  }
  const held = () => [...table.assignments()]
  return { cache, put, remove, held, errors, dropped: () => dropped }
}

describe('the cache of assignments', () => {
  test('restores the last state of each assignment, without removed ones', () => {
    const [kept, changed, removed] = [anAssignment(), anAssignment(), anAssignment()]
    const first = live()
    for (const each of [kept, changed, removed]) first.put(each)
    first.put({ ...changed, revision: 2, intervalSeconds: 30 })
    first.remove(removed.checkId)
    first.cache.close()
    const second = live()
    expect(second.held()).toHaveLength(2)
    expect(second.held()).toEqual(
      expect.arrayContaining([kept, { ...changed, revision: 2, intervalSeconds: 30 }]),
    )
    expect([second.dropped(), first.dropped()]).toEqual([0, 0])
    second.cache.close()
  })

  test('is written soon, without a close, and does not grow by unchanged assignments', async () => {
    const assignment = anAssignment()
    const first = live()
    first.put(assignment)
    first.put(structuredClone(assignment))
    await vi.waitFor(() => expect(linesOnDisk()).toBe(1))
    first.cache.close()
    const second = live()
    second.put(structuredClone(assignment))
    second.cache.close()
    expect(linesOnDisk()).toBe(1)
  })

  test('is rewritten when most of its lines are obsolete', async () => {
    const life = live()
    const [kept, other] = [anAssignment(), anAssignment()]
    life.put(kept)
    for (let revision = 1; revision <= linesSlack + 10; revision++) {
      life.put({ ...other, revision })
      if (revision % 100 === 0) {
        const written = `"revision":${revision},`
        await vi.waitFor(() => expect(text()).toContain(written), { interval: 2 })
      }
    }
    await vi.waitFor(() => expect(linesOnDisk()).toBeLessThan(20))
    const added = anAssignment()
    life.put(added)
    life.cache.close()
    const next = live()
    expect(next.held().map(({ revision }) => revision)).toEqual([1, linesSlack + 10, 1])
    expect(existsSync(`${path()}.new`)).toBe(false)
    next.cache.close()
  })

  test('keeps a change during a rewrite', async () => {
    const life = live()
    const assignments = Array.from({ length: 3_000 }, () => anAssignment())
    for (const each of assignments) life.put(each)
    await vi.waitFor(() => expect(linesOnDisk()).toBe(3_000))
    for (const each of assignments.slice(10)) life.remove(each.checkId)
    await vi.waitFor(() => expect(existsSync(`${path()}.new`)).toBe(true), { interval: 1 })
    const added = anAssignment()
    life.put(added)
    life.remove(assignments[0]?.checkId ?? '')
    await vi.waitFor(() => expect(linesOnDisk()).toBeLessThan(100))
    life.cache.close()
    const next = live()
    expect(new Set(next.held().map(({ checkId }) => checkId))).toEqual(
      new Set([...assignments.slice(1, 10), added].map(({ checkId }) => checkId)),
    )
    next.cache.close()
  })

  test('skips and counts a torn end, and keeps later lines', () => {
    const first = live()
    const [kept, torn] = [anAssignment(), anAssignment()]
    first.put(kept)
    first.put(torn)
    first.cache.close()
    truncateSync(path(), text().length - 20)
    const second = live()
    expect([second.held(), second.dropped()]).toEqual([[kept], 1])
    const added = anAssignment()
    second.put(added)
    second.cache.close()
    const third = live()
    expect([third.held(), third.dropped()]).toEqual([[kept, added], 1])
    third.cache.close()
  })

  test.each([
    ['not JSON'],
    ['null'],
    ['{"put":null}'],
    ['{"put":{"checkId":"x"}}'],
    ['{"removed":17}'],
    ['{"kept":"0199f3a1-7c00-7000-8000-000000000001"}'],
    [JSON.stringify({ put: anAssignment({ region: 'iad' }) })],
    [JSON.stringify({ put: { ...anAssignment(), revision: 'newest' } })],
    ['x'.repeat(lineBytesMax + 1)],
    [''],
  ])('a line that tells nothing is skipped and counted: %.40s', (line) => {
    const kept = [anAssignment(), anAssignment()]
    const lines = [JSON.stringify({ put: kept[0] }), line, JSON.stringify({ put: kept[1] })]
    writeFileSync(path(), `${lines.join('\n')}\n`)
    const life = live()
    expect([life.held(), life.dropped()]).toEqual([kept, 1])
    life.cache.close()
  })

  test('finds lines wherever the chunks of the file end', () => {
    const assignments = Array.from({ length: 5_000 }, () => anAssignment())
    writeFileSync(path(), '')
    appendFileSync(path(), assignments.map((put) => `${JSON.stringify({ put })}\n`).join(''))
    expect(text().length).toBeGreaterThan(1024 * 1024)
    expect(readLines(path(), 'fra').assignments).toEqual(assignments)
  })

  test('logs a failing disk once, counts the losses, and keeps working', () => {
    mkdirSync(path())
    const life = live()
    life.put(anAssignment())
    life.put(anAssignment())
    life.cache.close()
    expect(life.held()).toHaveLength(2)
    expect([life.errors.length, life.dropped()]).toEqual([1, 3])
  })

  test('writes everything when the disk works again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      mkdirSync(path())
      const life = live()
      const assignments = [anAssignment(), anAssignment()]
      for (const each of assignments) life.put(each)
      rmSync(path(), { recursive: true })
      await vi.advanceTimersByTimeAsync(61_000)
      expect(readLines(path(), 'fra').assignments).toEqual(assignments)
      life.put(anAssignment())
      life.cache.close()
      expect(linesOnDisk()).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })
})

const program = fileURLToPath(new URL('../testing/caching-agent.ts', import.meta.url))

test('kill -9 while assignments change, several times, always leaves a readable cache', async () => {
  let [newest, torn] = [0, 0]
  for (const killAfterMs of [160, 275, 431]) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await delay(killAfterMs)
    child.kill('SIGKILL')
    await once(child, 'close')
    const cached = readLines(path(), 'fra')
    // a line that an earlier end tore stays until the file is rewritten
    torn += cached.isTorn ? 1 : 0
    expect(cached.unreadable).toBeLessThanOrEqual(torn)
    expect(cached.assignments.length).toBeGreaterThan(100)
    const revisions = cached.assignments.map(({ revision }) => revision)
    expect(new Set(revisions).size).toBe(revisions.length)
    expect(Math.max(...revisions)).toBeGreaterThan(newest)
    newest = Math.max(...revisions)
  }
})
