import { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { atOnce, missing, outboxOf, ownerOf, type Owner } from '../app/testing/pages.ts'

let owner: Owner
let statusPageId: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeEach(async () => {
  owner = ownerOf(at, await at.account('scale'))
  statusPageId = await owner.pageId()
  await at.sql`delete from outbox`
})

const minuteMs = 60_000
const inMinutes = (minutes: number) => new Date(at.now() + minutes * minuteMs).toISOString()
const announce = (body: object) =>
  owner.post('/maintenance', { statusPageId, title: 'New disks', body: 'An hour or so.', ...body })
const active = () => owner.get(`/maintenance?statusPageId=${statusPageId}`)
const end = (id: string) => owner.send('DELETE', `/maintenance/${id}`)
const lengthMinutes = ({ startsAt, endsAt }: MaintenanceWindow) =>
  (Date.parse(endsAt) - Date.parse(startsAt)) / minuteMs
const component = async () => {
  const path = `/status-pages/${statusPageId}/components`
  return (await owner.post(path, { checkId: await owner.checkId() })).json.id
}

describe('announcing a window', () => {
  test('without a start it is active now; window, mail and audit entry are written together', async () => {
    const { status, json } = await announce({ durationMinutes: 30 })
    expect(status).toBe(201)
    expect(json).toEqual(MaintenanceWindow.parse(json))
    expect(json).toMatchObject({
      statusPageId,
      title: 'New disks',
      body: 'An hour or so.',
      state: 'active',
      componentIds: [],
    })
    expect(lengthMinutes(json)).toBe(30)
    expect((await active()).json).toEqual(json)
    expect(await outboxOf(at)).toEqual([{ kind: 'mail', payload: { about: 'maintenance', id: json.id } }])
    expect(await owner.auditEntries()).toEqual([['createMaintenance', json.id]])
  })

  test('with a future start it is scheduled, then active, then ended', async () => {
    const startsAt = inMinutes(10)
    const { json } = await announce({ startsAt, durationMinutes: 5 })
    expect(json).toMatchObject({ startsAt, state: 'scheduled' })
    expect(lengthMinutes(json)).toBe(5)
    expect(await active()).toMatchObject({ status: 200, text: 'null', json: null })
    at.pass(11 * minuteMs)
    expect((await active()).json).toEqual({ ...json, state: 'active' })
    at.pass(5 * minuteMs)
    expect((await active()).json).toBeNull()
    expect((await end(json.id)).json).toEqual({ ...json, state: 'ended' })
  })

  test('an end with another offset is the same instant; a past start is accepted', async () => {
    const endsAt = new Date(at.now() + 10 * minuteMs)
    const shifted = new Date(endsAt.getTime() + 2 * 60 * minuteMs).toISOString()
    const { json } = await announce({
      startsAt: inMinutes(-10),
      endsAt: shifted.replace('Z', '+02:00'),
    })
    expect(json).toMatchObject({ endsAt: endsAt.toISOString(), state: 'active' })
  })

  test.each<[string, () => object, string[]]>([
    ['neither an end nor a duration', () => ({}), ['endsAt']],
    ['both', () => ({ endsAt: inMinutes(5), durationMinutes: 5 }), ['endsAt']],
    ['an end in the past', () => ({ startsAt: inMinutes(-9), endsAt: inMinutes(-1) }), ['endsAt']],
    ['a duration that is over', () => ({ startsAt: inMinutes(-9), durationMinutes: 8 }), ['durationMinutes']],
    ['an end before its start', () => ({ startsAt: inMinutes(9), endsAt: inMinutes(8) }), ['endsAt']],
    ['91 days', () => ({ endsAt: inMinutes(91 * 24 * 60) }), ['endsAt']],
    ['no duration', () => ({ durationMinutes: 0 }), ['durationMinutes']],
    ['half a minute', () => ({ durationMinutes: 0.5 }), ['durationMinutes']],
    ['a minute beyond 90 days', () => ({ durationMinutes: 129_601 }), ['durationMinutes']],
    ['a time without a zone', () => ({ endsAt: '2099-01-01T00:00:00' }), ['endsAt']],
    ['a component twice', () => ({ durationMinutes: 5, componentIds: [missing, missing] }), ['componentIds']],
  ])('%s is SV-2001 and notifies no one', async (_, body, paths) => {
    const { status, json } = await announce(body())
    expect([status, json.code]).toEqual([422, 'SV-2001'])
    expect(json.errors.map(({ path }: { path: string }) => path)).toEqual(expect.arrayContaining(paths))
    expect(new Set(json.errors.map(({ path }: { path: string }) => path)).size).toBe(paths.length)
    expect(await outboxOf(at)).toEqual([])
    expect((await active()).json).toBeNull()
  })

  test('90 days are accepted', async () => {
    expect((await announce({ durationMinutes: 129_600 })).status).toBe(201)
  })

  test('its scope is a list of components in the given order', async () => {
    const [one, two] = [await component(), await component()]
    const componentIds = [two, one]
    const { json } = await announce({ durationMinutes: 5, componentIds })
    expect(json.componentIds).toEqual(componentIds)
    expect((await active()).json).toEqual(json)
  })

  test('all ids that are not components of the page are listed, with other problems', async () => {
    const own = await component()
    const other = ownerOf(at, await at.account('scale'))
    const theirs = await other.post(`/status-pages/${await other.pageId()}/components`, {
      checkId: await other.checkId(),
    })
    const { status, json } = await announce({
      endsAt: inMinutes(-5),
      componentIds: [theirs.json.id, own, missing],
    })
    expect(status).toBe(422)
    const message = 'is not a component of this status page'
    expect(json.errors).toEqual(
      expect.arrayContaining([
        { path: 'endsAt', message: 'must not end in the past' },
        { path: 'componentIds[0]', message },
        { path: 'componentIds[2]', message },
      ]),
    )
    expect(JSON.stringify(json.errors)).not.toContain('componentIds[1]')
  })

  test('a window never extends to the whole page', async () => {
    const id = await component()
    const { json } = await announce({ durationMinutes: 5, componentIds: [id] })
    await component()
    await owner.send('DELETE', `/status-pages/${statusPageId}/components/${id}`)
    expect((await active()).json).toEqual(json)
    const { statusPages } = (await owner.get('/status-pages')).json
    expect(statusPages[0].state).toBe('no_data')
  })
})

describe('the active window', () => {
  test('is the one that ends last', async () => {
    await announce({ durationMinutes: 20 })
    const last = await announce({ durationMinutes: 60 })
    await announce({ durationMinutes: 40 })
    await announce({ startsAt: inMinutes(30), durationMinutes: 600 })
    expect((await active()).json).toEqual(last.json)
  })

  test("another account's page and a missing page are not found; no page is SV-2001", async () => {
    await announce({ durationMinutes: 20 })
    const other = ownerOf(at, await at.account('scale'))
    const foreign = await other.get(`/maintenance?statusPageId=${statusPageId}`)
    expect(foreign).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(foreign.text).toBe((await other.get(`/maintenance?statusPageId=${missing}`)).text)
    expect((await other.get('/maintenance')).json).toMatchObject({
      code: 'SV-2001',
      errors: [{ path: 'statusPageId' }],
    })
    expect(
      (
        await other.post('/maintenance', {
          statusPageId,
          title: 'a',
          body: 'b',
          durationMinutes: 5,
        })
      ).status,
    ).toBe(404)
  })
})

describe('ending a window', () => {
  test('an active window ends now, and a second end changes nothing', async () => {
    const { json } = await announce({ durationMinutes: 60 })
    at.pass(minuteMs)
    const answers = await atOnce(at, { table: 'maintenance_windows', id: json.id }, [
      () => end(json.id),
      () => end(json.id),
      () => end(json.id),
    ])
    const ends = new Set(answers.map(({ json: ended }) => ended.endsAt))
    expect(ends.size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 200, json: { id: json.id, state: 'ended' } })
    const [endsAt = ''] = ends
    expect(Date.parse(endsAt)).toBeLessThanOrEqual(at.now())
    expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(Date.parse(json.startsAt) + minuteMs)
    expect((await active()).json).toBeNull()
    at.pass(minuteMs)
    expect((await end(json.id)).json.endsAt).toBe(endsAt)
    expect((await owner.auditEntries()).filter(([act]) => act === 'endMaintenance')).toHaveLength(1)
  })

  test('a scheduled window is returned unchanged', async () => {
    const { json } = await announce({ startsAt: inMinutes(10), durationMinutes: 60 })
    expect(await end(json.id)).toMatchObject({ status: 200, json })
    expect((await owner.auditEntries()).map(([act]) => act)).toEqual(['createMaintenance'])
  })

  test("another account's window is not found", async () => {
    const { json } = await announce({ durationMinutes: 60 })
    const other = ownerOf(at, await at.account('scale'))
    const refused = await other.send('DELETE', `/maintenance/${json.id}`)
    expect(refused).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(refused.text).toBe((await other.send('DELETE', `/maintenance/${missing}`)).text)
    expect((await active()).json).toEqual(json)
  })
})

