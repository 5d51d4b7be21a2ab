import { Component } from '@probe-mesh/contracts/status-page/status-page'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { atOnce, missing, ownerOf, setStatus, type Owner } from '../app/testing/pages.ts'

let owner: Owner
let pageId: string
let path: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeEach(async () => {
  owner = ownerOf(at, await at.account('scale'))
  pageId = await owner.pageId()
  path = `/status-pages/${pageId}/components`
})

const list = async () => (await owner.get(path)).json.components

describe('publishing', () => {
  test("uses the check's name by default, and lists in the order of publishing", async () => {
    const [first, second] = [await owner.checkId({ name: 'shop' }), await owner.checkId()]
    const one = await owner.post(path, { checkId: first })
    expect(one.status).toBe(201)
    expect(one.json).toEqual(Component.parse(one.json))
    expect(one.json).toMatchObject({ checkId: first, displayName: 'shop', description: null })
    const said = { displayName: 'API', description: 'of all we do' }
    const two = await owner.post(path, { checkId: second, ...said })
    expect(two.json).toMatchObject(said)
    expect(await list()).toEqual([one.json, two.json])
    expect((await owner.get(`${path}/${two.json.id}`)).json).toEqual(two.json)
    expect((await owner.auditEntries()).slice(0, 2)).toEqual([
      ['createComponent', two.json.id],
      ['createComponent', one.json.id],
    ])
  })

  test('publishes a check once on a page, also concurrently, and also on another page', async () => {
    const checkId = await owner.checkId()
    const sends = Array.from({ length: 4 }, () => () => owner.post(path, { checkId }))
    const answers = await atOnce(at, { table: 'status_pages', id: pageId }, sends)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
      code: 'SV-3002',
      errors: [{ path: 'checkId' }],
    })
    expect(await list()).toHaveLength(1)
    const other = await owner.post('/status-pages', { name: 'two', slug: `two-${checkId}` })
    const second = await owner.post(`/status-pages/${other.json.id}/components`, { checkId })
    expect(second.status).toBe(201)
  })

  test('a private check is SV-3002', async () => {
    const checkId = await owner.checkId()
    await at.sql`update checks set private = true where id = ${checkId}`
    const refused = await owner.post(path, { checkId })
    expect(refused).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(await list()).toEqual([])
  })

  test("another account's check and page are not found, and both are listed", async () => {
    const other = ownerOf(at, await at.account('scale'))
    const [foreignCheck, checkId] = [await other.checkId(), await owner.checkId()]
    const foreignPath = `/status-pages/${await other.pageId()}/components`
    const refusedBy = async (where: string, check: string) => {
      const { status, json } = await owner.post(where, { checkId: check })
      return [status, json.code, json.errors.map((error: { path: string }) => error.path)]
    }
    expect(await refusedBy(path, foreignCheck)).toEqual([404, 'SV-3001', ['checkId']])
    expect(await refusedBy(path, missing)).toEqual([404, 'SV-3001', ['checkId']])
    expect(await refusedBy(foreignPath, checkId)).toEqual([404, 'SV-3001', ['statusPageId']])
    expect(await refusedBy(foreignPath, missing)).toEqual([404, 'SV-3001', ['statusPageId', 'checkId']])
    expect((await owner.get(foreignPath)).status).toBe(404)
  })

  test.each([
    ['no check', {}, 'checkId'],
    ['a wrong id', { checkId: 'web' }, 'checkId'],
    ['a blank name', { checkId: missing, displayName: '' }, 'displayName'],
    ['an order, which the API does not expose', { checkId: missing, order: 1 }, 'order'],
  ])('%s is SV-2001', async (_, body, wrong) => {
    expect(await owner.post(path, body)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: wrong }] },
    })
  })
})

describe('state', () => {
  test("is the check's status, no data if that is stale, maintenance during a window", async () => {
    const [one, two] = [await owner.checkId(), await owner.checkId()]
    const covered = (await owner.post(path, { checkId: one })).json
    await owner.post(path, { checkId: two })
    const states = async () => (await list()).map(({ state }: Component) => state)
    expect(await states()).toEqual(['no_data', 'no_data'])
    await setStatus(at, one, 'operational')
    await setStatus(at, two, 'degraded')
    expect(await states()).toEqual(['operational', 'degraded'])
    const window = await owner.post('/maintenance', {
      statusPageId: covered.statusPageId,
      title: 'work',
      body: 'soon',
      durationMinutes: 1,
      componentIds: [covered.id],
    })
    expect(window.status).toBe(201)
    expect(await states()).toEqual(['maintenance', 'degraded'])
    expect((await owner.get(`${path}/${covered.id}`)).json.state).toBe('maintenance')
    // the window is over, and the reading is stale
    at.pass(120_000)
    expect(await states()).toEqual(['no_data', 'no_data'])
  })
})

describe('changing and unpublishing', () => {
  test('omitted fields stay, null clears the description', async () => {
    const said = { displayName: 'API', description: 'of all we do' }
    const { json } = await owner.post(path, { checkId: await owner.checkId(), ...said })
    const renamed = await owner.send('PATCH', `${path}/${json.id}`, { displayName: 'Web' })
    expect(renamed).toMatchObject({ status: 200, json: { ...json, displayName: 'Web' } })
    const cleared = await owner.send('PATCH', `${path}/${json.id}`, { description: null })
    expect(cleared.json).toEqual({ ...json, displayName: 'Web', description: null })
    expect(await list()).toEqual([cleared.json])
    expect(await owner.auditEntries()).toContainEqual(['updateComponent', json.id])
  })

  test('a destroyed component unpublishes the check, which keeps running', async () => {
    const checkId = await owner.checkId()
    const { json } = await owner.post(path, { checkId })
    const gone = await owner.send('DELETE', `${path}/${json.id}`)
    expect(gone).toMatchObject({ status: 200, json: { id: json.id, deleted: true } })
    expect(await list()).toEqual([])
    expect((await owner.get(`/checks/${checkId}`)).json).toMatchObject({ paused: false })
    expect((await owner.send('DELETE', `${path}/${json.id}`)).status).toBe(404)
    expect((await owner.post(path, { checkId })).status).toBe(201)
  })

  test('a deleted check is no longer published', async () => {
    const checkId = await owner.checkId()
    await owner.post(path, { checkId })
    await owner.send('DELETE', `/checks/${checkId}`)
    expect(await list()).toEqual([])
  })

  test('a component is found on its own page only', async () => {
    const { json } = await owner.post(path, { checkId: await owner.checkId() })
    const page = await owner.post('/status-pages', { name: 'two', slug: `two-${json.id}` })
    const elsewhere = `/status-pages/${page.json.id}/components/${json.id}`
    expect((await owner.get(elsewhere)).status).toBe(404)
    expect((await owner.send('PATCH', elsewhere, { displayName: 'x' })).status).toBe(404)
    expect((await owner.send('DELETE', elsewhere)).status).toBe(404)
    const other = ownerOf(at, await at.account('scale'))
    expect((await other.get(`${path}/${json.id}`)).status).toBe(404)
    expect((await other.send('DELETE', `${path}/${json.id}`)).status).toBe(404)
    expect(await list()).toEqual([json])
  })
})
