import { parseConfig, type Config } from '@probe-mesh/control-plane/app/config'
import { isFromStore } from '@probe-mesh/control-plane/stores/store-fault'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { startAllInOne, type AllInOne } from './all-in-one.ts'
import { allInOneCommand, parseFlags } from './flags.ts'
import { parseAgentSettings } from './region-agents.ts'
import { parseOwnGateway } from './own-gateway.ts'
import { loadCatalog } from '../processes/control-plane-catalog.ts'
import { messageOf, refuseToStart, stopAndExit, awaitStopSignal, stopOnBug } from '../processes/process.ts'
import { writePrivateFiles } from '../processes/private-files.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { resolve } from 'node:path'
import { startLoopWatch } from '@probe-mesh/runtime/loop-watch'

/** The message after the start: URLs, credentials, first commands. */
const greeting = (started: AllInOne, config: Config): string => {
  const { apiUrl, mcpUrl, credentials, isNew } = started
  const root = apiUrl.replace(/\/v1$/, '')
  const keys = resolve(config.dataDir, 'credentials.json')
  const account = isNew
    ? `
Your account (also in ${keys}):
  e-mail     ${credentials.email}
  password   ${credentials.password}
  API key    ${credentials.apiKey}
  read key   ${credentials.readKey}
  free tier  ${credentials.freeKey}
`
    : `
Your account and its keys are in ${keys}.
`
  return `
Probe Mesh is ready. Regions ${config.regions.join(', ')}, all measured from this machine.

  is it down ${root}
  dashboard  ${root}/dashboard
  REST API   ${apiUrl}
  reference  ${root}/docs
  MCP        ${mcpUrl}/public   ${mcpUrl}/mcp (with an API key)
  health     ${root}/readyz   ${root}/metrics
${account}
Try:
  KEY=$(node -p 'require("${keys}").apiKey')
  curl -s -H "Authorization: Bearer $KEY" ${apiUrl}/checks
  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{"name":"My site","url":"https://example.com/"}' ${apiUrl}/checks
  curl -sN -H "Authorization: Bearer $KEY" ${apiUrl}/events
  curl -s ${apiUrl}/public/services/github/status

Stop with Ctrl-C.
`
}

const program = { title: 'Probe Mesh', command: allInOneCommand.withFlags }

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseFlags(process.argv.slice(2), process.env)
  if (flags.kind === 'help') return console.log(flags.text)
  if (flags.kind === 'wrong') return refuseToStart(program, flags.problems)
  const given = withSecretFiles(flags.environment, ['METRICS_TOKEN'])
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  const parsed = parseConfig(given.environment)
  const agents = parseAgentSettings(given.environment)
  const gateway = parseOwnGateway(given.environment)
  const catalog = parsed.ok ? await loadCatalog(parsed.config) : null
  const problems = [parsed, agents, gateway, catalog].flatMap((part) =>
    part === null || part.ok ? [] : part.problems,
  )
  if (parsed.ok && parsed.config.natsCredentials !== null) {
    problems.push(
      'NATS_CREDENTIALS belong to one process: start the control plane and the agents as programs of their own',
    )
  }
  if (problems.length > 0 || !parsed.ok || !agents.ok || !gateway.ok || !catalog?.ok)
    // the control plane and the gateway share some variables
    return refuseToStart(program, [...new Set(problems)])
  const { config } = parsed
  const log = createLog(config.logLevel, 'all-in-one')
  stopOnBug(log, isFromStore)
  startLoopWatch()

  console.error(`Starting on ${config.dataDir} ...`)
  const stopping = awaitStopSignal()
  let started: AllInOne
  try {
    started = await startAllInOne({
      config,
      catalog: catalog.catalog,
      agents: agents.settings,
      gateway: gateway.config,
      seed: flags.seed,
      log,
      now: Date.now,
    })
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  console.log(greeting(started, config))
  await stopping
  console.error('Stopping ...')
  await stopAndExit(async () => {
    await started.close()
    console.error('Stopped.')
  }, log)
}

await main()
