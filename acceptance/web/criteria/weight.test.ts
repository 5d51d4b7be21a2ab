import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { pageAddresses } from '../addresses.ts'
import { inPage, looks, openStage, say, scriptLooks, settled, using, type Look } from './stage.ts'

const shiftMax = 0.005

const stage = useOnce(() => openStage(), 180_000)

/** Sums what moved without a hand's doing, from the first paint on. */
const shifts = `new Promise((done) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  // what the observer has from before comes with the next task
  setTimeout(() => done(sum), 0)
})`

const lightScripts = scriptLooks.filter(({ colorScheme }) => colorScheme === 'light')

test.each(lightScripts)(
  'A12 nothing moves on a page that opens: $name',
  { timeout: 300_000 },
  async (look) => {
    const faults: string[] = []
    const sums: number[] = []
    const addresses = await pageAddresses(stage.system.seeded)
    const visit = async (page: Page, isForMembers: boolean) => {
      for (const { path } of addresses.filter((address) => address.isForMembers === isForMembers)) {
        const answer = await page.goto(path)
        if (!(answer?.headers()['content-type'] ?? '').startsWith('text/html')) continue
        await settled(page, look)
        const sum = await inPage<number>(page, shifts)
        sums.push(sum)
        if (sum > shiftMax) faults.push(`${path}: ${sum.toFixed(4)}`)
      }
    }
    await using(stage.member(look), (page) => visit(page, true))
    await using(stage.visitor(look), (page) => visit(page, false))
    say(`A12 ${look.name}: CLS of ${sums.length} pages at most ${Math.max(...sums).toFixed(4)}`)
    for (const fault of faults) say(`A12 ${look.name}: ${fault}`)
    expect(faults).toEqual([])
  },
)

/** Bytes that a browser loads, each once, by what they are. */
const limits = { css: 15, script: 20, chart: 25, font: 90 } as const
type Kind = keyof typeof limits

const kindOf = (path: string): Kind | null => {
  if (path.endsWith('.css')) return 'css'
  if (path.endsWith('.woff2')) return 'font'
  if (/\/assets\/chart-/.test(path)) return 'chart'
  return /\/assets\/pages-.*\.js$/.test(path) ? 'script' : null
}

const compressedBytes = async (url: string): Promise<number> => {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  const body = Buffer.from(await answer.arrayBuffer())
  return url.endsWith('.woff2') ? body.length : brotliCompressSync(body).length
}

test('A12 style, scripts and fonts are small', { timeout: 120_000 }, async () => {
  const [look] = scriptLooks
  if (look === undefined) throw new Error('there is no look')
  const urls = new Set<string>()
  const paths = [
    '/',
    '/login',
    '/dashboard',
    '/dashboard/checks',
    `/dashboard/checks/${stage.system.seeded.checks.shop}`,
  ]
  await using(stage.member(look), async (page) => {
    page.on('request', (request) => urls.add(request.url()))
    for (const path of paths) {
      await page.goto(path)
      await settled(page, look)
    }
  })
  const kilobytes: Record<Kind, number> = { css: 0, script: 0, chart: 0, font: 0 }
  for (const url of urls) {
    const kind = kindOf(new URL(url).pathname)
    if (kind !== null) kilobytes[kind] += (await compressedBytes(url)) / 1_024
  }
  const text = (Object.keys(limits) as Kind[]).map(
    (kind) => `${kind} ${kilobytes[kind].toFixed(1)} of ${limits[kind]} KB`,
  )
  say(`A12 brotli: ${text.join(', ')}`)
  for (const kind of Object.keys(limits) as Kind[]) {
    expect(kilobytes[kind]).toBeGreaterThan(0)
    expect(kilobytes[kind]).toBeLessThanOrEqual(limits[kind])
  }
})

const families = `JSON.stringify({
  loaded: [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll('"', '')),
  body: getComputedStyle(document.body).fontFamily,
  logo: [...document.querySelectorAll('header a svg, header a img, body > a svg, main a svg, main svg')].some(
    (mark) => mark.getBoundingClientRect().width > 0),
  icon: document.querySelector('link[rel~=icon]')?.getAttribute('href') ?? '',
  image: document.querySelector('meta[property="og:image"]')?.getAttribute('content') ?? '',
  isStatusPage: document.body.classList.contains('status'),
  isPublic: document.querySelector('link[rel=canonical]') !== null,
})`
type Brand = {
  loaded: string[]
  body: string
  logo: boolean
  icon: string
  image: string
  isPublic: boolean
  isStatusPage: boolean
}

