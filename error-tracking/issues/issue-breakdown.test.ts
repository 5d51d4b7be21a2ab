import {
  ErrorFacets,
  ErrorIssueBreakdown,
  breakdownEventsMax,
  breakdownValuesMax,
} from '../contracts/error-breakdown.ts'
import type { OwnErrorIssuesQuery } from '../contracts/error-issue-acts.ts'
import { removedMark } from '../contracts/removed.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import {
  insertTestErrorIssues,
  insertTestErrorProject,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { ErrorEvent } from '../events/error-event.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertOccurrences } from '../persist/insert-occurrences.ts'
import { listOwnErrorIssues, setErrorIssueStatuses } from './error-issues.ts'
import { getErrorFacets, getErrorIssueBreakdown } from './issue-breakdown.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const log = pino({ level: 'silent' })

const clickhouse = useClickHouse()
let unavailable: ClickHouse
let accountId: string
let otherId: string
let projectId: string
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
beforeAll(async () => {
  unavailable = connectClickHouse('http://127.0.0.1:9')
  accountId = await newAccount()
  otherId = await newAccount()
})
beforeEach(async () => {
  projectId = await insertTestErrorProject(owner, accountId)
})
afterAll(async () => {
  await Promise.all([clickhouse.close(), unavailable.close()])
})

const newAccount = async (): Promise<string> => {
  const id = uuidv7(nowMs)
  await insertAccount(owner, { id, name: 'test', tier: 'scale', createdAtMs: nowMs })
  return id
}
const context = () => ({ sql, clickhouse, now: () => nowMs, log })
const issuesOf = async (...titles: string[]): Promise<string[]> => {
  const drafts = titles.map((title) => ({ title }))
  return (await insertTestErrorIssues(owner, { accountId, projectId }, drafts)).map(({ id }) => id)
}
const occur = (issueId: string, ...events: Partial<ErrorEvent>[]): Promise<void> => {
  const batch = uuidv7(nowMs)
  const rows = events.map((over, n) => ({
    event: aStoredEvent(projectId, { at: nowMs - n, ...over }),
    issueId,
    keepDays: 9_000,
  }))
  return insertOccurrences(clickhouse, rows, { batch, token: batch })
}
const done = <T>(answer: T | Refusal): T => {
  if (isRefusal(answer)) throw new Error(answer.refused)
  return answer
}
const breakdown = async (id: string): Promise<ErrorIssueBreakdown> =>
  ErrorIssueBreakdown.parse(done(await getErrorIssueBreakdown(context(), { accountId }, { params: { id } })))
const user = (fields: object): Partial<ErrorEvent> => ({ context: { user: fields } })

test('counts different users, and no removed or missing one', async () => {
  const [issue = ''] = await issuesOf('issue')
  await occur(
    issue,
    user({ id: 7 }),
    user({ id: 7, username: 'ada' }),
    user({ id: '7' }),
    user({ username: 'bob' }),
    user({ id: '', email: 'c@example.org' }),
    user({ email: removedMark('email') }),
    user({ email: removedMark('email'), ip_address: '192.0.2.1' }),
    user({ id: null }),
    { context: {} },
  )
  // 7, '7', bob, the kept address, the kept IP address
  expect(await breakdown(issue)).toMatchObject({ events: 9, users: 5 })
})

test('lists tags with level and environment, most frequent first, each with its most frequent values', async () => {
  const [issue = '', other = ''] = await issuesOf('issue', 'other')
  const many = Array.from({ length: breakdownValuesMax + 1 }, (_, n) => ({
    tags: { server: `s${n}`, level: 'of a tag' },
    level: 'warning',
    environment: null,
  }))
  await occur(issue, ...many, { tags: { server: 's3' }, environment: 'staging' }, { tags: {} })
  await occur(other, { tags: { elsewhere: 'x' } })
  const { tags } = await breakdown(issue)
  expect(tags.map(({ key, events }) => [key, events])).toEqual([
    ['level', 8],
    ['server', 7],
    ['environment', 2],
  ])
  expect(tags[0]?.values).toEqual([
    { value: 'warning', events: 6 },
    { value: 'error', events: 2 },
  ])
  expect(tags[1]?.values[0]).toEqual({ value: 's3', events: 2 })
  expect(tags[1]?.values).toHaveLength(breakdownValuesMax)
  expect(tags[2]?.values.map(({ value }) => value)).toEqual(['production', 'staging'])
})

test(`examines the newest ${breakdownEventsMax} events`, async () => {
  const [issue = ''] = await issuesOf('issue')
  const newer = Array.from({ length: breakdownEventsMax }, () => ({ tags: { age: 'new' } }))
  await occur(issue, ...newer, { tags: { age: 'old' }, ...user({ id: 'old' }) })
  const { events, users, tags } = await breakdown(issue)
  expect([events, users]).toEqual([breakdownEventsMax, 1])
  expect(tags.find(({ key }) => key === 'age')?.values).toEqual([
    { value: 'new', events: breakdownEventsMax },
  ])
})

