import { insertTestErrorIssues } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'

const store = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: store.url }))

const projectWith = async (member: Visitor & { accountId: string }, titles: readonly string[]) => {
  const made = await member.post('/dashboard/errors', { name: 'shop', platform: 'node' })
  const path = made.to ?? ''
  const given = titles.map((title) => ({ title, status: 'unresolved' as const }))
  const place = { accountId: member.accountId, projectId: path.slice(-36) }
  const issues = await insertTestErrorIssues(web.at.sql, place, given)
  return { path, ids: issues.map(({ id }) => id) }
}
const statusesOf = async (path: string): Promise<Record<string, string>> => {
  const rows = await web.at.sql<{ title: string; status: string }[]>`
    select title, status from error_issues where project_id = ${path.slice(-36)}`
  return Object.fromEntries(rows.map(({ title, status }) => [title, status]))
}

test('changes the ticked issues at once, returns to the list as filtered, and confirms it once', async () => {
  const member = await web.member()
  const { path, ids } = await projectWith(member, ['one', 'two', 'three'])
  const form: [string, string][] = [
    ['back', 'q=o&status=unresolved&limit=9&constructor=x'],
    ['id', ids[0] ?? ''],
    ['id', ids[1] ?? ''],
    ['id', 'no id'],
    ['act', 'ignore'],
  ]
  // only filters lead back
  const to = `${path}?q=o&status=unresolved`
  expect(await member.post(`${path}/issues`, form)).toMatchObject({ status: 303, to })
  expect(await statusesOf(path)).toEqual({ one: 'ignored', two: 'ignored', three: 'unresolved' })
  expect((await member.get(to)).text).toContain('Issues changed.')
  expect((await member.get(to)).text).not.toContain('Issues changed.')
})

test('changes nothing without a ticked issue or with an unknown act', async () => {
  const member = await web.member()
  const { path, ids } = await projectWith(member, ['one'])
  for (const form of [{ act: 'resolve' }, { id: ids[0] ?? '', act: 'burn' }]) {
    expect(await member.post(`${path}/issues`, form)).toMatchObject({ status: 303, to: path })
  }
  expect(await statusesOf(path)).toEqual({ one: 'unresolved' })
})

test('changes no issue of another account or project', async () => {
  const [member, other] = [await web.member(), await web.member()]
  const own = await projectWith(member, ['own'])
  const foreign = await projectWith(other, ['foreign'])
  const form: [string, string][] = [
    ['id', foreign.ids[0] ?? ''],
    ['act', 'resolve'],
  ]
  await member.post(`${own.path}/issues`, form)
  expect(await member.post(`${foreign.path}/issues`, form)).toMatchObject({ status: 404 })
  expect(await statusesOf(foreign.path)).toEqual({ foreign: 'unresolved' })
})

test('an act of a row returns to its list and can be undone', async () => {
  const member = await web.member()
  const { path, ids } = await projectWith(member, ['one'])
  const issue = `${path}/issues/${ids[0]}`
  const acted = await member.post(`${issue}/resolve`, { back: 'window=24h' })
  expect(acted).toMatchObject({ status: 303, to: `${path}?window=24h` })
  const { text } = await member.get(`${path}?window=24h`)
  expect(text).toContain(
    `<form method="post" action="${issue}/reopen"><button type="submit">Undo</button></form>`,
  )
  expect(await member.post(`${issue}/reopen`)).toMatchObject({ status: 303, to: issue })
  expect(await statusesOf(path)).toEqual({ one: 'unresolved' })
})