const windowsPath = '/maintenance-windows'
const list = async (query = '') => (await owner.get(`${windowsPath}${query}`)).json
const change = (id: string, body: object) => owner.send('PATCH', `${windowsPath}/${id}`, body)
const cancel = (id: string) => owner.post(`${windowsPath}/${id}/cancel`, {})

describe('list', () => {
  test('every window with its state, the one that ends last first, in pages', async () => {
    const over = (await announce({ durationMinutes: 5 })).json
    at.pass(6 * minuteMs)
    const now = (await announce({ durationMinutes: 30 })).json
    const later = (await announce({ startsAt: inMinutes(60), durationMinutes: 5 })).json
    const all = await list()
    expect(all).toEqual({
      maintenanceWindows: [later, now, { ...over, state: 'ended' }],
      nextCursor: null,
    })
    for (const [state, id] of [
      ['scheduled', later.id],
      ['active', now.id],
      ['ended', over.id],
    ]) {
      const { maintenanceWindows } = await list(`?state=${state}`)
      expect(maintenanceWindows.map((window: MaintenanceWindow) => window.id)).toEqual([id])
    }
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const part = await list(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ids.push(...part.maintenanceWindows.map((window: MaintenanceWindow) => window.id))
      cursor = part.nextCursor
    }
    expect(ids).toEqual([later.id, now.id, over.id])
    expect((await list(`?statusPageId=${missing}`)).code).toBe('SV-3001')
    expect((await list(`?statusPageId=${statusPageId}`)).maintenanceWindows).toHaveLength(3)
    expect((await list('?cursor=x')).errors).toEqual([
      { path: 'cursor', message: 'is not a cursor of this list' },
    ])
    expect((await owner.get(`${windowsPath}/${later.id}`)).json).toEqual(later)
    const other = ownerOf(at, await at.account('scale'))
    expect((await other.get(windowsPath)).json.maintenanceWindows).toEqual([])
    expect((await other.get(`${windowsPath}/${later.id}`)).status).toBe(404)
  })
})

