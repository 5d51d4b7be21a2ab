import {
  errorReleasesMax,
  errorWindowMs,
  ErrorIssues,
  type ErrorIssuesQuery,
  type ErrorWindow,
} from '../contracts/error-tracking.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import fc from 'fast-check'
import pino from 'pino'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { insertOccurrences } from '../persist/insert-occurrences.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { searchErrorIssues } from './error-issues-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import {
  insertTestErrorIssues,
  insertTestErrorProject,
  type TestErrorIssue,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { getErrorIssue, filterOf, listErrorIssues } from './error-issues.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const hourMs = 3_600_000

const clickhouse = useClickHouse()
let accountId: string
let projectId: string
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
beforeAll(async () => {
  accountId = await newAccount()
})
beforeEach(async () => {
  projectId = await insertTestErrorProject(owner, accountId)
})

const newAccount = async (): Promise<string> => {
  const id = uuidv7(nowMs)
  await insertAccount(owner, { id, name: 'test', tier: 'scale', createdAtMs: nowMs })
  return id
}
const insert = (...issues: Partial<TestErrorIssue>[]): Promise<TestErrorIssue[]> =>
  insertTestErrorIssues(owner, { accountId, projectId }, issues)
const occur = (issueId: string, over: { projectId: string; message: string }): Promise<void> => {
  const event = aStoredEvent(over.projectId, { ...over, at: nowMs })
  const batch = uuidv7(nowMs)
  const row = { event, issueId, keepDays: 9_000 }
  return insertOccurrences(clickhouse, [row], { batch, token: batch })
}
const search = async (query: ErrorIssuesQuery = {}): Promise<ErrorIssues> => {
  const context = { sql, clickhouse, now: () => nowMs, log: pino({ level: 'silent' }) }
  const found = await listErrorIssues(context, { accountId }, { params: { id: projectId }, query })
  if (isRefusal(found)) throw new Error(found.refused)
  return ErrorIssues.parse(found)
}
const titles = async (query: ErrorIssuesQuery): Promise<string[]> =>
  (await search(query)).issues.map(({ title }) => title).toSorted()

describe('a search', () => {
  test('is empty and complete for a project without issues', async () => {
    expect(await search()).toEqual({ issues: [], total: 0, complete: true, nextCursor: null })
  })

  test('returns a stored issue with its most frequent releases first', async () => {
    const releases = [
      { release: 'web@1', occurrences: 2 },
      { release: 'web@3', occurrences: 5 },
      { release: 'web@2', occurrences: 5 },
    ]
    const [issue] = await insert({
      culprit: null,
      status: 'ignored',
      occurrences: 3_000_000_000,
      firstSeenMs: nowMs - 40 * 24 * hourMs,
      lastSeenMs: nowMs - 1,
      releases,
    })
    expect((await search()).issues).toEqual([
      {
        id: issue?.id,
        projectId,
        title: 'TypeError: x is undefined',
        culprit: null,
        status: 'ignored',
        occurrences: 3_000_000_000,
        firstSeen: '2026-10-11T12:00:00.000Z',
        lastSeen: '2026-11-20T11:59:59.999Z',
        releases: [releases[2], releases[1], releases[0]],
        recent: [],
      },
    ])
  })

  test(`returns at most the ${errorReleasesMax} most frequent releases of each issue`, async () => {
    const many = Array.from({ length: errorReleasesMax + 1 }, (_, n) => ({
      release: `web@${n}`,
      occurrences: n + 1,
    }))
    await insert({ releases: many }, { releases: many.slice(0, 2) })
    const { issues } = await search()
    const counts = issues.map(({ releases }) => releases.map(({ occurrences }) => occurrences))
    expect(counts.toSorted((a, b) => a.length - b.length)).toEqual([
      [2, 1],
      Array.from({ length: errorReleasesMax }, (_, n) => errorReleasesMax + 1 - n),
    ])
  })

  test.each([
    ['%', ['100% full']],
    ['_', ['snake_case']],
    ['\\', ['C:\\temp']],
    ['\\%', []],
    ['.*', []],
    ["'", ["can't"]],
    ['FULL', ['100% full']],
    ['écho', ['ÉCHO']],
    ['in TEMPLATE', ["can't"]],
    ['', ['100% full', 'C:\\temp', "can't", 'snake_case', 'ÉCHO']],
  ])('finds %j as literal text in title and culprit, case-insensitive', async (q, expected) => {
    await insert(
      { title: '100% full' },
      { title: 'snake_case', culprit: null },
      { title: 'C:\\temp' },
      { title: "can't", culprit: 'f in Template' },
      { title: 'ÉCHO' },
    )
    expect(await titles({ q })).toEqual(expected)
  })

  test('finds text in occurrence messages of the same project only', async () => {
    const [first, second] = await insert({ title: 'first' }, { title: 'an ORDER' })
    const elsewhere = await insertTestErrorProject(owner, accountId)
    await occur(first?.id ?? '', { projectId, message: 'no basket in Order 17, é' })
    await occur(second?.id ?? '', { projectId, message: 'all is well' })
    await occur(second?.id ?? '', { projectId: elsewhere, message: 'no basket' })
    expect(await titles({ q: 'NO BASKET' })).toEqual(['first'])
    expect(await titles({ q: 'order' })).toEqual(['an ORDER', 'first'])
    expect(await titles({ q: '17, É' })).toEqual(['first'])
    expect(await titles({ q: 'order 1_' })).toEqual([])
    expect(await titles({ q: 'basket', release: 'web@1' })).toEqual([])
  })

  test('reports an incomplete result when messages cannot be searched', async () => {
    await insert({ title: 'first' }, { title: 'second' })
    const unavailable = connectClickHouse('http://127.0.0.1:9')
    const context = { sql, clickhouse: unavailable, now: () => nowMs, log: pino({ level: 'silent' }) }
    const list = (query: ErrorIssuesQuery) =>
      listErrorIssues(context, { accountId }, { params: { id: projectId }, query })
    expect(await list({ q: 'first' })).toMatchObject({ total: 1, complete: false })
    expect(await list({})).toMatchObject({ total: 2, complete: true })
    await unavailable.close()
  })

  test('matches a release exactly', async () => {
    await insert(
      {
        title: 'both',
        releases: ['web@1', 'web@10'].map((release) => ({ release, occurrences: 1 })),
      },
      { title: 'ten', releases: [{ release: 'web@10', occurrences: 1 }] },
      { title: 'none' },
    )
    expect(await titles({ release: 'web@1' })).toEqual(['both'])
    expect(await titles({ release: 'web@10' })).toEqual(['both', 'ten'])
    expect(await titles({ release: 'WEB@1' })).toEqual([])
    expect(await titles({ release: 'web@%' })).toEqual([])
    expect(await titles({ release: '' })).toEqual([])
  })

  test.each(Object.entries(errorWindowMs))(
    'limits a window of %s by the last seen time',
    async (window, ms) => {
      const firstSeenMs = nowMs - 60 * 24 * hourMs
      await insert(
        { title: 'at its edge', firstSeenMs, lastSeenMs: nowMs - ms },
        { title: 'beyond it', firstSeenMs, lastSeenMs: nowMs - ms - 1 },
      )
      expect(await titles({ window: window as ErrorWindow })).toEqual(['at its edge'])
    },
  )

  test('has each issue once over its pages, and the exact total on each', async () => {
    // two were seen at one instant: their order is by id
    await insert(...[1, 2, 2, 3, 4].map((back) => ({ lastSeenMs: nowMs - back * 1_000 })))
    const all = (await search()).issues.map(({ id }) => id)
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await search({ limit: 2, cursor })
      expect(page).toMatchObject({ total: 5, complete: false })
      ids.push(...page.issues.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(ids).toEqual(all)
  })

  test.each([
    [3, 3, true],
    [2, 2, false],
    [4, 3, true],
  ])('with limit %i of three issues returns %i and complete: %s', async (limit, shown, complete) => {
    await insert({}, {}, {})
    const found = await search({ limit })
    expect(found).toMatchObject({ total: 3, complete })
    expect(found.issues).toHaveLength(shown)
  })

  test('returns 50 issues by default', async () => {
    await insert(...Array.from({ length: 51 }, () => ({})))
    const found = await search()
    expect([found.issues.length, found.total, found.complete]).toEqual([50, 51, false])
  })

  test('returns issues of the requested project only', async () => {
    const other = await newAccount()
    const ofOther = await insertTestErrorProject(owner, other)
    const second = await insertTestErrorProject(owner, accountId)
    await insertTestErrorIssues(owner, { accountId: other, projectId: ofOther }, [{}])
    await insertTestErrorIssues(owner, { accountId, projectId: second }, [{ title: 'second' }])
    const [mine] = await insert({})
    expect((await search()).issues.map(({ id }) => id)).toEqual([mine?.id])
    const context = { sql, clickhouse, now: () => nowMs, log: pino({ level: 'silent' }) }
    for (const [account, id] of [
      [accountId, ofOther],
      [other, projectId],
      [accountId, uuidv7(nowMs)],
    ] as const) {
      const call = { params: { id }, query: {} }
      const refused = await listErrorIssues(context, { accountId: account }, call)
      expect(refused).toMatchObject({ refused: 'SV-3001' })
    }
    const params = { id: mine?.id ?? '' }
    expect(await getErrorIssue(context, { accountId }, { params })).toMatchObject(params)
    expect(await getErrorIssue(context, { accountId: other }, { params })).toMatchObject({
      refused: 'SV-3001',
    })
  })
})

/** Few letters, so that texts match often, and the special characters of LIKE. */
const text = (maxLength: number) =>
  fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', '%', '_', '\\', ' '),
    maxLength,
  })
