import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLateBus } from '@probe-mesh/bus/late/late-bus'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, agentInboxPrefix } from '@probe-mesh/bus/nats/permissions'
import { openRelayBus } from '@probe-mesh/bus/relay/relay-bus'
import { openTokenFile } from '@probe-mesh/bus/relay/token-file'
import { createLog } from '@probe-mesh/control-plane/log'
import { startAgent } from '@probe-mesh/probe-agent/agent'
import type { Agent } from '@probe-mesh/probe-agent/agent'
import { findChromium } from '@probe-mesh/probe-agent/browser/find-chromium'
import { parseAgentConfig } from '@probe-mesh/probe-agent/config'
import type { AgentProcessConfig } from '@probe-mesh/probe-agent/config'
import { isPrivateAgent, parsePrivateAgentConfig } from '@probe-mesh/probe-agent/private-config'
import manifest from '@probe-mesh/probe-agent/package.json' with { type: 'json' }
import { startHealth } from '@probe-mesh/probe-agent/health'
import type { AgentReadiness } from '@probe-mesh/probe-agent/health'
import type { Logger } from 'pino'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { lockFolder } from '../embedded/lock.ts'
import { help } from './agent-help.ts'
import { tryChromium } from './start-chromium.ts'
import { closeAll } from './close-all.ts'
import { createAgentRunner } from './agent-runner.ts'
import {
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  stopAsked,
  stopOnBug,
} from './process.ts'
import { narrowDataDir, writePrivateFiles } from './private-files.ts'
import { agentSecrets, withSecretFiles } from './secret-files.ts'

const program = { title: 'The agent', command: 'npm run agent --' }

type Running = {
  /** Resolves when another agent took over the name. */
  superseded: Promise<'superseded'>
  close(): Promise<void>
}

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseHelpFlag(process.argv.slice(2))
  if (flags.problem !== null) return refuseToStart(program, [flags.problem])
  if (flags.help) return console.log(help)
  const given = withSecretFiles(process.env, agentSecrets)
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  const read = readConfig(given.environment)
  if (!read.ok) return refuseToStart(program, read.problems)
  const { config, token } = read
  const chromium = findChromium(config.chromium, process.env['PATH'] ?? '')
  if (!chromium.ok) return refuseToStart(program, [chromium.problem])
  const log = createLog(config.logLevel)
  stopOnBug(log)
  const asked = stopAsked().then(() => 'asked' as const)
  let running: Running
  try {
    running = await start(config, { token, chromium: chromium.path }, log)
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  const why = await Promise.race([asked, running.superseded])
  log.info({ why }, 'stopping')
  await stopAndExit(running.close, log, why === 'asked' ? 0 : 1)
}

type Token = ReturnType<typeof openTokenFile> | null

/** What the environment says of an agent of the mesh, or of a private one, whose token says who it is. */
const readConfig = (
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; config: AgentProcessConfig; token: Token } | { ok: false; problems: string[] } => {
  if (!isPrivateAgent(environment)) {
    const parsed = parseAgentConfig(environment)
    return parsed.ok ? { ...parsed, token: null } : parsed
  }
  const path = environment['AGENT_CREDENTIALS']?.trim() ?? ''
  try {
    const token = openTokenFile(path)
    const parsed = parsePrivateAgentConfig(environment, token.agentId)
    return parsed.ok ? { ...parsed, token } : parsed
  } catch (error) {
    const own = parsePrivateAgentConfig(environment, noAgent)
    const problem = `AGENT_CREDENTIALS must be the file of the agent's token: ${messageOf(error)}`
    return { ok: false, problems: [problem, ...(own.ok ? [] : own.problems)] }
  }
}

/** For the other problems of an environment whose token cannot be read. */
const noAgent = '00000000-0000-0000-0000-000000000000'

