import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCommandPart } from '../../testing/processes/command-part.ts'
import type { Part } from '../../testing/processes/part.ts'

const entry = fileURLToPath(new URL('../../start/processes/mcp-gateway.ts', import.meta.url))

/** Creates a gateway in its own process. */
export const createGatewayPart = (how: {
  port: number
  /** The folder of the mesh. */
  folder: string
  environment: Readonly<Record<string, string>>
  isReady: () => Promise<boolean>
}): Part =>
  createCommandPart({
    name: 'gateway',
    command: [process.execPath, entry],
    environment: { HOST: '127.0.0.1', MCP_PORT: String(how.port), ...how.environment },
    logFile: join(how.folder, 'logs', 'gateway'),
    isReady: how.isReady,
  })