const status = fc.constantFrom('unresolved' as const, 'resolved' as const, 'ignored' as const)
const release = fc.constantFrom('a', 'A', 'a%', 'b_')
const agoMs = fc.constantFrom(
  0,
  1,
  hourMs,
  hourMs + 1,
  23 * hourMs,
  24 * hourMs + 1,
  167 * hourMs,
  719 * hourMs,
  721 * hourMs,
)
const anIssue = fc
  .record({
    title: text(6),
    culprit: fc.option(text(6)),
    status,
    occurrences: fc.integer({ min: 1, max: 1_000 }),
    agoMs,
    releases: fc.uniqueArray(release, { maxLength: 3 }),
  })
  .map(({ agoMs, releases, ...issue }) => ({
    ...issue,
    lastSeenMs: nowMs - agoMs,
    releases: releases.map((release) => ({ release, occurrences: 1 })),
  }))
const aQuery: fc.Arbitrary<ErrorIssuesQuery> = fc.record(
  {
    q: text(2),
    release,
    status,
    window: fc.constantFrom('1h' as const, '24h' as const, '7d' as const, '30d' as const),
    limit: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: [] },
)

const matches = (issue: TestErrorIssue, query: ErrorIssuesQuery, inMessage: boolean): boolean => {
  const { q = '', release, status, window } = query
  const contains = (part: string | null): boolean =>
    part !== null && part.toLowerCase().includes(q.toLowerCase())
  return (
    (inMessage || contains(issue.title) || contains(issue.culprit)) &&
    (release === undefined || issue.releases.some((one) => one.release === release)) &&
    (status === undefined || issue.status === status) &&
    (window === undefined || nowMs - issue.lastSeenMs <= errorWindowMs[window])
  )
}

