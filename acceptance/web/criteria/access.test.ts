import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { pageAddresses } from '../addresses.ts'
import { inPage, looks, openStage, say, scriptLooks, settled, using, type Look, type Stage } from './stage.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const stage = useOnce(() => openStage(), 180_000)

/** Every rule that axe-core has, targets of 24 px among them. */
const axe = `(async () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
  const { violations } = await window.axe.run({
    runOnly: { type: 'tag', values: tags }, rules: { 'target-size': { enabled: true } },
    preload: false, resultTypes: ['violations'] })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160).replace(/\\s+/g, ' ')))
})()`

const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource)
  return inPage<string[]>(page, axe)
}

/** What opens over a page, each from its own page. */
const states: readonly (readonly [name: string, open: (page: Page, look: Look) => Promise<void>])[] = [
  [
    'menu of a row',
    async (page) => {
      await page.goto('/dashboard/checks')
      await page.locator('summary[aria-label^="Actions for"]').first().click()
    },
  ],
  [
    'bar of ticked rows',
    async (page) => {
      await page.goto('/dashboard/checks')
      await page.locator('input[name=id]').first().click()
    },
  ],
  [
    'menu of a check',
    async (page) => {
      await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}`)
      await page.locator('summary[aria-label^="More actions"]').click()
    },
  ],
  [
    'dialog',
    async (page) => {
      await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}`)
      await page.locator('summary[aria-label^="More actions"]').click()
      await page.getByRole('link', { name: 'Delete', exact: true }).click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'menu of new things',
    async (page, look) => {
      await page.goto('/dashboard')
      if (look.width === 1440) await page.locator('summary', { hasText: 'New' }).click()
      else await page.getByRole('button', { name: 'Menu' }).click()
    },
  ],
  [
    'note of a chart',
    async (page) => {
      await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}`)
      const chart = page.locator('main figure [tabindex="0"]')
      await chart.focus()
      await page.keyboard.press('End')
      await page.locator('main figure [role=status]').waitFor()
    },
  ],
  [
    'all that is folded in a form',
    async (page) => {
      await page.goto('/dashboard/checks/new/http')
      await inPage(
        page,
        "for (const details of document.querySelectorAll('main details')) details.open = true",
      )
    },
  ],
  [
    'refused form',
    async (page) => {
      await page.goto('/dashboard/checks/new/tcp')
      await page.getByRole('button', { name: 'Create check' }).click()
      await page.locator('[aria-invalid=true]').first().waitFor()
    },
  ],
]

test.each(scriptLooks)(
  'A13 what opens over a page has no fault: $name',
  { timeout: 180_000 },
  async (look) => {
    const faults: string[] = []
    for (const [name, open] of states) {
      await using(stage.member(look), async (page) => {
        await open(page, look)
        faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`))
      })
    }
    say(`A13 ${look.name}: ${states.length} open states, ${faults.length} findings`)
    for (const fault of faults.slice(0, 10)) say(fault)
    expect(faults).toEqual([])
  },
)

/** One crawl a size: what is wrong with each page, by a script in it. */
const crawl = async (
  look: Look,
  options: Parameters<Stage['member']>[1],
  prepare: (page: Page) => Promise<void>,
  find: (page: Page) => Promise<string[]>,
): Promise<{ pages: number; faults: string[] }> => {
  const faults: string[] = []
  let pages = 0
  const addresses = await pageAddresses(stage.system.seeded)
  for (const isForMembers of [true, false]) {
    await using(isForMembers ? stage.member(look, options) : stage.visitor(look, options), async (page) => {
      await prepare(page)
      for (const { path } of addresses.filter((address) => address.isForMembers === isForMembers)) {
        const answer = await page.goto(path)
        if (!(answer?.headers()['content-type'] ?? '').startsWith('text/html')) continue
        await settled(page, look)
        pages += 1
        faults.push(...(await find(page)).map((fault) => `${path}: ${fault}`))
      }
    })
  }
  return { pages, faults }
}

const [desk] = scriptLooks
if (desk === undefined) throw new Error('there is no look')
const print = (criterion: string, { pages, faults }: { pages: number; faults: string[] }): void => {
  say(`A13 ${criterion}: ${pages} pages, ${faults.length} findings`)
  for (const fault of faults.slice(0, 25)) say(`A13 ${criterion}: ${fault.slice(0, 240)}`)
}

/** A page that is wider than its window, or a part of it that scrolls sideways and is no table, chart or code. */
const sideways = `(() => {
  const root = document.documentElement
  const faults = root.scrollWidth > root.clientWidth ? ['the page is ' + (root.scrollWidth - root.clientWidth) + ' px too wide'] : []
  const isWide = 'table, pre, code, figure, svg, [role=img], textarea, input'
  for (const element of document.querySelectorAll('body *')) {
    const { overflowX } = getComputedStyle(element)
    if (overflowX !== 'auto' && overflowX !== 'scroll') continue
    if (element.scrollWidth <= element.clientWidth + 1 || !element.checkVisibility()) continue
    if (element.matches(isWide) || element.querySelector(isWide) !== null) continue
    faults.push('scrolls sideways: ' + element.tagName + '.' + element.className)
  }
  return faults
})()`

