import { createLog } from '@probe-mesh/control-plane/app/log'
import { parseGatewayConfig } from '@probe-mesh/mcp-gateway/config'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { help } from './mcp-gateway-help.ts'
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
