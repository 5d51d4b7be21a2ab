import { secretsOf, environmentHelp } from '@probe-mesh/runtime/env'
import { agentEnvironment, privateAgentEnvironment } from '@probe-mesh/probe-agent/environment'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import { openTokenFile } from '@probe-mesh/bus/relay/token-file'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { createAgentAdmission, type Ending } from '@probe-mesh/probe-agent/admission'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import { findChromium } from '@probe-mesh/check-types/browser/probe/find-chromium'
import { createMeshClock, keepMeshClock } from '@probe-mesh/probe-agent/clock/mesh-clock'
import {
  parseAgentConfig,
  isPrivateAgent,
  parsePrivateAgentConfig,
  type AgentProcessConfig,
} from '@probe-mesh/probe-agent/config'
import { startHealth } from '@probe-mesh/probe-agent/health'
import { awaitName, forgetInstance, ownInstance } from '@probe-mesh/probe-agent/ownership/await-name'
import { createSecretOpener, type SecretOpener } from '@probe-mesh/probe-agent/secrets/secret-opener'
import type { Logger } from 'pino'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { lockFolder } from '../embedded/lock.ts'
import { tryChromium } from './start-chromium.ts'
import { agentReadiness } from './agent-readiness.ts'
import { closeAll } from './close-all.ts'
import { watchDisk } from './disk-watch.ts'
import { StartRefused, openAgentBus, type Token } from './open-agent-bus.ts'
import { createAgentRunner } from './agent-runner.ts'
import {
  exitWith,
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  awaitStopSignal,
  stopOnBug,
} from './process.ts'
import { ownCommand } from './own-command.ts'
import { narrowDataDir, writePrivateFiles } from './private-files.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { startLoopWatch } from '@probe-mesh/runtime/loop-watch'

const { MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS } = privateAgentEnvironment

const own = ownCommand({ script: 'agent', command: 'probe-mesh-agent' })

const help = `Probe Mesh, one agent in its own process: an agent of a region or a private agent.

  ${own.call}
  ${own.withFlags} --help   this text

Environment
${environmentHelp(agentEnvironment)}

A secret may be in a file: METRICS_TOKEN_FILE=/run/secrets/...

An account enrols its private agents (Agents in the dashboard, or "service agents enroll"). Instead of
REGION, REGION_KEY, AGENT, NATS_URL, TARGET_ALLOW, PUBLIC_ADDRESSES, PUBLIC_URL and CHROMIUM they have
${environmentHelp({ MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS })}

Agents of one region share its assignments. An agent without a connection continues to measure, also
after a restart. Stop it with SIGTERM: it hands over its share and finishes work in progress within
15 seconds. It exits with 1 when another agent takes over its name.

Exit codes
  77                the mesh refuses it: credentials revoked, expired or unknown; its readings are kept
  78                its settings contradict each other, such as credentials of another region
  1                 any other failure; 0: stopped by a signal
`

const program = { title: 'The agent', command: own.withFlags }

type Running = {
  /** Resolves when another agent took over the name. */
  superseded: Promise<'superseded'>
  /** Resolves when the mesh refuses the agent for good. */
  ended: Promise<Ending>
  /** The number of readings in its spool. */
  spooled(): number
  close(): Promise<void>
}

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseHelpFlag(process.argv.slice(2))
  if (flags.problem !== null) return refuseToStart(program, [flags.problem])
  if (flags.help) return console.log(help)
  const given = withSecretFiles(process.env, secretsOf(agentEnvironment))
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  const read = readConfig(given.environment)
  if (!read.ok) return refuseToStart(program, read.problems)
  const { config, token } = read
  const chromium = findChromium(config.chromium, process.env['PATH'] ?? '')
  if (!chromium.ok) return refuseToStart(program, [chromium.problem])
  const log = createLog(config.logLevel, 'agent')
  stopOnBug(log)
  startLoopWatch()
  const stopping = new AbortController()
  const stopped = awaitStopSignal().then(() => {
    stopping.abort()
    return 'signal' as const
  })
  let running: Running
  try {
    running = await start(config, { token, chromium: chromium.path, stopping: stopping.signal }, log)
  } catch (error) {
    if (stopping.signal.aborted) return process.exit(0)
    if (error instanceof StartRefused) return exitWith(program, error.ending.text, error.ending.code)
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  const why = await Promise.race([stopped, running.superseded, running.ended])
  if (typeof why === 'string') {
    log.info({ why }, 'stopping')
    return stopAndExit(running.close, log, why === 'signal' ? 0 : 1)
  }
  // readings stay in the spool until the agent is admitted again
  const kept = { spooled: running.spooled(), folder: config.agent.dataDirectory, code: why.code }
  log.fatal(kept, `the agent ends: ${why.text}`)
  return stopAndExit(running.close, log, why.code)
}

