import fc from 'fast-check'
import ICAL from 'ical.js'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { ownerOf } from '../../app/testing/pages.ts'
import { calendarOf } from './calendar.ts'
import type { PublicPage } from './public-page.ts'
import { testPage } from './testing/pages.ts'

/** As an independent reader understands a calendar. */
const read = (text: string) => {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    const value = (name: string) => component.getFirstPropertyValue(name)
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      sequence: event.sequence,
      starts: event.startDate.toJSDate().getTime(),
      ends: event.endDate?.toJSDate().getTime() ?? null,
      status: String(value('status')),
      url: String(value('url')),
      changed: (value('last-modified') as ICAL.Time).toJSDate().getTime(),
    }
  })
  return { name: String(calendar.getFirstPropertyValue('x-wr-calname')), calendar, events }
}

const withWindow = (changes: Partial<PublicPage['calendar'][number]>): PublicPage => {
  const page = testPage(['operational', 'operational'], 'operational')
  return { ...page, calendar: page.calendar.map((window) => ({ ...window, ...changes })) }
}

describe('the calendar of a page', () => {
  test('has an event for each window, with its times, components and address', () => {
    const page = withWindow({})
    const { name, calendar, events } = read(calendarOf(page))
    expect(name).toBe('Acme: maintenance')
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0')
    const [window] = page.calendar
    expect(events).toEqual([
      {
        uid: window?.id,
        summary: 'Acme',
        description: 'Affected: Acme 0\n\nAcme',
        sequence: 0,
        starts: window?.startsAtMs,
        ends: window?.endsAtMs,
        status: 'CONFIRMED',
        url: `${page.page.url}#maintenance-${window?.id}`,
        changed: window?.createdAtMs,
      },
    ])
  })

  test('keeps the uid and raises the sequence of a window that was changed or cancelled', () => {
    const changedAtMs = Date.UTC(2026, 10, 20, 12, 20)
    const [changed] = read(calendarOf(withWindow({ revision: 1, changedAtMs }))).events
    expect(changed).toMatchObject({ sequence: 1, changed: changedAtMs, status: 'CONFIRMED' })
    const startsAtMs = Date.UTC(2026, 10, 20, 12, 30)
    const cancelled = {
      revision: 2,
      changedAtMs,
      cancelledAtMs: changedAtMs,
      startsAtMs,
      endsAtMs: startsAtMs,
    }
    expect(read(calendarOf(withWindow(cancelled))).events).toMatchObject([
      { uid: changed?.uid, sequence: 2, status: 'CANCELLED', starts: startsAtMs },
    ])
  })

  test('has the words of the language of the page', () => {
    const page = withWindow({ wholePage: true })
    const { name, events } = read(calendarOf({ ...page, page: { ...page.page, locale: 'fr' } }))
    expect(name).toBe('Acme : maintenances')
    expect(events[0]?.description).toBe('Composants touchés : toute la page\n\nAcme')
  })

  test('is empty and valid without windows', () => {
    const page = { ...testPage([], 'no_data'), calendar: [] }
    expect(read(calendarOf(page)).events).toEqual([])
  })

  test('is read back unchanged for any text, in lines of at most 75 octets', () => {
    const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 120 })
    const prose = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'))
    forAll([line, prose], { numRuns: 500 }, (title, body) => {
      const text = calendarOf(withWindow({ title, body }))
      const kept = (one: string) => one.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '')
      const [event] = read(text).events
      expect(event?.summary).toBe(kept(title))
      expect(event?.description).toBe(`Affected: Acme 0\n\n${kept(body)}`)
      for (const one of text.split('\r\n')) expect(Buffer.byteLength(one)).toBeLessThanOrEqual(75)
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    })
  })
})

describe('the served calendar', () => {
  const at = useTestApp()

  test('follows a window from its announcement over a change to its cancellation', async () => {
    const owner = ownerOf(at, await at.account('scale'))
    const [page] = (await owner.get('/status-pages')).json.statusPages
    const get = () => at.call('GET', `/status/${page.slug}/maintenance.ics`)
    const startsAt = new Date(at.now() + 3_600_000).toISOString()
    const body = {
      statusPageId: page.id,
      title: 'New disks',
      body: 'One hour.',
      startsAt,
      durationMinutes: 60,
    }
    const { json } = await owner.post('/maintenance', body)
    const announced = await get()
    expect(announced.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'public, max-age=60',
    })
    expect(read(announced.text).events).toMatchObject([{ uid: json.id, sequence: 0, status: 'CONFIRMED' }])
    at.pass(5_001)
    expect((await get()).headers['etag']).toBe(announced.headers['etag'])
    await owner.send('PATCH', `/maintenance-windows/${json.id}`, { title: 'More disks' })
    expect(read((await get()).text).events).toMatchObject([
      { uid: json.id, sequence: 1, summary: 'More disks' },
    ])
    await owner.post(`/maintenance-windows/${json.id}/cancel`)
    expect(read((await get()).text).events).toMatchObject([
      {
        uid: json.id,
        sequence: 2,
        status: 'CANCELLED',
        starts: Math.floor(Date.parse(startsAt) / 1000) * 1000,
      },
    ])
    at.pass(91 * 86_400_000)
    expect(read((await get()).text).events).toEqual([])
  })

  test('raises the sequence when a window is ended early', async () => {
    const owner = ownerOf(at, await at.account('scale'))
    const [page] = (await owner.get('/status-pages')).json.statusPages
    const { json } = await owner.post('/maintenance', {
      statusPageId: page.id,
      title: 'New disks',
      body: 'One hour.',
      durationMinutes: 60,
    })
    at.pass(60_000)
    await owner.send('DELETE', `/maintenance/${json.id}`)
    const { text } = await at.call('GET', `/status/${page.slug}/maintenance.ics`)
    const [event] = read(text).events
    expect(event).toMatchObject({ sequence: 1, status: 'CONFIRMED' })
    expect((event?.ends ?? 0) - (event?.starts ?? 0)).toBeLessThanOrEqual(61_000)
  })
})
