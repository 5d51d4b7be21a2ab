import { expect } from 'vitest'
import { linkIn, mailOf } from './read-mail.ts'
import { arrive, field, press, type Walk } from './walk.ts'

/** A page is created, a check is published on it, and a visitor reads it. */
export const publishPage: Walk = async (page, { seeded, act }, name) => {
  await page.goto('/dashboard/pages')
  await field(page, 'Name').fill(name)
  await field(page, 'Slug').fill(name)
  await press(page, 'Create status page')
  const id = await arrive(page, 'pages')
  await page.getByRole('link', { name: 'Publish checks' }).click()
  await page.locator(`[name=checkId][value="${seeded.checks.shop}"]`).check()
  await page.getByText('Name and description of one check').click()
  await field(page, 'Name on the page').fill(`Shop of ${name}`)
  await press(page, 'Publish checks')
  await arrive(page, 'pages')
  await page.goto(`/status/${name}`)
  await page.getByRole('heading', { name: `Shop of ${name}` }).waitFor()
  await page.goto(`/dashboard/pages/${id}/delete`)
  await press(page, 'Delete page')
  await page.waitForURL('**/dashboard/pages')
  // the page itself may be cached for some seconds
  const { statusPages } = await act('listStatusPages', {})
  expect(statusPages.map((one) => one.id)).not.toContain(id)
}

/**
 * A visitor subscribes, gets an incident by mail when it is opened, and unsubscribes by the link in that
 * mail.
 */
export const subscribeAndHear: Walk = async (page, system, name) => {
  const { seeded, act } = system
  const email = `${name}@example.org`
  await page.goto(`/status/${seeded.slug}`)
  await page.locator('.subscribe > summary').click()
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.waitForURL('**/subscribers*')
  const confirmation = await mailOf(system, email, /confirm/i)
  await page.goto(linkIn(confirmation, '/subscriptions/confirm'))
  await page.getByRole('button', { name: /confirm/i }).click()
  await page.getByRole('heading', { name: /subscribed/i }).waitFor()

  const title = `Outage of ${name}`
  await page.goto(`/dashboard/incidents/new?page=${seeded.pageId}`)
  await page.getByRole('group', { name: 'Affected components' }).getByRole('checkbox').first().check()
  await field(page, 'Title').fill(title)
  await field(page, 'Message').fill('Nothing loads.')
  await press(page, 'Post incident')
  const id = await arrive(page, 'incidents')
  const mail = await mailOf(system, email, new RegExp(title))
  expect(mail.text).toContain('Nothing loads.')

  await page.goto(linkIn(mail, '/subscriptions/unsubscribe'))
  await page.getByRole('button', { name: /unsubscribe/i }).click()
  await page.getByRole('heading', { name: /unsubscribed/i }).waitFor()
  const { subscribers } = await act('listSubscribers', { query: { statusPageId: seeded.pageId } })
  expect(subscribers.map((one) => one.email)).not.toContain(email)
  const body = { status: 'resolved', body: 'All loads again.' }
  await act('addIncidentUpdate', { params: { id }, body })
}
