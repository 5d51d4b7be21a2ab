import { createLog } from '@probe-mesh/control-plane/app/log'
import { parseGatewayConfig } from '@probe-mesh/mcp-gateway/config'
import { Registry, collectDefaultMetrics } from 'prom-client'
import {
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  stopAsked,
  stopOnBug,
} from './process.ts'
import { writePrivateFiles } from './private-files.ts'
import { gatewaySecrets, withSecretFiles } from './secret-files.ts'
import { startGateway } from './start-gateway.ts'

const help = `Probe Mesh, one MCP gateway in a process of its own.

  npm run mcp-gateway
  npm run mcp-gateway -- --help           this text

Environment
  GATEWAY_KEY       its credential at the control plane: 32 characters or more, the same in each; required
  CONTROL_PLANE_URL where it calls the REST API (from PUBLIC_URL)
  HOST, MCP_PORT    where it answers POST /public and POST /mcp, /healthz, /readyz, /metrics (127.0.0.1, 8081)
  TLS_CERT, TLS_KEY files in PEM: it answers by TLS (none: without)
  MCP_URL, PUBLIC_URL  what it and the control plane are called from outside: requests for other host names
                    are refused, and from pages of other sites
  MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS  further host names of requests and of pages, commas between
  METRICS_TOKEN     what readers of /metrics send as Authorization: Bearer (without: this machine only)
  TRUST_PROXY, LOG_LEVEL

GATEWAY_KEY and METRICS_TOKEN may be files: GATEWAY_KEY_FILE=/run/secrets/...

It keeps nothing: any number of them may answer behind one address, and each may be stopped at any
time. Stop it with SIGTERM: it finishes what is under way, within 15 seconds.
`

const program = { title: 'The MCP gateway', command: 'npm run mcp-gateway --' }

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseHelpFlag(process.argv.slice(2))
  if (flags.problem !== null) return refuseToStart(program, [flags.problem])
  if (flags.help) return console.log(help)
  const given = withSecretFiles(process.env, gatewaySecrets)
  const parsed = parseGatewayConfig(given.environment)
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  if (!parsed.ok) return refuseToStart(program, parsed.problems)
  const { config } = parsed
  const log = createLog(config.logLevel)
  stopOnBug(log)
  const asked = stopAsked()
  let running: { address: string; close(): Promise<void> }
  try {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    running = await startGateway(config, { registry, log, now: Date.now })
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  log.info({ address: running.address }, 'the MCP gateway runs')
  await asked
  log.info({}, 'stopping')
  await stopAndExit(running.close, log)
}

await main()
