import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { ownerOf, setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Markup that would be visible in the page if it were not escaped. */
const evil = `<script>alert("1")</script>`
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'

const web = useTestWeb()
const owner = useEach(async () => ownerOf(web.at, await web.at.account('scale')))
const page = useEach(async () => (await owner.get('/status-pages')).json.statusPages[0])

const get = (end = '') => web.visitor().get(`/status/${page.slug}${end}`)
const dress = (look: object) => owner.send('PATCH', `/status-pages/${page.id}`, look)

const publish = async (displayName: string): Promise<{ checkId: string; id: string }> => {
  const checkId = await owner.checkId({ name: displayName })
  const { json } = await owner.post(`/status-pages/${page.id}/components`, {
    checkId,
    displayName,
    description: `about ${displayName}`,
  })
  return { checkId, id: json.id }
}

const declare = async (checkId: string, title: string): Promise<string> =>
  (
    await owner.post('/incidents', {
      statusPageId: page.id,
      checkId,
      region: 'fra',
      title,
      body: `We look\ninto ${title}`,
    })
  ).json.id

test('text of people stays text in every form of the page', async () => {
  const { checkId } = await publish(`component ${evil}`)
  await dress({
    title: `page ${evil}`,
    description: `description ${evil}`,
    links: [{ label: `link ${evil}`, url: 'https://example.org/?a="b"' }],
  })
  await declare(checkId, `incident ${evil}`)
  await owner.post('/maintenance', {
    statusPageId: page.id,
    title: `window ${evil}`,
    body: `body ${evil}`,
    durationMinutes: 5,
  })
  for (const end of ['', '/history']) {
    const { status, text } = await get(end)
    expect(status).toBe(200)
    expect(withoutOwnScript(text)).not.toContain('<script')
    expect(text).toContain(`page ${escaped}`)
    expect(text).toContain(`incident ${escaped}`)
  }
  const { text } = await get()
  for (const of of ['component', 'description', 'link', 'window', 'body']) {
    expect(text).toContain(`${of} ${escaped}`)
  }
  const { raw } = await get('.md')
  expect(raw).toContain('\\<script>')
  expect(raw).not.toMatch(/[^\\]<script/)
})

test('a page without components has no data, and is not operational', async () => {
  const { status, text } = await get()
  expect(status).toBe(200)
  expect(text).toContain('<h2 id="headline"><bdi>Nothing is published here yet')
  expect(text).toContain('<div class="banner silent">')
  expect(text).not.toMatch(/operational/i)
})

test('a component without measurements has no data on every day, in bars and in words', async () => {
  await publish('Website')
  const { text } = await get()
  expect(text).toContain('No current data')
  expect(text).toMatch(/<path class="silent" d="M0 30.5h359">/)
  expect(text).toContain('aria-label="Website: No data in 90 days"')
  expect(text).toContain('Not measured yet')
  expect(text).not.toContain('% up')
})

test('every number has its time and its regions, and the page says that one machine measures', async () => {
  const { checkId } = await publish('Website')
  await setStatus(web.at, checkId, 'operational')
  await web.at.sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    values (${uuidv7(web.at.now())}, ${checkId}, 1, 'unknown', 'operational',
      ${new Date(web.at.now() - 200 * dayMs)})`
  const { text } = await get()
  expect(text).toContain('All systems operational')
  expect(text).toContain('100% uptime in 90 days')
  expect(text).toMatch(/Measured from Frankfurt ·<time datetime="[^"]+">[^<]+<\/time>· Fresh/)
  expect(text).toContain('All regions are measured from one machine.')
  expect(text).toMatch(/<li data-from="[\d-]{10}" data-to="[\d-]{10}">[^<]+:\s?<span>100% up<\/span><\/li>/)
})

test('an open incident is shown with its timeline at the anchor that feeds link to', async () => {
  const { checkId } = await publish('Website')
  const id = await declare(checkId, 'Slow answers')
  const body = 'It is the disk.'
  await owner.post(`/incidents/${id}/updates`, { status: 'identified', body })
  const { text } = await get()
  expect(text).toContain('<h2 id="open">Open incidents</h2>')
  expect(text.match(new RegExp(`id="incident-${id}"`, 'g'))).toHaveLength(1)
  expect(text.indexOf(body)).toBeLessThan(text.indexOf('We look into Slow answers'))
  expect(text).toContain('Affects:<bdi>Website</bdi>')
  await owner.post(`/incidents/${id}/updates`, { status: 'resolved', body: 'Done.' })
  web.at.pass(5_001)
  const after = await get()
  expect(after.text).not.toContain('Open incidents')
  expect(after.text).toContain(`<article class="incident" id="incident-${id}"><h4>`)
})

test('an incident has its own address, also after it is resolved', async () => {
  const { checkId } = await publish('Website')
  const id = await declare(checkId, 'Slow answers')
  for (const status of ['investigating', 'resolved']) {
    const body = `Now ${status}.`
    await owner.post(`/incidents/${id}/updates`, { status, body })
    const { status: code, text } = await get(`/incidents/${id}`)
    expect(code).toBe(200)
    expect(text).toContain(body)
    expect(text).toContain('<h3>Affects</h3><ul class="affected"><li><bdi>Website</bdi>')
    expect(text).toContain(`href="/status/${page.slug}/incidents/${id}.md"`)
    expect(text).toContain(
      `<link rel="canonical" href="http://127.0.0.1:8080/status/${page.slug}/incidents/${id}"`,
    )
    expect((await get(`/incidents/${id}.md`)).raw).toContain(body)
  }
  const other = ownerOf(web.at, await web.at.account('scale'))
  const [foreign] = (await other.get('/status-pages')).json.statusPages
  for (const path of [
    `/status/${foreign.slug}/incidents/${id}`,
    `/status/${page.slug}/incidents/${foreign.id}`,
    `/status/${page.slug}/incidents/none`,
  ]) {
    expect((await web.visitor().get(path)).status).toBe(404)
  }
})

test('maintenance lists its components, and active windows come before scheduled ones', async () => {
  const { id } = await publish('Website')
  await publish('Other')
  const window = { statusPageId: page.id, body: 'Disks.', durationMinutes: 60 }
  const startsAt = new Date(web.at.now() + hourMs).toISOString()
  await owner.post('/maintenance', { ...window, title: 'Later', startsAt })
  await owner.post('/maintenance', { ...window, title: 'Now', componentIds: [id] })
  const { text } = await get()
  expect(text).toMatch(/<bdi>Now<\/bdi>.*<strong class="tag uncertain">In progress.*<bdi>Later/)
  expect(text).toMatch(/Affects:<bdi>Website<\/bdi>/)
  expect(text).toContain('The whole page')
  expect(text).toContain('Maintenance in progress: Website. No current data for 1 component.')
})

describe('the history', () => {
  test('is by month, and links to the months with incidents', async () => {
    const { checkId } = await publish('Website')
    const id = await declare(checkId, 'Long ago')
    await web.at.sql`update incidents set started_at = '2025-03-04T05:06:07Z' where id = ${id}`
    expect((await get('/history')).text).toContain('No incidents.')
    expect((await get('/history')).text).toContain(`href="/status/${page.slug}/history?month=2025-03"`)
    const { text } = await get('/history?month=2025-03')
    expect(text).toContain('<h2>Incidents of March 2025</h2>')
    expect(text).toContain('<bdi>Long ago</bdi>')
  })

  test('is refused for an invalid month', async () => {
    expect((await get('/history?month=2025-13')).status).toBe(422)
  })
})

describe("the owner's brand", () => {
  test('is shown: language, theme, font, logo and colour', async () => {
    await dress({
      locale: 'de-AT',
      themePreset: 'dark',
      font: 'serif',
      logo: 'https://cdn.example.org/logo.svg',
      accentColor: '#FFEE00',
    })
    const { text, headers } = await get()
    expect(text).toContain('<html lang="de-AT">')
    expect(text).toContain('<body class="status dark serif">')
    expect(text).toContain('<img src="https://cdn.example.org/logo.svg"')
    expect(text).toContain('<meta property="og:image" content="https://cdn.example.org/logo.svg"')
    expect(headers['content-security-policy']).toContain("img-src 'self' data: https://cdn.example.org;")
    expect(text).toContain('href="/assets/accent/ffee00.css"')
    const style = await web.visitor().get('/assets/accent/ffee00.css')
    expect(style.headers).toMatchObject({ 'content-type': 'text/css; charset=utf-8' })
    expect(style.raw).toContain('--link:#')
    expect((await web.visitor().get('/assets/accent/ffee0.css')).status).toBe(404)
    expect((await web.visitor().get('/assets/accent/ffee00}.css')).status).toBe(404)
  })

  test('decides the words; without a translation ours are English and its own texts keep their language', async () => {
    await publish('Website')
    await dress({ locale: 'de-AT', title: 'Beispiel' })
    const german = (await get()).text
    expect(german).toContain('<html lang="de-AT">')
    expect(german).toMatch(/Vor 90 Tagen.*Kalender/)
    expect(german).toContain('<bdi>Beispiel</bdi>')
    await dress({ locale: 'pt-BR' })
    const other = (await get()).text
    expect(other).toContain('<html lang="en">')
    expect(other).toContain('<bdi lang="pt-BR">Beispiel</bdi>')
    expect(other).toContain('90 days ago')
  })

  test('allows only a safe logo in the policy', async () => {
    await dress({ logo: 'http://cdn.example.org/logo.svg' })
    const { text, headers } = await get()
    expect(text).not.toContain('<img')
    expect(headers['content-security-policy']).toContain("img-src 'self' data:;")
  })
})

describe('an open page that is refreshed every half a minute', () => {
  /** Requests the page again, as a browser does for a cached copy. */
  const reader = () => {
    let etag = ''
    return async () => {
      const { status, headers } = await web.visitor().get(`/status/${page.slug}`, { 'if-none-match': etag })
      etag = String(headers['etag'])
      return { status, asOf: Date.parse(String(headers['as-of'])) }
    }
  }

  test('is sent once while only readings arrive, and confirmed with the time of its data', async () => {
    // far from midnight, when a new day is shown
    web.at.pass(dayMs + dayMs / 2 - (web.at.now() % dayMs))
    const { checkId } = await publish('Website')
    await setStatus(web.at, checkId, 'operational')
    await web.at.sql`
      insert into flips (id, check_id, version, from_status, to_status, at)
      values (${uuidv7(web.at.now())}, ${checkId}, 1, 'unknown', 'operational',
        ${new Date(web.at.now() - 3 * hourMs)})`
    const ask = reader()
    const first = await ask()
    expect(first.status).toBe(200)
    let last = first.asOf
    for (let times = 0; times < 6; times += 1) {
      web.at.pass(30_000)
      await setStatus(web.at, checkId, 'operational')
      const { status, asOf } = await ask()
      expect(status).toBe(304)
      expect(asOf).toBeGreaterThan(last)
      last = asOf
    }
    web.at.pass(10 * 60_000)
    await setStatus(web.at, checkId, 'operational')
    expect((await ask()).status).toBe(200)
  })

  test('is sent again after a flip, for old data, and at once after a post of its owner', async () => {
    const { checkId } = await publish('Website')
    await setStatus(web.at, checkId, 'operational')
    const ask = reader()
    await ask()
    await setStatus(web.at, checkId, 'down')
    web.at.pass(5_001)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(304)
    const id = await declare(checkId, 'Slow answers')
    expect((await ask()).status).toBe(200)
    await owner.post(`/incidents/${id}/updates`, { status: 'resolved', body: 'Done.' })
    expect((await ask()).status).toBe(200)
    const window = { statusPageId: page.id, title: 'Now', body: 'Disks.', durationMinutes: 60 }
    await owner.post('/maintenance', window)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(304)
    web.at.pass(9 * 60_000)
    expect((await ask()).status).toBe(200)
  })
})

test('an uploaded logo is served from this site and replaces the configured address', async () => {
  await dress({ logo: 'https://cdn.example.org/logo.svg' })
  const account = await web.at.sql`select account_id from status_pages where id = ${page.id}`
  await web.at.sql`
    insert into status_page_logos (status_page_id, account_id, hash, type, width, height, bytes, created_at)
    values (${page.id}, ${account[0]?.['account_id']}, 'aaaaaaaaaaaaaaaaaaaaaa', 'png', 60, 20, '\\x00', now())`
  const { text, headers } = await get()
  expect(text).toContain(`<img src="/status/${page.slug}/logo-aaaaaaaaaaaaaaaaaaaaaa.png"`)
  expect(headers['content-security-policy']).toContain("img-src 'self' data:;")
})

test('Markdown lists the components in order, below the names of their groups', async () => {
  const [website, other] = [await publish('Website'), await publish('Other')]
  await web.at.sql`
    update components set position = 2, group_name = 'Shop <b>' where id = ${website.id}`
  await web.at.sql`update components set position = 1 where id = ${other.id}`
  const { raw } = await get('.md')
  expect(raw).toMatch(/\*\*Other\*\*[^#]*### Shop \\<b>\n\n- \*\*Website\*\*/)
})

test('its form subscribes to the page or a component', async () => {
  await publish('Website')
  const { id } = await publish('Other')
  const { text } = await get()
  expect(text).toContain(`<form method="post" action="/status/${page.slug}/subscribers">`)
  expect(text).toContain(`<option value="${id}">Other</option>`)
  const form = { email: 'a@example.org', componentId: id }
  const taken = await web.visitor().post(`/status/${page.slug}/subscribers`, form)
  expect(taken.status).toBe(202)
})

describe.each(['', '/history', '.md'])('/status/<slug>%s', (end) => {
  test('is cached with revalidation, sets no cookie, and is not sent twice', async () => {
    const { status, headers, raw } = await get(end)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, no-cache')
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['content-type']).toBe(`text/${end === '.md' ? 'markdown' : 'html'}; charset=utf-8`)
    expect(withoutOwnScript(raw)).not.toMatch(/ style=|<style|<script| on\w+=/)
    const etag = String(headers['etag'])
    const again = (tag: string) => web.visitor().get(`/status/${page.slug}${end}`, { 'if-none-match': tag })
    expect(await again(`"other", ${etag}`)).toMatchObject({ status: 304, raw: '' })
    expect(await again('"other"')).toMatchObject({ status: 200 })
  })

  test('is not found for an unknown page', async () => {
    for (const slug of ['nobody-has-this', 'Not-A-Slug']) {
      const { status, headers } = await web.visitor().get(`/status/${slug}${end}`)
      expect(status).toBe(404)
      expect(headers['cache-control']).toBe('no-store')
    }
  })
})
