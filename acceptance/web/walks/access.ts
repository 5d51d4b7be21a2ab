import { expect, vi } from 'vitest'
import { receiverAnswer } from '../system/peers.ts'
import { arrive, field, follow, press, type Walk } from './walk.ts'

/** A key is created, shown once, used, and revoked. */
export const makeKey: Walk = async (page, { credentials: { apiUrl } }, name) => {
  await page.goto('/dashboard/keys')
  await field(page, 'Name').fill(name)
  await press(page, 'Create key')
  const key = /sv_r_\w+/.exec(await page.getByRole('main').innerText())?.[0] ?? ''
  const use = async () =>
    (await fetch(`${apiUrl}/me`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await use()).toBe(200)
  await page.goto('/dashboard/keys')
  expect(await page.content()).not.toContain(key)
  await follow(page, `Revoke ${name}`)
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.waitForURL('**/dashboard/keys')
  await vi.waitFor(async () => expect(await use()).toBe(401))
}

/** A channel is created and tested, and the answer of its receiver is shown. */
export const testChannel: Walk = async (page, { peers: { receiver } }, name) => {
  await page.goto('/dashboard/channels/new')
  await follow(page, 'JSON webhook')
  await field(page, 'Name').fill(name)
  await field(page, 'URL').fill(`${receiver.url}/${name}`)
  await press(page, 'Create channel')
  await arrive(page, 'channels')
  await press(page, 'Send a test')
  await page.getByText(receiverAnswer).waitFor()
  expect(await page.getByRole('main').innerText()).toMatch(/HTTP status\s+202/)
  expect(receiver.received.filter(({ path }) => path.endsWith(`/${name}`))).toHaveLength(1)
  await page.goto('/dashboard/channels')
  await follow(page, `Delete ${name}`)
  await page.getByRole('button', { name: 'Delete channel' }).click()
  await page.waitForURL('**/dashboard/channels')
}

/** A visitor without an account reports a problem with a service. */
export const reportProblem: Walk = async (page) => {
  await page.goto('/services/mailer')
  await page.getByLabel('Your region').selectOption('fra')
  await page.getByRole('button', { name: /report a problem/i }).click()
  await page.waitForURL((url) => url.searchParams.has('report'))
  expect(await page.getByRole('status').allInnerTexts()).toContainEqual(
    expect.stringMatching(/report (not )?counted/i),
  )
  // counts are collected before they are sent
  await vi.waitFor(
    async () => {
      await page.goto('/services/mailer')
      const counts = page.getByRole('table', { name: /reports/i })
      expect((await counts.allInnerTexts()).join()).toContain('fra')
    },
    { timeout: 30_000, interval: 500 },
  )
}
