import { draftsMax } from '@probe-mesh/contracts/check/check-plan'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp, startTestApp } from '../app/testing/test-app.ts'
import { missing, ownerOf } from '../app/testing/pages.ts'

// S-217: everything that would be refused, all at once, and nothing is stored

const monitors = 4
const perMinute = 600
const at = useTestApp({
  config: {
    budgetScale: 1_000,
    targetRequestsPerMinute: perMinute,
    tiers: { ...tiersDefault, scale: { ...tiersDefault.scale, monitors } },
  },
})
const account = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, account))

const site = () => `https://${crypto.randomUUID()}.example.org/`
const create = (check: object) => ({ action: 'create', check: { name: 'new', url: site(), ...check } })
const plan = async (...drafts: object[]) => {
  const answer = await at.call('POST', '/v1/checks/plan', { key: account.readKey, body: { drafts } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}
const refusals = async (...drafts: object[]) => (await plan(...drafts)).refusals
const codes = async (...drafts: object[]) =>
  (await refusals(...drafts)).map(({ index, code }: { index: number; code: string }) => `${index} ${code}`)

test('lists every problem of every draft, with name, code and fields, and stores nothing', async () => {
  const id = await owner.checkId({ name: 'old', url: site() })
  const before = (await owner.get('/checks')).text
  const wrong = await refusals(
    create({ name: ' ', url: 'ftp://example.org/', intervalSeconds: 5, regions: ['xyz'], more: 1 }),
    create({ name: 'good' }),
    { action: 'replace', id, check: { url: 'http://10.0.0.1/', intervalSeconds: 2 } },
    { action: 'update', id, check: { regions: ['xyz'] }, assertions: { assertionJsonPath: '$..a' } },
    { action: 'delete', id: missing },
  )
  const shown = wrong.map(
    ({
      index,
      name,
      code,
      errors,
    }: {
      index: number
      name: string
      code: string
      errors: { path: string }[]
    }) => `${index} ${name} ${code} ${errors.map(({ path }) => path).join()}`,
  )
  expect(shown).toEqual([
    '0   SV-2001 name,more,regions[0]',
    '0   SV-5001 url',
    '0   SV-4002 intervalSeconds',
    '2 old SV-5001 url',
    '2 old SV-4002 intervalSeconds',
    '3 old SV-2001 regions[0]',
    '3 old SV-2002 assertionJsonPath,assertionJsonOp',
    '4 null SV-3001 ',
  ])
  expect((await owner.get('/checks')).text).toBe(before)
  expect((await owner.auditEntries()).map(([action]) => action)).toEqual(['createCheck'])
})

test('judges each draft as if those before it had been written', async () => {
  const ids = [await owner.checkId({ url: site() }), await owner.checkId({ url: site() })]
  const [id = '', other = ''] = ids
  expect(await codes(create({}), create({}), create({}))).toEqual(['2 SV-4001'])
  const [gone, changed] = [
    { action: 'delete', id },
    { action: 'replace', id: other, check: { name: 'x' } },
  ]
  expect(await codes(gone, changed, create({}), create({}), create({}))).toEqual([])
  expect(await codes(gone, gone, { action: 'update', id, check: { paused: true } })).toEqual([
    '1 SV-3001',
    '2 SV-3001',
  ])
})

test('counts the requests of all drafts to a host, without those of the checks that they replace', async () => {
  const url = site()
  const busy = { url, intervalSeconds: 10, regions: ['iad', 'sjc', 'fra', 'nrt'] }
  // 24 requests a minute each; half of the limit is for one account
  const most = Math.floor(perMinute / 2 / 24)
  const many = Array.from({ length: most + 2 }, () => create(busy))
  const often = (await refusals(...many)).filter(({ code }: { code: string }) => code === 'SV-5001')
  expect(often.map(({ index }: { index: number }) => index)).toEqual([most, most + 1])
  expect(often[0]).toMatchObject({
    errors: [{ path: 'url' }],
    message: expect.stringContaining('request_budget'),
  })
  const id = await owner.checkId(busy)
  const replaced = [{ action: 'replace', id, check: { name: 'x' } }, ...many.slice(0, most - 1)]
  expect((await codes(...replaced)).filter((code: string) => code.endsWith('SV-5001'))).toEqual([])
})

test('says how many writes are needed, and what is left of them', async () => {
  const id = await owner.checkId()
  const both = { action: 'update', id, check: { paused: true }, assertions: {} }
  const { writes } = await plan(create({}), both, { action: 'delete', id })
  expect(writes).toEqual({ needed: 4, left: 30_000, perMinute: 30_000, resetSeconds: 0 })
})

test('is one read of a key of any scope, whatever it names', async () => {
  const left = async () => (await owner.get('/me')).json.limits
  const before = await left()
  await plan(create({}), create({}), create({}))
  const after = await left()
  expect(before.reads.left - after.reads.left).toBe(2)
  expect(after.writes).toEqual(before.writes)
})

test(`refuses more than ${draftsMax} drafts, and judges as many`, async () => {
  const drafts = Array.from({ length: draftsMax + 1 }, () => ({ action: 'delete', id: missing }))
  const answer = await at.call('POST', '/v1/checks/plan', { key: account.readKey, body: { drafts } })
  expect(answer).toMatchObject({ status: 422, json: { code: 'SV-2001', errors: [{ path: 'drafts' }] } })
  expect(await refusals(...drafts.slice(1))).toHaveLength(draftsMax)
})

const wrongOr = <T>(good: T[], wrong: unknown[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom<unknown>(...good) }, fc.constantFrom(...wrong))
const agent = `private-${missing}`
const bodies = fc.record(
  {
    name: wrongOr(['a', 'b c'], ['', ' ', 7, 'x'.repeat(201), null]),
    url: wrongOr(
      ['https://a.example.org/', 'http://127.0.0.1/'],
      ['x', 'http://10.0.0.1/', 'http://a.example.org:22/', 'http://u:p@a.example.org/', 'http://intra/', 5],
    ),
    intervalSeconds: wrongOr([10, 60], [0, 1.5, 9, 86_401, '60']),
    regions: wrongOr(
      [['fra'], ['fra', 'iad']],
      [[], ['fra', 'fra'], ['xyz'], ['FRA'], [agent], ['fra', agent]],
    ),
    timeoutSeconds: wrongOr([1, 9], [0, 25, 31, '1']),
    assertionStatusMin: wrongOr([200, null], [99, 600]),
    assertionBodyOp: wrongOr(['contains'], ['matches']),
    assertionBodyValue: wrongOr(['ok'], ['', 7]),
    tags: wrongOr([['a']], [['-'], ['a', 'A']]),
  },
  { requiredKeys: ['name', 'url'] },
)

const codesOf = (all: { code: string }[]): string[] => all.map(({ code }) => code)

describe('has the verdict that the write has', () => {
  test('of a create', async () => {
    await forAllAsync([bodies], { numRuns: 150 }, async (check) => {
      const all = await refusals({ action: 'create', check })
      const [planned] = all
      const written = await owner.post('/checks', check)
      if (written.status === 201) await owner.send('DELETE', `/checks/${written.json.id}`)
      expect(planned === undefined, written.text).toBe(written.status === 201)
      if (planned !== undefined) expect(codesOf(all)).toContain(written.json.code)
      const paths = (errors: { path: string }[] = []) => errors.map(({ path }) => path)
      const named = all.flatMap(({ errors }: { errors: { path: string }[] }) => paths(errors))
      expect(named).toEqual(expect.arrayContaining(paths(written.json.errors)))
    })
  })

  test('of a replace', async () => {
    let id = await owner.checkId({ url: 'https://b.example.org/' })
    await forAllAsync([bodies], async (check) => {
      const all = await refusals({ action: 'replace', id, check })
      const written = await owner.post(`/checks/${id}/replace`, check)
      if (written.status === 201) expect(all).toEqual([])
      else expect(codesOf(all), written.text).toContain(written.json.code)
      if (written.status === 201) ({ id } = written.json)
    })
  })
})

test('names a target that is on the deny list', async () => {
  const denied = parseDenyList(['denied.example.org'])
  if (!denied.ok) throw new Error('the deny list of the test is wrong')
  const strict = await startTestApp({ config: { blockedTargets: denied.deny } })
  const { readKey } = await strict.account('scale')
  const body = { drafts: [create({ url: 'https://denied.example.org/' })] }
  const answer = await strict.call('POST', '/v1/checks/plan', { key: readKey, body })
  await strict.close()
  expect(answer.json.refusals).toMatchObject([{ code: 'SV-5001', errors: [{ path: 'url' }] }])
})
