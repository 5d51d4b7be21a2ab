import { expect } from 'vitest'
import { arrive, field, follow, press, type Walk } from './walk.ts'
import type { WebSystem } from '../system.ts'

/** The target fields of each type. */
const typedOf = ({ peers }: WebSystem): Record<string, Record<string, string>> => ({
  http: { URL: peers.steady.url('/walk') },
  tcp: { Host: '127.0.0.1', Port: String(peers.tcpPort) },
  dns: { Name: 'walk.example.org' },
  smtp: { Host: '127.0.0.1', Port: String(peers.mail.port) },
  heartbeat: { 'Grace (s)': '60' },
  browser: { URL: peers.siteUrl },
})

/** A check of each type except the journey, which has a separate walk. */
export const makeChecks: Walk = async (page, system, name) => {
  for (const [type, fields] of Object.entries(typedOf(system))) {
    await page.goto('/dashboard/checks/new')
    await follow(page, new RegExp(`^${type}$`, 'i'))
    const called = `${name} ${type}`
    for (const [label, text] of Object.entries(fields)) await field(page, label).first().fill(text)
    // the name of a dns check is the second of two
    await field(page, 'Name').last().fill(called)
    await press(page, 'Create check')
    const id = await arrive(page, 'checks')
    await page.getByRole('heading', { level: 1, name: called }).waitFor()
    const made = await system.act('getCheck', { params: { id } })
    expect(made).toMatchObject({ name: called, type })
    await system.act('deleteCheck', { params: { id } })
  }
}

/** The page shows an error at its field and keeps the input. */
export const correctCheck: Walk = async (page, system, name) => {
  await page.goto('/dashboard/checks/new/tcp')
  await field(page, 'Name').fill(name)
  await field(page, 'Host').fill('127.0.0.1')
  await field(page, 'Port').fill('70000')
  await press(page, 'Create check')
  const port = field(page, 'Port')
  expect(await port.getAttribute('aria-invalid')).toBe('true')
  expect(await port.inputValue()).toBe('70000')
  expect(await field(page, 'Name').inputValue()).toBe(name)
  await port.fill(String(system.peers.tcpPort))
  await press(page, 'Create check')
  const id = await arrive(page, 'checks')
  await page.locator('summary[aria-label^="More actions"]').click()
  await follow(page, 'Delete')
  // in a dialog with scripts, on a separate page without them
  await page.getByRole('button', { name: 'Delete check' }).click()
  await page.waitForURL('**/dashboard/checks')
  const { checks } = await system.act('listChecks', {})
  expect(checks.map((check) => check.id)).not.toContain(id)
}