/** Everything that one agent needs, wired. What was opened is closed again when a part cannot be. */
const start = async (
  config: AgentProcessConfig,
  { token, chromium }: { token: Token; chromium: string | null },
  log: Logger,
): Promise<Running> => {
  const closers: (() => void | Promise<void>)[] = []
  try {
    for (const failure of narrowDataDir(config.agent.dataDirectory)) {
      log.warn({ failure }, 'other users of this machine may read a file of the data directory')
    }
    closers.push(lockSpool(config))
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    let agent: Agent | null = null
    let isStopping = false
    const health = await startHealth({
      ...config,
      readiness: () => readinessOf(agent, isStopping),
      registry,
      now: Date.now,
      log,
    })
    closers.push(health.close)
    const tried = tryChromium(
      { path: chromium, mayGoWithout: config.mayGoWithoutSandbox },
      { registry, log },
    )
    tried.catch(() => undefined)
    const bus = await openBus(config, token, log)
    closers.push(bus.close)
    const allow = config.targetAllow
    const runner = createAgentRunner({
      ...config,
      allow,
      deny: config.blockedTargets,
      targetRequestsPerSecond: () =>
        config.targetRequestsPerSecond / Math.max(1, agent?.members.length ?? 1),
      chromium: await tried,
      now: Date.now,
      log,
      registry,
    })
    closers.push(runner.close)
    const superseded = Promise.withResolvers<'superseded'>()
    agent = await startAgent({
      config: config.agent,
      bus,
      run: runner.run,
      ownFault: runner.ownFault,
      now: Date.now,
      log,
      registry,
      publicAddresses: config.publicAddresses,
      ...(runner.browser === null ? {} : { browser: runner.browser }),
      onSuperseded: () => superseded.resolve('superseded'),
    })
    closers.push(agent.close)
    const { region, agent: name } = config.agent
    log.info({ region, agent: name, health: health.url, chromium }, 'the agent runs')
    return {
      superseded: superseded.promise,
      close: async () => {
        isStopping = true
        await closeAll(closers)
      },
    }
  } catch (error) {
    await closeAll(closers).catch((reason: unknown) => {
      log.warn({ err: reason }, 'not everything could be closed')
    })
    throw error
  }
}

/** Two processes that wrote one spool would tear it. @throws Error when another holds it */
const lockSpool = ({ agent }: AgentProcessConfig): (() => void) => {
  const folder = join(agent.dataDirectory, 'spool', agent.agent)
  mkdirSync(folder, { recursive: true })
  const lock = lockFolder(folder)
  if (lock === null) throw new Error(`another process runs ${agent.agent} on ${folder}`)
  return lock.release
}

const openBus = async (config: AgentProcessConfig, token: Token, log: Logger) => {
  const { region, agent } = config.agent
  const { way } = config
  if (way.kind === 'relay') {
    if (token === null) throw new Error('a private agent needs its token')
    if (token.warning !== null) log.warn({}, token.warning)
    const { version } = manifest
    return openRelayBus({ url: way.url, token: token.token, region, version, log })
  }
  const path = way.credentialsPath
  const credentials = path === null ? null : await readNatsCredentials(path)
  if (credentials !== null && credentials.warning !== null) log.warn({}, credentials.warning)
  return openLateBus({
    open: () =>
      openNatsBus({
        servers: way.urls,
        name: agent,
        // Only a server that asks for credentials has an account, and so an API, for each region.
        ...(credentials === null
          ? { inboxPrefix: agentInboxPrefix(region) }
          : { ...agentConnection(region), authenticator: credentials.authenticator }),
        log,
      }),
    log,
  })
}

const readinessOf = (agent: Agent | null, isStopping: boolean): AgentReadiness => ({
  notReady: [
    ...(isStopping ? ['serving'] : []),
    ...(agent?.hasAssignments === true ? [] : ['assignments']),
    ...(agent === null || agent.members.length === 0 ? ['members'] : []),
  ],
  bus: agent === null || agent.isBusAway ? 'away' : 'connected',
})

await main()
