import { join } from 'node:path'
import { createCommandPart } from '../../testing/processes/command-part.ts'
import type { Part } from '../../testing/processes/part.ts'
import { programCommand } from '../../testing/processes/program-command.ts'

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
    command: programCommand('mcp-gateway'),
    environment: { HOST: '127.0.0.1', MCP_PORT: String(how.port), ...how.environment },
    logFile: join(how.folder, 'logs', 'gateway'),
    isReady: how.isReady,
  })
