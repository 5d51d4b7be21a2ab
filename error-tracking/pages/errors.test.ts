import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { insertTestErrorIssues } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { mainOf, withoutOwnScript } from '@probe-mesh/web/src/testing/flat'
import { formIn } from '@probe-mesh/web/src/testing/form-in'
import { hostile } from '@probe-mesh/web/src/testing/publisher'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'

const store = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: store.url }))

const projectOf = async (member: Visitor, name = 'shop', platform = 'node'): Promise<string> => {
  const made = await member.post('/dashboard/errors', { name, platform })
  const id = /^\/dashboard\/errors\/([\w-]{36})$/.exec(made.to ?? '')?.[1]
  if (made.status !== 303 || id === undefined) throw new Error(made.text)
  return id
}
const count = (accountId: string, projectId: string, outcome: string, events: number) => {
  const month = `${new Date(web.at.now()).toISOString().slice(0, 7)}-01`
  return web.at.sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${month}, ${outcome}, ${accountId}, ${events})`
}
const actions = async (accountId: string): Promise<string[]> => {
  const rows = await web.at.sql<{ action: string }[]>`
    select action from audit_log where account_id = ${accountId} and resource_type like 'error%'
    order by at, id`
  return rows.map(({ action }) => action)
}

test('creates, sets up, changes and deletes a project, after a page that lists what is deleted', async () => {
  const member = await web.member()
  const id = await projectOf(member, hostile, 'browser')
  const settings = await member.get(`/dashboard/errors/${id}/settings`)
  const dsn = /http:\/\/[0-9a-f]{32}@127\.0\.0\.1:8080\/\d+/.exec(settings.text)?.[0]
  expect(settings.text).toContain(`sentry.init({ dsn: &#39;${dsn}&#39; })`)
  const general = settings.raw.indexOf(`action="/dashboard/errors/${id}/settings"`)
  const end = settings.raw.indexOf('</form>', general) + '</form>'.length
  expect(formIn(settings.raw.slice(settings.raw.lastIndexOf('<form', general), end))).toEqual([
    ['name', hostile],
    ['platform', 'browser'],
  ])
  const change = { name: 'api', platform: 'python' }
  expect(await member.post(`/dashboard/errors/${id}/settings`, change)).toMatchObject({
    status: 303,
  })
  const waiting = await member.get(`/dashboard/errors/${id}`)
  expect(waiting.text).toContain(`sentry_sdk.init(dsn=&quot;${dsn}&quot;)`)
  await count(member.accountId, id, 'stored', 12)
  await count(member.accountId, id, 'quota', 1)
  const asked = await member.get(`/dashboard/errors/${id}/delete`)
  expect(asked.text).toContain('0 issues')
  expect(asked.text).toContain('the counters of 13 received events')
  expect(await member.post(`/dashboard/errors/${id}/delete`)).toMatchObject({
    status: 303,
    to: '/dashboard/errors',
  })
  expect(await member.get(`/dashboard/errors/${id}`)).toMatchObject({ status: 404 })
  // a deleted project returns nothing of the quota
  const rest = mainOf((await member.get('/dashboard/errors')).text)
  expect(rest).toContain('<strong>12</strong>of 1,000,000 events')
  expect(rest).toContain('12 events came from deleted projects')
  expect(await actions(member.accountId)).toEqual([
    'createErrorProject',
    'updateErrorProject',
    'deleteErrorProject',
  ])
})

test('shows every problem of a project at its field and keeps what was typed', async () => {
  const member = await web.member()
  const made = await member.post('/dashboard/errors', { name: ' ', platform: 'cobol' })
  expect(made.status).toBe(422)
  expect(made.text).toContain('id="field-name-problem"')
  expect(made.text).toContain('id="field-platform-problem"')
  expect(made.text).toContain('value=" "')
  const id = await projectOf(member)
  const long = { name: 'x'.repeat(201), platform: 'node' }
  const changed = await member.post(`/dashboard/errors/${id}/settings`, long)
  expect(changed.status).toBe(422)
  expect(changed.text).toContain(`value="${long.name}"`)
})

