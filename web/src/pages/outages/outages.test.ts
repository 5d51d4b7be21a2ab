import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { expect, test } from 'vitest'
import { mainOf } from '../../testing/flat.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const hostile = '<script>alert("1")</script>'

const web = useTestWeb({ config: { budgetScale: 100 } })

/** A member with a check that no status page publishes. */
const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const body = { name: `shop ${hostile}`, url: 'https://example.org/' }
  const checkId = String((await web.at.call('POST', '/v1/checks', { key, body })).json.id)
  let version = 1
  const flip = async (to: 'down' | 'operational', reason: string | null = null): Promise<void> => {
    version += 1
    await setStatus(web.at, checkId, to)
    await web.at.sql`
      insert into flips (id, check_id, version, from_status, to_status, reason, at)
      values (${uuidv7(web.at.now())}, ${checkId}, ${version}, 'operational', ${to}, ${reason},
        ${new Date(web.at.now())})`
    web.at.pass(5_000)
  }
  return { ...member, checkId, flip }
}

test('an outage of an unpublished check is in the log with its reason, and ends there', async () => {
  const { get, flip, checkId } = await owner()
  expect((await get('/dashboard/incidents')).text).toContain('No outages yet')
  await flip('operational')
  await flip('down', `got 503 ${hostile}`)
  const open = await get('/dashboard/incidents')
  expect(open.text).not.toContain('<script>alert')
  const row = /<tr class="is-down">.*?<\/tr>/s.exec(open.text)?.[0] ?? ''
  expect(row).toContain('<bdi>got 503 &lt;script&gt;')
  expect(row).toContain('<strong class="tag bad">Down</strong>')
  expect((await get('/dashboard/incidents?open=true')).text).toContain('<tr class="is-down">')
  const path = /href="(\/dashboard\/outages\/[^"]+)"/.exec(row)?.[1] ?? ''
  const shown = await get(path)
  expect(shown.status).toBe(200)
  expect(mainOf(shown.raw)).toContain('No messages')
  // half an hour before it until now
  expect(shown.raw).toContain('<h2 id="chart">')
  expect(shown.text).toContain(`href="/dashboard/incidents/new?check=${checkId}"`)
  expect(shown.text).toContain(`<a href="/dashboard/checks/${checkId}">`)
  // the tab and the navigation show it too
  expect(shown.text).toContain('<title>(1) Outage of shop')
  expect(shown.text).toContain('1<span class="unseen">open</span>')
  expect(shown.text).toMatch(/<link rel="icon"[^>]*\/assets\/icon-bad-[\w-]+\.svg">/)

  await flip('operational')
  const ended = await get('/dashboard/incidents')
  expect(ended.text).toContain('<strong class="tag good">Ended</strong>')
  expect(ended.text).toMatch(/<td class="number lasted">\d+s<\/td>/)
  expect(ended.text).toContain('<title>Incidents')
  const icon = /\/assets\/icon-good-[\w-]+\.svg/.exec(ended.text)?.[0] ?? ''
  expect(await get(icon)).toMatchObject({
    status: 200,
    headers: { 'content-type': 'image/svg+xml; charset=utf-8' },
  })
  expect((await get('/dashboard/incidents?open=true')).text).toContain('No outage is open')
  expect((await get(`/dashboard/checks/${checkId}`)).text).toContain('class="rows outage-rows"')
})

test("another account's outage and an unknown one are not found", async () => {
  const { flip, get } = await owner()
  await flip('down')
  const path =
    /href="(\/dashboard\/outages\/[^"]+)"/.exec((await get('/dashboard/incidents')).text)?.[1] ?? ''
  const stranger = await web.member()
  expect(await stranger.get(path)).toMatchObject({ status: 404 })
  expect(await get(`/dashboard/outages/${uuidv7(Date.now())}`)).toMatchObject({ status: 404 })
  expect((await stranger.get('/dashboard/incidents')).text).toContain('No outages yet')
})

test('the overview counts what is down, and warns that no one would be notified', async () => {
  const { get, flip } = await owner()
  await flip('operational')
  const well = await get('/dashboard')
  expect(well.text).toContain('No one would be notified of an outage of 1 check.')
  await flip('down', 'got 503')
  const { text } = await get('/dashboard')
  expect(text).toMatch(/<section class="headline bad"[^>]*><p>1 of 1 checks down for/)
  expect(text).toContain('<bdi>got 503</bdi>')
  expect(text).not.toContain('<script>alert')
})