describe('changing a window', () => {
  test('a scheduled window changes the given fields and is mailed', async () => {
    const id = await component()
    const { json } = await announce({ startsAt: inMinutes(60), durationMinutes: 30 })
    const startsAt = inMinutes(120)
    const changed = await change(json.id, { startsAt, durationMinutes: 10, componentIds: [id] })
    expect(changed.status).toBe(200)
    expect(changed.json).toMatchObject({
      ...json,
      startsAt,
      endsAt: new Date(Date.parse(startsAt) + 10 * minuteMs).toISOString(),
      componentIds: [id],
    })
    expect((await change(json.id, { title: 'Newer disks' })).json).toEqual({
      ...changed.json,
      title: 'Newer disks',
    })
    expect((await change(json.id, { componentIds: [] })).json.componentIds).toEqual([])
    const told = (await outboxOf(at)).map(({ payload }) => payload)
    expect(told.slice(1)).toMatchObject([
      { about: 'maintenance', id: json.id, news: 'changed' },
      { news: 'changed' },
      { news: 'changed' },
    ])
    expect((await owner.auditEntries())[0]).toEqual(['updateMaintenance', json.id])
  })

  test.each<[string, () => object, string[]]>([
    ['a start behind', () => ({ startsAt: inMinutes(-5) }), ['startsAt']],
    ['an end before its start', () => ({ endsAt: inMinutes(10) }), ['endsAt']],
    ['an end and a duration', () => ({ endsAt: inMinutes(99), durationMinutes: 5 }), ['endsAt']],
    ['a stranger', () => ({ componentIds: [missing] }), ['componentIds[0]']],
    ['nothing', () => ({}), ['']],
  ])('%s is SV-2001 and notifies no one', async (_, body, paths) => {
    const { json } = await announce({ startsAt: inMinutes(60), durationMinutes: 30 })
    const refused = await change(json.id, body())
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(paths)
    expect(await outboxOf(at)).toHaveLength(1)
    expect((await owner.get(`${windowsPath}/${json.id}`)).json).toEqual(json)
  })

  test("a started or ended window is SV-3002, and another account's is not found", async () => {
    const { json } = await announce({ durationMinutes: 30 })
    for (const _ of ['active', 'over']) {
      for (const act of [() => change(json.id, { title: 'a' }), () => cancel(json.id)]) {
        expect(await act()).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
      }
      at.pass(31 * minuteMs)
    }
    const other = ownerOf(at, await at.account('scale'))
    for (const [verb, path] of [
      ['PATCH', ''],
      ['POST', '/cancel'],
    ] as const) {
      const body = verb === 'PATCH' ? { title: 'a' } : {}
      const refused = await other.send(verb, `${windowsPath}/${json.id}${path}`, body)
      expect(refused).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    }
  })
})

