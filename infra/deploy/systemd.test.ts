import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFigure } from '../testing/figure.ts'
import { shellBlocks } from './testing/document-blocks.ts'
import { isSecretFile, unknownVariables, type ProgramName } from './testing/programs.ts'
import { secretLines } from './testing/secrets.ts'

const folder = fileURLToPath(new URL('systemd', import.meta.url))
/** Of 10. Systemd rates a service without restrictions 9.6. */
const exposureMax = 1.5
const run = promisify(execFile)

let units: string[]
const machine = testFolder('systemd-')
beforeAll(async () => {
  units = (await readdir(folder)).filter((name) => name.endsWith('.service'))
  // the programs of the units, at their paths
  for (const program of ['opt/probe-mesh/node/bin/node', 'usr/sbin/nats-server']) {
    await mkdir(join(machine, program, '..'), { recursive: true })
    await writeFile(join(machine, program), '#!/bin/sh\n')
    await chmod(join(machine, program), 0o755)
  }
  await mkdir(join(machine, 'etc/systemd/system'), { recursive: true })
  await cp(folder, join(machine, 'etc/systemd/system'), { recursive: true })
  await cp('/lib/systemd/system', join(machine, 'usr/lib/systemd/system'), { recursive: true })
})
afterAll(() => rm(machine, { recursive: true, force: true }))

/** The unit, or an instance of a template unit. */
const started = (unit: string): string => unit.replace('@.', '@fra-1.')
const read = (unit: string): Promise<string> => readFile(join(folder, unit), 'utf8')

test('has a unit for each program', () => {
  expect(units.toSorted()).toEqual([
    'probe-mesh-agent@.service',
    'probe-mesh-control-plane.service',
    'probe-mesh-mcp-gateway.service',
    'probe-mesh-nats.service',
  ])
})

test('has units that systemd accepts without warnings', async () => {
  const args = ['verify', '--man=no', '--recursive-errors=no', `--root=${machine}`]
  const verified = await run('systemd-analyze', [...args, ...units.map(started)])
  const ours = verified.stderr.split('\n').filter((line) => line.includes('probe-mesh'))
  expect(ours).toEqual([])
})

test('has units that systemd rates as safe', async (context) => {
  const exposures: string[] = []
  for (const unit of units) {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${exposureMax * 10}`]
    const { stdout } = await run('systemd-analyze', [...args, join(folder, unit)])
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]
    exposures.push(`${unit} ${exposure}`)
    expect([unit, Number(exposure) <= exposureMax]).toEqual([unit, true])
  }
  await recordFigure(context, `exposure by systemd-analyze, of 10: ${exposures.join(', ')}`)
})

test('has units with limits, their own users and automatic restarts', async () => {
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
      expect([unit, lines.some((line) => line.startsWith(bound)), bound]).toEqual([unit, true, bound])
    }
  }
})

test.each<[string, ProgramName]>([
  ['probe-mesh-agent@.service', 'agent'],
  ['probe-mesh-control-plane.service', 'control-plane'],
  ['probe-mesh-mcp-gateway.service', 'mcp-gateway'],
])('%s sets only known variables, and secrets only as files', async (unit, program) => {
  const text = await read(unit)
  const given = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs
      .split(' ')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  )
  expect(unknownVariables(program, Object.fromEntries(given))).toEqual([])
  const loaded = new Set([...text.matchAll(/^LoadCredential=([^:]+):/gm)].map((match) => match[1]))
  const files = given.filter(([, value]) => value.startsWith('%d/'))
  expect(files.length).toBeGreaterThan(1)
  for (const [name, value] of files) expect([name, loaded.has(value.slice(3))]).toEqual([name, true])
  for (const [name] of given.filter(([variable]) => variable.endsWith('_FILE'))) {
    expect([name, isSecretFile(program, name)]).toEqual([name, true])
  }
  expect(secretLines(text)).toEqual([])
  const entry = /^ExecStart=.* (infra\/start\/launch\/.+)$/m.exec(text)?.[1]
  expect(entry).toBe(`infra/start/launch/run.mjs ${program}`)
})

/** The steps of the document as one text. */
const document = shellBlocks(new URL('../../docs/deploy-systemd.md', import.meta.url))
const steps = document.map(({ text }) => text).join('')

test('has units whose files are all created by a step of the document', async () => {
  for (const unit of units) {
    const text = await read(unit)
    const given = [...text.matchAll(/^(?:LoadCredential=[^:]+:|EnvironmentFile=-?)(\S+)$/gm)]
    const paths = given.map(([, path = '']) => path.replace('%i', 'fra-2'))
    expect([unit, paths.length > 1]).toEqual([unit, true])
    for (const path of paths) {
      const parts = path.split('/').filter((part) => !['etc', 'probe-mesh'].includes(part))
      // nats-config writes these two into its folder
      const isWritten = path === '/etc/probe-mesh/nats/accounts.conf' || path.endsWith('/nats-server.conf')
      const wanted = isWritten ? '--out /etc/probe-mesh/nats ' : (parts.at(-1) ?? '')
      expect([unit, path, steps.includes(wanted)]).toEqual([unit, path, true])
    }
  }
})

test('has a document that starts every unit, with a different port for each agent', () => {
  const enabled = [...steps.matchAll(/^systemctl enable --now (.*)$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const names = units.map((unit) => unit.replace(/@?\.service$/, ''))
  expect([...new Set(enabled.map((name) => name.replace(/@.*/, '')))].toSorted()).toEqual(names.toSorted())
  const agents = enabled.filter((name) => name.includes('@')).map((name) => name.split('@')[1])
  expect(agents).toEqual(['fra-1', 'fra-2'])
  expect(steps).toMatch(/^echo PORT=9465 > \/etc\/probe-mesh\/agent-fra-2\.env$/m)
})

test('has a NATS unit with the storage and certificate paths of the document', async () => {
  const text = await read('probe-mesh-nats.service')
  const state = /^StateDirectory=(\S+)$/m.exec(text)?.[1]
  expect(steps).toContain(`--store /var/lib/${state}`)
  expect(steps).toContain('credentials=/run/credentials/probe-mesh-nats.service\n')
  expect(text).toContain('LoadCredential=nats:/etc/probe-mesh/secrets/nats\n')
  for (const name of ['nats_server.pem', 'nats_server.key']) expect(steps).toContain(`$credentials/${name}`)
  expect(text).toContain('ExecStart=nats-server --config %d/nats-server.conf ')
})

test('has an operator command with the settings of the control plane unit', async () => {
  const command = await read('probe-mesh-admin')
  const unit = await read('probe-mesh-control-plane.service')
  for (const [, name = '', file = ''] of unit.matchAll(
    /^Environment=(\w+_FILE|NATS_CREDENTIALS)=%d\/(\S+)$/gm,
  )) {
    // operator commands do not need the metrics token
    if (name !== 'METRICS_TOKEN_FILE') expect(command).toContain(`${name}=$secrets/${file}`)
  }
  expect(command).toContain('. /etc/probe-mesh/control-plane.env\n')
})
