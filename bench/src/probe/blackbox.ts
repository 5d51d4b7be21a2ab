import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findBlackbox } from '@probe-mesh/acceptance/testing/blackbox-binary'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { usageOf } from '../harness/process-tree.ts'
import { runInFlight, type Slice, type SliceQuestion } from './slice.ts'
import { expectedText, zone, type Target } from './targets.ts'
import type { SystemNames } from './system-names.ts'

/** A running blackbox_exporter that checks the target as the agent does. */
type Blackbox = {
  version: string
  slice(question: SliceQuestion): Promise<Slice>
  close(): Promise<void>
}

const readyMsMax = 10_000
const pollMs = 50
/** Scrapers keep their connections. */
const connectionsMax = 64

/**
 * Starts it with modules that verify the same things.
 * @param by the target's address; or a new name each time, which it looks up with the system's resolver
 * @returns null where the machine lacks it, which is logged
 */
export const startBlackbox = async (
  folder: string,
  target: Target,
  {
    by,
    mayFetch,
    log,
  }: {
    by: 'address' | SystemNames
    mayFetch: boolean
    log: (line: string) => void
  },
): Promise<Blackbox | null> => {
  const path = await findBlackbox({ mayFetch }).catch((error: unknown) => {
    log(`no blackbox_exporter to compare with: ${error instanceof Error ? error.message : error}`)
    return null
  })
  if (path === null) return null
  await writeFile(join(folder, 'ca.pem'), target.ca)
  await writeFile(join(folder, 'blackbox.json'), JSON.stringify(configuration(folder)))
  const [port = 0] = await freePorts(1)
  const flags = ['--config.file', join(folder, 'blackbox.json')]
  const listen = ['--web.listen-address', `127.0.0.1:${port}`]
  const command = [path, ...flags, ...listen, '--log.level', 'error']
  const [program = path, ...args] = by === 'address' ? command : by.within(command)
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 2],
    // with one core a check costs it a tenth less CPU: the peer at its best
    env: { ...process.env, GOMAXPROCS: '1' },
  })
  const exited = once(child, 'exit')
  const pid = child.pid ?? 0
  const agent = new http.Agent({ keepAlive: true, maxSockets: connectionsMax })
  const close = async (): Promise<void> => {
    agent.destroy()
    child.kill()
    await exited
  }
  try {
    await Promise.race([
      untilReady(port, agent),
      exited.then(() => {
        throw new Error(`blackbox_exporter ended with ${child.exitCode}`)
      }),
    ])
    const version = await versionOf(path)
    const url = urlOf(port, target, by === 'address' ? () => '127.0.0.1' : by.nameOf)
    const slice = (question: SliceQuestion) => timeProbes(pid, url, agent, question)
    return { version, slice, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** JSON, which is YAML too. */
const configuration = (folder: string) => {
  const http = {
    preferred_ip_protocol: 'ip4',
    fail_if_body_not_matches_regexp: [expectedText],
    tls_config: { ca_file: join(folder, 'ca.pem'), server_name: `blackbox.${zone}` },
  }
  return {
    modules: {
      http: { prober: 'http', timeout: '10s', http: { ...http, fail_if_ssl: true } },
      https: { prober: 'http', timeout: '10s', http: { ...http, fail_if_not_ssl: true } },
    },
  }
}

type UrlOf = (secure: boolean, n: number) => string

const urlOf =
  (port: number, target: Target, hostOf: (n: number) => string): UrlOf =>
  (secure, n) => {
    const at = secure
      ? `https://${hostOf(n)}:${target.httpsPort}/`
      : `http://${hostOf(n)}:${target.httpPort}/`
    const asked = new URLSearchParams({ target: at, module: secure ? 'https' : 'http' })
    return `http://127.0.0.1:${port}/probe?${asked}`
  }

const versionOf = async (path: string): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(path, ['--version'])
  return /version (\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
}

const untilReady = async (port: number, agent: http.Agent): Promise<void> => {
  const until = performance.now() + readyMsMax
  for (;;) {
    const answer = await get(`http://127.0.0.1:${port}/-/healthy`, agent).catch(() => null)
    if (answer !== null) return
    if (performance.now() > until) throw new Error('blackbox_exporter does not answer')
    await wait(pollMs)
  }
}

const timeProbes = async (
  pid: number,
  url: UrlOf,
  agent: http.Agent,
  { secure, count, inFlight }: SliceQuestion,
): Promise<Slice> => {
  let failed = 0
  const cpu = (): number => usageOf({ blackbox: pid })['blackbox']?.cpuSeconds ?? 0
  const startedAt = performance.now()
  const before = cpu()
  await runInFlight(count, inFlight, async (n) => {
    const metrics = await get(url(secure, n), agent)
    if (!metrics.includes('\nprobe_success 1\n')) failed += 1
  })
  const cpuSeconds = cpu() - before
  return { count, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1_000, failed }
}

const get = (url: string, agent: http.Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => resolve(Buffer.concat(chunks).toString('latin1')))
      response.once('error', reject)
    })
    request.once('error', reject)
  })
