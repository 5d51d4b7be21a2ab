import sharp from 'sharp'
import { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'

const at = useTestApp()
const user = useEach(() => loggedIn(at))
const page = useEach(async () => (await asUser(at, user, 'GET', '/status-pages')).json.statusPages[0])

const imageOf = async (width: number, format: 'png' | 'jpeg' = 'png'): Promise<string> => {
  const background = { r: width % 256, g: 0, b: 0 }
  const file = await sharp({ create: { width, height: 20, channels: 3, background } })
    .toFormat(format)
    .toBuffer()
  return file.toString('base64')
}
const path = () => `/status-pages/${page.id}/logo`
const upload = async (image: string) => asUser(at, user, 'POST', path(), { image })
const shown = async () =>
  PublicPageDocument.parse((await at.call('GET', `/status/${page.slug}/page.json`)).json).page
const listed = async () => (await asUser(at, user, 'GET', `/status-pages/${page.id}`)).json.logo
const set = (logo: string | null) => asUser(at, user, 'PATCH', `/status-pages/${page.id}`, { logo })

describe('an uploaded logo', () => {
  test('is named by the page and the API, and served forever under its own address', async () => {
    await set('https://cdn.example.org/logo.png')
    const answer = await upload(await imageOf(60, 'jpeg'))
    expect(answer.status).toBe(201)
    const { logo } = answer.json
    expect(logo).toMatchObject({ type: 'image/jpeg', width: 60, height: 20 })
    expect(logo.path).toMatch(new RegExp(`^/status/${page.slug}/logo-[\\w-]{22}\\.jpg$`))
    expect((await asUser(at, user, 'GET', path())).json).toEqual(answer.json)
    expect(await listed()).toBe(logo.url)
    expect(await shown()).toMatchObject({
      logo: logo.url,
      uploadedLogo: { path: logo.path, width: 60, height: 20 },
    })
    const image = await at.call('GET', logo.path)
    expect(image.status).toBe(200)
    expect(image.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(logo.bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(image.headers['set-cookie']).toBeUndefined()
    const known = { 'if-none-match': String(image.headers['etag']) }
    expect((await at.call('GET', logo.path, { headers: known })).status).toBe(304)
  })

  test('replaces the previous one, whose address ends', async () => {
    const one = (await upload(await imageOf(60))).json.logo
    const two = (await upload(await imageOf(61))).json.logo
    expect(two.path).not.toBe(one.path)
    expect((await at.call('GET', one.path)).status).toBe(404)
    expect((await at.call('GET', two.path)).status).toBe(200)
    const [row] = await at.sql`
      select count(*)::integer as count from status_page_logos where account_id = ${user.accountId}`
    expect(row?.['count']).toBe(1)
  })

  test('is deleted, and the configured address counts again', async () => {
    await set('https://cdn.example.org/logo.png')
    const { logo } = (await upload(await imageOf(60))).json
    expect((await asUser(at, user, 'DELETE', path())).json).toEqual({ logo: null })
    expect(await listed()).toBe('https://cdn.example.org/logo.png')
    expect(await shown()).toMatchObject({ uploadedLogo: null })
    expect((await at.call('GET', logo.path)).status).toBe(404)
    expect((await asUser(at, user, 'DELETE', path())).json).toEqual({ logo: null })
  })

  test('stays when its address is sent back, and is removed when another logo or none is set', async () => {
    const { logo } = (await upload(await imageOf(60))).json
    await set(logo.url)
    expect(await listed()).toBe(logo.url)
    await asUser(at, user, 'PATCH', `/status-pages/${page.id}`, { description: 'About us' })
    expect(await listed()).toBe(logo.url)
    await set('https://cdn.example.org/other.png')
    expect(await listed()).toBe('https://cdn.example.org/other.png')
    await upload(await imageOf(60))
    await set(null)
    expect(await listed()).toBeNull()
  })

  test('follows the slug of its page, and ends with the page', async () => {
    const { logo } = (await upload(await imageOf(60))).json
    await asUser(at, user, 'PATCH', `/status-pages/${page.id}`, { slug: `${page.slug}-2` })
    expect((await at.call('GET', logo.path)).status).toBe(404)
    const renamed = logo.path.replace(page.slug, `${page.slug}-2`)
    expect((await at.call('GET', renamed)).status).toBe(200)
    await asUser(at, user, 'POST', '/status-pages', { name: 'b', slug: `${page.slug}-b` })
    await asUser(at, user, 'DELETE', `/status-pages/${page.id}`)
    expect((await at.call('GET', renamed)).status).toBe(404)
  })
})

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'), 'image'],
  ['no base64', 'data:image/png;base64,AAAA', 'image'],
  ['more than 512 KB', 'A'.repeat(699_056), 'image'],
])('%s is SV-2001, and the page keeps its logo', async (_, image, wrong) => {
  const { logo } = (await upload(await imageOf(60))).json
  expect(await upload(image)).toMatchObject({
    status: 422,
    json: { code: 'SV-2001', errors: [{ path: wrong }] },
  })
  expect(await listed()).toBe(logo.url)
})

test('a body far above the limit is refused before it is read', async () => {
  expect((await upload('A'.repeat(800_000))).status).toBe(413)
})

test.each(['logo-x.png', `logo-${'a'.repeat(22)}.svg`, `logo-${'a'.repeat(22)}.png`, 'logo-'])(
  '/status/<slug>/%s is not there',
  async (file) => expect((await at.call('GET', `/status/${page.slug}/${file}`)).status).toBe(404),
)
