import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertOccurrences } from '../persist/insert-occurrences.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertTestErrorIssues } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { mainOf, withoutOwnScript } from '@probe-mesh/web/src/testing/flat'
import { hostile, publisherOf } from '@probe-mesh/web/src/testing/publisher'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'

const hourMs = 3_600_000
const minuteMs = 60_000

const store = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: store.url, config: { budgetScale: 100 } }))
const away = useTestWeb({ config: { budgetScale: 100 } })

const projectOf = async (member: Visitor, name = hostile): Promise<string> => {
  const made = await member.post('/dashboard/errors', { name, platform: 'node' })
  return String(/errors\/([\w-]{36})$/.exec(made.to ?? '')?.[1])
}
const store24 = async (projectId: string, issueId: string, at: number, count: number) => {
  const client = connectClickHouse(store.url)
  const rows = Array.from({ length: count }, () => ({
    event: aStoredEvent(projectId, { at, receivedAt: at }),
    issueId,
    keepDays: 90,
  }))
  const batch = crypto.randomUUID()
  await insertOccurrences(client, rows, { batch, token: batch })
  await client.close()
}

test('lists issues with their events by hour and shows one with its events by day', async () => {
  const member = await web.member()
  const projectId = await projectOf(member)
  const nowMs = web.at.now()
  const issues = await insertTestErrorIssues(web.at.sql, { accountId: member.accountId, projectId }, [
    { title: 'loud' },
    { title: 'silent' },
  ])
  const [loud, silent] = issues.map(({ id }) => id)
  const hourAt = Math.floor(nowMs / hourMs) * hourMs - 2 * hourMs
  await store24(projectId, loud ?? '', hourAt, 7)
  await store24(projectId, loud ?? '', hourAt - 3 * hourMs, 2)
  // not of these 24 hours
  await store24(projectId, loud ?? '', nowMs - 25 * hourMs, 4)
  const { text } = await member.get(`/dashboard/errors/${projectId}`)
  expect(text).toContain('aria-label="9 events in 24 hours; most 2 hours ago: 7"')
  expect(text).toContain('<title>5 hours ago: 2</title>')
  expect(text).toContain('aria-label="No events in 24 hours"')
  expect(text).toContain('24 h ago')
  const page = await member.get(`/dashboard/errors/${projectId}/issues/${loud}`)
  expect(page.text).toContain('13 stored events in')
  const none = await member.get(`/dashboard/errors/${projectId}/issues/${silent}`)
  expect(none.text).toContain('0 stored events in')
})

test('lists issues without bars, and says so, when hourly counts cannot be read', async () => {
  const member = await away.member()
  const projectId = await projectOf(member)
  await insertTestErrorIssues(away.at.sql, { accountId: member.accountId, projectId }, [{ title: 'known' }])
  const { status, text } = await member.get(`/dashboard/errors/${projectId}`)
  expect(status).toBe(200)
  expect(text).toContain('<bdi>known</bdi>')
  expect(text).toContain('hourly counts could not be read')
  expect(text).not.toContain('class="count-bars"')
})

const release = (projectId: string, accountId: string, name: string, atMs: number) => web.at.sql`
  insert into error_project_releases (project_id, release, account_id, first_seen)
  values (${projectId}, ${name}, ${accountId}, ${new Date(atMs)})`

test("shows on a check's page the releases of its time and the issues that began while it failed", async () => {
  const owner = await publisherOf(web)
  const { accountId } = owner
  const checkId = await owner.check('shop')
  const projectId = await projectOf(owner)
  const nowMs = Date.now()
  await release(projectId, accountId, `${hostile}@1`, nowMs - hourMs)
  await release(projectId, accountId, 'too-old@1', nowMs - 25 * hourMs)
  const downMs = nowMs - 5 * hourMs
  const flip = (version: number, to: string, atMs: number) => web.at.sql`
    insert into flips (id, check_id, version, from_status, to_status, reason, at)
    values (${uuidv7(atMs)}, ${checkId}, ${version}, 'unknown', ${to}, null, ${new Date(atMs)})`
  const path = `/dashboard/checks/${checkId}?range=24h`
  expect((await owner.get(path)).text).not.toContain('Errors during this outage')
  await flip(1, 'down', downMs)
  await flip(2, 'operational', downMs + 10 * minuteMs)
  const at = (ms: number) => ({ firstSeenMs: ms, lastSeenMs: nowMs })
  const made = await insertTestErrorIssues(web.at.sql, { accountId, projectId }, [
    { title: 'began with it', ...at(downMs + minuteMs) },
    { title: 'began at the edge', ...at(downMs - 5 * minuteMs) },
    { title: 'began before', ...at(downMs - 5 * minuteMs - 1) },
    { title: 'began after', ...at(downMs + 15 * minuteMs + 1) },
    { title: 'came back', ...at(downMs - 48 * hourMs) },
  ])
  await web.at.sql`
    update error_issues set regressed_at = ${new Date(downMs)} where id = ${made[4]?.id ?? ''}`
  const { text, raw } = await owner.get(path)
  expect(withoutOwnScript(raw)).not.toContain('<script')
  expect(text).toContain('Releases in this time, newest first')
  expect(text).toContain('<th scope="row">r1</th>')
  expect(text).not.toContain('too-old@1')
  for (const title of ['began with it', 'began at the edge', 'came back']) {
    expect(text).toContain(`<bdi>${title}</bdi>`)
  }
  for (const title of ['began before', 'began after']) expect(text).not.toContain(title)
})

test("shows on an incident's page the issues and spikes that began while it was open", async () => {
  const owner = await publisherOf(web)
  const { accountId } = owner
  const projectId = await projectOf(owner, 'shop')
  const opened = await owner.post('/dashboard/incidents/new', {
    statusPageId: owner.pageId,
    componentIds: await owner.component('shop'),
    title: 'Slow',
    body: 'We look into it.',
  })
  const path = String(opened.to)
  expect((await owner.get(path)).text).toContain('No error issue began')
  await insertTestErrorIssues(web.at.sql, { accountId, projectId }, [
    { title: hostile, firstSeenMs: Date.now(), lastSeenMs: Date.now() + 1 },
    { title: 'of the day before', firstSeenMs: Date.now() - 24 * hourMs, lastSeenMs: Date.now() },
  ])
  await owner.post('/dashboard/errors/rules', {
    name: 'spikes',
    enabled: 'on',
    events: 'spike',
    'spike.of': 'project',
    'spike.spanMinutes': '5',
    'spike.eventsMin': '20',
    'spike.factor': '2',
    projects: 'all',
    channels: 'all',
  })
  await web.at.sql`
    insert into error_spikes (id, account_id, rule_id, project_id, began_at, last_met_at, told)
    select ${uuidv7(0)}, account_id, id, ${projectId}, ${new Date()}, ${new Date()}, true
    from error_rules where account_id = ${accountId}`
  const { text, raw } = await owner.get(path)
  expect(withoutOwnScript(raw)).not.toContain('<script')
  expect(mainOf(text)).toContain('New issue')
  expect(text).toContain('All events of the project')
  expect(text).not.toContain('of the day before')
})
