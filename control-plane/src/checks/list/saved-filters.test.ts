import { savedFiltersMax } from '@probe-mesh/contracts/check/saved-filter'
import { expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../../app/testing/log-in.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })

const save = (user: TestUser, name: string, query: object) =>
  asUser(at, user, 'POST', '/saved-filters', { name, query })
const list = async (user: TestUser) => (await asUser(at, user, 'GET', '/saved-filters')).json.savedFilters
const names = async (user: TestUser): Promise<string[]> =>
  (await list(user)).map(({ name }: { name: string }) => name)

test('a filter is saved as it was sent, listed by name, deleted, and noted in the audit log', async () => {
  const user = await loggedIn(at)
  const query = { q: 'shop', status: 'down', type: 'http', tag: 'Prod', sort: '-name' }
  const saved = await save(user, ' shop ', query)
  expect(saved).toMatchObject({ status: 201, json: { name: 'shop', query } })
  await save(user, 'All by name', { sort: 'name' })
  expect(await names(user)).toEqual(['All by name', 'shop'])
  expect((await list(user))[1]).toEqual(saved.json)
  const { id } = saved.json
  expect((await asUser(at, user, 'DELETE', `/saved-filters/${id}`)).json).toEqual({ id, deleted: true })
  expect((await asUser(at, user, 'DELETE', `/saved-filters/${id}`)).status).toBe(404)
  expect(await names(user)).toEqual(['All by name'])
  const audit = (await asUser(at, user, 'GET', '/audit-log?what=saved_filter')).json.entries
  expect(audit.map(({ action }: { action: string }) => action)).toEqual([
    'deleteSavedFilter',
    'createSavedFilter',
    'createSavedFilter',
  ])
})

test('what is wrong is refused with every problem', async () => {
  const user = await loggedIn(at)
  const refused = await save(user, '\n', { status: 'fine', owner: 'me', page: '2' })
  expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  const paths = refused.json.errors.map(({ path }: { path: string }) => path)
  expect(new Set(paths)).toEqual(new Set(['name', 'query.owner', 'query.page', 'query.status']))
  expect((await save(user, 'nothing', {})).json.errors).toMatchObject([{ path: 'query' }])
  expect((await save(user, 'x'.repeat(61), { q: 'a' })).json.errors).toMatchObject([{ path: 'name' }])
  expect(await names(user)).toEqual([])
})

test('two filters never have one name, in any case, and an account has at most 50, also of requests at once', async () => {
  const user = await loggedIn(at)
  const same = await Promise.all(['Shop', 'shop', 'SHOP'].map((name) => save(user, name, { q: 'shop' })))
  expect(same.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  for (let n = 0; n < savedFiltersMax - 3; n++) await save(user, `filter ${n}`, { q: 'x' })
  const last = await Promise.all(['a', 'b', 'c', 'd'].map((name) => save(user, name, { q: 'shop' })))
  expect(last.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
  expect(await list(user)).toHaveLength(savedFiltersMax)
})

test('another account neither sees nor deletes a filter, and may use its name', async () => {
  const [user, stranger] = [await loggedIn(at), await loggedIn(at)]
  const { id } = (await save(user, 'Shop', { q: 'shop' })).json
  expect(await names(stranger)).toEqual([])
  expect((await asUser(at, stranger, 'DELETE', `/saved-filters/${id}`)).status).toBe(404)
  expect((await save(stranger, 'Shop', { q: 'shop' })).status).toBe(201)
  expect(await names(user)).toEqual(['Shop'])
})
