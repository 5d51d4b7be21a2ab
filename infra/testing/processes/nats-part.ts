import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Region } from '@probe-mesh/contracts/regions'
import { enroll } from '../../nats/enroll.ts'
import { findNatsServer } from '../nats-server.ts'
import { createCommandPart } from './command-part.ts'
import type { Part } from './part.ts'

const run = promisify(execFile)
const generator = fileURLToPath(new URL('../../nats/main.ts', import.meta.url))
const generateMsMax = 30_000
const greetingMsMax = 2_000

/** A nats-server with the configuration that an operator would generate, its credentials beside it. */
export const createNatsPart = async (options: {
  port: number
  regions: readonly Region[]
  /** Of the whole mesh. */
  folder: string
}): Promise<{ part: Part; controlPlaneFile: string; agentFile(region: Region): string }> => {
  const { port } = options
  const folder = join(options.folder, 'nats')
  const binary = process.env['TEST_NATS_SERVER'] ?? (await findNatsServer())
  const flags = ['--regions', options.regions.join(','), '--out', folder]
  const where = ['--listen', `127.0.0.1:${port}`, '--store', join(folder, 'store')]
  await run(process.execPath, [generator, ...flags, ...where], { timeout: generateMsMax })
  const agentFile = (region: Region) => join(folder, `agent-${region}.creds`)
  for (const region of options.regions) {
    const input = { region, name: `${region}-all`, days: 1, out: agentFile(region) }
    await enroll(folder, { ...input, isRotation: false }, Date.now())
  }
  const part = createCommandPart({
    name: 'nats-server',
    command: [binary, '-c', join(folder, 'nats-server.conf')],
    environment: {},
    logFile: join(options.folder, 'logs', 'nats-server'),
    isReady: () => greets(port),
  })
  return {
    part,
    controlPlaneFile: join(folder, 'control-plane.creds'),
    agentFile,
  }
}

/** The server speaks first: `INFO {...}`. */
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
