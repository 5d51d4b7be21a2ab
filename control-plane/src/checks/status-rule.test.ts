import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { findStatesOfChecks } from '../status/states-store.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useOnce(() => loggedIn(at))

const made = async (body: object = {}): Promise<string> =>
  (await asUser(at, user, 'POST', '/checks', { name: 'Shop', url: 'https://shop.example.org/', ...body }))
    .json.id
const edit = (id: string, body: object) => asUser(at, user, 'PATCH', `/typed-checks/${id}`, body)
const ruleOf = async (id: string) => (await asUser(at, user, 'GET', `/checks/${id}/status-rule`)).json
const assessed = async (id: string) => (await findStatesOfChecks(at.sql, [id]))[0]?.statusRule ?? null
const statusRule = { failingRegions: 'any', failures: 2, slowMs: 800 }

test('a rule is set and read, reaches the assessor, and changes neither the revision nor the REST record', async () => {
  const id = await made()
  expect(await ruleOf(id)).toEqual({
    rule: { failingRegions: 'majority', failures: null, slowMs: null },
    text: 'Down when most of 4 regions fail at one time.',
  })
  const before = (await asUser(at, user, 'GET', `/checks/${id}`)).json
  expect((await edit(id, { statusRule })).status).toBe(200)
  expect((await ruleOf(id)).rule).toEqual(statusRule)
  expect(await assessed(id)).toEqual(statusRule)
  expect(Object.keys((await asUser(at, user, 'GET', `/checks/${id}`)).json)).toEqual(Object.keys(before))
  expect(await at.sql`select revision from check_revisions where check_id = ${id}`).toHaveLength(1)
  await edit(id, { name: 'renamed' })
  expect(await assessed(id)).toEqual(statusRule)
  // as a version does that does not know the column
  await edit(id, { statusRule: {} })
  expect(await at.sql`select status_rule from checks where id = ${id}`).toMatchObject([{ status_rule: null }])
})

test('a rule goes to the clone and to the replacement of a check', async () => {
  const id = await made()
  await edit(id, { statusRule })
  const copy = (await asUser(at, user, 'POST', `/checks/${id}/clone`)).json.id
  expect(await assessed(copy)).toEqual(statusRule)
  const next = await asUser(at, user, 'POST', `/checks/${id}/replace`, { name: 'next' })
  expect(await assessed(next.json.id)).toEqual(statusRule)
})

test('a rule that could never apply to the check is refused, and nothing is changed', async () => {
  const id = await made({ intervalSeconds: 60 })
  const refused = await edit(id, {
    name: 'changed',
    regions: ['fra', 'iad'],
    statusRule: { failingRegions: 3 },
  })
  expect(refused).toMatchObject({
    status: 422,
    json: { code: 'SV-2001', errors: [{ path: 'statusRule.failingRegions' }] },
  })
  expect((await asUser(at, user, 'GET', `/checks/${id}`)).json.name).toBe('Shop')
  expect((await edit(id, { statusRule: { failures: 11, slowMs: 0 } })).json.errors).toHaveLength(2)
  // a probe every 60 s ends after 10 s
  const never = await edit(id, { regions: ['fra'], statusRule: { failingRegions: 2, slowMs: 10_000 } })
  expect(never.json.errors.map(({ path }: { path: string }) => path)).toEqual([
    'statusRule.failingRegions',
    'statusRule.slowMs',
  ])
  expect((await edit(id, { statusRule: { slowMs: 9_999 } })).status).toBe(200)
  // regions that are taken away later leave a rule that all of the rest meet
  await edit(id, { statusRule: { failingRegions: 3 } })
  await edit(id, { regions: ['fra', 'iad'] })
  expect((await ruleOf(id)).text).toBe('Down when 2 of 2 regions fail at one time.')
  const { rule } = await ruleOf(id)
  expect((await edit(id, { statusRule: rule, tags: ['shop'] })).status).toBe(200)
})

test('a check of another type is created with a rule, and a heartbeat has none', async () => {
  const tcp = { type: 'tcp', name: 'db', settings: { host: 'db.example.org', port: 5432 } }
  const made = await asUser(at, user, 'POST', '/typed-checks', { ...tcp, statusRule })
  expect(await assessed(made.json.id)).toEqual(statusRule)
  const tooMany = await asUser(at, user, 'POST', '/typed-checks', {
    ...tcp,
    regions: ['fra'],
    statusRule: { failingRegions: 2 },
  })
  expect(tooMany.json.errors).toMatchObject([{ path: 'statusRule.failingRegions' }])
  const settings = { periodSeconds: 3_600, graceSeconds: 60 }
  const job = { type: 'heartbeat', name: 'Backup', settings }
  expect((await asUser(at, user, 'POST', '/typed-checks', { ...job, statusRule })).status).toBe(422)
  const { id } = (await asUser(at, user, 'POST', '/typed-checks', job)).json
  expect((await edit(id, { statusRule })).status).toBe(422)
  expect((await ruleOf(id)).text).toBeNull()
})
