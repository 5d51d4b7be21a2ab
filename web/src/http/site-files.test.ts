import { expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { useTestWeb } from '../testing/test-web.ts'
import { sitemapOf } from './site-files.ts'

const web = useTestWeb()

test.each(['/robots.txt', '/sitemap.xml', '/manifest.webmanifest'])(
  '%s is for everybody, may be kept, and is not sent again',
  async (path) => {
    const { status, headers } = await web.visitor().get(path)
    expect([status, headers['set-cookie']]).toEqual([200, undefined])
    expect(headers['cache-control']).toBe('public, max-age=3600')
    const again = await web.visitor().get(path, { 'if-none-match': String(headers['etag']) })
    expect([again.status, again.raw]).toEqual([304, ''])
  },
)

test('crawlers find every public page of the site, and none of an account', async () => {
  const { raw: robots } = await web.visitor().get('/robots.txt')
  expect(robots).toContain('Disallow: /dashboard\n')
  expect(robots).toContain('Sitemap: http://127.0.0.1:8080/sitemap.xml')
  const { raw } = await web.visitor().get('/sitemap.xml')
  const paths = [...raw.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => new URL(url ?? '').pathname)
  for (const path of ['/', '/services', '/weather', '/internet', '/stacks', '/services/github']) {
    expect(paths).toContain(path)
  }
  expect(paths.filter((path) => /^\/(dashboard|login|status)/.test(path))).toEqual([])
})

test('a sitemap is well formed for any slug, and within the length limit of crawlers', async () => {
  const service = (slug: string) => ({ slug }) as Parameters<typeof sitemapOf>[0]['services'][number]
  const of = (slugs: readonly string[]): string =>
    sitemapOf({ url: 'https://mesh.example/services', services: slugs.map(service), stacks: [] })
  const { errors } = await validateXML({ xml: of(['<a>&"\'', ']]>']), normalization: 'format' })
  expect(errors).toEqual([])
  const many = of(Array.from({ length: 60_000 }, (_, n) => `s${n}`))
  expect(many.split('<loc>')).toHaveLength(50_001)
})

test('the manifest and the link preview name existing files', async () => {
  const manifest = JSON.parse((await web.visitor().get('/manifest.webmanifest')).raw) as {
    icons: { src: string; type: string }[]
  }
  const { text } = await web.visitor().get('/')
  const picture = new URL(/property="og:image" content="([^"]+)"/.exec(text)?.[1] ?? '').pathname
  for (const { src, type } of [...manifest.icons, { src: picture, type: 'image/png' }]) {
    const { status, headers } = await web.visitor().get(src)
    expect([src, status, String(headers['content-type']).split(';')[0]]).toEqual([src, 200, type])
  }
})
