import { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { atOnce, missing, ownerOf, setStatus } from '../app/testing/pages.ts'

const at = useTestApp({
  config: {
    budgetScale: 1_000,
    tiers: { ...tiersDefault, growth: { ...tiersDefault.growth, statusPages: 3 } },
  },
})
const account = useEach(() => at.account('growth'))
const owner = useEach(() => ownerOf(at, account))

let slugs = 0
const freeSlug = () => `page-${(slugs += 1)}`
const create = (body: object = {}) => owner.post('/status-pages', { name: 'Acme', slug: freeSlug(), ...body })

describe('read', () => {
  test('an account has a page from the start, listed under both names', async () => {
    const { status, json } = await owner.get('/status-pages')
    expect(status).toBe(200)
    expect(json.statusPages).toEqual([StatusPage.parse(json.statusPages[0])])
    const [page] = json.statusPages
    expect(page).toMatchObject({ name: 'growth account', componentCount: 0, state: 'no_data' })
    expect(page.path).toBe(`/status/${page.slug}`)
    expect(page.url).toBe(`http://127.0.0.1:8080${page.path}`)
    expect((await owner.get('/status')).json).toEqual(json)
    expect(await owner.get(`/status-pages/${page.id}`)).toMatchObject({ status: 200, json: page })
  })

  test('a page shows the worst status of its own components', async () => {
    const id = await owner.pageId()
    const other = await create()
    const checks = [await owner.checkId(), await owner.checkId()]
    for (const checkId of checks) await owner.post(`/status-pages/${id}/components`, { checkId })
    const states = async () =>
      (await owner.get('/status-pages')).json.statusPages.map((page: StatusPage) => [
        page.componentCount,
        page.state,
      ])
    expect(await states()).toEqual([
      [2, 'no_data'],
      [0, 'no_data'],
    ])
    for (const checkId of checks) await setStatus(at, checkId, 'operational')
    expect(await states()).toEqual([
      [2, 'operational'],
      [0, 'no_data'],
    ])
    await setStatus(at, checks[0] ?? '', 'down')
    expect(await states()).toEqual([
      [2, 'down'],
      [0, 'no_data'],
    ])
    expect((await owner.get(`/status-pages/${id}`)).json.state).toBe('down')
    const window = { statusPageId: id, title: 'work', body: 'soon', durationMinutes: 5 }
    await owner.post('/maintenance', window)
    expect(await states()).toEqual([
      [2, 'maintenance'],
      [0, 'no_data'],
    ])
    expect((await owner.get(`/status-pages/${other.json.id}`)).json.state).toBe('no_data')
  })
})

describe('create', () => {
  test('omitted fields have defaults, and given fields are stored unchanged', async () => {
    const plain = await create()
    expect(plain.status).toBe(201)
    expect(plain.json).toEqual(StatusPage.parse(plain.json))
    expect(plain.json).toMatchObject({
      title: null,
      accentColor: null,
      themePreset: 'system',
      font: 'system',
      locale: 'en',
      links: [],
    })
    const said = {
      title: 'Acme status',
      description: 'What works\nand what does not',
      logo: 'https://example.org/logo.svg',
      accentColor: '#0A7d4f',
      themePreset: 'dark',
      font: 'mono',
      locale: 'de-AT',
      links: [{ label: 'Home', url: 'https://example.org/' }],
    }
    const full = await create(said)
    expect(full.json).toMatchObject(said)
    expect((await owner.get(`/status-pages/${full.json.id}`)).json).toEqual(full.json)
    expect(await owner.auditEntries()).toEqual([
      ['createStatusPage', full.json.id],
      ['createStatusPage', plain.json.id],
    ])
  })

  test.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a slug with a capital', { slug: 'Acme' }, 'slug'],
    ['a slug that ends in a hyphen', { slug: 'acme-' }, 'slug'],
    ['a slug of 64 characters', { slug: 'a'.repeat(64) }, 'slug'],
    ['a colour by name', { accentColor: 'red' }, 'accentColor'],
    ['a theme that is none', { themePreset: 'pink' }, 'themePreset'],
    ['a logo that a browser would run', { logo: 'javascript:alert(1)' }, 'logo'],
    ['a link without a label', { links: [{ url: 'https://a.org/' }] }, 'links[0].label'],
    ['a field that there is not', { domain: 'a.org' }, 'domain'],
  ])('%s is SV-2001 and creates no page', async (_, body, path) => {
    expect(await create(body)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path }] },
    })
    expect((await owner.get('/status-pages')).json.statusPages).toHaveLength(1)
  })

  test('a slug of 63 characters is accepted', async () => {
    const slug = `a${String((slugs += 1))}`.padEnd(63, 'x')
    expect(await create({ slug })).toMatchObject({ status: 201, json: { slug } })
  })

  test("another account's slug is refused without further details", async () => {
    const slug = freeSlug()
    expect((await create({ slug })).status).toBe(201)
    const other = ownerOf(at, await at.account('scale'))
    const refused = await other.post('/status-pages', { name: 'Other', slug })
    expect(refused).toMatchObject({
      status: 409,
      json: { code: 'SV-3002', errors: [{ path: 'slug' }] },
    })
    expect(refused.text).not.toContain(account.id)
    expect(refused.text).not.toContain('Acme')
    expect(await other.auditEntries()).toEqual([])
  })

  test('of concurrent creates with one slug by two accounts one succeeds', async () => {
    const slug = freeSlug()
    const other = ownerOf(at, await at.account('scale'))
    const answers = await Promise.all(
      [owner, other, owner, other].map((one) => one.post('/status-pages', { name: 'a', slug })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  })

  test('more pages than the tier allows are SV-4001, also concurrently', async () => {
    const sends = Array.from({ length: 5 }, () => () => create())
    const answers = await atOnce(at, { table: 'accounts', id: account.id }, sends)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 403, 403, 403])
    expect(answers.find(({ status }) => status === 403)?.json).toMatchObject({
      code: 'SV-4001',
      message: expect.stringContaining('3 status pages'),
    })
  })
})

