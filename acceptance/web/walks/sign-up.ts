import { expect } from 'vitest'
import { field, press, type Walk } from './walk.ts'
import { linkIn, mailOf } from './read-mail.ts'

/** A visitor opens an account by the mailed link, and has a check that is up within the first minute. */
export const signUp: Walk = async (page, system, name) => {
  const email = `${name}@example.org`
  await page.goto('/signup')
  await field(page, 'E-mail address').fill(email)
  await press(page, 'Send link')
  const mail = await mailOf(system, email, /account|sign/i)
  await page.goto(linkIn(mail, '/signup/confirm'))
  await field(page, 'Account name').fill(`Shop of ${name}`)
  await field(page, 'Password').fill('violet kettle orbit cactus')
  await press(page, 'Create account')
  await page.waitForURL('**/dashboard/welcome')
  await field(page, 'Address').fill(system.peers.steady.url(`/${name}`))
  await press(page, 'Start measuring')
  // with or without a script, the page refreshes until every region has answered
  const news = page.getByText('All 4 regions have measured it: it is up.')
  // with a script, screen readers get it too
  await news.last().waitFor()
  expect(await page.getByRole('table').innerText()).toMatch(/fra[\s\S]*Up/)
}
