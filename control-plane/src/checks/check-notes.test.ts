import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'

let user: TestUser
let userId: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  user = await loggedIn(at)
  userId = await idOf(user)
})

const idOf = async (who: TestUser): Promise<string> =>
  (await asUser(at, who, 'GET', '/members')).json.members.find(({ you }: { you: boolean }) => you).id
const made = async (who = user): Promise<string> =>
  (await asUser(at, who, 'POST', '/checks', { name: 'Shop', url: 'https://shop.example.org/' })).json.id
const note = (id: string, body: object) => asUser(at, user, 'PATCH', `/typed-checks/${id}`, body)
const notes = async (id: string) => (await asUser(at, user, 'GET', `/checks/${id}/notes`)).json
const updates = async (id: string): Promise<unknown[]> =>
  (await asUser(at, user, 'GET', '/audit-log')).json.entries.filter(
    (entry: { resourceId: string; action: string }) =>
      entry.resourceId === id && entry.action === 'editCheck',
  )
const runbookUrl = 'https://wiki.example.org/shop?a=b#restart'

test('a check of any type has a runbook, notes and an owner, and a new revision for none of them', async () => {
  const journey = {
    type: 'heartbeat',
    name: 'Backup',
    settings: { periodSeconds: 3_600, graceSeconds: 60 },
  }
  const other = (await asUser(at, user, 'POST', '/typed-checks', journey)).json.id
  for (const id of [await made(), other]) {
    expect(await notes(id)).toEqual({ runbookUrl: null, notes: '', owner: null })
    const sent = { runbookUrl, notes: ' first\r\nsecond <b>\n\n', ownerId: userId }
    expect((await note(id, sent)).status).toBe(200)
    const stored = {
      runbookUrl,
      notes: ' first\nsecond <b>',
      owner: { id: userId, name: expect.any(String) },
    }
    expect(await notes(id)).toEqual(stored)
    expect(await updates(id)).toHaveLength(1)
    await note(id, sent)
    expect(await updates(id)).toHaveLength(1)
    await note(id, { name: 'renamed' })
    expect(await notes(id)).toEqual(stored)
    await note(id, { runbookUrl: null, ownerId: null })
    expect(await notes(id)).toEqual({ runbookUrl: null, notes: stored.notes, owner: null })
    const revisions = await at.sql`select revision from check_revisions where check_id = ${id}`
    // the name made one
    expect(revisions).toHaveLength(2)
  }
})

test('what is wrong is refused with every problem, and nothing is changed', async () => {
  const id = await made()
  const bad = { runbookUrl: 'javascript:alert(1)', notes: 'x'.repeat(2_001), ownerId: 'me' }
  const refused = await note(id, { ...bad, name: 'changed' })
  expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  expect(refused.json.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'notes',
    'ownerId',
    'runbookUrl',
  ])
  const long = await note(id, { runbookUrl: `https://x.example.org/${'x'.repeat(500)}` })
  expect(long.json.errors).toMatchObject([{ path: 'runbookUrl' }])
  const stranger = await idOf(await loggedIn(at))
  const unknown = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  const both = await note(id, { name: 'changed', ownerId: stranger, parentIds: [unknown] })
  expect(both.json.errors.map(({ path }: { path: string }) => path)).toEqual(['parentIds[0]', 'ownerId'])
  expect((await asUser(at, user, 'GET', `/checks/${id}`)).json.name).toBe('Shop')
  expect(await notes(id)).toMatchObject({ owner: null })
  // exactly the limit, with line breaks as a browser sends them
  expect((await note(id, { notes: `${'x\r\n'.repeat(999)}xx` })).status).toBe(200)
  expect((await asUser(at, await loggedIn(at), 'GET', `/checks/${id}/notes`)).status).toBe(404)
})

test('a change over REST, a replacement and a copy keep all three', async () => {
  const id = await made()
  await note(id, { runbookUrl, notes: 'call the shop', ownerId: userId })
  const before = await notes(id)
  await asUser(at, user, 'PATCH', `/checks/${id}`, { tags: ['x'], paused: true })
  await asUser(at, user, 'PATCH', `/checks/${id}/assertions`, {})
  expect(await notes(id)).toEqual(before)
  const next = (await asUser(at, user, 'POST', `/checks/${id}/replace`, { url: 'https://new.example.org/' }))
    .json.id
  expect(await notes(next)).toEqual(before)
  const copy = (await asUser(at, user, 'POST', `/checks/${next}/clone`)).json.id
  expect(await notes(copy)).toEqual(before)
})

test('the list is filtered by owner, and a removed member owns nothing', async () => {
  const [id] = [await made(), await made()]
  const leaver = (
    await at.sql<{ id: string }[]>`
      insert into users (id, account_id, email, password_hash, created_at)
      select gen_random_uuid(), account_id, 'leaver@example.org', '', now() from checks where id = ${id}
      returning id`
  )[0]?.id
  await note(id, { ownerId: leaver })
  const listed = async () => (await asUser(at, user, 'GET', `/check-list?owner=${leaver}`)).json
  expect(await listed()).toMatchObject({ total: 1, checks: [{ id }], matching: { unknown: 1 } })
  expect(await notes(id)).toMatchObject({ owner: { name: 'leaver@example.org' } })
  expect((await asUser(at, user, 'DELETE', `/members/${leaver}`)).status).toBe(200)
  expect(await notes(id)).toMatchObject({ owner: null })
  expect(await listed()).toMatchObject({ total: 0 })
})
