import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { pageAddresses } from '../addresses.ts'
import { logIn, openBrowser } from '../browser.ts'
import { startWebSystem } from '../system.ts'

/**
 * `npm run screens -- [part of a name ...]`: takes screenshots of every page of a system with a history into
 * `.data/screens`, and those in `shown` into `docs/screens`, which are committed.
 */
const folder = new URL('../../../.data/screens/', import.meta.url)
const documents = new URL('../../../docs/screens/', import.meta.url)
const shown: ReadonlySet<string> = new Set([
  'home-1440-light.png',
  'dashboard-1440-light.png',
  'dashboard-375-dark.png',
  'dashboard-checks-shop-1440-light.png',
  'status-example-1440-light.png',
  'weather-1440-dark.png',
])
const heightMax = 2_000
const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 375, colorScheme: 'dark' },
  { width: 375, colorScheme: 'light' },
] as const

/** Globals of the page, for functions passed to `evaluate`. */
declare const document: {
  documentElement: { scrollHeight: number; scrollWidth: number; clientWidth: number }
}

const wanted = process.argv.slice(2)
if (wanted.length === 0) await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const system = await startWebSystem(await findTestChromium())
const people = await openBrowser(system.address)
const [member, visitor] = [await people.person(), await people.person()]
await logIn(member.page, system.credentials)
let [pages, bytes] = [0, 0]
for (const { path, name, isForMembers } of await pageAddresses(system.seeded)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue
  const { page } = isForMembers ? member : visitor
  await page.goto(path)
  pages += 1
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const size = await page.evaluate(() => {
      const { scrollHeight, scrollWidth, clientWidth } = document.documentElement
      return { height: scrollHeight, over: scrollWidth - clientWidth }
    })
    if (size.over > 0) console.log(`${name} is ${size.over} px too wide at ${width} px`)
    const clip = { x: 0, y: 0, width, height: Math.min(heightMax, Math.max(900, size.height)) }
    const png = await page.screenshot({ fullPage: true, clip, animations: 'disabled' })
    const file = `${name}-${width}-${colorScheme}.png`
    bytes += png.length
    await writeFile(new URL(file, folder), png)
    if (shown.has(file)) await copyFile(new URL(file, folder), new URL(file, documents))
  }
}
console.log(`${pages} pages, ${(bytes / 1e6).toFixed(1)} MB in ${fileURLToPath(folder)}`)
await people.close()
await system.close()
