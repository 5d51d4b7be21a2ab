import { Incident } from '@probe-mesh/contracts/incident/incident'
import { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { findIncidentNews } from '../subscribers/subscriber-news-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { outboxOf, setStatus } from '../app/testing/pages.ts'

const at = useTestApp()
const user = useEach(() => loggedIn(at))
const page = useEach(async () => (await asUser(at, user, 'GET', '/status-pages')).json.statusPages[0])
const shop = useEach(() => publish('Shop'))
const api = useEach(() => publish('API'))
beforeEach(async () => {
  await at.sql`delete from outbox`
})

const publish = async (name: string, pageId = page.id) => {
  const check = await asUser(at, user, 'POST', '/checks', { name, url: 'https://example.org/' })
  const body = { checkId: check.json.id }
  const { json } = await asUser(at, user, 'POST', `/status-pages/${pageId}/components`, body)
  return { checkId: String(check.json.id), id: String(json.id) }
}
const open = (more: object = {}) =>
  asUser(at, user, 'POST', `/status-pages/${page.id}/incidents`, {
    componentIds: [shop.id, api.id],
    impact: 'major',
    title: 'Payments fail',
    body: 'We are looking.',
    ...more,
  })
const update = (id: string, body: object) => asUser(at, user, 'POST', `/incidents/${id}/page-updates`, body)
const get = async (id: string) => Incident.parse((await asUser(at, user, 'GET', `/incidents/${id}`)).json)
const published = async () =>
  PublicPageDocument.parse((await at.call('GET', `/status/${page.slug}/page.json`)).json)
const mails = async () => (await outboxOf(at)).filter(({ kind }) => kind === 'mail')

describe('an incident about several components', () => {
  test('is stored with impact and components, shown on the page, and mailed once', async () => {
    const opened = await open()
    expect(opened.status).toBe(201)
    expect(opened.json).toEqual(Incident.parse(opened.json))
    expect(opened.json).toMatchObject({
      checkId: shop.checkId,
      region: null,
      impact: 'major',
      status: 'investigating',
      source: 'manual',
      componentIds: [shop.id, api.id],
      updates: [{ status: 'investigating', body: 'We are looking.' }],
    })
    expect(await get(opened.json.id)).toEqual(opened.json)
    const [shown] = (await published()).incidents
    expect(shown).toMatchObject({ impact: 'major', componentId: shop.id, componentIds: [shop.id, api.id] })
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    const news = await findIncidentNews(at.systemSql, mail?.payload.id)
    expect(news).toMatchObject({ affected: ['Shop', 'API'], componentIds: [shop.id, api.id] })
    const audit = await at.sql`
      select resource_id from audit_log where account_id = ${user.accountId} and action = 'createPageIncident'`
    expect(audit).toEqual([{ resource_id: opened.json.id }])
  })

  test('counts on the days of each named component', async () => {
    await publish('Other')
    await open()
    const today = (await published()).components.map(({ days }) => days?.at(-1)?.incidents)
    expect(today).toEqual([1, 1, 0])
  })

  test('is not duplicated when it is submitted again within a minute', async () => {
    const [one, two] = [await open(), await open()]
    expect(two.json.id).toBe(one.json.id)
    expect(await mails()).toHaveLength(1)
    at.pass(61_000)
    expect((await open()).json.id).not.toBe(one.json.id)
  })

  test('may start in any status except resolved', async () => {
    expect((await open({ status: 'identified' })).json).toMatchObject({ status: 'identified' })
    expect(await open({ status: 'resolved' })).toMatchObject({
      status: 422,
      json: { errors: [{ path: 'status' }] },
    })
  })

  test.each<[string, () => object, string]>([
    ['no component', () => ({ componentIds: [] }), 'componentIds'],
    ['a component twice', () => ({ componentIds: [shop.id, shop.id] }), 'componentIds'],
    ['an unknown component', () => ({ componentIds: [shop.id, crypto.randomUUID()] }), 'componentIds[1]'],
    ['an impact that is none', () => ({ impact: 'huge' }), 'impact'],
  ])('with %s is SV-2001, and nothing is written', async (_, more, path) => {
    expect(await open(more())).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path }] },
    })
    expect(await outboxOf(at)).toEqual([])
  })

  test('accepts no component of another page', async () => {
    const name = `two-${page.slug}`.slice(0, 60)
    const other = await asUser(at, user, 'POST', '/status-pages', { name, slug: name })
    const there = await publish('There', other.json.id)
    expect(await open({ componentIds: [there.id] })).toMatchObject({ json: { code: 'SV-2001' } })
  })

  test('passes to the next component when its first check is deleted, and ends with the last', async () => {
    const { json } = await open()
    await asUser(at, user, 'DELETE', `/checks/${shop.checkId}`)
    expect(await get(json.id)).toMatchObject({ checkId: api.checkId, componentIds: [api.id] })
    await asUser(at, user, 'DELETE', `/checks/${api.checkId}`)
    expect((await asUser(at, user, 'GET', `/incidents/${json.id}`)).status).toBe(404)
  })
})

