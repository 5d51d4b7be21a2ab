import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { startAllInOne } from './all-in-one.ts'
import type { AllInOne } from './all-in-one.ts'
import { parseFlags } from './flags.ts'
import { greeting } from './greeting.ts'
import { parseAgentSettings } from './region-agents.ts'
import { parseOwnGateway } from './own-gateway.ts'
import { loadCatalog } from '../processes/control-plane-catalog.ts'
import {
  messageOf,
  refuseToStart,
  stopAndExit,
  stopAsked,
  stopOnBug,
} from '../processes/process.ts'
import { writePrivateFiles } from '../processes/private-files.ts'
import { allInOneSecrets, withSecretFiles } from '../processes/secret-files.ts'

const program = { title: 'Probe Mesh', command: 'npm start --' }

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseFlags(process.argv.slice(2), process.env)
  if (flags.kind === 'help') return console.log(flags.text)
  if (flags.kind === 'wrong') return refuseToStart(program, flags.problems)
  const given = withSecretFiles(flags.environment, allInOneSecrets)
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
      'NATS_CREDENTIALS are of one process each: use npm run control-plane and npm run agent',
    )
  }
  if (problems.length > 0 || !parsed.ok || !agents.ok || !gateway.ok || !catalog?.ok)
    // the control plane and the gateway read some of the same
    return refuseToStart(program, [...new Set(problems)])
  const { config } = parsed
  const log = createLog(config.logLevel)
  stopOnBug(log)

  console.error(`Starting on ${config.dataDir} ...`)
  const stopping = stopAsked()
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
