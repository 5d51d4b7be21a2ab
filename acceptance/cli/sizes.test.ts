import { mkdir, writeFile } from 'node:fs/promises'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createChecks } from '../testing/create-checks.ts'
import { startStoppableMesh, type StoppableMesh } from './testing/stoppable-mesh.ts'
import { startTerminal, type Terminal } from './testing/terminal.ts'

/**
 * `status` and `top` in a real terminal of three sizes, over a mesh with 10 checks and then 500. The screens are
 * written to `.data/cli-screens`.
 */

const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
const folder = fileURLToPath(new URL('../../.data/cli-screens', import.meta.url))
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 30 },
  { columns: 200, rows: 60 },
] as const
const patience = { timeout: 90_000, interval: 200 }
/** Checks of each ten whose target fails or challenges the probe. */
const failing = [3, 7]
const refused = 5

let mesh: StoppableMesh
const targets: Target[] = []
let created = 0

const createUpTo = async (count: number): Promise<void> => {
  const [fine, bad, wall] = targets
  if (fine === undefined || bad === undefined || wall === undefined) throw new Error('there are no targets')
  const inputs = Array.from({ length: count - created }, (_, offset) => {
    const n = created + offset
    const of = failing.includes(n % 10) ? bad : n % 10 === refused ? wall : fine
    return { name: `service ${n} of the shop`, url: of.url(`/${n}`), intervalSeconds: 10 }
  })
  await createChecks(mesh, inputs)
  created = count
}

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  targets.push(await startTarget(), await startTarget(), await startTarget())
  targets[1]?.behave('fail')
  targets[2]?.behave('challenge')
  mesh = await startStoppableMesh({ regions: ['iad', 'fra', 'nrt'] })
})
afterAll(async () => {
  await mesh?.close()
  await Promise.all(targets.map((one) => one.close()))
})

const withTerminal = async <T>(
  command: string,
  size: { columns: number; rows: number },
  use: (terminal: Terminal) => Promise<T>,
): Promise<T> => {
  const terminal = await startTerminal({
    command: `'${execPath}' '${main}' ${command}; exec sleep 600`,
    ...size,
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '/',
      LANG: 'C.UTF-8',
      SERVICE_API_URL: mesh.apiUrl,
      SERVICE_API_KEY: mesh.apiKey,
    },
  })
  return use(terminal).finally(terminal.close)
}

const keep = async (name: string, screen: string): Promise<void> => {
  await writeFile(`${folder}/${name}.txt`, screen)
  console.info(`${name}\n${screen}`)
}

/** The names of the checks of a screen, from top to bottom, with their states. */
const rowsOf = (screen: string): { name: string; status: string }[] =>
  screen.split('\n').flatMap((line) => {
    const name = /service \d+/.exec(line)?.[0]
    const status = /\b(?:down|degraded|unknown|stale|operational|no data)\b/.exec(line)?.[0]
    return name === undefined || status === undefined ? [] : [{ name, status }]
  })

const downIn = (count: number): number => (count / 10) * failing.length

test.each([10, 500])('%i checks in every size', { timeout: 400_000 }, async (count) => {
  await createUpTo(count)
  for (const size of sizes) {
    const name = `${size.columns}x${size.rows} ${count} checks`
    await withTerminal('top', size, async (terminal) => {
      const screen = await vi.waitFor(async () => {
        const now = await terminal.screen()
        expect(now).toContain(`${count} checks: ${downIn(count)} down`)
        expect(now).not.toContain('no data')
        return now
      }, patience)
      await keep(`top ${name}`, screen)
      const rows = rowsOf(screen)
      // as many as fit, the worst first
      expect(rows.length).toBe(Math.min(count, size.rows - 6))
      const down = Math.min(downIn(count), rows.length)
      expect(rows.slice(0, down).map(({ status }) => status)).toEqual(Array(down).fill('down'))
      await terminal.press('?')
      await vi.waitFor(async () => {
        const help = await terminal.screen()
        expect(help).toContain('KEYS')
        expect(help).toContain('TREND')
      }, patience)
    })
    await withTerminal('status; echo finished', size, async (terminal) => {
      const printed = await vi.waitFor(async () => {
        const now = await terminal.printed()
        expect(now).toMatch(/^finished$/m)
        return now
      }, patience)
      await keep(`status ${name}`, printed)
      for (const line of printed.split('\n')) expect(line.length).toBeLessThanOrEqual(size.columns)
      const statuses = rowsOf(printed).map(({ status }) => status)
      expect(statuses).toHaveLength(count)
      expect(statuses.slice(0, downIn(count))).toEqual(Array(downIn(count)).fill('down'))
      expect(printed).not.toContain('no data')
    })
  }
})