/** Parses the environment of a regional agent, or of a private one, whose token contains its id. */
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

/** A placeholder, to find further problems when the token is unreadable. */
const noAgent = '00000000-0000-0000-0000-000000000000'

/** Opens all parts of an agent. If a part fails to open, the parts before it are closed. */
const start = async (
  config: AgentProcessConfig,
  { token, chromium, stopping }: { token: Token; chromium: string | null; stopping: AbortSignal },
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
    const { region, agent: name } = config.agent
    const admission = createAgentAdmission({ log })
    const disk = watchDisk(config.agent.dataDirectory, registry)
    closers.push(disk.close)
    const clock = createMeshClock()
    let agent: Agent | null = null
    let isStopping = false
    let held: string | null = null
    const health = await startHealth({
      ...config,
      readiness: () =>
        agentReadiness(agent, {
          isStopping,
          held,
          refused: admission.problem(),
          clock: clock.problem(),
          disk: disk.problem(),
          unknownRegion: admission.isAdmitted() ? region : null,
        }),
      registry,
      now: Date.now,
      log,
    })
    closers.push(health.close)
    const tried = tryChromium({ path: chromium, mayGoWithout: config.allowsUnsandboxed }, { registry, log })
    tried.catch(() => undefined)
    const instanceFile = join(spoolFolder(config), 'instance')
    const instance = ownInstance(instanceFile)
    const {
      bus,
      tried: triedBus,
      enrolledAs,
    } = await openAgentBus(config, { token, admission, instance }, log)
    closers.push(bus.close)
    await Promise.race([triedBus, admission.ended, aborted(stopping)])
    const ending = admission.ending()
    if (ending !== null) throw new StartRefused(ending)
    if (enrolledAs !== null) {
      const words = `AGENT is ${name}, and its credentials were issued to ${enrolledAs}: use ${enrolledAs} with "admin agent list" and "agent revoke"`
      log.warn({ agent: name, enrolledAs }, words)
    }
    if (config.connection.kind === 'nats') {
      const onHeld = (problem: string) => {
        held = problem
      }
      const { presence } = bus
      await awaitName({ presence, region, agent: name, instance, signal: stopping, log, onHeld })
      held = null
    }
    const keepingClock = keepMeshClock({ clock, bus, region, agent: name, log })
    closers.push(keepingClock.close)
    await keepingClock.first
    stopping.throwIfAborted()
    const allow = config.targetAllow
    const runner = await createAgentRunner({
      ...config,
      allow,
      deny: config.blockedTargets,
      targetRequestsPerSecond: () => config.targetRequestsPerSecond / Math.max(1, agent?.members.length ?? 1),
      chromium: await tried,
      now: clock.now,
      log,
      registry,
      secrets: secretOpener(config.regionKey, token),
    })
    closers.push(runner.close)
    const superseded = Promise.withResolvers<'superseded'>()
    agent = await startAgent({
      config: config.agent,
      bus,
      run: runner.run,
      ownFault: runner.ownFault,
      now: clock.now,
      wallNow: Date.now,
      clockAheadSeconds: clock.aheadSeconds,
      instance,
      enrolledAs,
      log,
      registry,
      publicAddresses: config.publicAddresses,
      regionKey: config.regionKey,
      ...(runner.browser === null ? {} : { browser: runner.browser }),
      onSuperseded: () => {
        forgetInstance(instanceFile)
        superseded.resolve('superseded')
      },
    })
    closers.push(agent.close)
    const started = agent
    log.info({ region, agent: name, health: health.url, chromium }, 'the agent runs')
    return {
      superseded: superseded.promise,
      ended: admission.ended,
      spooled: () => started.spooled,
      close: async () => {
        isStopping = true
        await closeAll(closers)
      },
    }
  } catch (error) {
    await closeAll(closers).catch((reason: unknown) => {
      log.warn({ err: reason }, 'some parts could not be closed')
    })
    throw error
  }
}

/** A private agent derives its key from its token, which may be replaced while it runs. */
const secretOpener = (regionKey: string | null, token: Token): SecretOpener | null => {
  if (token !== null) return createSecretOpener(() => regionKeyOfToken(token.token()))
  return regionKey === null ? null : createSecretOpener(() => regionKey)
}

const spoolFolder = ({ agent }: AgentProcessConfig): string => join(agent.dataDirectory, 'spool', agent.agent)

/** Locks the spool, which two processes would corrupt. @throws Error if another process holds it */
const lockSpool = (config: AgentProcessConfig): (() => void) => {
  const folder = spoolFolder(config)
  mkdirSync(folder, { recursive: true })
  const lock = lockFolder(folder)
  if (lock === null) throw new Error(`another process runs ${config.agent.agent} on ${folder}`)
  return lock.release
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

await main()
