import { expect } from 'vitest'
import type { Walk } from './walk.ts'

/** Globals of the page, for functions passed to `evaluate`. */
declare const window: { seenAt?: number }
declare const document: { querySelector(selector: string): { textContent: string } | null }
declare const MutationObserver: new (seen: () => void) => {
  observe(target: unknown, options: object): void
}

/** A flip is shown within two seconds; the rest is for a busy machine. */
const seenMsMax = 10_000

/** A target fails, and the open page of its check shows that soon after the flip without a reload. */
export const seeOutage: Walk = async (page, { act, peers, sql }, name) => {
  const { id } = await act('createCheck', {
    body: { name, url: peers.failing.url(`/${name}`), intervalSeconds: 1 },
  })
  const isStatus = async (status: string) => (await act('getCheck', { params: { id } })).status === status
  await expect.poll(() => isStatus('operational')).toBe(true)
  await page.goto(`/dashboard/checks/${id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  const selector = `[data-check-id="${id}"]`
  await page.evaluate((selector) => {
    const look = () => {
      const text = document.querySelector(selector)?.textContent ?? ''
      if (text.includes('Down')) window.seenAt ??= Date.now()
    }
    new MutationObserver(look).observe(document, {
      childList: true,
      subtree: true,
      characterData: true,
    })
  }, selector)
  const failedAt = Date.now()
  peers.failing.behave('fail')
  await page.waitForFunction(() => window.seenAt !== undefined, null, { polling: 50 })
  const seenAt = (await page.evaluate(() => window.seenAt)) ?? 0
  const [flip] = await sql<{ at: Date }[]>`
    select at from flips where check_id = ${id} and to_status = 'down'`
  const flippedAt = flip?.at.getTime() ?? Number.NaN
  console.log(
    `the target failed, ${flippedAt - failedAt} ms later the check was down, ${seenAt - flippedAt} ms later the page said so`,
  )
  expect(failedAt).toBeLessThanOrEqual(flippedAt)
  expect(flippedAt).toBeLessThanOrEqual(seenAt)
  expect(seenAt - flippedAt).toBeLessThan(seenMsMax)
  peers.failing.behave('ok')
  await act('deleteCheck', { params: { id } })
}
