import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sayFigure } from '../testing/figure.ts'
import { isSecretFile, strangersIn } from './testing/programs.ts'
import type { ProgramName } from './testing/programs.ts'
import { secretLines } from './testing/secrets.ts'

const folder = fileURLToPath(new URL('systemd', import.meta.url))
/** Of 10: what systemd says of a service that is open to everything is 9.6. */
const exposureMax = 1.5
const run = promisify(execFile)

let units: string[]
let machine: string
beforeAll(async () => {
  units = (await readdir(folder)).filter((name) => name.endsWith('.service'))
  machine = await mkdtemp(join(tmpdir(), 'systemd-'))
  // what the units start, where they say that it is
  for (const program of ['opt/probe-mesh/node/bin/node', 'usr/local/bin/nats-server', 'bin/kill']) {
    await mkdir(join(machine, program, '..'), { recursive: true })
    await writeFile(join(machine, program), '#!/bin/sh\n')
    await chmod(join(machine, program), 0o755)
  }
  await mkdir(join(machine, 'etc/systemd/system'), { recursive: true })
  await cp(folder, join(machine, 'etc/systemd/system'), { recursive: true })
  await cp('/lib/systemd/system', join(machine, 'usr/lib/systemd/system'), { recursive: true })
})
afterAll(() => rm(machine, { recursive: true, force: true }))

/** An instance, where the unit is a template. */
const started = (unit: string): string => unit.replace('@.', '@fra-1.')
const read = (unit: string): Promise<string> => readFile(join(folder, unit), 'utf8')

test('there is a unit for each program', () => {
  expect(units.toSorted()).toEqual([
    'probe-mesh-agent@.service',
    'probe-mesh-control-plane.service',
    'probe-mesh-mcp-gateway.service',
    'probe-mesh-nats.service',
  ])
})

test('systemd finds nothing wrong with them', async () => {
  const args = ['verify', '--man=no', '--recursive-errors=no', `--root=${machine}`]
  const said = await run('systemd-analyze', [...args, ...units.map(started)])
  const ours = said.stderr.split('\n').filter((line) => line.includes('probe-mesh'))
  expect(ours).toEqual([])
})

test('systemd calls each of them safe', async (context) => {
  const exposures: string[] = []
  for (const unit of units) {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${exposureMax * 10}`]
    const { stdout } = await run('systemd-analyze', [...args, join(folder, unit)])
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]
    exposures.push(`${unit} ${exposure}`)
    expect([unit, Number(exposure) <= exposureMax]).toEqual([unit, true])
  }
  await sayFigure(context, `exposure by systemd-analyze, of 10: ${exposures.join(', ')}`)
})

test('each has bounds, is somebody of its own, and comes back by itself', async () => {
  for (const unit of units) {
    const lines = (await read(unit)).split('\n')
    for (const line of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'Restart=always',
      'LimitCORE=0',
    ]) {
      expect([unit, lines.includes(line), line]).toEqual([unit, true, line])
    }
    for (const bound of ['MemoryMax=', 'TasksMax=', 'LimitNOFILE=', 'TimeoutStopSec=']) {
      expect([unit, lines.some((line) => line.startsWith(bound)), bound]).toEqual([
        unit,
        true,
        bound,
      ])
    }
  }
})

test.each<[string, ProgramName]>([
  ['probe-mesh-agent@.service', 'agent'],
  ['probe-mesh-control-plane.service', 'control-plane'],
  ['probe-mesh-mcp-gateway.service', 'mcp-gateway'],
])('%s gives its program what that knows, and secrets as files alone', async (unit, program) => {
  const text = await read(unit)
  const given = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs
      .split(' ')
      .map(
        (pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const,
      ),
  )
  expect(strangersIn(program, Object.fromEntries(given))).toEqual([])
  const loaded = new Set([...text.matchAll(/^LoadCredential=([^:]+):/gm)].map((match) => match[1]))
  const files = given.filter(([, value]) => value.startsWith('%d/'))
  expect(files.length).toBeGreaterThan(1)
  for (const [name, value] of files)
    expect([name, loaded.has(value.slice(3))]).toEqual([name, true])
  for (const [name] of given.filter(([variable]) => variable.endsWith('_FILE'))) {
    expect([name, isSecretFile(program, name)]).toEqual([name, true])
  }
  expect(secretLines(text)).toEqual([])
  const entry = /^ExecStart=.* (infra\/processes\/\S+)$/m.exec(text)?.[1]
  expect(entry).toBe(`infra/processes/${program}.ts`)
})
