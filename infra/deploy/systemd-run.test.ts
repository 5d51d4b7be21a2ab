import { expect, test, vi, type TestContext } from 'vitest'
import { recordFigure } from '../testing/figure.ts'
import { shellBlocks } from './testing/document-blocks.ts'
import { startFarTarget, type FarTarget } from './testing/far-target.ts'
import { whyNoMachine, type Machine } from './testing/machine.ts'
import { startDocumentedMachine } from './testing/systemd-machine.ts'

/**
 * Runs the blocks of the systemd document word for word on a new Debian 12 with a real systemd. The result
 * must work as documented, stop in order, and start again after a restart.
 */

const blocks = shellBlocks(new URL('../../docs/deploy-systemd.md', import.meta.url))
const units = [
  'probe-mesh-nats',
  'probe-mesh-control-plane',
  'probe-mesh-mcp-gateway',
  'probe-mesh-agent@fra-1',
  'probe-mesh-agent@fra-2',
]
const checks = 8
const intervalSeconds = 10
const patience = { timeout: 120_000, interval: 500 }
const authority = '--cacert /etc/probe-mesh/tls/ca.pem'
const reason = await whyNoMachine()
if (reason !== null) console.info(`the document of systemd is not run: ${reason}`)

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`

type Shown = Readonly<Record<string, string>>
const show = async (machine: Machine, unit: string, ...names: string[]): Promise<Shown> => {
  const output = await machine.run(`systemctl show ${unit} --property ${names.join(',')}`)
  const lines = output.trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]))
}

const isActive = async (machine: Machine): Promise<void> => {
  for (const unit of units) {
    const shown = await show(machine, unit, 'ActiveState', 'SubState', 'NRestarts')
    const wanted = { ActiveState: 'active', SubState: 'running', NRestarts: '0' }
    expect({ unit, ...shown }).toEqual({ unit, ...wanted })
  }
}

const isReady = (machine: Machine): Promise<void> =>
  vi.waitFor(async () => {
    const output = await machine.run(
      `curl --silent --fail ${authority} https://localhost:8080/readyz https://localhost:8081/readyz`,
    )
    expect(output.match(/"ready":true/g)).toHaveLength(2)
  }, patience)

/** The number of readings of an agent, from its metrics. */
const measuredBy = async (machine: Machine, port: number): Promise<number> => {
  const output = await machine.run(`curl --silent --fail http://127.0.0.1:${port}/metrics`)
  const up = /^probe_mesh_agent_readings_total\{[^}]*verdict="up"[^}]*\} (\d+)$/m.exec(output)
  return Number(up?.[1] ?? 0)
}

type Rest = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
const restOf =
  (machine: Machine, key: string): Rest =>
  async (method, path, body) => {
    const data = body === undefined ? '' : `--json '${JSON.stringify(body)}'`
    const output = await machine.run(
      `curl --silent --show-error --fail-with-body ${authority} --request ${method} -H 'Authorization: Bearer ${key}' ${data} https://localhost:8080${path}`,
    )
    return JSON.parse(output) as Record<string, unknown>
  }

const install = async (machine: Machine, context: TestContext): Promise<void> => {
  const shell = await machine.openShell()
  try {
    const times = new Map<string, number>()
    for (const { kind, section, text } of blocks) {
      if (kind === 'elsewhere') continue
      const began = performance.now()
      await shell.run(text)
      times.set(section, (times.get(section) ?? 0) + performance.now() - began)
    }
    const durations = [...times].map(([section, ms]) => `${section} ${(ms / 1_000).toFixed(1)} s`)
    await recordFigure(context, `the document, block by block: ${durations.join('; ')}`)
  } finally {
    await shell.close()
  }
}

const measures = async (machine: Machine, target: FarTarget, ids: string[], rest: Rest) => {
  const before = target.requests()
  const since = Date.now()
  await vi.waitFor(async () => {
    expect(target.requests()).toBeGreaterThan(before + checks)
    for (const port of [9464, 9465]) expect(await measuredBy(machine, port)).toBeGreaterThan(0)
    for (const id of ids) {
      const { readings } = (await rest('GET', `/v1/checks/${id}/readings?limit=1`)) as {
        readings: { measuredAt: string; verdict: string }[]
      }
      expect(readings[0]?.verdict).toBe('up')
      expect(Date.parse(readings[0]?.measuredAt ?? '')).toBeGreaterThan(since)
    }
  }, patience)
}

test.skipIf(reason !== null)(
  'a new Debian measures after the steps of the document, stops in order, and starts again after a restart',
  { timeout: 1_800_000 },
  async (context) => {
    const [target, machine] = [await startFarTarget(), await startDocumentedMachine('status.example.com')]
    try {
      await target.connect(machine.pid())
      await install(machine, context)
      await isActive(machine)
      await isReady(machine)
      const versions = await machine.run(
        'systemctl --version | head -1; psql --version; nats-server --version; /opt/probe-mesh/node/bin/node --version',
      )

      await machine.run('probe-mesh-admin tier set me@example.com scale')
      const { apiKey } = JSON.parse(
        await machine.run('probe-mesh-admin key create me@example.com --name test --scope read_write --json'),
      ) as { apiKey: string }
      const rest = restOf(machine, apiKey)
      const ids: string[] = []
      for (let at = 0; at < checks; at += 1) {
        const url = `${target.url}${at}`
        const check = await rest('POST', '/v1/checks', { name: `far ${at}`, url, intervalSeconds })
        ids.push(String(check['id']))
      }
      await measures(machine, target, ids, rest)
      const doctor = await machine.run('probe-mesh-admin doctor || true')
      await recordFigure(context, `doctor: ${doctor.match(/^(broken|warning|\d+ broken).*$/gm)?.join('; ')}`)

      const stops: string[] = []
      for (const unit of units.toReversed()) {
        const began = performance.now()
        await machine.run(`systemctl stop ${unit}`)
        stops.push(`${unit} ${seconds(began)}`)
        const shown = await show(machine, unit, 'Result', 'ExecMainCode', 'ExecMainStatus')
        // code 1: the process exited by itself
        const wanted = { Result: 'success', ExecMainCode: '1', ExecMainStatus: '0' }
        expect({ unit, ...shown }).toEqual({ unit, ...wanted })
      }

      const began = performance.now()
      await machine.restart()
      await target.connect(machine.pid())
      await isReady(machine)
      await isActive(machine)
      const back = seconds(began)
      await measures(machine, target, ids, rest)
      await recordFigure(
        context,
        `${versions.trim().replaceAll('\n', ', ')}; stopped: ${stops.join(', ')}; ready again after a restart of the machine: ${back}`,
      )
    } finally {
      await machine.close()
      await target.close()
    }
  },
)
