import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createChecks } from '../testing/create-checks.ts'
import { startStoppableMesh, type StoppableMesh } from './testing/stoppable-mesh.ts'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { startTerminal, type Terminal } from './testing/terminal.ts'

/**
 * The live view in a real terminal, over a running mesh, compared character by character. Values that change
 * between runs are masked. `-u` rewrites the screens.
 */

const patience = { timeout: 60_000, interval: 100 }
const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))

/** A crash of the program, for a signal. */
const crashing = "data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('a\\x20crash'))})"

let mesh: StoppableMesh
let terminal: Terminal
const targets: Target[] = []
const terminals: Terminal[] = []

const startTop = async (): Promise<Terminal> => {
  const one = await startTerminal({
    command: `echo before; held=$(stty -g); '${execPath}' '${main}' top; echo "left with $?"; [ "$(stty -g)" = "$held" ] && echo 'settings as before'; echo after; exec sleep 600`,
    columns: 80,
    rows: 24,
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '/',
      LANG: 'C.UTF-8',
      NODE_OPTIONS: `--import ${crashing}`,
      SERVICE_API_URL: mesh.apiUrl,
      SERVICE_API_KEY: mesh.apiKey,
    },
  })
  terminals.push(one)
  return one
}

beforeAll(async () => {
  const [fine, failing, challenging] = [await startTarget(), await startTarget(), await startTarget()]
  failing.behave('fail')
  challenging.behave('challenge', ['nrt'])
  targets.push(fine, failing, challenging)
  mesh = await startStoppableMesh({ regions: ['iad', 'fra', 'nrt'] })
  await createChecks(mesh, [
    { name: 'shop', url: fine.url('/shop'), intervalSeconds: 1 },
    {
      name: 'a challenge in one region',
      url: challenging.url('/docs'),
      intervalSeconds: 1,
      sendRegion: true,
    },
    { name: 'login \u001B[31mred', url: failing.url('/login'), intervalSeconds: 1 },
  ])
  terminal = await startTop()
})
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.close()))
  await mesh?.close()
  await Promise.all(targets.map((one) => one.close()))
})

/** Masks ages, latencies, ports and bars, which change; their positions do not. */
const masked = (screen: string): string =>
  screen
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:00000')
    // since when, which begins where its column does
    .replace(/(?<=(?:down|operational|degraded|stale) +)\d+ (?:s|min) +/g, (text) => '#'.padEnd(text.length))
    // right edges, with the padding before them
    .replace(/ +(live for|newest reading) \d+ (?:s|min)( ago)?$/gm, (text, what: string, ago = '') =>
      `${what} # s${ago}`.padStart(text.length),
    )
    .replace(/(✓U) \d[\d.]* ms */g, (text, sign: string) => `${sign} # ms`.padEnd(text.length))
    .replace(/ {2,}\d[\d.]* (?:ms|s)/g, (text) => '#'.padStart(text.length))
    .replace(/\b\d+ s\b/g, '# s')
    .replace(/[▁▂▃▅▇✗▲ ]{8,}(?= +#$)/gm, (text) => ' '.repeat(text.length))
    // bars of a line that ends with a reason
    .replace(/[▁▂▃▄▅▆▇█]/g, ' ')
    .replace(/ +$/gm, '')

const becomes = async (condition: (screen: string) => void, of: Terminal = terminal): Promise<string> =>
  vi.waitFor(async () => {
    const screen = await of.screen()
    condition(screen)
    return screen
  }, patience)

/** Every region of every check has reported, and the statuses have settled. */
const settled = (screen: string): void => {
  expect(screen).toContain('Test (scale)')
  expect(screen).toContain('vantage: local')
  expect(screen).toMatch(/login .*down .*✗D.*✗D.*✗D/)
  expect(screen).toMatch(/a challenge.*operational .*✓U.*✓U.*▲B/)
  expect(screen).toMatch(/shop +operational .*✓U.*✓U.*✓U/)
}
const screenFile = (name: string): string => `top-screens/${name}.txt`

test('the view in 80x24 and in 200x60 matches the stored screens', { timeout: 120_000 }, async () => {
  const small = await becomes(settled)
  await expect(masked(small)).toMatchFileSnapshot(screenFile('80x24'))
  await terminal.resize(200, 60)
  const large = await becomes((screen) => {
    settled(screen)
    expect(screen).toMatch(/✓U \d/)
    expect(screen.split('\n')[0]?.length).toBe(200)
  })
  await expect(masked(large)).toMatchFileSnapshot(screenFile('200x60'))
  await terminal.resize(80, 24)
})

test('a killed region turns stale while the view is open', { timeout: 120_000 }, async () => {
  await becomes(settled)
  await mesh.killRegion('nrt')
  const screen = await becomes((now) => {
    expect(now).toMatch(/login .*down .*✗D.*✗D.*…S/)
    expect(now).toMatch(/a challenge.*operational .*✓U.*✓U.*…S/)
    expect(now).toMatch(/shop +operational .*✓U.*✓U.*…S/)
  })
  await expect(masked(screen)).toMatchFileSnapshot(screenFile('80x24-nrt-killed'))
})

test.each<[name: string, code: number, leave: (one: Terminal) => Promise<void>]>([
  ['q', 0, (one) => one.press('q')],
  ['Ctrl-C', 0, (one) => one.press('C-c')],
  ['SIGTERM', 143, (one) => one.signal('SIGTERM')],
  ['a crash', 1, (one) => one.signal('SIGUSR2')],
])('%s restores the terminal', { timeout: 60_000 }, async (name, code, leave) => {
  const one = await startTop()
  await becomes((now) => expect(now).toContain('live for'), one)
  expect(await one.mode()).toEqual({ isAlternate: true, hasCursor: false })
  await leave(one)
  const screen = await becomes((now) => expect(now).toMatch(/^after$/m), one)
  expect(screen).toMatch(/^before$/m)
  expect(screen).toMatch(new RegExp(`^left with ${code}\nsettings as before\nafter$`, 'm'))
  expect(screen.includes('Error: a crash')).toBe(name === 'a crash')
  expect(await one.mode()).toEqual({ isAlternate: false, hasCursor: true })
})