test('any search returns the issues, order and total of a brute-force search', async () => {
  const issues = fc.array(anIssue, { maxLength: 15 })
  const query = fc.tuple(aQuery, fc.infiniteStream(fc.boolean()))
  const queries = fc.array(query, { minLength: 5, maxLength: 15 })
  await forAllAsync([issues, queries], { numRuns: 60 }, async (drafts, queries) => {
    projectId = await insertTestErrorProject(owner, accountId)
    const stored = await insert(...drafts)
    for (const [query, matchesMessage] of queries) {
      const matching = query.q === undefined ? [] : stored.filter(() => matchesMessage.next().value)
      const expected = stored
        .filter((issue) => matches(issue, query, matching.includes(issue)))
        .toSorted((a, b) => b.lastSeenMs - a.lastSeenMs || (a.id < b.id ? 1 : -1))
      const filter = { ...filterOf(query, nowMs), matchingIds: matching.map(({ id }) => id) }
      const limit = query.limit ?? 50
      const found = await inAccount(sql, accountId, (tx) =>
        searchErrorIssues(tx, accountId, projectId, filter, limit),
      )
      expect(found.issues.map(({ id }) => id)).toEqual(expected.slice(0, limit).map(({ id }) => id))
      expect(found.total).toBe(expected.length)
    }
  })
})
