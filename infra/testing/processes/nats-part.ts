import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { enroll } from '../../deploy/nats/enroll.ts'
import type { FormerVersion } from '../former-version.ts'
import { findNatsServer } from '../nats-server.ts'
import { createCommandPart } from './command-part.ts'
import type { Part } from './part.ts'

const run = promisify(execFile)
const generator = fileURLToPath(new URL('../../deploy/nats/main.ts', import.meta.url))
const generateMsMax = 30_000
const greetingMsMax = 2_000

/** Creates a nats-server with the configuration and credentials of the operator command. */
export const createNatsPart = async (options: {
  port: number
  regions: readonly Region[]
  /** The folder of the mesh. */
  folder: string
  /** The version that configures it, instead of this one. */
  former?: FormerVersion | undefined
}): Promise<{ part: Part; controlPlaneFile: string; agentFile(region: Region): string }> => {
  const { port } = options
  const folder = join(options.folder, 'nats')
  const binary = process.env['TEST_NATS_SERVER'] ?? (await findNatsServer())
  const files =
    options.former === undefined
      ? await configure(options, folder)
      : await configureAsBefore(options, options.former, binary)
  const part = createCommandPart({
    name: 'nats-server',
    command: [binary, '-c', join(folder, 'nats-server.conf')],
    environment: {},
    logFile: join(options.folder, 'logs', 'nats-server'),
    isReady: () => greets(port),
  })
  return { part, ...files }
}

type Files = { controlPlaneFile: string; agentFile(region: Region): string }

const configure = async (
  { port, regions }: { port: number; regions: readonly Region[] },
  folder: string,
): Promise<Files> => {
  const flags = ['--regions', regions.join(','), '--out', folder]
  const where = ['--listen', `127.0.0.1:${port}`, '--store', join(folder, 'store')]
  await run(process.execPath, [generator, ...flags, ...where], { timeout: generateMsMax })
  const agentFile = (region: Region) => join(folder, `agent-${region}.creds`)
  for (const region of regions) {
    const input = { region, name: `${region}-all`, days: 1, out: agentFile(region) }
    await enroll(folder, { ...input, isRotation: false }, Date.now())
  }
  return { controlPlaneFile: join(folder, 'control-plane.creds'), agentFile }
}

/** Configures it with the credentials of an earlier version, in their form. */
const configureAsBefore = async (
  { port, regions, folder }: { port: number; regions: readonly Region[]; folder: string },
  former: FormerVersion,
  binary: string,
): Promise<Files> => {
  const printed = await former.evaluate(
    `const { createNatsPart } = await import('./infra/testing/processes/nats-part.ts')
     const { controlPlaneFile, agentFile } = await createNatsPart(${JSON.stringify({ port, regions, folder })})
     const agents = Object.fromEntries(${JSON.stringify(regions)}.map((region) => [region, agentFile(region)]))
     console.log(JSON.stringify({ controlPlaneFile, agents }))`,
    { TEST_NATS_SERVER: binary },
  )
  type Printed = { controlPlaneFile: string; agents: Record<Region, string> }
  const { controlPlaneFile, agents } = JSON.parse(printed) as Printed
  return { controlPlaneFile, agentFile: (region) => agents[region] ?? '' }
}

/** The server sends `INFO {...}` first. */
const greets = async (port: number): Promise<boolean> => {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    const [first]: unknown[] = await once(socket, 'data', {
      signal: AbortSignal.timeout(greetingMsMax),
    })
    return String(first).startsWith('INFO ')
  } finally {
    socket.on('error', () => {})
    socket.destroy()
  }
}
