import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, onTestFinished, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb, startTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const owner = async (at = web) => {
  const member = await at.member()
  const key = await member.writeKey()
  const body = { name: 'shop', url: 'https://example.org/' }
  const { id } = (await at.at.call('POST', '/v1/checks', { key, body })).json
  return { ...member, path: `/dashboard/checks/${id}` }
}
const replaced = (form: [string, string][], more: Record<string, string>): [string, string][] => [
  ...form.filter(([name]) => !(name in more)),
  ...Object.entries(more),
]
const fields = {
  'statusRule.failingRegions': '2',
  'statusRule.failures': '3',
  'statusRule.slowMs': '1500',
}

test('what decides down is set in the form, said on the page in a sentence, and kept by an unchanged form', async () => {
  const { get, post, path } = await owner()
  expect((await get(path)).text).toContain('Down when most of 4 regions fail at one time.')
  const form = formIn((await get(`${path}/edit`)).raw)
  expect(form).toContainEqual(['statusRule.failingRegions', 'majority'])
  expect(await post(`${path}/edit`, replaced(form, fields))).toMatchObject({ status: 303, to: path })
  expect((await get(path)).text).toContain(
    'Down when 2 of 4 regions fail at one time, each in 3 slots in a row. Degraded when',
  )
  const again = formIn((await get(`${path}/edit`)).raw)
  for (const field of Object.entries(fields)) expect(again).toContainEqual(field)
  await post(`${path}/edit`, again)
  expect(formIn((await get(`${path}/edit`)).raw)).toEqual(again)
  const emptied = { 'statusRule.failingRegions': 'any', 'statusRule.failures': '', 'statusRule.slowMs': '' }
  await post(`${path}/edit`, replaced(again, emptied))
  expect((await get(path)).text).toContain('Down when any of 4 regions fails.')
})

test('what is wrong is shown at its field with what was typed', async () => {
  const { get, post, path } = await owner()
  const form = formIn((await get(`${path}/edit`)).raw)
  const wrong = { ...fields, 'statusRule.failures': '99', 'statusRule.slowMs': 'fast' }
  const refused = await post(`${path}/edit`, replaced(form, wrong))
  expect(refused.status).toBe(422)
  for (const name of ['failures', 'slowMs']) {
    expect(refused.text).toContain(`id="field-statusRule-${name}-problem"`)
  }
  expect(formIn(refused.raw)).toContainEqual(['statusRule.slowMs', 'fast'])
  const few = replaced(form, fields).filter(([name, value]) => name !== 'regions' || value === 'fra')
  expect((await post(`${path}/edit`, few)).text).toContain('id="field-statusRule-failingRegions-problem"')
})

test.each([
  ['http', { url: 'https://example.org/' }],
  ['tcp', { 'settings.host': 'db.example.org', 'settings.port': '5432' }],
] as const)('a new %s check is created with the rule in its form', async (type, target) => {
  const { get, post } = await owner()
  const path = `/dashboard/checks/new/${type}`
  const form = formIn((await get(path)).raw)
  const wrong = await post(path, replaced(form, { ...target, ...fields, 'statusRule.failures': '99' }))
  expect(wrong.text).toContain('id="field-statusRule-failures-problem"')
  const { to } = await post(path, replaced(form, { ...target, ...fields }))
  expect((await get(String(to))).text).toContain(
    'Down when 2 of 4 regions fail at one time, each in 3 slots in a row.',
  )
})

test('a heartbeat has no such fields', async () => {
  const { get } = await owner()
  expect((await get('/dashboard/checks/new/heartbeat')).text).not.toContain('What decides down')
})

test('the rule in the form is tried on the stored readings, and nothing is saved', async () => {
  const clickhouse = await createTestClickHouse()
  const stored = await startTestWeb({ clickhouseUrl: clickhouse.url, config: { budgetScale: 100 } })
  onTestFinished(async () => {
    await stored.close()
    await clickhouse.close()
  })
  const { get, post, path } = await owner(stored)
  const form = formIn((await get(`${path}/edit`)).raw)
  const tried = await post(`${path}/edit`, [...replaced(form, fields), ['act', 'replay']])
  expect(tried.status).toBe(200)
  expect(tried.text).toContain('This one')
  expect(tried.text).toContain('Down when 2 of 4 regions fail at one time, each in 3 slots in a row.')
  expect(tried.text).toContain('Down when most of 4 regions fail at one time.')
  expect(tried.text).toContain('The check is not older.')
  expect(formIn(tried.raw)).toContainEqual(['statusRule.failures', '3'])
  expect(formIn((await get(`${path}/edit`)).raw)).toEqual(form)
  const wrong = await post(`${path}/edit`, [
    ...replaced(form, { 'statusRule.failures': '99' }),
    ['act', 'replay'],
  ])
  expect(wrong.text).toContain('id="field-statusRule-failures-problem"')
})
