import { ErrorMarks, ErrorMarksQuery, errorMarksMax } from '../contracts/error-marks.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import {
  insertTestErrorIssues,
  insertTestErrorProject,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { getErrorMarks } from './get-error-marks.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const hourMs = 3_600_000

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
let accountId: string
let projectId: string
beforeEach(async () => {
  accountId = uuidv7(nowMs)
  await insertAccount(owner, { id: accountId, name: 'test', tier: 'scale', createdAtMs: nowMs })
  projectId = await insertTestErrorProject(owner, accountId, { createdAtMs: nowMs })
})

const marks = async (more: { account?: string; checkId?: string } = {}): Promise<ErrorMarks> => {
  const { account = accountId, checkId } = more
  const query = {
    since: new Date(nowMs - hourMs).toISOString(),
    until: new Date(nowMs).toISOString(),
    ...(checkId !== undefined && { checkId }),
  }
  return ErrorMarks.parse(await getErrorMarks({ sql, now: () => nowMs }, { accountId: account }, { query }))
}
const release = (name: string, atMs: number) => owner`
  insert into error_project_releases (project_id, release, account_id, first_seen)
  values (${projectId}, ${name}, ${accountId}, ${new Date(atMs)})`
const at = (ms: number) => ({ firstSeenMs: ms, lastSeenMs: nowMs })

test('lists the newest releases and issues and reports whether more exist', async () => {
  const times = Array.from({ length: errorMarksMax }, (_, n) => nowMs - n * 1_000)
  for (const [n, atMs] of times.entries()) await release(`web@${n}`, atMs)
  await insertTestErrorIssues(owner, { accountId, projectId }, times.map(at))
  const all = await marks()
  expect(all).toMatchObject({ allReleases: true, allIssues: true })
  await release('web@old', nowMs - hourMs)
  await insertTestErrorIssues(owner, { accountId, projectId }, [at(nowMs - hourMs)])
  expect(await marks()).toEqual({ ...all, allReleases: false, allIssues: false })
  expect(all.releases).toHaveLength(errorMarksMax)
  expect(all.issues.map((issue) => Date.parse(issue.at))).toEqual(times)
})

test('lists releases of the exact window and issues of five minutes more on either side', async () => {
  await release('before', nowMs - hourMs - 1)
  await release('first', nowMs - hourMs)
  await insertTestErrorIssues(owner, { accountId, projectId }, [
    { title: 'before', ...at(nowMs - hourMs - 300_001) },
    { title: 'first', ...at(nowMs - hourMs - 300_000) },
  ])
  const found = await marks()
  expect(found.releases.map((each) => each.release)).toEqual(['first'])
  expect(found.issues.map((each) => each.title)).toEqual(['first'])
})

test('reports a spike once when two rules found it', async () => {
  const [began, later] = [new Date(nowMs - 60_000), new Date(nowMs - 30_000)]
  for (const id of [uuidv7(nowMs), uuidv7(nowMs)]) {
    await owner`
      insert into error_rules (id, account_id, name, enabled, events, spike_of, spike_span_minutes,
        spike_events_min, spike_factor, email_users, created_at, updated_at)
      values (${id}, ${accountId}, 'x', true, '{spike}', 'project', 5, 1, 1, false, ${began}, ${began})`
    await owner`
      insert into error_spikes (id, account_id, rule_id, project_id, began_at, last_met_at, told)
      values (${uuidv7(nowMs)}, ${accountId}, ${id}, ${projectId}, ${began}, ${later}, true)`
  }
  const { issues } = await marks()
  expect(issues).toMatchObject([{ kind: 'spike', issueId: null, at: began.toISOString() }])
})

test('hides marks of other accounts', async () => {
  await release('mine', nowMs)
  await insertTestErrorIssues(owner, { accountId, projectId }, [at(nowMs)])
  const other = uuidv7(nowMs)
  await insertAccount(owner, { id: other, name: 'other', tier: 'scale', createdAtMs: nowMs })
  expect(await marks({ account: other })).toMatchObject({ releases: [], issues: [] })
  // a check of another account has no failures
  expect(await marks({ checkId: uuidv7(nowMs) })).toMatchObject({ spans: [], issues: [] })
})

test.each([
  ['92 days', '2026-08-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z', true],
  ['more than 92 days', '2026-08-20T11:59:59.999Z', '2026-11-20T12:00:00.000Z', false],
  ['1 ms', '2026-11-20T11:59:59.999Z', '2026-11-20T12:00:00.000Z', true],
  ['0 ms', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z', false],
  ['an invalid start', 'yesterday', '2026-11-20T12:00:00.000Z', false],
])('a query of %s (%s to %s) is valid: %s', (_, since, until, isValid) => {
  expect(ErrorMarksQuery.safeParse({ since, until }).success).toBe(isValid)
})
