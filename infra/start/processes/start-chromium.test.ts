import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumFigure } from './chromium-state.ts'
import { tryChromium } from './start-chromium.ts'

const folder = testFolder('start-chromium-')
/** A substitute for Chromium on a machine whose kernel allows no sandbox. */
let withoutOnly: string
let sandboxed: string
beforeAll(async () => {
  await chmod(folder, 0o755)
  const program = async (name: string, script: string): Promise<string> => {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
    return join(folder, name)
  }
  const draws = `echo '<title>drawn2</title>'`
  sandboxed = await program('sandboxed', `case "$*" in *--no-sandbox*) exit 1;; *) ${draws};; esac`)
  withoutOnly = await program(
    'without-only',
    `case "$*" in *--no-sandbox*) ${draws};; *) echo 'FATAL: No usable sandbox!' >&2; exit 1;; esac`,
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const started = async (path: string | null, mayGoWithout = false) => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const registry = new Registry()
  const found = await tryChromium({ path, mayGoWithout }, { registry, log })
  const figures = await registry.metrics()
  const state = new RegExp(`^${chromiumFigure}\\{state="(\\w+)"\\} 1$`, 'm').exec(figures)?.[1]
  return { found, state, lines: lines.map((line) => JSON.parse(line)) }
}

test('turns browser checks on with a working sandbox', async () => {
  const { found, state, lines } = await started(sandboxed)
  expect(found).toMatchObject({ executablePath: sandboxed, way: { isSandboxed: true } })
  expect(state).toBe('sandboxed')
  expect(lines).toMatchObject([{ level: 30, msg: 'Chromium runs with its sandbox' }])
})

test('turns browser checks off without a working sandbox, and logs why and what to do', async () => {
  const { found, state, lines } = await started(withoutOnly)
  expect([found, state]).toEqual([null, 'off'])
  expect(lines).toMatchObject([
    {
      level: 40,
      why: expect.stringContaining('No usable sandbox'),
      msg: expect.stringMatching(/^browser checks are off: .*CHROMIUM_WITHOUT_SANDBOX=yes/),
    },
  ])
})

test('runs without the sandbox if the operator allows it, and logs a warning', async () => {
  const { found, state, lines } = await started(withoutOnly, true)
  expect(found).toMatchObject({ way: { isSandboxed: false } })
  expect(state).toBe('without_sandbox')
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('without its sandbox') }])
})

test('tries and logs nothing without Chromium', async () => {
  expect(await started(null)).toEqual({ found: null, state: 'none', lines: [] })
})