describe('an update', () => {
  test('also changes title, impact and components; omitted fields keep their values', async () => {
    const { json } = await open()
    const changed = await update(json.id, {
      status: 'identified',
      body: 'The disk.',
      title: 'Payments are slow',
      impact: 'minor',
      componentIds: [api.id],
    })
    expect(changed).toMatchObject({
      status: 201,
      json: {
        title: 'Payments are slow',
        impact: 'minor',
        checkId: api.checkId,
        componentIds: [api.id],
        status: 'identified',
      },
    })
    at.pass(1)
    const resolved = await update(json.id, { status: 'resolved', body: 'Done.' })
    expect(resolved.json).toMatchObject({ title: 'Payments are slow', impact: 'minor', status: 'resolved' })
    expect(resolved.json.resolvedAt).not.toBeNull()
    expect(await mails()).toHaveLength(3)
  })

  test('that repeats the latest one changes the incident and adds nothing', async () => {
    const { json } = await open()
    const repeated = { status: 'investigating', body: 'We are looking.', impact: 'critical' }
    const answer = await update(json.id, repeated)
    expect(answer.json).toMatchObject({ impact: 'critical' })
    expect(answer.json.updates).toHaveLength(1)
    expect(await mails()).toHaveLength(1)
  })

  test('of an automatic incident sets its impact and adds components to its members', async () => {
    const [id, now] = [crypto.randomUUID(), new Date(at.now())]
    await at.sql`
      insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
        measured_impact, started_at, created_at)
      values (${id}, ${user.accountId}, ${page.id}, ${shop.checkId}, 'fra', 'Shop is down',
        'investigating', 'automatic', 'major', ${now}, ${now})`
    await at.sql`
      insert into incident_members (incident_id, check_id, account_id, cause, regions, down_at)
      values (${id}, ${shop.checkId}, ${user.accountId}, 'no', '{fra}', ${now})`
    const body = { status: 'identified', body: 'The disk.', impact: 'none', componentIds: [api.id] }
    expect((await update(id, body)).json).toMatchObject({
      source: 'automatic',
      checkId: shop.checkId,
      impact: 'none',
      componentIds: [shop.id, api.id],
    })
  })

  test('of an unknown incident is SV-3001', async () => {
    const answer = await update(crypto.randomUUID(), { status: 'resolved', body: 'Done.' })
    expect(answer).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
  })
})

describe('an incident over the API', () => {
  const post = async () =>
    (
      await asUser(at, user, 'POST', '/incidents', {
        statusPageId: page.id,
        checkId: shop.checkId,
        region: 'fra',
        title: `at ${at.now()}`,
        body: 'We are looking.',
      })
    ).json

  test('gets the measured impact: minor, major while its check is down, critical while all are', async () => {
    expect(await post()).toMatchObject({ impact: 'minor', componentIds: [shop.id] })
    await setStatus(at, shop.checkId, 'down')
    at.pass(1)
    expect(await post()).toMatchObject({ impact: 'major' })
    await setStatus(at, api.checkId, 'down')
    at.pass(1)
    expect(await post()).toMatchObject({ impact: 'critical' })
  })

  test('accepts no impact and no components', async () => {
    const body = { statusPageId: page.id, checkId: shop.checkId, region: 'fra', title: 'a', body: 'b' }
    const answer = await asUser(at, user, 'POST', '/incidents', {
      ...body,
      impact: 'minor',
      componentIds: [shop.id],
    })
    expect(answer.json.errors.map(({ path }: { path: string }) => path)).toEqual(['impact', 'componentIds'])
  })
})