test('searches by environment and level, together with the other filters', async () => {
  const [first = '', second = '', third = ''] = await issuesOf('first', 'second', 'third')
  await occur(first, { environment: 'production', level: 'fatal' }, { environment: 'staging' })
  await occur(second, { environment: 'staging', level: 'warning' })
  await occur(third, { environment: null, level: 'warning' })
  const titles = async (query: OwnErrorIssuesQuery): Promise<string[]> => {
    const found = await listOwnErrorIssues(context(), { accountId }, { params: { id: projectId }, query })
    return done(found)
      .issues.map(({ title }) => title)
      .toSorted()
  }
  expect(await titles({ environment: 'staging' })).toEqual(['first', 'second'])
  expect(await titles({ environment: 'STAGING' })).toEqual([])
  expect(await titles({ level: 'warning' })).toEqual(['second', 'third'])
  expect(await titles({ level: 'warning', environment: 'staging' })).toEqual(['second'])
  expect(await titles({ environment: 'staging', q: 'FIRST' })).toEqual(['first'])
  expect(await titles({})).toEqual(['first', 'second', 'third'])
  const without = { ...context(), clickhouse: unavailable }
  const refused = await listOwnErrorIssues(
    without,
    { accountId },
    { params: { id: projectId }, query: { level: 'error' } },
  )
  expect(refused).toMatchObject({ refused: 'SV-9002' })
})

test('lists releases and environments of a project, without environments while ClickHouse is unavailable', async () => {
  const [issue = ''] = await issuesOf('issue')
  await occur(issue, { environment: 'staging' }, {}, {}, { environment: '' })
  await owner`
    insert into error_project_releases (project_id, release, account_id, first_seen)
    values (${projectId}, 'a@1', ${accountId}, ${new Date(nowMs - 1)}),
      (${projectId}, 'a@2', ${accountId}, ${new Date(nowMs)})`
  const facets = async (of: Parameters<typeof getErrorFacets>[0]) =>
    ErrorFacets.parse(done(await getErrorFacets(of, { accountId }, { params: { id: projectId } })))
  const releases = ['a@2', 'a@1']
  expect(await facets(context())).toEqual({ releases, environments: ['production', 'staging'] })
  expect(await facets({ ...context(), clickhouse: unavailable })).toEqual({ releases, environments: null })
})

test('changes the given issues of one project in one write, with an audit entry each', async () => {
  const ids = await issuesOf('first', 'second', 'third')
  const secondProject = await insertTestErrorProject(owner, accountId)
  const [elsewhere] = await insertTestErrorIssues(owner, { accountId, projectId: secondProject }, [{}])
  const change = (of: string, body: object, account = accountId) =>
    setErrorIssueStatuses(
      context(),
      { accountId: account, actor: { kind: 'operator' } },
      { params: { id: of }, body: { inNextRelease: false, ...body } as never },
    )
  const given = [...ids.slice(0, 2), elsewhere?.id ?? '']
  const { changed } = done(await change(projectId, { ids: given, status: 'resolved' }))
  expect(changed.toSorted()).toEqual(ids.slice(0, 2).toSorted())
  const rows = await owner<{ id: string; status: string; resolved_at: Date | null }[]>`
    select id, status, resolved_at from error_issues where project_id in ${owner([projectId, secondProject])}`
  const resolved = rows.filter(({ status }) => status === 'resolved')
  expect(resolved.map(({ id }) => id).toSorted()).toEqual(changed.toSorted())
  expect(resolved.every(({ resolved_at: at }) => at?.getTime() === nowMs)).toBe(true)
  const audits = await owner`select from audit_log where account_id = ${accountId}
    and action = 'setErrorIssueStatus' and resource_id in ${owner(changed)}`
  expect(audits).toHaveLength(2)
  expect(await change(projectId, { ids: given, status: 'ignored' }, otherId)).toMatchObject({
    refused: 'SV-3001',
  })
})

test('another account finds nothing', async () => {
  const [issue = ''] = await issuesOf('issue')
  const caller = { accountId: otherId }
  expect(await getErrorIssueBreakdown(context(), caller, { params: { id: issue } })).toMatchObject({
    refused: 'SV-3001',
  })
  expect(await getErrorFacets(context(), caller, { params: { id: projectId } })).toMatchObject({
    refused: 'SV-3001',
  })
  const query = { environment: 'production' }
  expect(await listOwnErrorIssues(context(), caller, { params: { id: projectId }, query })).toMatchObject({
    refused: 'SV-3001',
  })
})
