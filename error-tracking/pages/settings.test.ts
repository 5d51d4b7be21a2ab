import { insertTestErrorIssues } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { mainOf, withoutOwnScript } from '@probe-mesh/web/src/testing/flat'
import { formIn } from '@probe-mesh/web/src/testing/form-in'
import { hostile } from '@probe-mesh/web/src/testing/publisher'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'

const store = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: store.url }))

const projectOf = async (member: Visitor): Promise<string> => {
  const made = await member.post('/dashboard/errors', { name: 'shop', platform: 'browser' })
  const path = /^(\/dashboard\/errors\/[\w-]{36})$/.exec(made.to ?? '')?.[1]
  if (path === undefined) throw new Error(made.text)
  return path
}
const idOf = (path: string): string => path.slice(-36)
const month = (): string => `${new Date(web.at.now()).toISOString().slice(0, 7)}-01`
const count = (accountId: string, projectId: string, outcome: string, events: number) =>
  web.at.sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${month()}, ${outcome}, ${accountId}, ${events})
    on conflict (project_id, month, outcome) do update set events = excluded.events`
/** What a form of the settings would send as it stands. */
const formOf = async (member: Visitor, path: string, part: string) => {
  const { raw } = await member.get(`${path}/settings`)
  const start = raw.indexOf(`action="${path}/${part}"`)
  return Object.fromEntries(
    formIn(raw.slice(raw.lastIndexOf('<form', start), raw.indexOf('</form>', start) + 7)),
  )
}

test('stores scrubbing and filters as typed, and one form changes nothing of another', async () => {
  const member = await web.member()
  const path = await projectOf(member)
  const names = `customer id\r\n\r\n  ${hostile}  \r\n`
  const scrubbing = { scrubNames: names, keepAddresses: 'on' }
  expect(await member.post(`${path}/scrubbing`, scrubbing)).toMatchObject({
    status: 303,
    to: `${path}/settings`,
  })
  const filters = {
    'filters.messages': `*${hostile}*\r\n*ResizeObserver loop*`,
    'filters.releases': 'shop@1.*',
    'filters.environments': '',
    'filters.browserExtensions': 'on',
    'filters.webCrawlers': 'on',
  }
  expect(await member.post(`${path}/filters`, filters)).toMatchObject({ status: 303 })
  await member.post(`${path}/settings`, { name: 'api', platform: 'node' })
  expect(await formOf(member, path, 'scrubbing')).toEqual({
    scrubNames: `customer id\r\n${hostile}`,
    keepAddresses: 'on',
  })
  expect(await formOf(member, path, 'filters')).toEqual(filters)
  expect(withoutOwnScript((await member.get(`${path}/settings`)).raw)).not.toContain('<script')
  const [row] = await web.at.sql`
    select name, scrub_names, filter_messages, filter_localhost from error_projects
    where id = ${idOf(path)}`
  expect(row).toEqual({
    name: 'api',
    scrub_names: ['customer id', hostile],
    filter_messages: [`*${hostile}*`, '*ResizeObserver loop*'],
    filter_localhost: false,
  })
  await member.post(`${path}/scrubbing`, { scrubNames: '' })
  expect(await formOf(member, path, 'scrubbing')).toEqual({ scrubNames: '' })
  expect(await formOf(member, path, 'filters')).toEqual(filters)
})

test('shows an invalid name or pattern at its field and keeps what was typed', async () => {
  const member = await web.member()
  const path = await projectOf(member)
  const wrong = { 'filters.messages': '*a*\n**', 'filters.releases': 'x'.repeat(201) }
  const refused = await member.post(`${path}/filters`, wrong)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('id="field-filters-messages-problem">must have more than stars')
  expect(refused.text).toContain('id="field-filters-releases-problem"')
  expect(refused.raw).toContain('*a*\n**</textarea')
  const names = await member.post(`${path}/scrubbing`, { scrubNames: 'a\n--' })
  expect(names.status).toBe(422)
  expect(names.text).toContain('id="field-scrubNames-problem">must have a letter or a digit')
  const many = Array.from({ length: 101 }, (_, n) => `name ${n}`).join('\n')
  expect(await member.post(`${path}/scrubbing`, { scrubNames: many })).toMatchObject({
    status: 422,
  })
  const other = await web.member()
  expect(await other.post(`${path}/filters`, { 'filters.messages': 'x' })).toMatchObject({
    status: 404,
  })
})

test('explains each reason of a drop, apart from drops of SDKs and items that are not events', async () => {
  const member = await web.member()
  const path = await projectOf(member)
  const { accountId } = member
  const empty = mainOf((await member.get(`${path}/usage`)).text)
  expect(empty).toContain('No event was dropped')
  expect(empty).toContain('No SDK reported dropped events; not every SDK does')
  expect(empty).not.toContain('<table')
  await count(accountId, idOf(path), 'filtered', 7)
  const report = { project_id: idOf(path), account_id: accountId }
  await web.at.sql`insert into error_client_reports ${web.at.sql([
    { ...report, month: month(), category: 'error', reason: 'ratelimit_backoff', quantity: 1234 },
    { ...report, month: month(), category: 'log_item', reason: 'before_send', quantity: 2000 },
    { ...report, month: month(), category: 'new_one', reason: 'constructor', quantity: 3 },
    { ...report, month: '2020-01-01', category: 'error', reason: 'network_error', quantity: 9 },
  ])}`
  await web.at.sql`insert into error_unsupported_items ${web.at.sql([
    { ...report, month: month(), type: 'session', items: 4321 },
    { ...report, month: '2020-01-01', type: 'profile', items: 9 },
  ])}`
  const page = mainOf((await member.get(`${path}/usage`)).text)
  expect(page).toMatch(/Filtered by the project<\/th><td class="number">7<\/td><td>A filter/)
  expect(page).toMatch(/beforeSend.*?>2,000<.*Rate limited.*?>1,234<.*>constructor<.*new_one.*?>3</)
  expect(page).toMatch(/Sessions \(release health\).*?>4,321</)
  expect(page).not.toContain('Network error')
  expect(page).not.toContain('Profiles')
})

test('warns on every page of errors from 80 % of the quota on, with the time of the reset', async () => {
  const member = await web.member('free')
  const { accountId } = member
  const path = await projectOf(member)
  const projectId = idOf(path)
  const [issue] = await insertTestErrorIssues(web.at.sql, { accountId, projectId }, [{}])
  const pages = [
    '/dashboard/errors',
    path,
    `${path}/usage`,
    `${path}/source-maps`,
    `${path}/settings`,
    `${path}/issues/${issue?.id}`,
  ]
  const shown = async () => {
    const texts: string[] = []
    for (const page of [...pages, '/dashboard/account']) texts.push(mainOf((await member.get(page)).text))
    return texts
  }
  const now = new Date(web.at.now())
  const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  await count(accountId, projectId, 'stored', 3_999)
  for (const text of await shown()) expect(text).not.toMatch(/class="(warned|problems)"/)
  await count(accountId, projectId, 'stored', 4_000)
  for (const text of await shown()) {
    expect(text).toContain('80.0 % of the quota of error events is used: 4,000 of 5,000')
    expect(text).toContain(`datetime="${until}"`)
  }
  await count(accountId, projectId, 'stored', 5_000)
  for (const text of await shown()) {
    expect(text).toContain('is used up: 5,000 of 5,000')
    expect(text).toContain(`datetime="${until}"`)
  }
  const account = mainOf((await member.get('/dashboard/account')).text)
  expect(account).toContain('class="share-bar full"')
})

test('shows when and in which release an issue regressed, and marks it while it is open', async () => {
  const member = await web.member()
  const { accountId } = member
  const path = await projectOf(member)
  const issues = await insertTestErrorIssues(web.at.sql, { accountId, projectId: idOf(path) }, [
    { title: 'one' },
    { title: 'other' },
  ])
  const page = `${path}/issues/${issues[0]?.id}`
  expect((await member.get(page)).text).not.toContain('Regressed')
  expect((await member.get(path)).text).not.toContain('Regressed')
  await web.at.sql`
    update error_issues set regressed_at = '2026-11-20T10:00:00Z', regressed_release = ${hostile}
    where id = ${issues[0]?.id ?? ''}`
  const shown = mainOf((await member.get(page)).text)
  expect(shown).toMatch(/Regressed<time datetime="2026-11-20T10:00[^>]*>[^<]*<\/time>in<bdi>/)
  expect(mainOf((await member.get(path)).text).match(/Regressed/g)).toHaveLength(1)
  await member.post(page, { act: 'resolve' })
  expect((await member.get(page)).text).toContain('Regressed')
  expect(mainOf((await member.get(path)).text)).not.toContain('Regressed')
})
