import { expect, test } from 'vitest'
import { origin, useTestWeb } from '../testing/test-web.ts'

const web = useTestWeb({ config: { mcpUrl: 'https://mcp.mesh.example' } })

/** The status of a path on this site, from a page or from the control plane. */
const statusOf = async (path: string): Promise<number> => {
  const page = await web.visitor().get(path)
  return page.status === 404 ? (await web.at.call('GET', path)).status : page.status
}

test('every address given to assistants is served', async () => {
  const { text } = await web.at.call('GET', '/llms.txt')
  const links = [...text.matchAll(/\]\((\S+?)\)/g)].map(([, url = '']) => url)
  expect(links.length).toBeGreaterThan(10)
  for (const link of links) {
    const url = new URL(link)
    expect([url.origin, link, await statusOf(url.pathname)]).toEqual([origin, link, 200])
    // the text also promises the page without `.md`
    if (link.endsWith('.md')) expect(await statusOf(url.pathname.slice(0, -3))).toBe(200)
  }
})

test('every listed form of a status page is served', async () => {
  const { text } = await web.at.call('GET', '/llms.txt')
  const account = await web.at.account('scale')
  const { json } = await web.at.call('GET', '/v1/status-pages', { key: account.readKey })
  const path = `/status/${json.statusPages[0].slug}`
  const section = text.slice(text.indexOf('## Status pages'), text.indexOf('## Tools'))
  const forms = [...section.matchAll(/`(?:\/status\/<slug>)?(\.md|\/?[a-z]+\.[a-z]+)`/g)].map(
    ([, form = '']) => form,
  )
  expect(forms.map((form) => form.replace('/', ''))).toEqual([
    '.md',
    'page.json',
    'history.json',
    'feed.atom',
    'feed.rss',
    'maintenance.ics',
    'badge.svg',
  ])
  for (const form of forms) {
    const end = form.startsWith('.') || form.startsWith('/') ? form : `/${form}`
    expect([form, await statusOf(path + end)]).toEqual([form, 200])
  }
})