/** One crawl for all that a page must have or must not: a policy, nothing from elsewhere, the brand. */
const crawl = async (page: Page, look: Look, isForMembers: boolean): Promise<string[]> => {
  const faults: string[] = []
  for (const { path, isForMembers: own } of await pageAddresses(stage.system.seeded)) {
    if (own !== isForMembers) continue
    const answer = await page.goto(path)
    const headers = answer?.headers() ?? {}
    if (!(headers['content-type'] ?? '').startsWith('text/html')) continue
    await settled(page, look)
    const policy = headers['content-security-policy'] ?? ''
    if (!policy.includes("default-src 'none'")) faults.push(`${path}: policy is "${policy}"`)
    if (policy.includes('unsafe-')) faults.push(`${path}: policy allows unsafe`)
    const brand = JSON.parse(await inPage<string>(page, families)) as Brand
    if (!brand.logo) faults.push(`${path}: no mark`)
    if (brand.icon === '') faults.push(`${path}: no icon`)
    const isOurFont = /inter/i.test(brand.body)
    // the owner of a status page chooses its font, and the seeded one has the default: the reader's
    if (brand.isStatusPage) {
      if (isOurFont || brand.loaded.length > 0) faults.push(`${path}: a status page loads ${brand.loaded}`)
    } else if (!isOurFont) faults.push(`${path}: its font is ${brand.body}`)
    else if (look.script && !brand.loaded.some((family) => /inter/i.test(family)))
      faults.push(`${path}: the font is not loaded`)
    if (brand.isPublic && brand.image === '') faults.push(`${path}: a public page without og:image`)
  }
  return faults
}

const crawled = looks.filter(
  ({ width, colorScheme, script }) => (width === 1440) === script && colorScheme === 'dark',
)

test.each(crawled)(
  'A12, A15 policy, own files and brand of each page: $name',
  { timeout: 300_000 },
  async (look) => {
    const [member, visitor] = [await stage.member(look), await stage.visitor(look)]
    const faults = [...(await crawl(member.page, look, true)), ...(await crawl(visitor.page, look, false))]
    const problems = [...member.problems, ...visitor.problems]
    await Promise.all([member.close(), visitor.close()])
    say(
      `A12, A15 ${look.name}: ${faults.length} faults, ${problems.length} requests elsewhere or policy reports`,
    )
    const kinds = Map.groupBy(faults, (fault) => fault.split(': ')[1])
    for (const [kind, same] of kinds)
      say(
        `A15 ${look.name}: ${same.length} times ${kind}: ${same
          .slice(0, 12)
          .map((fault) => fault.split(': ')[0])
          .join(' ')}`,
      )
    for (const problem of problems.slice(0, 5)) say(problem)
    expect(problems).toEqual([])
    expect(faults).toEqual([])
  },
)

test('A15 robots, sitemap, manifest and icons are there', { timeout: 60_000 }, async () => {
  const { address } = stage.system
  const home = await (await fetch(`${address}/`)).text()
  const manifest = /<link rel="manifest" href="([^"]+)"/.exec(home)?.[1] ?? '/manifest.webmanifest'
  const files = {
    '/favicon.ico': 'image/',
    '/robots.txt': 'text/plain',
    '/sitemap.xml': 'xml',
    [manifest]: 'json',
  }
  const faults: string[] = []
  for (const [path, type] of Object.entries(files)) {
    const answer = await fetch(new URL(path, address))
    const got = answer.headers.get('content-type') ?? ''
    say(`A15 ${path}: ${answer.status} ${got}`)
    if (answer.status !== 200 || !got.includes(type)) faults.push(`${path}: ${answer.status} ${got}`)
  }
  expect(faults).toEqual([])
})

test('A15 the title of the dashboard counts what is down', { timeout: 60_000 }, async () => {
  const [look] = scriptLooks
  if (look === undefined) throw new Error('there is no look')
  const iconOf = (page: Page) => page.locator('link[rel~=icon]').first().getAttribute('href')
  let usual: string | null = null
  await using(stage.visitor(look), async (page) => {
    await page.goto('/login')
    usual = await iconOf(page)
  })
  await using(stage.member(look), async (page) => {
    await page.goto('/dashboard')
    const title = await page.title()
    const icon = await iconOf(page)
    say(`A15 title "${title}", icon ${icon}`)
    // the feed of a partner, at whose port nothing listens, is down
    expect(title).toMatch(/^\(\d+\) /)
    expect(icon).not.toBe(usual)
  })
})
