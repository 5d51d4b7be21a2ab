import { secretsOf, environmentHelp } from '@probe-mesh/runtime/env'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { parseGatewayConfig, gatewayEnvironment } from '@probe-mesh/mcp-gateway/config'
import { Registry, collectDefaultMetrics } from 'prom-client'
import {
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  awaitStopSignal,
  stopOnBug,
} from './process.ts'
import { ownCommand } from './own-command.ts'
import { writePrivateFiles } from './private-files.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { startGateway } from './start-gateway.ts'
import { reportHeld, startLoopWatch } from '@probe-mesh/runtime/loop-watch'

const own = ownCommand({ script: 'mcp-gateway', command: 'probe-mesh-mcp-gateway' })

const help = `Probe Mesh, one MCP gateway in its own process.

  ${own.call}
  ${own.withFlags} --help   this text

Environment
${environmentHelp(gatewayEnvironment)}

A secret may be in a file: GATEWAY_KEY_FILE=/run/secrets/...

It stores nothing. Any number of gateways may run behind one address, and each may be stopped at any
time. Stop it with SIGTERM: it finishes work in progress within 15 seconds.
`

const program = { title: 'The MCP gateway', command: own.withFlags }

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseHelpFlag(process.argv.slice(2))
  if (flags.problem !== null) return refuseToStart(program, [flags.problem])
  if (flags.help) return console.log(help)
  const given = withSecretFiles(process.env, secretsOf(gatewayEnvironment))
  const parsed = parseGatewayConfig(given.environment)
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  if (!parsed.ok) return refuseToStart(program, parsed.problems)
  const { config } = parsed
  const log = createLog(config.logLevel, 'mcp-gateway')
  stopOnBug(log)
  startLoopWatch()
  const stopped = awaitStopSignal()
  let running: { address: string; close(): Promise<void> }
  try {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    reportHeld({ registry, log }, { isOwn: () => true, effect: 'the event loop was held; all calls waited' })
    running = await startGateway(config, { registry, log, now: Date.now })
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  log.info({ address: running.address }, 'the MCP gateway runs')
  await stopped
  log.info({}, 'stopping')
  await stopAndExit(running.close, log)
}

await main()
