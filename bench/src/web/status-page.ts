import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { loadPlaywright } from '@probe-mesh/probe-agent/probes/browser/chromium'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { components, slug } from './fill.ts'

type Look = { bytes: number; requests: number; interactiveMs: number; paintMs: number }

/** What the browser itself says of the page that it shows; it runs there. */
const timings = `(() => {
  const [page] = performance.getEntriesByType('navigation')
  const loaded = performance.getEntriesByType('resource')
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  return {
    bytes: [page, ...loaded].reduce((sum, { transferSize }) => sum + transferSize, 0),
    requests: 1 + loaded.length,
    interactiveMs: page.domInteractive,
    paintMs: paint === undefined ? 0 : paint.startTime,
  }
})()`

const painted = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) resolve()
  }).observe({ type: 'paint', buffered: true })
})`

/**
 * The status page in a browser that has never seen it: what it takes of the wire, headers included,
 * and when it can be read and used, beside an empty page in the same browser.
 */
export const measureStatusPage = async (
  { quick, say, report }: BenchContext,
  { app, empty }: { app: string; empty: string },
): Promise<void> => {
  say(`status page: ${components} components and 90 days in Chromium`)
  const chromium = await loadPlaywright()
  const executablePath = await findTestChromium()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const look = async (url: string): Promise<Look> => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(url, { waitUntil: 'load' })
      // a function that is waited for would be evaluated in the page, whose policy forbids that
      await page.evaluate(painted)
      return (await page.evaluate(timings)) as Look
    } finally {
      await context.close()
    }
  }
  try {
    await look(`${app}/status/${slug}`)
    await look(empty)
    const looks: Record<'page' | 'empty', Look>[] = []
    for (let n = 0; n < (quick ? 3 : 9); n++) {
      looks.push({ page: await look(`${app}/status/${slug}`), empty: await look(empty) })
    }
    const of = (what: 'page' | 'empty', figure: keyof Look) =>
      looks.map((round) => round[what][figure])
    report({
      figure: 'status_page_bytes',
      value: median(of('page', 'bytes')),
      unit: 'bytes on the wire',
      aim: { atMost: 50_000 },
      context: { components, days: 90, requests: median(of('page', 'requests')) },
    })
    for (const [figure, name] of [
      ['interactiveMs', 'status_page_interactive'],
      ['paintMs', 'status_page_first_paint'],
    ] as const) {
      report({
        figure: name,
        value: median(of('page', figure)),
        unit: 'ms',
        aim: { atMost: 500 },
        context: { runs: of('page', figure), emptyPage: median(of('empty', figure)) },
      })
    }
  } finally {
    await browser.close()
  }
}
