import { mkdir, rm, writeFile } from 'node:fs/promises'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { pageAddresses } from '../addresses.ts'
import { logIn, openBrowser } from '../browser.ts'
import { startWebSystem } from '../system.ts'
import { fewColours } from './few-colours.ts'
import { decodePng, encodeIndexedPng } from './png.ts'

/** `npm run screens -- [part of a name]`: pictures every page of a system with a past into `docs/screens`. */
const folder = new URL('../../../docs/screens/', import.meta.url)
const heightMax = 2_000
/** Enough for the edges of letters on every ground that a page has. */
const coloursMax = 48
const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 375, colorScheme: 'dark' },
  { width: 375, colorScheme: 'light' },
] as const

/** Of the page, where what is handed to `evaluate` runs. */
declare const document: {
  documentElement: { scrollHeight: number; scrollWidth: number; clientWidth: number }
}

const wanted = process.argv[2] ?? ''
if (wanted === '') await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const system = await startWebSystem(await findTestChromium())
const people = await openBrowser(system.address)
const [member, visitor] = [await people.person(), await people.person()]
await logIn(member.page, system.credentials)
const lines: string[] = []
let bytes = 0
for (const { path, name, isForMembers } of await pageAddresses(system.seeded)) {
  if (!name.includes(wanted)) continue
  const { page } = isForMembers ? member : visitor
  await page.goto(path)
  const links: string[] = []
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const size = await page.evaluate(() => {
      const { scrollHeight, scrollWidth, clientWidth } = document.documentElement
      return { height: scrollHeight, over: scrollWidth - clientWidth }
    })
    if (size.over > 0) console.log(`${name} is ${size.over} px too wide at ${width} px`)
    const clip = { x: 0, y: 0, width, height: Math.min(heightMax, Math.max(900, size.height)) }
    const pixels = decodePng(
      await page.screenshot({ fullPage: true, clip, animations: 'disabled' }),
    )
    const { palette, indices } = fewColours(pixels, coloursMax)
    const file = `${name}-${width}-${colorScheme}.png`
    const png = encodeIndexedPng(pixels, palette, indices)
    bytes += png.length
    await writeFile(new URL(file, folder), png)
    links.push(`[${width} px, ${colorScheme}](${file})`)
  }
  lines.push(`- ${name.replaceAll('-', ' ')}: ${links.join(', ')}`)
}
if (wanted === '') {
  await writeFile(
    new URL('README.md', folder),
    `# Every page, as it looks

Made by \`npm run screens\` from a system that runs for it: local targets, four regions on one machine, and an
account with 90 days behind it. Each is cut at ${heightMax} px.

${lines.join('\n')}
`,
  )
}
console.log(`${lines.length} pages, ${(bytes / 1e6).toFixed(1)} MB`)
await people.close()
await system.close()