describe('the note of a window', () => {
  const note = 'CHG-1042, Kim has the key'

  test('the account reads it, and visitors and subscribers do not', async () => {
    const { json } = await announce({ durationMinutes: 30, note })
    expect(json.note).toBe(note)
    expect((await active()).json.note).toBe(note)
    expect((await owner.get(`${windowsPath}/${json.id}`)).json.note).toBe(note)
    const { path } = (await owner.get(`/status-pages/${statusPageId}`)).json
    for (const document of ['page.json', 'history.json', 'maintenance.ics', 'api/v2/summary.json']) {
      const { text, status } = await at.call('GET', `${path}/${document}`)
      expect([document, status, text.includes(note)]).toEqual([document, 200, false])
    }
    expect((await at.call('GET', `${path}/page.json`)).text).toContain('New disks')
  })

  test('alone it changes at any time, without mail and without a new revision', async () => {
    const { json } = await announce({ durationMinutes: 30 })
    expect(json.note).toBeNull()
    const revisionOf = () =>
      at.sql`select revision, changed_at from maintenance_windows where id = ${json.id}`
    const before = await revisionOf()
    expect(await change(json.id, { note })).toMatchObject({ status: 200, json: { ...json, note } })
    at.pass(31 * minuteMs)
    expect((await change(json.id, { note: null })).json).toMatchObject({ state: 'ended', note: null })
    expect(await revisionOf()).toEqual(before)
    expect(await outboxOf(at)).toHaveLength(1)
    expect((await owner.auditEntries())[0]).toEqual(['updateMaintenance', json.id])
    const other = ownerOf(at, await at.account('scale'))
    expect(await other.send('PATCH', `${windowsPath}/${json.id}`, { note })).toMatchObject({ status: 404 })
  })

  test('with another field it is refused like that field, and a blank one is SV-2001', async () => {
    const { json } = await announce({ durationMinutes: 30 })
    expect(await change(json.id, { note, title: 'a' })).toMatchObject({ status: 409 })
    expect(await change(json.id, { note: '  ' })).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect((await active()).json.note).toBeNull()
    const later = await announce({ startsAt: inMinutes(60), durationMinutes: 30, note })
    expect((await change(later.json.id, { title: 'b' })).json).toMatchObject({ title: 'b', note })
    expect((await cancel(later.json.id)).json).toMatchObject({ state: 'ended', note })
  })
})

describe('cancelling a window', () => {
  test('a cancelled window is never active, leaves the page and is mailed once', async () => {
    const { json } = await announce({ startsAt: inMinutes(10), durationMinutes: 60 })
    const answers = await atOnce(at, { table: 'maintenance_windows', id: json.id }, [
      () => cancel(json.id),
      () => cancel(json.id),
    ])
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 200,
        json: { id: json.id, state: 'ended', cancelledAt: expect.any(String) },
      })
    }
    at.pass(20 * minuteMs)
    expect((await active()).json).toBeNull()
    expect((await list('?state=ended')).maintenanceWindows).toHaveLength(1)
    const { slug } = (await owner.get('/status-pages')).json.statusPages[0]
    expect((await at.call('GET', `/status/${slug}/page.json`)).json.windows).toEqual([])
    expect((await outboxOf(at)).map(({ payload }) => payload)).toMatchObject([
      { about: 'maintenance', id: json.id },
      { about: 'maintenance', id: json.id, news: 'cancelled' },
    ])
    expect((await owner.auditEntries()).map(([act]) => act)).toEqual([
      'cancelMaintenance',
      'createMaintenance',
    ])
    // the route that ends windows returns a scheduled one unchanged
    expect((await end(json.id)).json.state).toBe('ended')
  })
})
