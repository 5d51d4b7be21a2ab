import { parseArgs } from 'node:util'
import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { gatewayEnvironment } from '@probe-mesh/mcp-gateway/config'
import { environmentHelp } from '@probe-mesh/runtime/env'
import { regionAgentsEnvironment } from './region-agents.ts'

// the credentials of NATS are of one process each
const { NATS_CREDENTIALS: _, ...ofControlPlane } = controlPlaneEnvironment
const { MCP_PORT, MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS } = gatewayEnvironment

/** Every variable that everything in one process reads. */
export const allInOneEnvironment = {
  ...ofControlPlane,
  ...regionAgentsEnvironment,
  MCP_PORT,
  MCP_ALLOWED_HOSTS,
  MCP_ALLOWED_ORIGINS,
}

export const help = `Probe Mesh, everything in one process on embedded stores.

  npm start                       start on http://127.0.0.1:8080
  npm start -- [flags]

Flags
  --port N          port of the REST API (PORT, 8080)
  --host ADDRESS    address to listen on (HOST, 127.0.0.1)
  --data-dir DIR    where stores, spools and credentials.json live (DATA_DIR, .data)
  --no-seed         do not create the example account and its checks on the first start
  --help            this text

Environment (flags win)
${environmentHelp(allInOneEnvironment)}

METRICS_TOKEN may be in a file: METRICS_TOKEN_FILE=/run/secrets/...

Stop it with Ctrl-C: it finishes what is under way, within 15 seconds.
`

export type Flags =
  | { kind: 'help' }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; seed: boolean; environment: Record<string, string | undefined> }

/** The command line over the environment: a flag is the same as its variable, and wins. */
export const parseFlags = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Flags => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        seed: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowNegative: true,
      strict: true,
    })
    if (values.help) return { kind: 'help' }
    return {
      kind: 'run',
      seed: values.seed,
      environment: {
        ...environment,
        ...(values.port === undefined ? {} : { PORT: values.port }),
        ...(values.host === undefined ? {} : { HOST: values.host }),
        ...(values['data-dir'] === undefined ? {} : { DATA_DIR: values['data-dir'] }),
      },
    }
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) }
  }
}
