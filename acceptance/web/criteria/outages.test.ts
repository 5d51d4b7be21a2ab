import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test, vi } from 'vitest'
import { logIn, openBrowser } from '../browser.ts'
import { startWebSystem } from '../system.ts'

let page: Page

/** What a member on call meets: an outage of a check that no page publishes, and the links of its messages. */
const system = useOnce(async () => startWebSystem(await findTestChromium()), 180_000)
const people = useOnce(() => openBrowser(system.address), 180_000)
beforeAll(async () => {
  const member = await people.person()
  page = member.page
  await logIn(page, system.credentials)
}, 180_000)

const long = { timeout: 180_000 }
const waitMsMax = 90_000
/** Checks that fail together, more than one message is worth. */
const failingCount = 6

/** A row of the list of outages. */
const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })

/** Links to this system in what receivers were sent. */
const linksIn = (texts: readonly string[], address: string): string[] => {
  const found = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>)\\]+/g) ?? [])
  return [...new Set(found.filter((url) => url.startsWith(address)))].toSorted()
}

test(
  'an outage of an unpublished check is listed within 10 s with duration and reason, and resolved after',
  long,
  async () => {
    const { act, peers, sql } = system
    const name = 'Internal API'
    const { id } = await act('createCheck', {
      body: { name, url: peers.failing.url('/internal'), intervalSeconds: 1 },
    })
    const isStatus = async (status: string) => (await act('getCheck', { params: { id } })).status === status
    await expect.poll(() => isStatus('operational'), { timeout: waitMsMax }).toBe(true)
    await page.goto('/dashboard/incidents')
    await page.getByText('Live', { exact: true }).waitFor()
    peers.failing.behave('fail')
    await rowOf(name).getByText('Down', { exact: true }).waitFor({ timeout: waitMsMax })
    const shownAt = Date.now()
    const [down] = await sql<{ at: Date }[]>`
    select at from flips where check_id = ${id} and to_status = 'down'`
    const shownMs = shownAt - (down?.at.getTime() ?? Number.NaN)
    const row = await rowOf(name).innerText()
    expect(row).toMatch(/\d+s/)
    expect(row).toMatch(/503|500|status/)
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('icon-bad')

    await rowOf(name).getByRole('link').first().click()
    await page.getByRole('heading', { name: `Outage of ${name}` }).waitFor()
    await page.getByRole('img', { name: /Response time/ }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Post an incident' }).first().waitFor()

    peers.failing.behave('ok')
    await page.goto('/dashboard/incidents')
    await rowOf(name).getByText('Ended', { exact: true }).waitFor({ timeout: waitMsMax })
    console.log(`A2: listed ${shownMs} ms after the flip, as: ${row.replace(/\s+/g, ' ')}`)
    expect(shownMs).toBeLessThan(10_000)
  },
)

test('every link of alerts, digests and mails answers 200 for a member who is logged in', long, async () => {
  const { act, peers, address, credentials } = system
  // only a tested channel is written to
  await act('testChannel', { params: { id: system.seeded.channelId } })
  const rule = { name: 'By mail', emailUsers: true, channelIds: [] as string[] }
  await act('createAlertRule', { body: rule })
  const paths = Array.from({ length: failingCount }, (_, index) => `/linked-${index}`)
  const made = await Promise.all(
    paths.map((path) =>
      act('createCheck', {
        body: { name: `Linked ${path}`, url: peers.failing.url(path), intervalSeconds: 1 },
      }),
    ),
  )
  const areAll = async (status: string): Promise<boolean> => {
    const { checks } = await act('listChecks', {})
    return made.every(({ id }) => checks.find((check) => check.id === id)?.status === status)
  }
  await expect.poll(() => areAll('operational'), { timeout: waitMsMax }).toBe(true)
  peers.failing.behave('fail')
  await expect.poll(() => areAll('down'), { timeout: waitMsMax }).toBe(true)
  await act('createPageIncident', {
    params: { id: system.seeded.pageId },
    body: { componentIds: [system.seeded.componentId], impact: 'minor', title: 'Linked', body: 'Linked.' },
  })
  const mailTexts = async () =>
    ((await peers.mail.mailboxes()).get(credentials.email) ?? []).map(({ text }) => text ?? '')
  const isAbout = (text: string): boolean => text.includes('Linked ')
  await vi.waitFor(
    async () => {
      expect(peers.receiver.received.some(({ body }) => isAbout(body))).toBe(true)
      expect((await mailTexts()).some(isAbout)).toBe(true)
    },
    { timeout: waitMsMax, interval: 250 },
  )
  peers.failing.behave('ok')
  await expect.poll(() => areAll('operational'), { timeout: waitMsMax }).toBe(true)
  const links = linksIn([...peers.receiver.received.map(({ body }) => body), ...(await mailTexts())], address)
  const answers: Record<string, number> = {}
  // a link that ends something, or is used once, is not opened
  for (const url of links.filter((each) => !/token=|\/unsubscribe|\/login\/link/.test(each))) {
    const answer = await page.goto(url)
    answers[new URL(url).pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')] = answer?.status() ?? 0
    expect(new URL(page.url()).pathname).not.toBe('/login')
  }
  console.log(`A1: ${links.length} links of messages: ${JSON.stringify(answers)}`)
  expect(Object.keys(answers)).toContain('/dashboard/checks/:id')
  expect(new Set(Object.values(answers))).toEqual(new Set([200]))
})