test.each([
  ['320 px', { viewport: { width: 320, height: 640 } }],
  ['200 % zoom', { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }],
] as const)('A13 no page scrolls in two ways: %s', { timeout: 300_000 }, async (name, options) => {
  const found = await crawl(
    desk,
    options,
    async () => undefined,
    (page) => inPage<string[]>(page, sideways),
  )
  print(name, found)
  expect(found.faults).toEqual([])
})

/** What is small and stands close to another target, by axe-core's own rule. */
const targets = `(async () => {
  const { violations } = await window.axe.run({ runOnly: { type: 'rule', values: ['target-size'] },
    rules: { 'target-size': { enabled: true } }, preload: false, resultTypes: ['violations'] })
  return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 160).replace(/\\s+/g, ' ')))
})()`

test.each(scriptLooks.filter(({ colorScheme }) => colorScheme === 'light'))(
  'A13 targets have 24 px: $name',
  { timeout: 300_000 },
  async (look) => {
    const find = async (page: Page) => {
      await page.evaluate(axeSource)
      return inPage<string[]>(page, targets)
    }
    const found = await crawl(look, {}, async () => undefined, find)
    print(`targets ${look.name}`, found)
    expect(found.faults).toEqual([])
  },
)

const tabsMax = 60
const focused = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  // the link of a tile fills the tile by its ::after, which has the outline
  const seen = [null, '::after'].some((part) => {
    const { outlineStyle, outlineWidth, boxShadow, content } = getComputedStyle(element, part)
    if (part !== null && content === 'none') return false
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  })
  return { seen, html: element.outerHTML.slice(0, 120) }
})()`

test('A13 the focus is seen wherever the Tab key leads', { timeout: 300_000 }, async () => {
  const faults: string[] = []
  let stops = 0
  const paths = [
    '/dashboard',
    '/dashboard/checks',
    `/dashboard/checks/${stage.system.seeded.checks.shop}`,
    '/dashboard/checks/new/http',
    '/dashboard/incidents',
    '/',
    '/login',
  ]
  await using(stage.member(desk), async (page) => {
    for (const path of paths) {
      await page.goto(path)
      for (let tab = 0; tab < tabsMax; tab += 1) {
        await page.keyboard.press('Tab')
        const at = await inPage<{ seen: boolean; html: string } | null>(page, focused)
        if (at === null) break
        stops += 1
        if (!at.seen) faults.push(`${path}: ${at.html}`)
      }
    }
  })
  print('focus', { pages: paths.length, faults })
  say(`A13 focus: ${stops} stops`)
  expect(stops).toBeGreaterThan(paths.length * 5)
  expect(faults).toEqual([])
})

const moving = `document.getAnimations().filter((animation) => animation.playState === 'running' &&
  Number(animation.effect?.getComputedTiming().duration) > 10).map(({ effect }) => 'moves: ' + effect.target?.className)`

test('A13 nothing moves for who asks for less motion', { timeout: 300_000 }, async () => {
  const found = await crawl(
    desk,
    { reducedMotion: 'reduce' },
    async () => undefined,
    (page) => inPage<string[]>(page, moving),
  )
  print('reduced motion', found)
  expect(found.faults).toEqual([])
})

/** Marks of state must keep a shape of their own where the reader's colours replace ours. */
const marks = `(() => {
  const paint = (element) => { const style = getComputedStyle(element)
    return [style.backgroundColor, style.backgroundImage, style.borderTopColor, style.fill].join() }
  const ground = getComputedStyle(document.body).backgroundColor
  return [...document.querySelectorAll('[role=img] > i')].filter((mark) => {
    const style = getComputedStyle(mark)
    const isFilled = style.backgroundColor !== ground && style.backgroundColor !== 'rgba(0, 0, 0, 0)'
    const isLined = style.borderTopStyle !== 'none' && parseFloat(style.borderTopWidth) > 0 && style.borderTopColor !== ground
    return !isFilled && !isLined && style.backgroundImage === 'none'
  }).map((mark) => 'a mark is not seen: ' + mark.outerHTML + ' ' + paint(mark))
})()`

test.each(looks.filter(({ width, script }) => width === 1440 && script))(
  'A13 marks are seen in forced colours: $name',
  { timeout: 60_000 },
  async (look) => {
    await using(stage.member(look, { forcedColors: 'active' }), async (page) => {
      const faults: string[] = []
      for (const path of [
        '/dashboard',
        '/dashboard/checks',
        `/dashboard/checks/${stage.system.seeded.checks.api}`,
      ]) {
        await page.goto(path)
        await settled(page, look)
        faults.push(...(await inPage<string[]>(page, marks)))
      }
      print(`forced colours ${look.name}`, { pages: 3, faults })
      expect(faults).toEqual([])
    })
  },
)
