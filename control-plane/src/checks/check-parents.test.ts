import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { pathUp } from './check-parents.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useOnce(() => loggedIn(at))

const made = async (...names: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const name of names) {
    const body = { name, url: `https://${name.toLowerCase()}.example.org/` }
    ids.push(String((await asUser(at, user, 'POST', '/checks', body)).json.id))
  }
  return ids
}
const depend = (id: string, parentIds: readonly string[]) =>
  asUser(at, user, 'PATCH', `/typed-checks/${id}`, { parentIds })
const parents = async (id: string) => (await asUser(at, user, 'GET', `/checks/${id}/parents`)).json
const updates = async (id: string): Promise<unknown[]> =>
  (await asUser(at, user, 'GET', '/audit-log')).json.entries.filter(
    (entry: { resourceId: string; action: string }) =>
      entry.resourceId === id && entry.action === 'editCheck',
  )

test('a check depends on the checks that its owner names, and is listed with them', async () => {
  const [shop = '', database = '', cache = ''] = await made('Shop', 'Database', 'Cache')
  expect((await depend(shop, [database, cache])).status).toBe(200)
  expect(await parents(shop)).toMatchObject({
    parentIds: [database, cache].toSorted(),
    parents: [{ name: 'Cache' }, { name: 'Database', status: 'unknown', paused: false }],
    children: [],
    childCount: 0,
    heldBy: null,
  })
  expect(await parents(database)).toMatchObject({
    parentIds: [],
    children: [{ id: shop, name: 'Shop' }],
    childCount: 1,
  })
  expect(await updates(shop)).toHaveLength(1)
  await depend(shop, [cache, database])
  expect(await updates(shop)).toHaveLength(1)
  expect((await asUser(at, user, 'PATCH', `/typed-checks/${shop}`, { name: 'Shop 2' })).status).toBe(200)
  expect(await parents(shop)).toMatchObject({ parentIds: [database, cache].toSorted() })
  await depend(shop, [])
  expect(await parents(shop)).toMatchObject({ parentIds: [] })
})

test('a circle is refused, and named', async () => {
  const [shop = '', database = '', disk = ''] = await made('Shop', 'Database', 'Disk')
  await depend(shop, [database])
  await depend(database, [disk])
  const refused = await depend(disk, [shop])
  expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  expect(refused.json.errors).toEqual([
    {
      path: 'parentIds[0]',
      message: 'a circle: Disk depends on Shop, which depends on Database, which depends on Disk',
    },
  ])
  expect(await parents(disk)).toMatchObject({ parentIds: [] })
  expect((await depend(disk, [disk])).json.errors[0].message).toBe('a check cannot depend on itself')
})

test('two changes at once never close a circle together', async () => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const [one = '', other = ''] = await made('One', 'Other')
    const answers = await Promise.all([depend(one, [other]), depend(other, [one])])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  }
})

test('all unknown checks, other accounts included, are refused at once, and nothing is changed', async () => {
  const [shop = ''] = await made('Shop')
  const stranger = await loggedIn(at)
  const theirs = (await asUser(at, stranger, 'POST', '/checks', { name: 'x', url: 'https://x.example.org/' }))
    .json.id
  const unknown = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  const refused = await asUser(at, user, 'PATCH', `/typed-checks/${shop}`, {
    name: 'changed',
    parentIds: [unknown, theirs],
  })
  expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual([
    'parentIds[0]',
    'parentIds[1]',
  ])
  expect((await asUser(at, user, 'GET', `/checks/${shop}`)).json.name).toBe('Shop')
  expect(
    (
      await depend(
        shop,
        Array.from({ length: 6 }, (_, n) => unknown.replace(/.$/, String(n))),
      )
    ).json.errors,
  ).toEqual([{ path: 'parentIds', message: 'a check depends on at most 5 checks' }])
  expect((await asUser(at, stranger, 'GET', `/checks/${shop}/parents`)).status).toBe(404)
})

test('a change over REST, a replacement and a copy keep what a check depends on', async () => {
  const [shop = '', database = '', disk = ''] = await made('Shop', 'Database', 'Disk')
  await depend(shop, [database])
  await depend(database, [disk])
  await asUser(at, user, 'PATCH', `/checks/${database}`, { tags: ['x'] })
  const next = (
    await asUser(at, user, 'POST', `/checks/${database}/replace`, { url: 'https://new.example.org/' })
  ).json.id
  expect(await parents(next)).toMatchObject({ parentIds: [disk], children: [{ id: shop }] })
  const copy = (await asUser(at, user, 'POST', `/checks/${shop}/clone`)).json.id
  expect(await parents(copy)).toMatchObject({ parentIds: [next] })
  await asUser(at, user, 'DELETE', `/checks/${next}`)
  expect(await parents(shop)).toMatchObject({ parentIds: [] })
})

test('finds a way up exactly where a walk over all ways does, and a shortest one', () => {
  const edge = fc.record({
    checkId: fc.integer({ min: 0, max: 7 }),
    parentId: fc.integer({ min: 0, max: 7 }),
  })
  forAll([fc.array(edge, { maxLength: 20 })], { numRuns: 500 }, (drawn) => {
    const edges = drawn.map(({ checkId, parentId }) => ({
      checkId: String(checkId),
      parentId: String(parentId),
    }))
    let ends: string[][] = [['0']]
    let shortest: number | null = null
    for (let steps = 0; steps < 8 && shortest === null; steps++) {
      if (ends.some((way) => way.at(-1) === '7')) shortest = steps + 1
      const last = new Set(ends.map((way) => way.at(-1)))
      ends = edges.filter(({ checkId }) => last.has(checkId)).map(({ parentId }) => [parentId])
    }
    const found = pathUp(edges, '0', '7')
    expect(found?.length ?? null).toBe(shortest)
    for (const [index, id] of (found ?? []).entries()) {
      const before = found?.[index - 1]
      if (before !== undefined) expect(edges).toContainEqual({ checkId: before, parentId: id })
    }
  })
})