describe('update', () => {
  test('omitted fields stay, and null clears optional fields', async () => {
    const { json } = await create({ title: 'a', description: 'b', font: 'mono' })
    const updated = await owner.send('PATCH', `/status-pages/${json.id}`, {
      title: null,
      themePreset: 'light',
    })
    expect(updated.status).toBe(200)
    expect(updated.json).toEqual({ ...json, title: null, themePreset: 'light' })
    expect((await owner.get(`/status-pages/${json.id}`)).json).toEqual(updated.json)
    expect(await owner.auditEntries()).toContainEqual(['updateStatusPage', json.id])
  })

  test('a slug can change to a free one and to itself, but not to one in use', async () => {
    const [one, two] = [(await create()).json, (await create()).json]
    const to = (slug: string) => owner.send('PATCH', `/status-pages/${two.id}`, { slug })
    expect(await to(one.slug)).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect((await owner.get(`/status-pages/${two.id}`)).json.slug).toBe(two.slug)
    expect((await to(two.slug)).status).toBe(200)
    const slug = freeSlug()
    expect(await to(slug)).toMatchObject({ status: 200, json: { slug, path: `/status/${slug}` } })
    expect(at.logged.join()).not.toContain('request failed')
  })

  test('null is refused for required fields', async () => {
    const { json } = await create()
    const refused = await owner.send('PATCH', `/status-pages/${json.id}`, {
      font: null,
      name: null,
    })
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(refused.json.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(['font', 'name'])
  })
})

describe('delete', () => {
  test('a page is deleted with its components, and the check keeps running', async () => {
    const { json } = await create()
    const checkId = await owner.checkId()
    await owner.post(`/status-pages/${json.id}/components`, { checkId })
    const gone = await owner.send('DELETE', `/status-pages/${json.id}`)
    expect(gone).toMatchObject({ status: 200, json: { id: json.id, deleted: true } })
    expect((await owner.get(`/status-pages/${json.id}`)).status).toBe(404)
    expect((await owner.get(`/checks/${checkId}`)).status).toBe(200)
    expect((await owner.send('DELETE', `/status-pages/${json.id}`)).json.code).toBe('SV-3001')
    expect(await owner.auditEntries()).toContainEqual(['deleteStatusPage', json.id])
  })

  test('the last page cannot be deleted: SV-3002', async () => {
    const id = await owner.pageId()
    expect(await owner.send('DELETE', `/status-pages/${id}`)).toMatchObject({
      status: 409,
      json: { code: 'SV-3002' },
    })
    expect((await owner.get('/status-pages')).json.statusPages).toHaveLength(1)
  })

  test('concurrent deletes of all pages leave one', async () => {
    await create()
    await create()
    const { statusPages } = (await owner.get('/status-pages')).json
    const answers = await atOnce(
      at,
      { table: 'accounts', id: account.id },
      statusPages.map(
        ({ id }: StatusPage) =>
          () =>
            owner.send('DELETE', `/status-pages/${id}`),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409])
    expect((await owner.get('/status-pages')).json.statusPages).toHaveLength(1)
  })
})

test("another account's page is not found, like a missing one", async () => {
  const { id } = (await create()).json
  const other = ownerOf(at, await at.account('growth'))
  for (const [method, body] of [
    ['PATCH', { title: 'mine' }],
    ['DELETE', undefined],
  ] as const) {
    const foreign = await other.send(method, `/status-pages/${id}`, body)
    const none = await other.send(method, `/status-pages/${missing}`, body)
    expect(foreign).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(foreign.text).toBe(none.text)
  }
  expect((await other.get(`/status-pages/${id}`)).status).toBe(404)
  expect((await owner.get(`/status-pages/${id}`)).json.title).toBeNull()
})
