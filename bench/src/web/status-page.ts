import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import type { BenchContext } from '../harness/run-bench.ts'
import { median } from '../harness/statistics.ts'
import { takeTurns } from '../harness/turns.ts'
import { components, slug } from './fill.ts'

type Look = { bytes: number; requests: number; interactiveMs: number; paintMs: number; shift: number }

/** The browser's own figures of the current page. It runs in the page. */
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

/** What has moved since the first paint, without a hand's doing. It runs in the page. */
const shifted = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 0)
})`

const painted = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) resolve()
  }).observe({ type: 'paint', buffered: true })
})`

/**
 * The status page in a browser without a cache: bytes on the wire, headers included, and when it can be read
 * and used, beside an empty page in the same browser.
 */
export const measureStatusPage = async (
  { quick, log, report }: BenchContext,
  { app, empty }: { app: string; empty: string },
): Promise<void> => {
  log(`status page: ${components} components and 90 days in Chromium`)
  const chromium = await loadPlaywright()
  const executablePath = await findTestChromium()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const look = async (url: string): Promise<Look> => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(url, { waitUntil: 'load' })
      // the page's content security policy forbids waitForFunction
      await page.evaluate(painted)
      const shift = Number(await page.evaluate(shifted))
      return { ...((await page.evaluate(timings)) as Omit<Look, 'shift'>), shift }
    } finally {
      await context.close()
    }
  }
  try {
    await look(`${app}/status/${slug}`)
    await look(empty)
    const rounds = await takeTurns(quick ? 3 : 9, {
      page: () => look(`${app}/status/${slug}`),
      empty: () => look(empty),
    })
    const of = (what: 'page' | 'empty', figure: keyof Look) => rounds.map((round) => round[what][figure])
    report({
      figure: 'status_page_bytes',
      runs: of('page', 'bytes'),
      unit: 'bytes on the wire',
      aim: { atMost: 50_000 },
      context: { components, requests: median(of('page', 'requests')) },
    })
    report({
      figure: 'status_page_shift',
      runs: of('page', 'shift'),
      unit: 'CLS',
      aim: { atMost: 0.005 },
    })
    for (const [figure, name] of [
      ['interactiveMs', 'status_page_interactive'],
      ['paintMs', 'status_page_first_paint'],
    ] as const) {
      report({
        figure: name,
        runs: of('page', figure),
        unit: 'ms',
        aim: { atMost: 500 },
        context: { emptyPage: median(of('empty', figure)) },
      })
    }
  } finally {
    await browser.close()
  }
}
