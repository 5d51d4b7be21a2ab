import { hash } from 'node:crypto'
import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { html, textOf } from '@probe-mesh/runtime/html'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Asked } from '../api/ask.ts'
import { dark, light } from '../html/components/palette.ts'
import { servicePath } from '../html/service-tile.ts'
import { assets } from './assets.ts'

/** The cache time of these files: they change with the catalog, which an operator edits. */
const maxAgeSeconds = 3_600

/** The limit of the protocol (sitemaps.org). The catalog is smaller. */
const addressesMax = 50_000

/** Files that crawlers and browsers request from every site by fixed names. */
export const bindSiteFiles = (app: FastifyInstance, catalog: () => Promise<Asked<CatalogAnswer>>): void => {
  const origin = async (): Promise<string> => {
    const answer = await catalog()
    return answer.ok ? new URL(answer.value.url).origin : ''
  }
  app.get('/robots.txt', async (request, reply) =>
    send(request, reply, 'text/plain; charset=utf-8', robotsOf(await origin())),
  )
  app.get('/sitemap.xml', async (request, reply) => {
    const answer = await catalog()
    if (!answer.ok) return reply.code(503).header('cache-control', 'no-store').send()
    return send(request, reply, 'application/xml; charset=utf-8', sitemapOf(answer.value))
  })
  app.get('/manifest.webmanifest', (request, reply) =>
    send(request, reply, 'application/manifest+json; charset=utf-8', manifest),
  )
}

const send = (request: FastifyRequest, reply: FastifyReply, type: string, text: string): FastifyReply => {
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  reply.header('cache-control', `public, max-age=${maxAgeSeconds}`).header('etag', etag)
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', type).send(text)
}

/** Pages of one reader and the API are not indexed. */
const robotsOf = (origin: string): string =>
  [
    'User-agent: *',
    ...['/dashboard', '/dashboard-api/', '/login', '/ping/', '/subscriptions/', '/alert-mails/', '/v1/'].map(
      (path) => `Disallow: ${path}`,
    ),
    ...(origin === '' ? [] : ['', `Sitemap: ${origin}/sitemap.xml`]),
    '',
  ].join('\n')

const paths = ['/', '/services', '/weather', '/internet', '/stacks', '/probes', '/docs']

/** Every public page of the site. Owners announce their status pages themselves. */
export const sitemapOf = ({
  url,
  services,
  stacks,
}: Pick<CatalogAnswer, 'url' | 'services' | 'stacks'>): string => {
  const { origin } = new URL(url)
  const all = [
    ...paths,
    ...stacks.map(({ slug }) => `/stacks/${encodeURIComponent(slug)}`),
    ...services.map(({ slug }) => servicePath(slug)),
  ].slice(0, addressesMax)
  const body = textOf(
    html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      >${all.map((path) => html`<url><loc>${origin}${path}</loc></url>`)}</urlset
    >`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`
}

const manifest = JSON.stringify({
  name: 'Probe Mesh',
  short_name: 'Probe Mesh',
  description: 'Uptime measured by our own probes',
  id: '/dashboard',
  start_url: '/dashboard',
  display: 'standalone',
  background_color: light.ground,
  theme_color: dark.ground,
  icons: [
    { src: assets.icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: assets.touchIcon, sizes: '180x180', type: 'image/png' },
  ],
})