test('replaces a key by another and keeps the last one', async () => {
  const member = await web.member()
  const id = await projectOf(member)
  const settings = `/dashboard/errors/${id}/settings`
  const revokes = async () =>
    [...(await member.get(settings)).text.matchAll(/href="([^"]*\/revoke)"/g)].map(([, path]) => path ?? '')
  const dsns = async () =>
    [...(await member.get(settings)).text.matchAll(/<code class="dsn">(http:[^<]*)<\/code>/g)].map(
      ([, dsn]) => dsn,
    )
  const [first = ''] = await revokes()
  const refusedKey = await member.post(first)
  expect(refusedKey).toMatchObject({ status: 409 })
  expect(refusedKey.text).toContain('last key')
  expect(await member.post(`/dashboard/errors/${id}/keys`)).toMatchObject({ to: settings })
  const [old, newest] = await dsns()
  expect((await member.get(settings)).text).toContain(`dsn: &#39;${newest}&#39;`)
  expect((await member.get(first)).text).toContain(`<code>${old}</code>`)
  expect(await member.post(first)).toMatchObject({ status: 303, to: settings })
  // it stays in the list, and may not be revoked again
  expect(await dsns()).toEqual([old, newest])
  expect(await revokes()).toHaveLength(1)
  expect(await member.get(first)).toMatchObject({ status: 303, to: settings })
  expect(await actions(member.accountId)).toEqual(['createErrorProject', 'createErrorKey', 'revokeErrorKey'])
})

test('does not call silence health, and counts every received event as stored or dropped', async () => {
  const member = await web.member('free')
  const id = await projectOf(member)
  const silent = await member.get(`/dashboard/errors/${id}`)
  expect(silent.text).toContain('nothing is known about errors')
  expect(silent.text).not.toContain('No errors')
  await count(member.accountId, id, 'stored', 5_000)
  await count(member.accountId, id, 'quota', 700)
  await count(member.accountId, id, 'scrub', 1)
  // events without a stored issue are counted, and their drops are a link away
  expect((await member.get(`/dashboard/errors/${id}`)).text).toContain('5,701 events received')
  const usage = mainOf((await member.get(`/dashboard/errors/${id}/usage`)).text)
  for (const figure of ['5,701', '5,000', '701']) expect(usage).toContain(`>${figure}<`)
  expect(usage).toMatch(/Monthly quota used up<\/th><td class="number">700</)
  expect(usage).toMatch(/Scrubbing failed<\/th><td class="number">1</)
  expect(usage).not.toContain('Rate limit')
  const list = await member.get('/dashboard/errors')
  expect(list.text).toContain('<strong>5,000</strong>of 5,000 events')
  expect(list.text).toContain('The quota of error events is used up')
})

