import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { atOnce } from '../app/testing/pages.ts'

type Group = { name: string | null; componentIds: string[] }

let user: TestUser
let pageId: string
let slug: string
const at = useTestApp()
beforeEach(async () => {
  user = await loggedIn(at)
  const { json } = await asUser(at, user, 'GET', '/status-pages')
  ;[{ id: pageId, slug }] = json.statusPages
})

const publish = async (name: string): Promise<string> => {
  const check = await asUser(at, user, 'POST', '/checks', { name, url: 'https://example.org/' })
  const body = { checkId: check.json.id }
  return (await asUser(at, user, 'POST', `/status-pages/${pageId}/components`, body)).json.id
}
const arrange = (groups: Group[], page = pageId) =>
  asUser(at, user, 'PATCH', `/status-pages/${page}/arrangement`, { groups })
const listed = async (): Promise<[string, string | null][]> => {
  const { json } = await asUser(at, user, 'GET', `/status-pages/${pageId}/components`)
  return json.components.map((one: { displayName: string; groupName: string | null }) => [
    one.displayName,
    one.groupName,
  ])
}
const published = async (path: string) => (await at.call('GET', `/status/${slug}/${path}`)).json

describe('an arrangement', () => {
  test('sets order and groups in every list, and new components come behind it', async () => {
    const [a, b, c] = [await publish('a'), await publish('b'), await publish('c')]
    const answer = await arrange([
      { name: 'Shop', componentIds: [c, a] },
      { name: null, componentIds: [b] },
    ])
    expect(answer.status).toBe(200)
    const order = [
      ['c', 'Shop'],
      ['a', 'Shop'],
      ['b', null],
    ]
    expect(answer.json.components.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3])
    expect(await listed()).toEqual(order)
    await publish('d')
    expect(await listed()).toEqual([...order, ['d', null]])
    const page = await published('page.json')
    expect(page.components.map(({ displayName }: { displayName: string }) => displayName)).toEqual([
      'c',
      'a',
      'b',
      'd',
    ])
    expect(page.groups).toMatchObject([
      { name: 'Shop', componentIds: [c, a] },
      { name: null, componentIds: [b, expect.any(String)] },
    ])
    const audit = await at.sql`
      select resource_id from audit_log where account_id = ${user.accountId} and action = 'arrangeComponents'`
    expect(audit).toEqual([{ resource_id: pageId }])
  })

  test('replaces the one before it', async () => {
    const [a, b] = [await publish('a'), await publish('b')]
    await arrange([{ name: 'Shop', componentIds: [b, a] }])
    await arrange([{ name: null, componentIds: [a, b] }])
    expect(await listed()).toEqual([
      ['a', null],
      ['b', null],
    ])
  })

  test('is refused when a component is missing, unpublished or of another page, and changes nothing', async () => {
    const [a, b] = [await publish('a'), await publish('b')]
    const conflict = { status: 409, json: { code: 'SV-3002' } }
    expect(await arrange([{ name: null, componentIds: [b] }])).toMatchObject(conflict)
    expect(await arrange([])).toMatchObject(conflict)
    await asUser(at, user, 'DELETE', `/status-pages/${pageId}/components/${a}`)
    expect(await arrange([{ name: null, componentIds: [b, a] }])).toMatchObject(conflict)
    expect(await listed()).toEqual([['b', null]])
    expect(await arrange([{ name: null, componentIds: [b] }])).toMatchObject({ status: 200 })
  })

  test('of concurrent arrangements one stays whole', async () => {
    const [a, b, c] = [await publish('a'), await publish('b'), await publish('c')]
    const [one, two] = [
      [{ name: 'One', componentIds: [a, b, c] }],
      [{ name: 'Two', componentIds: [c, b, a] }],
    ]
    const answers = await atOnce(at, { table: 'status_pages', id: pageId }, [
      () => arrange(one),
      () => arrange(two),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const found = await listed()
    const wholes = [
      ['a', 'b', 'c'].map((name) => [name, 'One']),
      ['c', 'b', 'a'].map((name) => [name, 'Two']),
    ]
    expect(wholes).toContainEqual(found)
  })

  test.each<[string, (id: string) => unknown, string]>([
    [
      'a component that is named twice',
      (id) => [{ name: null, componentIds: [id, id] }],
      'groups[0].componentIds[1]',
    ],
    [
      'two groups of one name',
      (id) => [
        { name: 'a', componentIds: [id] },
        { name: 'a', componentIds: [crypto.randomUUID()] },
      ],
      'groups[1].name',
    ],
    ['a group without components', () => [{ name: 'a', componentIds: [] }], 'groups[0].componentIds'],
    ['a blank name', (id) => [{ name: ' ', componentIds: [id] }], 'groups[0].name'],
    ['a name of 81 characters', (id) => [{ name: 'a'.repeat(81), componentIds: [id] }], 'groups[0].name'],
  ])('%s is SV-2001', async (_, groupsOf, path) => {
    const answer = await arrange(groupsOf(await publish('a')) as Group[])
    expect(answer).toMatchObject({ status: 422, json: { code: 'SV-2001', errors: [{ path }] } })
  })

  test('of 5,000 components fits into one request', async () => {
    const ids = Array.from({ length: 5_000 }, () => crypto.randomUUID())
    const answer = await arrange([{ name: 'a'.repeat(80), componentIds: ids }])
    expect(answer.json.code).toBe('SV-3002')
    const more = await arrange([{ name: null, componentIds: [...ids, crypto.randomUUID()] }])
    expect(more.json.code).toBe('SV-2001')
  })
})
