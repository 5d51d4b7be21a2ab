import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { gatewayEnvironment } from '@probe-mesh/mcp-gateway/config'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import { environmentHelp, type Environment } from '@probe-mesh/runtime/env'
import { optional, path, text } from '@probe-mesh/runtime/setting'
import { ownCommand } from '../processes/own-command.ts'
import { regionAgentsEnvironment } from './region-agents.ts'

// each process has its own NATS credentials
const { NATS_CREDENTIALS: _, ...ofControlPlane } = controlPlaneEnvironment
const { MCP_PORT, MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS } = gatewayEnvironment

/** Every variable of the single process. */
export const allInOneEnvironment = {
  ...ofControlPlane,
  ...regionAgentsEnvironment,
  MCP_PORT,
  MCP_ALLOWED_HOSTS,
  MCP_ALLOWED_ORIGINS,
}

export const allInOneCommand = ownCommand({ script: 'start', command: 'probe-mesh-server' })

const commands = defineCommandLine({
  call: allInOneCommand.withFlags,
  about: 'Probe Mesh, everything in one process with embedded databases, at http://127.0.0.1:8080.',
  commands: {
    '': {
      summary: '',
      options: {
        port: optional(text, 'PORT, 8080', 'port of the REST API'),
        host: optional(text, 'HOST, 127.0.0.1', 'address to listen on'),
        'data-dir': optional(path, 'DATA_DIR, .data', 'folder of the databases, spools and credentials.json'),
        'no-seed': flag('do not create the example account and its checks on the first start'),
      },
    },
  },
  notes: `Environment (flags win)
${environmentHelp(allInOneEnvironment)}

METRICS_TOKEN may be in a file: METRICS_TOKEN_FILE=/run/secrets/...

Stop it with Ctrl-C. Work in progress finishes within 15 seconds.`,
})

export type Flags =
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'run'; seed: boolean; environment: Environment }

/** Merges the command line into the environment. A flag overrides its variable. */
export const parseFlags = (args: readonly string[], environment: Environment): Flags => {
  const parsed = parseArgv(commands, args)
  if (parsed.kind !== 'run') return parsed
  const { port, host, 'data-dir': dataDir, 'no-seed': noSeed } = parsed.given
  return {
    kind: 'run',
    seed: !noSeed,
    environment: {
      ...environment,
      ...(port === null ? {} : { PORT: port }),
      ...(host === null ? {} : { HOST: host }),
      ...(dataDir === null ? {} : { DATA_DIR: dataDir }),
    },
  }
}
