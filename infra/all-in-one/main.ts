import { parseConfig } from '@probe-mesh/control-plane/config'
import { createLog } from '@probe-mesh/control-plane/log'
import { startAllInOne } from './all-in-one.ts'
import type { AllInOne } from './all-in-one.ts'
import { help, parseFlags } from './flags.ts'
import { greeting } from './greeting.ts'
import { parseAgentSettings } from './region-agents.ts'
import { parseMcpPort } from './mcp-port.ts'

/** A stop that takes longer is cut off: contracts promise less than 15 s. */
const stopMsMax = 13_000

const main = async (): Promise<void> => {
  const flags = parseFlags(process.argv.slice(2), process.env)
  if (flags.kind === 'help') return console.log(help)
  if (flags.kind === 'wrong') return fail([flags.problem])
  const parsed = parseConfig(flags.environment)
  const agents = parseAgentSettings(flags.environment)
  const mcpPort = parseMcpPort(flags.environment)
  const problems = [parsed, agents, mcpPort].flatMap((part) => (part.ok ? [] : part.problems))
  if (!parsed.ok || !agents.ok || !mcpPort.ok) return fail(problems)
  const { config } = parsed
  const log = createLog(config.logLevel)
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a bug: nobody expected this; stopping')
    process.exit(1)
  })

  console.error(`Starting on ${config.dataDir} ...`)
  const stopping = stopOnSignal()
  let started: AllInOne
  try {
    started = await startAllInOne({
      config,
      agents: agents.settings,
      mcpPort: mcpPort.port,
      seed: flags.seed,
      log,
      now: Date.now,
    })
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return fail([error instanceof Error ? error.message : String(error)])
  }
  console.log(greeting(started, config))
  await stopping
  console.error('Stopping ...')
  setTimeout(() => {
    log.error(
      { stopMsMax },
      'did not stop in time; what was under way is finished at the next start',
    )
    process.exit(1)
  }, stopMsMax).unref()
  await started.close()
  console.error('Stopped.')
  process.exit(0)
}

const fail = (problems: readonly string[]): never => {
  console.error(
    ['Probe Mesh cannot start:', ...problems.map((problem) => `  - ${problem}`)].join('\n'),
  )
  console.error('npm start -- --help lists flags and environment.')
  process.exit(1)
}

/** The first signal asks for a stop; the second one does not wait for it. */
const stopOnSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked && signal === 'SIGINT') process.exit(130)
        asked = true
        resolve()
      })
    }
  })

await main()