test('searches issues by every filter, with an exact total', async () => {
  const member = await web.member()
  const projectId = await projectOf(member)
  const nowMs = web.at.now()
  const releases = [{ release: hostile, occurrences: 3 }]
  const seen = (daysAgo: number) => ({
    firstSeenMs: nowMs - daysAgo * 86_400_000,
    lastSeenMs: nowMs - daysAgo * 86_400_000,
  })
  await insertTestErrorIssues(web.at.sql, { accountId: member.accountId, projectId }, [
    { title: `${hostile} one`, culprit: hostile, releases, ...seen(0) },
    { title: 'two', status: 'ignored', ...seen(9) },
    ...Array.from({ length: 50 }, (_, n) => ({ title: `many ${n}`, ...seen(20) })),
  ])
  const shown = async (query: Record<string, string>) => {
    const path = `/dashboard/errors/${projectId}?${new URLSearchParams(query).toString()}`
    return member.get(path)
  }
  const all = await shown({ q: '', release: '', status: '', window: '' })
  expect(all.text).toContain('50 of 52 issues, last seen first')
  expect(withoutOwnScript(all.raw)).not.toContain('<script')
  expect((await shown({ limit: '500' })).text).toContain('52 issues')
  for (const query of [{ q: 'ONE' }, { release: hostile }, { window: '7d' }]) {
    const found = await shown({ q: '', ...query })
    expect(found.text).toMatch(/[> ]1 issue\b/)
    expect(found.text).toContain(' one</bdi>')
  }
  const ignored = await shown({ status: 'ignored' })
  expect(ignored.text).toContain('<option value="ignored" selected>')
  expect(ignored.text).toContain('>two</bdi>')
  expect((await shown({ q: 'nowhere' })).text).toContain('The project has 52 issues')
  const wrong = await shown({ status: 'gone', q: 'kept' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toMatch(/id="field-status" name="status"[^>]*aria-invalid="true"/)
  expect(wrong.text).toContain('href="#field-status"')
  expect(wrong.text).toContain('value="kept"')
})

test('resolves, reopens and ignores an issue, and shows what failed in its minutes', async () => {
  const member = await web.member()
  const { accountId } = member
  const projectId = await projectOf(member)
  const seenMs = web.at.now() - 7_200_000
  const [issue] = await insertTestErrorIssues(web.at.sql, { accountId, projectId }, [
    { title: hostile, culprit: hostile, occurrences: 9, firstSeenMs: seenMs, lastSeenMs: seenMs },
  ])
  const key = await member.writeKey()
  const flips = async (name: string, ...changes: [string, number][]) => {
    const body = { name, url: 'https://example.org/' }
    const { id } = (await web.at.call('POST', '/v1/checks', { key, body })).json as { id: string }
    for (const [index, [to, minutes]] of changes.entries()) {
      const at = new Date(seenMs + minutes * 60_000)
      await web.at.sql`
        insert into flips (id, check_id, version, from_status, to_status, reason, at)
        values (${uuidv7(at.getTime())}, ${id}, ${index + 1}, 'unknown', ${to}, ${hostile}, ${at})`
    }
  }
  await flips('throughout', ['down', -60], ['operational', 60])
  await flips('within', ['operational', -60], ['degraded', 4], ['operational', 4.5])
  await flips('before', ['down', -60], ['operational', -6])
  await flips('after', ['operational', -60], ['down', 6])
  const path = `/dashboard/errors/${projectId}/issues/${issue?.id}`
  const page = await member.get(path)
  expect(withoutOwnScript(page.raw)).not.toContain('<script')
  for (const name of ['throughout', 'within']) expect(page.text).toContain(`<bdi>${name}</bdi>`)
  for (const name of ['before', 'after']) expect(page.text).not.toContain(`<bdi>${name}</bdi>`)
  expect(page.text).not.toContain('open incident')
  expect(page.text).toContain('No stored event')
  const act = async (name: string): Promise<string> => {
    expect(await member.post(path, { act: name })).toMatchObject({ status: 303, to: path })
    return mainOf((await member.get(path)).text)
  }
  const resolved = await act('resolveInNext')
  expect(resolved).toContain('tag good">Resolved')
  expect(resolved).toContain('An event of a newer release reopens it')
  expect(resolved).not.toContain('value="resolve"')
  expect(await act('reopen')).toContain('>Unresolved<')
  expect(await act('resolve')).toContain('A new event reopens it')
  expect(await act('ignore')).toContain('tag silent">Ignored')
  expect(await member.post(path, { act: 'burn' })).toMatchObject({ status: 422 })
  expect(await actions(accountId)).toEqual([
    'createErrorProject',
    ...Array.from({ length: 4 }, () => 'setErrorIssueStatus'),
  ])
})

test('hides projects and issues of other accounts', async () => {
  const [one, other] = [await web.member(), await web.member()]
  const projectId = await projectOf(one)
  const [issue] = await insertTestErrorIssues(web.at.sql, { accountId: one.accountId, projectId }, [
    { title: 'mine', status: 'unresolved' },
  ])
  const path = `/dashboard/errors/${projectId}`
  const key = /[\w/-]*\/revoke/.exec((await one.get(`${path}/settings`)).text)?.[0] ?? ''
  for (const page of [path, `${path}/settings`, `${path}/delete`, `${path}/issues/${issue?.id}`]) {
    expect(await other.get(page)).toMatchObject({ status: 404 })
  }
  for (const act of [`${path}/delete`, `${path}/keys`, key]) {
    expect(await other.post(act)).toMatchObject({ status: 404 })
  }
  const form = { act: 'resolve' }
  expect(await other.post(`${path}/issues/${issue?.id}`, form)).toMatchObject({ status: 404 })
  expect((await one.get(`${path}/issues/${issue?.id}`)).text).toContain('>Unresolved<')
})
